/** The suite of journals: conversations are found without being read. */
import { expect, it } from 'vitest'
import type { Journal, ListFilter } from '../../../src/journals/journal.ts'
import { ODD_IDS } from './record.ts'
import { type Bench, cancel, closed, opened, opening, question, standing, TTL } from './samples.ts'

const idsOf = async (journal: Journal, filter?: ListFilter): Promise<readonly string[]> =>
  (await journal.list(filter)).map(({ id }) => id)

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

export const listContract = (prepare: () => Bench): void => {
  it('tells all of a conversation', async () => {
    const journal = opened(prepare())
    const lease = await journal.lease(TTL)
    await lease.take('c')
    const questions = [question('c', 'q1'), question('c', 'q2')]
    await journal.append('c', 0, [{ ...opening('c'), at: 3 }, cancel(7)], {
      lease: lease.id,
      standing: standing({ questions }),
    })
    await journal.append('d', 0, [opening('d')], { standing: closed() })
    expect(await journal.list()).toEqual([
      {
        id: 'c',
        machine: 'conversation',
        version: 1,
        goal: 'goal – 目标',
        length: 2,
        openedAt: 3,
        at: 7,
        state: 'discussion',
        dueAt: 1_000,
        outcome: null,
        questions: 2,
        holder: lease.id,
      },
      {
        id: 'd',
        machine: 'conversation',
        version: 1,
        goal: 'goal – 目标',
        length: 1,
        openedAt: 0,
        at: 0,
        state: 'closed',
        dueAt: null,
        outcome: closed().outcome,
        questions: 0,
        holder: null,
      },
    ])
  })

  it('says of a record without a version that it has none', async () => {
    const journal = opened(prepare())
    await journal.append('c', 0, [
      { type: 'open', at: 0, id: 'c', machine: 'poll', goal: '', members: [], lead: null, policy: {} },
    ])
    expect(await journal.list()).toMatchObject([{ version: null, machine: 'poll', goal: '' }])
  })

  it('has what is asked for', async () => {
    const journal = opened(prepare())
    await journal.append('a', 0, [opening('a')], { standing: standing() })
    await journal.append('b', 0, [opening('b', 'poll')], { standing: standing({ state: 'review' }) })
    await journal.append('c', 0, [opening('c', 'poll')], { standing: closed('completed') })
    await journal.append('d', 0, [opening('d')], { standing: closed('failed') })
    await journal.append('e', 0, [opening('e')], {
      standing: { state: 'closed', dueAt: null, outcome: { status: 7 } },
    })
    await journal.append('f', 0, [opening('f')])
    const cases: readonly (readonly [ListFilter, string])[] = [
      [{}, 'abcdef'],
      [{ closed: true }, 'cde'],
      [{ closed: false }, 'abf'],
      [{ machine: 'poll' }, 'bc'],
      [{ machine: 'Poll' }, ''],
      [{ state: 'review' }, 'b'],
      [{ state: 'closed', machine: 'conversation' }, 'de'],
      [{ status: 'completed' }, 'c'],
      [{ status: '7' }, ''],
      [{ status: 'failed', closed: true }, 'd'],
      [{ status: 'failed', closed: false }, ''],
      [{ limit: 2 }, 'ab'],
      [{ limit: 0 }, ''],
      [{ after: 'b' }, 'cdef'],
      [{ after: 'bb', limit: 2 }, 'cd'],
      [{ closed: true, after: 'c', limit: 1 }, 'd'],
    ]
    for (const [filter, ids] of cases)
      expect([filter, (await idsOf(journal, filter)).join('')]).toEqual([filter, ids])
  })

  it('is in the order of the ids’ bytes, and goes on page by page', async () => {
    const journal = opened(prepare())
    const ids = [...ODD_IDS, 'z', 'Z', '\u{10ffff}', '\ue000', 'ا', 'aa', 'a']
    await Promise.all(ids.map((id) => journal.append(id, 0, [opening(id)])))
    const expected = [...ids].sort(byBytes)
    expect(await idsOf(journal)).toEqual(expected)
    for (const limit of [1, 4]) {
      const found: string[] = []
      for (;;) {
        const after = found.at(-1)
        const next = await idsOf(journal, { limit, ...(after === undefined ? {} : { after }) })
        if (next.length === 0) break
        found.push(...next)
      }
      expect(found).toEqual(expected)
    }
  })
}
