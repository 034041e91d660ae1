/** What every journal must do: one suite for all of them. A journal that cannot outlive its process says so, and why a case is skipped is printed. */
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { Journal } from '../../src/journals/journal.ts'
import type { RecordEvent } from '../../src/schema/record.ts'

export interface Bench {
  /** Opens the same journal again, as another process would after this one has ended. */
  open(): Journal
}

const opening = (id: string): RecordEvent => ({
  type: 'open',
  at: 0,
  id,
  machine: 'conversation',
  version: 1,
  goal: 'goal – 目标',
  members: ['a'],
  lead: null,
  policy: {},
})
const cancel = (at: number): RecordEvent => ({ type: 'cancel', at })
const said = (id: string, content: string): RecordEvent => ({
  type: 'message',
  at: 1,
  message: { id, from: 'a', intent: 'info', content, payload: { nested: [1, null, { deep: true }] } },
})

/** Runs the suite. `prepare` makes a fresh, empty place for a journal. */
export const journalContract = (name: string, prepare: () => Bench): void => {
  describe(`${name}: the contract of every journal`, () => {
    const open: Journal[] = []
    const fresh = (bench = prepare()): Journal => {
      const journal = bench.open()
      open.push(journal)
      return journal
    }
    afterEach(async () => {
      await Promise.all(open.splice(0).map((journal) => journal.close()))
    })

    it('gives back what was appended, in its order', async () => {
      const journal = fresh()
      await journal.append('c', 0, [opening('c'), said('m1', 'line\nbreak \u2028 “é” 🙂')])
      await journal.append('c', 2, [cancel(5)])
      const { events, warnings } = await journal.read('c')
      expect(events).toEqual([opening('c'), said('m1', 'line\nbreak \u2028 “é” 🙂'), cancel(5)])
      expect(warnings).toEqual([])
    })

    it('knows nothing of a conversation that was never appended to', async () => {
      const journal = fresh()
      expect(await journal.read('nobody')).toEqual({ events: [], warnings: [] })
      expect(await journal.list()).toEqual([])
    })

    it('refuses an append at any place but the end, and appends nothing then', async () => {
      const journal = fresh()
      await journal.append('c', 0, [opening('c')])
      for (const seq of [0, 2, -1]) {
        await expect(journal.append('c', seq, [cancel(1)])).rejects.toMatchObject({
          code: 'JOURNAL_CONFLICT',
        })
      }
      expect((await journal.read('c')).events).toEqual([opening('c')])
    })

    it('lets one of two writers at the same place win', async () => {
      const journal = fresh()
      await journal.append('c', 0, [opening('c')])
      const tries = await Promise.allSettled([1, 2, 3, 4].map((at) => journal.append('c', 1, [cancel(at)])))
      expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect((await journal.read('c')).events).toHaveLength(2)
    })

    it('keeps conversations apart, whatever their ids', async () => {
      const ids = [
        'a/b',
        'a-b',
        'a b',
        'A-b',
        'a_b',
        '..',
        '.',
        '__proto__',
        'con',
        '智'.repeat(90),
        `${'智'.repeat(89)}能`,
        'é',
        'e\u0301',
      ]
      const journal = fresh()
      await Promise.all(ids.map((id) => journal.append(id, 0, [opening(id)])))
      for (const id of ids) expect((await journal.read(id)).events).toEqual([opening(id)])
      expect([...(await journal.list())].sort()).toEqual([...ids].sort())
    })

    it('takes appends that were asked for together in their order', async () => {
      const journal = fresh()
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

    it('does not change when what was read is changed', async () => {
      const journal = fresh()
      await journal.append('c', 0, [opening('c')])
      ;(await journal.read('c')).events.length === 1 &&
        ((await journal.read('c')).events as RecordEvent[]).pop()
      expect((await journal.read('c')).events).toHaveLength(1)
    })

    it('closes twice without harm, after all that was being appended', async () => {
      const bench = prepare()
      const journal = fresh(bench)
      const appended = journal.append('c', 0, [opening('c')])
      await journal.close()
      await journal.close()
      await expect(appended).resolves.toBeUndefined()
    })

    it('has after a restart what it had before', async (context) => {
      const bench = prepare()
      const before = fresh(bench)
      if (!before.capabilities.durable) context.skip(`${name} is not durable`)
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
        { numRuns: 30 },
      )
    })
  })
}
