/** The suite of journals: what is kept beside the events, so that nobody has to read them all. */
import { expect, it } from 'vitest'
import type { Snapshot } from '../../../src/schema/snapshot.ts'
import { type Bench, cancel, closed, opened, opening, question, said, snapshot, standing } from './samples.ts'

/** A snapshot may come back with its known ids in another order. */
const sorted = (found: Snapshot | null | undefined): unknown =>
  found == null ? found : { ...found, known: [...found.known].sort(([a], [b]) => (a < b ? -1 : 1)) }

export const standingContract = (prepare: () => Bench): void => {
  it('is what the last append said, and stays when one says nothing', async () => {
    const journal = opened(prepare())
    await journal.append('c', 0, [opening('c')])
    const [silent] = await journal.list()
    expect(silent).toMatchObject({ state: null, dueAt: null, outcome: null, length: 1 })
    await journal.append('c', 1, [cancel(5)], { standing: standing({ state: 'review', dueAt: 77 }) })
    await journal.append('c', 2, [cancel(6)])
    const [summary] = await journal.list()
    expect(summary).toMatchObject({ state: 'review', dueAt: 77, outcome: null, length: 3, at: 6 })
  })

  it('changes alone when an append has no events', async () => {
    const journal = opened(prepare())
    await journal.append('c', 0, [opening('c'), said('m1')], { standing: standing() })
    const questions = [question('c', 'q')]
    await journal.append('c', 2, [], { standing: standing({ state: 'execution', dueAt: null, questions }) })
    const [summary] = await journal.list()
    expect(summary).toMatchObject({ state: 'execution', dueAt: null, questions: 1, length: 2, at: 1 })
    expect((await journal.read('c')).events).toEqual([opening('c'), said('m1')])
  })

  it('makes no conversation of an append without events', async () => {
    const journal = opened(prepare())
    await journal.append('c', 0, [], { standing: standing() })
    expect(await journal.list()).toEqual([])
    expect(await journal.load('c')).toBeNull()
  })

  it('is not touched by an append that is refused', async () => {
    const journal = opened(prepare())
    const questions = [question('c', 'q')]
    await journal.append('c', 0, [opening('c'), said('m1')], { standing: standing({ questions }) })
    await expect(
      journal.append('c', 2, [said('m1')], {
        standing: { ...closed(), questions: [], snapshot: snapshot('c', 2, [['m1', 'a']]) },
      }),
    ).rejects.toMatchObject({ code: 'JOURNAL_CONFLICT' })
    expect((await journal.list())[0]).toMatchObject({ state: 'discussion', outcome: null, questions: 1 })
    expect(await journal.load('c')).toMatchObject({ snapshot: null, length: 2, questions: [{ id: 'q' }] })
  })

  it('loads all events while there is no snapshot', async () => {
    const journal = opened(prepare())
    await journal.append('c', 0, [opening('c'), said('m1')], { standing: standing() })
    expect(await journal.load('c')).toEqual({
      snapshot: null,
      events: [opening('c'), said('m1')],
      length: 2,
      questions: [],
      warnings: [],
    })
  })

  it('loads the newest snapshot, the events after it, and who said each message up to it', async () => {
    const journal = opened(prepare())
    const first = snapshot('c', 1, [['m1', 'a']])
    await journal.append('c', 0, [opening('c'), said('m1')], { standing: standing({ snapshot: first }) })
    await journal.append('c', 2, [said('m2', 'x', 'b\u0000')], { standing: standing() })
    expect(await journal.load('c')).toMatchObject({ events: [said('m2', 'x', 'b\u0000')], length: 3 })
    expect(sorted((await journal.load('c'))?.snapshot)).toEqual(sorted(first))

    const second = snapshot('c', 4, [
      ['m\u0000', 'c'],
      ['m1', 'a'],
      ['m2', 'b\u0000'],
    ])
    await journal.append('c', 3, [cancel(5), said('m\u0000', 'y', 'c')], {
      standing: standing({ snapshot: second }),
    })
    await journal.append('c', 5, [cancel(6), said('m4')])
    const loaded = await journal.load('c')
    expect(loaded).toMatchObject({ events: [cancel(6), said('m4')], length: 7, questions: [], warnings: [] })
    expect(sorted(loaded?.snapshot)).toEqual(sorted(second))
  })

  it('loads no events after a snapshot of the newest one', async () => {
    const journal = opened(prepare())
    await journal.append('c', 0, [opening('c')], { standing: { ...closed(), snapshot: snapshot('c', 0) } })
    expect(await journal.load('c')).toEqual({
      snapshot: snapshot('c', 0),
      events: [],
      length: 1,
      questions: [],
      warnings: [],
    })
  })

  it('is there after a restart', async (test) => {
    const bench = prepare()
    const before = opened(bench)
    if (!before.capabilities.durable) test.skip('this journal is not durable')
    const kept = snapshot('c', 1, [['m1', 'a']])
    const questions = [question('c', 'q1'), question('c', 'q2')]
    await before.append('c', 0, [opening('c'), said('m1')], {
      standing: standing({ snapshot: kept, questions }),
    })
    await before.append('c', 2, [cancel(5)], { standing: standing({ state: 'review', dueAt: 3 }) })
    await before.answer('q2', 'yes')
    const [loaded, listed] = [await before.load('c'), await before.list()]
    await before.close()
    const after = opened(bench)
    expect(await after.load('c')).toEqual(loaded)
    expect(await after.list()).toEqual(listed)
    await expect(after.answer('q2', 'no')).rejects.toMatchObject({ code: 'QUESTION_ANSWERED' })
    expect(await after.questions()).toMatchObject([{ answer: null }, { answer: 'yes' }])
  })
}
