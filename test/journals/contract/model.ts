/** The suite of journals: whatever is done in whatever order, a journal says what the one in memory says. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ColloquyError } from '../../../src/errors.ts'
import type { Journal, Lease } from '../../../src/journals/journal.ts'
import { memoryJournal } from '../../../src/journals/memory.ts'
import { parameters, Tally } from '../../support/property.ts'
import { type Act, done, leasing, PASS, seen, writing } from './acts.ts'
import { type Bench, TTL } from './samples.ts'

/** What an act came to: what it returned, or the code of its error. */
interface Outcome {
  readonly returned?: unknown
  readonly threw?: string
}
const outcomeOf = async (doing: Promise<unknown>): Promise<Outcome> => {
  try {
    return { returned: await doing }
  } catch (error) {
    if (error instanceof ColloquyError) return { threw: error.code }
    throw error
  }
}

/** What random acts have to come across, or they prove little. */
const REACHED = [
  'append',
  'append JOURNAL_CONFLICT',
  'append LEASE_LOST',
  'answer',
  'answer QUESTION_ANSWERED',
  'answer QUESTION_UNKNOWN',
  'renew',
  'renew LEASE_LOST',
  'take true',
  'take false',
  'urgent some',
  'urgent none',
]

/** A name for what an act came to. */
const nameOf = (act: Act, outcome: Outcome): string => {
  if (outcome.threw !== undefined) return `${act.kind} ${outcome.threw}`
  const { returned } = outcome
  if (typeof returned === 'boolean') return `${act.kind} ${returned}`
  if (Array.isArray(returned)) return `${act.kind} ${returned.length === 0 ? 'none' : 'some'}`
  return act.kind
}

/** Does the same with the model and with a journal; each act by the next of the objects that are open at its place. */
const run = async (
  acts: readonly Act[],
  bench: Bench,
  opened: () => Promise<Journal>,
  tally = new Tally(),
): Promise<void> => {
  let time = 0
  const model = { journal: memoryJournal({ now: () => time }), leases: [] as Lease[] }
  const leases: Lease[] = []
  for (const act of acts) {
    const journal = await opened()
    if (act.kind === 'pass') {
      time += PASS
      await bench.pass(PASS)
    } else if (act.kind === 'begin') {
      model.leases.unshift(await model.journal.lease(TTL, act.name))
      leases.unshift(await journal.lease(TTL, act.name))
    } else {
      const [expected, found] = [
        await outcomeOf(done(act, model)),
        await outcomeOf(done(act, { journal, leases })),
      ]
      expect(found).toEqual(expected)
      tally.add(nameOf(act, expected))
    }
  }
  expect(await seen({ journal: await opened(), leases })).toEqual(await seen(model))
}

export const modelContract = (prepare: () => Bench): void => {
  it('says what the one in memory says, from one object or from two', async () => {
    const acts = fc.array(fc.oneof(...writing, ...leasing), { minLength: 20, maxLength: 60, size: 'max' })
    const tally = new Tally()
    await fc.assert(
      fc.asyncProperty(acts, async (all) => {
        const bench = prepare()
        const one = bench.open()
        const journals = one.capabilities.shared ? [one, bench.open()] : [one]
        let turn = 0
        try {
          await run(all, bench, async () => journals[turn++ % journals.length] ?? one, tally)
        } finally {
          await Promise.all(journals.map((journal) => journal.close()))
        }
      }),
      parameters(60),
    )
    tally.report('acts on a journal')
    expect(tally.below(1, REACHED)).toEqual([])
  }, 180_000)

  it('says so after any number of restarts', async (test) => {
    const probe = prepare().open()
    await probe.close()
    if (!probe.capabilities.durable) test.skip('this journal is not durable')
    const acts = fc.array(fc.oneof(...writing), { minLength: 5, maxLength: 30, size: 'max' })
    await fc.assert(
      fc.asyncProperty(acts, async (all) => {
        const bench = prepare()
        let journal = bench.open()
        let turn = 0
        try {
          await run(all, bench, async () => {
            if (turn++ % 3 === 2) {
              await journal.close()
              journal = bench.open()
            }
            return journal
          })
        } finally {
          await journal.close()
        }
      }),
      parameters(20),
    )
  }, 180_000)
}
