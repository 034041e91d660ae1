/** The policy: completed key by key, and complete for good. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as reducer from '../../../bench/reducer.ts'
import { conversation } from '../../../machines/conversation/index.ts'
import { policySchema, STATES } from '../../../machines/conversation/policy.ts'
import { anything, policyFor } from '../../support/arbitraries.ts'
import { parameters } from '../../support/property.ts'

const GROUP = { members: ['a', 'b', 'c', 'd'], lead: 'a' }

const completed = (policy: unknown): Readonly<Record<string, unknown>> => {
  const answer = conversation.completePolicy(policy, GROUP)
  if (answer.issues !== undefined) throw new Error(JSON.stringify(answer.issues))
  return answer.policy as Readonly<Record<string, unknown>>
}

describe('a policy', () => {
  it('has the defaults of the specification', () => {
    expect(policySchema.parse({})).toEqual({
      agreeRatio: 'auto',
      leadDecides: true,
      assigners: 'any',
      reviewers: 'independent',
      reviewQuorum: 1,
      maxReject: 2,
      turnUnit: 'round',
      turnLimit: { discussion: 6, proposal: 3, assign: 2, execution: 20, review: 2 },
      deadline: {
        discussion: 600_000,
        proposal: 600_000,
        assign: 600_000,
        execution: 3_600_000,
        review: 600_000,
      },
      idle: { discussion: null, proposal: null, assign: null, execution: null, review: null },
      maxTurns: null,
      tokenBudget: null,
      minMembers: 1,
      onLimit: { proposal: 'close', execution: 'review' },
      violationLimit: 10,
      talk: ['discussion'],
    })
  })

  it('keeps every key that is given, and completing it again changes nothing', () => {
    const met = new Set<string>()
    fc.assert(
      fc.property(policyFor(GROUP), (partial) => {
        const complete = completed(partial)
        for (const [key, value] of Object.entries(partial)) {
          met.add(key)
          const isByKey = typeof value === 'object' && value !== null && !Array.isArray(value)
          if (!isByKey) expect(complete[key]).toEqual(value)
          else expect(complete[key]).toMatchObject(value)
        }
        expect(completed(complete)).toEqual(complete)
        expect(completed(JSON.parse(JSON.stringify(complete)))).toEqual(complete)
        for (const key of ['turnLimit', 'deadline', 'idle'])
          expect(Object.keys(complete[key] as object)).toEqual([...STATES])
        expect(complete).toEqual(reducer.completePolicy(partial))
      }),
      parameters(300),
    )
    expect([...met].sort()).toEqual(Object.keys(policySchema.parse({})).sort())
  })

  it('is refused or completed, whatever it is, as a second implementation would', () => {
    const keys = fc.constantFrom(...Object.keys(policySchema.parse({})), 'other')
    const number = fc.oneof(
      fc.constantFrom(0, -0, -1, 1, 0.5, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY),
      fc.constantFrom(null, 'auto', '1/2', '2/1', '', true, 'lead', 'any', 'round', 'message'),
      fc.dictionary(
        fc.constantFrom(...STATES, 'closed'),
        fc.constantFrom(1, 0, null, 5, 'close', 'adopt', 'review'),
      ),
      fc.array(fc.constantFrom(...STATES, 'closed'), { maxLength: 2 }),
    )
    fc.assert(
      fc.property(fc.dictionary(keys, number, { maxKeys: 3 }), (given) => {
        const parsed = policySchema.safeParse(given)
        try {
          const other = reducer.completePolicy(given)
          expect(parsed.data).toEqual(other)
        } catch (thrown) {
          if (!(thrown instanceof reducer.Refused)) throw thrown
          expect(parsed.success).toBe(false)
        }
      }),
      parameters(800),
    )
  })

  it('is never thrown at, whatever it is', () => {
    fc.assert(
      fc.property(anything, (value) => {
        const { issues } = conversation.completePolicy(value, GROUP)
        if (issues !== undefined) {
          expect(issues.length).toBeGreaterThan(0)
          for (const { path, message } of issues) expect(`${path} ${message}`).toMatch(/^policy.* .+/)
        }
      }),
      parameters(300),
    )
  })
})
