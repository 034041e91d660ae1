/** The policy: the numbers of one contract net, fixed for its life. */
import { z } from 'zod'
import type { Group } from '../../src/engine/protocol.ts'
import type { Issue } from '../../src/errors.ts'

/** The open states, in the order of one round. */
export const STATES = ['calling', 'bidding', 'awarding', 'performing'] as const
export type State = (typeof STATES)[number]

const count = z.int('must be an integer of at least 1').min(1, 'must be an integer of at least 1')
const limit = z.union([count, z.null()], 'must be an integer of at least 1, or null for none')

const perState = (defaults: Readonly<Record<State, number>>) =>
  z
    .strictObject({
      calling: count.default(defaults.calling),
      bidding: count.default(defaults.bidding),
      awarding: count.default(defaults.awarding),
      performing: count.default(defaults.performing),
    })
    .prefault({})

const MINUTE = 60_000

/**
 * The schema of a policy: parsing completes a partial one key by key, and refuses unknown keys. Deadlines, turn limits
 * and rounds cannot be turned off: with them every contract net ends.
 */
export const policySchema = z.strictObject({
  deadline: perState({
    calling: 10 * MINUTE,
    bidding: 10 * MINUTE,
    awarding: 10 * MINUTE,
    performing: 60 * MINUTE,
  }).describe('ms per state since it was entered; the call may shorten that of bidding'),
  turnLimit: perState({ calling: 3, bidding: 3, awarding: 3, performing: 5 }).describe(
    'Turns of each member per visit; in awarding the initiator has one more for each proposal',
  ),
  awards: limit.default(1).describe('Most proposals that a round accepts; null: all that there are'),
  rounds: count
    .default(1)
    .describe('Most calls for proposals; a round without full success is followed by another'),
  minMembers: z
    .int('must be an integer of at least 2')
    .min(2, 'must be an integer of at least 2')
    .default(2)
    .describe('Fewer active members, the initiator included, abandon it'),
  violationLimit: limit
    .default(10)
    .describe('Violations in one visit after which a member is expelled; null: never'),
})

/** A completed policy. */
export type Policy = Readonly<z.output<typeof policySchema>>
/** A partial policy, as users write it. */
export type PolicyInput = z.input<typeof policySchema>

/** What is wrong with a group for a policy: somebody must call, and somebody else must be there to answer. */
export const issuesOfGroup = ({ minMembers }: Policy, { members, lead }: Group): readonly Issue[] => {
  const issues: Issue[] = []
  if (lead === null)
    issues.push({ path: 'lead', message: 'is missing: the lead is the initiator, who calls for proposals' })
  if (members.length < minMembers) {
    const message = `must be at least ${minMembers} (policy.minMembers), but are ${members.length}`
    issues.push({ path: 'members', message })
  }
  return issues
}
