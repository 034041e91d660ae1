/** The policy: completed key by key, complete for good, and none with which a contract net could go on for ever. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contractNet } from '../../../machines/contract-net/index.ts'
import { policySchema, STATES } from '../../../machines/contract-net/policy.ts'
import { openConversation } from '../../../src/engine/opening.ts'
import { anything } from '../../support/arbitraries.ts'
import { parameters } from '../../support/property.ts'
import { policyFor } from './scenario.ts'

const GROUP = { members: ['ini', 'ana', 'ben'], lead: 'ini' }

const completed = (policy: unknown): Readonly<Record<string, unknown>> => {
  const answer = contractNet.completePolicy(policy, GROUP)
  if (answer.issues !== undefined) throw new Error(JSON.stringify(answer.issues))
  return answer.policy as Readonly<Record<string, unknown>>
}
const refused = (policy: unknown, group: Parameters<typeof contractNet.completePolicy>[1] = GROUP) =>
  (contractNet.completePolicy(policy, group).issues ?? []).map(({ path, message }) => `${path} ${message}`)

describe('a policy', () => {
  it('has these defaults', () => {
    expect(completed({})).toEqual({
      deadline: { calling: 600_000, bidding: 600_000, awarding: 600_000, performing: 3_600_000 },
      turnLimit: { calling: 3, bidding: 3, awarding: 3, performing: 5 },
      awards: 1,
      rounds: 1,
      minMembers: 2,
      violationLimit: 10,
    })
  })

  it('keeps every key that is given, and completing it again changes nothing', () => {
    const met = new Set<string>()
    fc.assert(
      fc.property(policyFor(3), (partial) => {
        const complete = completed(partial)
        expect(complete).toMatchObject(partial)
        for (const key of Object.keys(partial)) met.add(key)
        expect(completed(JSON.parse(JSON.stringify(complete)))).toEqual(complete)
        for (const key of ['turnLimit', 'deadline'])
          expect(Object.keys(complete[key] as object)).toEqual([...STATES])
      }),
      parameters(200),
    )
    expect([...met].sort()).toEqual(Object.keys(policySchema.parse({})).sort())
  })

  it('cannot turn off what makes it end', () => {
    for (const state of STATES) {
      const number = 'must be an integer of at least 1'
      expect(refused({ deadline: { [state]: null } })).toEqual([`policy.deadline.${state} ${number}`])
      expect(refused({ turnLimit: { [state]: null } })).toEqual([`policy.turnLimit.${state} ${number}`])
      expect(refused({ deadline: { [state]: 0 } })).toHaveLength(1)
    }
    expect(refused({ rounds: null })).toHaveLength(1)
    expect(refused({ rounds: Number.POSITIVE_INFINITY })).toHaveLength(1)
  })

  it('names the nearest key that there is', () => {
    expect(refused({ turnlimit: {} })).toEqual(['policy.turnlimit is unknown; did you mean "turnLimit"?'])
    expect(refused({ deadline: { biding: 1 } })).toEqual([
      'policy.deadline.biding is unknown; did you mean "bidding"?',
    ])
  })

  it('is never thrown at, whatever it is', () => {
    fc.assert(
      fc.property(anything, (value) => {
        for (const told of refused(value)) expect(told).toMatch(/^policy.* .+/)
      }),
      parameters(200),
    )
  })
})

describe('a group', () => {
  it('without a lead is refused: nobody could call', () => {
    const open = () => openConversation({ protocol: contractNet, members: ['ana', 'ben'] })
    expect(open).toThrow('lead is missing: the lead is the initiator, who calls for proposals')
  })

  it('must be as large as the policy has it, and at least two', () => {
    expect(refused({}, { members: ['ini'], lead: 'ini' })).toEqual([
      'members must be at least 2 (policy.minMembers), but are 1',
    ])
    expect(refused({ minMembers: 4 })).toEqual(['members must be at least 4 (policy.minMembers), but are 3'])
    expect(refused({ minMembers: 1 })).toEqual(['policy.minMembers must be an integer of at least 2'])
  })
})
