/** The suite of journals: events are kept, in their places, once. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { RecordEvent } from '../../../src/schema/record.ts'
import { parameters } from '../../support/property.ts'
import { type Bench, cancel, opened, opening, said } from './samples.ts'

/** Ids that break whoever derives a name or an order from them; all are valid and different. */
export const ODD_IDS = [
  'a/b',
  'a-b',
  'a b',
  'A-b',
  'a_b',
  'a%b',
  'a\\b',
  "a'b",
  'a\u0000b',
  'a\u0000',
  '..',
  '.',
  '__proto__',
  'con',
  '智'.repeat(90),
  `${'智'.repeat(89)}能`,
  'é',
  'e\u0301',
  '\uffee',
  '🙂',
]

export const recordContract = (prepare: () => Bench): void => {
  it('gives back what was appended, in its order', async () => {
    const journal = opened(prepare())
    const message = said('m1', 'line\nbreak \u2028 “é” 🙂 \u0000')
    await journal.append('c', 0, [opening('c'), message])
    await journal.append('c', 2, [cancel(5)])
    expect(await journal.read('c')).toEqual({ events: [opening('c'), message, cancel(5)], warnings: [] })
  })

  it('knows nothing of a conversation that was never appended to', async () => {
    const journal = opened(prepare())
    expect(await journal.read('nobody')).toEqual({ events: [], warnings: [] })
    expect(await journal.load('nobody')).toBeNull()
    expect(await journal.list()).toEqual([])
    expect(await journal.questions('nobody')).toEqual([])
  })

  it('refuses an append at any place but the end, and appends nothing then', async () => {
    const journal = opened(prepare())
    await journal.append('c', 0, [opening('c')])
    for (const seq of [0, 2, -1])
      for (const events of [[cancel(1)], []])
        await expect(journal.append('c', seq, events)).rejects.toMatchObject({ code: 'JOURNAL_CONFLICT' })
    expect((await journal.read('c')).events).toEqual([opening('c')])
  })

  it('refuses a message that is there already, with all that came with it', async () => {
    const journal = opened(prepare())
    await journal.append('c', 0, [opening('c'), said('m1'), said('m2')])
    for (const events of [[said('m1', 'other')], [said('m3'), said('m2')], [said('m4'), said('m4')]])
      await expect(journal.append('c', 3, events)).rejects.toMatchObject({ code: 'JOURNAL_CONFLICT' })
    await journal.append('c', 3, [said('m3'), said('m4')])
    expect((await journal.read('c')).events).toEqual([
      opening('c'),
      ...['m1', 'm2', 'm3', 'm4'].map((id) => said(id)),
    ])
  })

  it('keeps one message id in two conversations, and ids that differ by anything', async () => {
    const journal = opened(prepare())
    await journal.append('c', 0, [opening('c'), said('m'), said('M'), said('m '), said('é'), said('e\u0301')])
    await journal.append('d', 0, [opening('d'), said('m')])
    expect((await journal.read('c')).events).toHaveLength(6)
    expect((await journal.read('d')).events).toHaveLength(2)
  })

  it('keeps any number of messages that are none: what has no id is not the same twice', async () => {
    const journal = opened(prepare())
    const wrong: readonly RecordEvent[] = ['text', null, {}, { id: 1, from: 'a' }, { id: 'm' }, '\ud800'].map(
      (message) => ({ type: 'message', at: 1, message }),
    )
    await journal.append('c', 0, [opening('c'), ...wrong, ...wrong])
    expect((await journal.read('c')).events).toEqual([opening('c'), ...wrong, ...wrong])
  })

  it('lets one of several writers at the same place win', async () => {
    const bench = prepare()
    const one = opened(bench)
    const other = one.capabilities.shared ? opened(bench) : one
    await one.append('c', 0, [opening('c')])
    const writers = [one, other, one, other]
    const tries = await Promise.allSettled(writers.map((journal, at) => journal.append('c', 1, [cancel(at)])))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await other.read('c')).events).toHaveLength(2)
  })

  it('keeps conversations apart, whatever their ids', async () => {
    const journal = opened(prepare())
    await Promise.all(ODD_IDS.map((id) => journal.append(id, 0, [opening(id)])))
    for (const id of ODD_IDS) expect((await journal.read(id)).events).toEqual([opening(id)])
  })

  it('takes appends that were asked for together in their order', async () => {
    const journal = opened(prepare())
    const appends = [[opening('c')], [cancel(1)], [cancel(2), cancel(3)], [cancel(4)]]
    let seq = 0
    await Promise.all(
      appends.map((events) => {
        const appended = journal.append('c', seq, events)
        seq += events.length
        return appended
      }),
    )
    expect((await journal.read('c')).events).toEqual(appends.flat())
  })

  it('lets each of many appends that were asked for together succeed or fail by itself', async () => {
    const journal = opened(prepare())
    const ids = Array.from({ length: 30 }, (_, index) => `c${index}`)
    const results = await Promise.allSettled(
      ids.map((id, index) => journal.append(id, index % 3 === 0 ? 1 : 0, [opening(id), said('m')])),
    )
    for (const [index, id] of ids.entries()) {
      const isWrong = index % 3 === 0
      expect(results[index]?.status).toBe(isWrong ? 'rejected' : 'fulfilled')
      expect((await journal.read(id)).events).toHaveLength(isWrong ? 0 : 2)
    }
  })

  it('does not change when what was read is changed', async () => {
    const journal = opened(prepare())
    await journal.append('c', 0, [opening('c')])
    const { events } = await journal.read('c')
    ;(events as RecordEvent[]).pop()
    expect((await journal.read('c')).events).toHaveLength(1)
  })

  it('closes twice without harm, after all that was being appended', async () => {
    const journal = opened(prepare())
    const appended = journal.append('c', 0, [opening('c')])
    await journal.close()
    await journal.close()
    await expect(appended).resolves.toBeUndefined()
  })

  it('has after a restart what it had before', async (test) => {
    const bench = prepare()
    const before = opened(bench)
    if (!before.capabilities.durable) test.skip('this journal is not durable')
    await fc.assert(
      fc.asyncProperty(
        fc.uuid(),
        fc.array(fc.string({ unit: 'binary' }), { maxLength: 20 }),
        async (id, contents) => {
          const events = [
            opening(id),
            ...contents.map((content, index) => said(`m${index}`, content.toWellFormed())),
          ]
          await before.append(id, 0, events)
          const after = bench.open()
          expect((await after.read(id)).events).toEqual(events)
          await after.append(id, events.length, [cancel(9)])
          expect((await after.read(id)).events).toHaveLength(events.length + 1)
          await after.close()
        },
      ),
      parameters(30),
    )
  })
}
