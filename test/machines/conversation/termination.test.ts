/** The rule by which policies are refused, against the checker: what it lets through ends, and what it refuses need not. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conversation, type PolicyInput } from '../../../machines/conversation/index.ts'
import { type Policy, policySchema, STATES, type State } from '../../../machines/conversation/policy.ts'
import type { Protocol } from '../../../src/engine/protocol.ts'
import { replay } from '../../../src/engine/replay.ts'
import { check } from '../../../src/testing/check.ts'
import { parameters, Tally } from '../../support/property.ts'

const protocol = conversation as Protocol
const GROUP = { members: ['a', 'b'], lead: null }

type PerState = Readonly<Record<State, number | null>>

const perState = (value: fc.Arbitrary<number | null>): fc.Arbitrary<PerState> =>
  fc.record({ discussion: value, proposal: value, assign: value, execution: value, review: value })

const often = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ arbitrary, weight: 8 }, { arbitrary: fc.constant(null), weight: 1 })

/** Policies that may lack what makes them end. Everybody may talk everywhere, as the rule assumes. */
const policies = fc.record({
  turnLimit: perState(often(fc.constant(1))),
  deadline: perState(often(fc.integer({ min: 2, max: 1000 }))),
  idle: perState(fc.oneof(fc.constant(null), fc.integer({ min: 2, max: 1000 }))),
  turnUnit: fc.constantFrom<Policy['turnUnit']>('round', 'message'),
  violationLimit: fc.constantFrom(1, 1, null),
  maxReject: fc.constantFrom(0, 0, 1),
  onLimit: fc.record({
    proposal: fc.constantFrom<'close' | 'adopt'>('close', 'adopt'),
    execution: fc.constantFrom<'review' | 'close'>('review', 'close'),
  }),
  talk: fc.constant<PolicyInput['talk']>([...STATES]),
})

/** The protocol without the rule: it takes this policy whatever it says. */
const lenient = (given: PolicyInput & { readonly deadline: PerState }): Protocol => {
  const { deadline, ...others } = given
  const policy = { ...policySchema.parse(others), deadline }
  return { ...protocol, completePolicy: () => ({ policy }) }
}

describe('a policy', () => {
  const tally = new Tally()

  it('is refused exactly when the checker finds a conversation that need not end', () => {
    fc.assert(
      fc.property(policies, (given) => {
        const { issues } = conversation.completePolicy(given, GROUP)
        const rules = lenient(given)
        const { verdict, counterexample } = check({ protocol: rules, ...GROUP, policy: given, size: 1 })
        expect(verdict).toBe(issues === undefined ? 'proved' : 'refuted')
        tally.add(verdict)
        if (counterexample === null) return
        const lines = counterexample.record.map((value, index) => ({ line: index + 1, value }))
        const { talk } = replay(lines, { conversation: rules })
        expect(talk.isClosed).toBe(false)
        // The state that the refusal names is one in which it goes on.
        expect(issues?.map(({ path }) => path)).toContain(`policy.deadline.${talk.state}`)
        tally.add(counterexample.loop === null ? 'silence' : 'chatter')
      }),
      parameters(80),
    )
    tally.report('Policies')
    expect(tally.below(1, ['proved', 'refuted', 'silence', 'chatter'])).toEqual([])
  }, 120_000)

  it('never has more turns than the specification’s formula; often the formula is exact', () => {
    const limits = perState(fc.integer({ min: 1, max: 2 }))
    fc.assert(
      fc.property(
        limits,
        fc.record({
          maxReject: fc.constantFrom(0, 0, 1),
          turnUnit: fc.constantFrom<Policy['turnUnit']>('round', 'message'),
          violationLimit: fc.constantFrom(1, 2, 10),
          reviewers: fc.constantFrom<Policy['reviewers']>('independent', 'any'),
        }),
        (turnLimit, others) => {
          const report = check({ protocol, ...GROUP, policy: { turnLimit, ...others }, size: 1 })
          const { most } = report.turns
          if (most === null || report.formula === null) throw new Error('There is a bound')
          expect(most).toBeLessThanOrEqual(report.formula)
          tally.add(most === report.formula ? 'exact' : `looser by ${report.formula - most}`)
        },
      ),
      parameters(15),
    )
    tally.report('Policies, and the formula')
    expect(tally.below(1, ['exact'])).toEqual([])
  }, 120_000)
})
