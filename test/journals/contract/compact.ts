/** The suite of journals: a closed conversation takes less room, and loses nothing. */
import { expect, it } from 'vitest'
import { type Bench, cancel, closed, opened, opening, said, snapshot, standing } from './samples.ts'

const MESSAGES = 50
const ids = Array.from({ length: MESSAGES }, (_, index) => `m${index}`)

export const compactContract = (prepare: () => Bench): void => {
  it('has all that it had', async () => {
    const bench = prepare()
    const journal = opened(bench)
    const known = ids.slice(0, 30).map((id) => [id, 'a'] as const)
    const events = [opening('c'), ...ids.map((id) => said(id, `${id} – 说 `.repeat(20)))]
    await journal.append('c', 0, events, { standing: { ...closed(), snapshot: snapshot('c', 30, known) } })
    await journal.append('d', 0, [opening('d')], { standing: standing() })
    const had = { loaded: await journal.load('c'), listed: await journal.list() }

    const { before, after } = await journal.compact('c')
    expect(after).toBeLessThanOrEqual(before)
    const journals = journal.capabilities.shared ? [journal, opened(bench)] : [journal]
    for (const each of journals) {
      expect(await each.read('c')).toEqual({ events, warnings: [] })
      expect({ loaded: await each.load('c'), listed: await each.list() }).toEqual(had)
    }
  })

  it('becomes no smaller the second time', async () => {
    const journal = opened(prepare())
    const events = [opening('c'), ...ids.map((id) => said(id))]
    await journal.append('c', 0, events, { standing: closed() })
    const { after } = await journal.compact('c')
    expect(await journal.compact('c')).toEqual({ before: after, after })
    expect((await journal.read('c')).events).toEqual(events)
  })

  it('is not made of an open conversation, nor of one that is not known', async () => {
    const journal = opened(prepare())
    await journal.append('c', 0, [opening('c'), said('m1')], { standing: standing() })
    const { before, after } = await journal.compact('c')
    expect(after).toBe(before)
    await journal.append('c', 2, [said('m2')], { standing: standing() })
    expect((await journal.read('c')).events).toEqual([opening('c'), said('m1'), said('m2')])
    expect(await journal.compact('nobody')).toEqual({ before: 0, after: 0 })
    expect(await journal.list()).toHaveLength(1)
  })

  it('takes more events, and still has each message once', async () => {
    const journal = opened(prepare())
    await journal.append('c', 0, [opening('c'), said('m1')], { standing: closed() })
    await journal.compact('c')
    await expect(journal.append('c', 2, [said('m1')])).rejects.toMatchObject({ code: 'JOURNAL_CONFLICT' })
    await expect(journal.append('c', 1, [cancel(3)])).rejects.toMatchObject({ code: 'JOURNAL_CONFLICT' })
    await journal.append('c', 2, [said('m2')])
    expect((await journal.read('c')).events).toEqual([opening('c'), said('m1'), said('m2')])
    await journal.compact('c')
    await journal.append('c', 3, [cancel(4)])
    expect(await journal.load('c')).toMatchObject({
      events: [opening('c'), said('m1'), said('m2'), cancel(4)],
      length: 4,
    })
    expect(await journal.list()).toMatchObject([{ length: 4, at: 4 }])
  })
}
