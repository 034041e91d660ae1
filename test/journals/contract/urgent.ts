/** The suite of journals: whoever looks after conversations is told of those that need it, and of no others. */
import { expect, it } from 'vitest'
import { type Bench, cancel, closed, opened, opening, question, standing, TTL, taken } from './samples.ts'

export const urgentContract = (prepare: () => Bench): void => {
  it('is what is due, the first due first, and as much as is wanted', async () => {
    const journal = opened(prepare())
    for (const [id, dueAt] of [
      ['c', 30],
      ['a', 10],
      ['never', null],
      ['d', 40],
      ['b', 20],
    ] as const)
      await journal.append(id, 0, [opening(id)], { standing: standing({ dueAt }) })
    const lease = await journal.lease(TTL)
    expect(await lease.takeUrgent(10, 9)).toEqual([])
    expect(await lease.takeUrgent(40, 0)).toEqual([])
    expect(await lease.takeUrgent(40, 2)).toEqual(['a', 'b'])
    expect(await lease.takeUrgent(40, 2)).toEqual(['c'])
    expect(await lease.takeUrgent(40, 2)).toEqual([])
    expect(await lease.takeUrgent(41, 2)).toEqual(['d'])
    expect(await (await journal.lease(TTL)).take('d')).toBe(false)
  })

  it('is nothing that is closed, nor of which nothing is known but its events', async () => {
    const journal = opened(prepare())
    await journal.append('c', 0, [opening('c')], { standing: { ...closed(), dueAt: 5 } })
    await journal.append('d', 0, [opening('d')])
    const lease = await journal.lease(TTL)
    await lease.take('not there')
    expect(await lease.takeUrgent(9_999, 9)).toEqual([])
  })

  it('is nothing that a live host looks after, however late it is', async () => {
    const journal = opened(prepare())
    await taken(journal, 'c', 5)
    expect(await (await journal.lease(TTL)).takeUrgent(9_999, 9)).toEqual([])
  })

  it('is not told twice to who has taken it, but when an answer waits', async () => {
    const journal = opened(prepare())
    const lease = await taken(journal, 'c', 5)
    expect(await lease.takeUrgent(9_999, 9)).toEqual([])
    await journal.append('c', 1, [], {
      lease: lease.id,
      standing: standing({ dueAt: 5, questions: [question('c', 'q')] }),
    })
    expect(await lease.takeUrgent(9_999, 9)).toEqual([])
    await journal.answer('q', 'yes')
    expect(await lease.takeUrgent(0, 9)).toEqual(['c'])
    expect(await lease.takeUrgent(0, 9)).toEqual(['c'])
    await journal.append('c', 1, [], { lease: lease.id, standing: standing({ questions: [] }) })
    expect(await lease.takeUrgent(9_999, 9)).toEqual([])
  })

  it('is what was dropped only when it is due or has an answer', async () => {
    const journal = opened(prepare())
    const [one, other] = [await taken(journal, 'c', 50), await taken(journal, 'd', null)]
    await journal.append('d', 1, [], {
      lease: other.id,
      standing: standing({ dueAt: null, questions: [question('d', 'q')] }),
    })
    await one.drop(['c'])
    await other.drop(['d'])
    expect(await one.takeUrgent(50, 9)).toEqual([])
    expect(await one.takeUrgent(51, 9)).toEqual(['c'])
    await journal.answer('q', 'yes')
    expect(await one.takeUrgent(0, 9)).toEqual(['d'])
  })

  it('is all that a host had which has ended, due or not, and then no more', async () => {
    const bench = prepare()
    const journal = opened(bench)
    const gone = await taken(journal, 'c', 50)
    await gone.take('d')
    await journal.append('d', 0, [opening('d')], { lease: gone.id, standing: standing({ dueAt: null }) })
    await gone.take('e')
    await journal.append('e', 0, [opening('e')], { lease: gone.id, standing: closed() })
    const left = await taken(journal, 'f', 90)
    await bench.pass(TTL * 0.6)
    const heir = await journal.lease(TTL)
    expect(await heir.takeUrgent(0, 9)).toEqual([])
    await left.release()
    expect(await heir.takeUrgent(0, 9)).toEqual(['f'])
    await bench.pass(TTL * 0.6)
    expect(await heir.takeUrgent(0, 1)).toEqual(['c'])
    expect(await heir.takeUrgent(0, 9)).toEqual(['d'])
    expect(await heir.takeUrgent(0, 9)).toEqual([])
    await journal.append('c', 1, [cancel(1)], { lease: heir.id, standing: standing() })
  })

  it('goes to one of several hosts', async () => {
    const bench = prepare()
    const here = opened(bench)
    const there = here.capabilities.shared ? opened(bench) : here
    const ids = Array.from({ length: 12 }, (_, index) => `c${index}`)
    for (const [dueAt, id] of ids.entries())
      await here.append(id, 0, [opening(id)], { standing: standing({ dueAt }) })
    const leases = await Promise.all([here, there, here, there].map((journal) => journal.lease(TTL)))
    const shares = await Promise.all(leases.map((lease) => lease.takeUrgent(100, 4)))
    const rest = await Promise.all(leases.map((lease) => lease.takeUrgent(100, 12)))
    expect([...shares, ...rest].flat().sort()).toEqual([...ids].sort())
  })
}
