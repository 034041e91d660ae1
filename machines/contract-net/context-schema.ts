/** The context as it comes back from a snapshot: checked before guards rely on it. */
import { z } from 'zod'
import type { Issue } from '../../src/errors.ts'
import { deepFreeze } from '../../src/schema/freeze.ts'
import { issuesOf } from '../../src/schema/issues.ts'
import { json } from '../../src/schema/json.ts'
import { inOurWords } from '../../src/schema/wording.ts'
import type { ContractNetContext } from './context.ts'
import { policySchema, STATES } from './policy.ts'

const count = z.number().min(0)
const price = z.number().nullable()

const { deadline, turnLimit, awards, rounds, minMembers, violationLimit } = policySchema.shape

/** The whole policy: what a snapshot lacks is not filled in, for it was something else before. */
const policy = z.strictObject({
  deadline: whole(deadline),
  turnLimit: whole(turnLimit),
  awards: awards.unwrap(),
  rounds: rounds.unwrap(),
  minMembers: minMembers.unwrap(),
  violationLimit: violationLimit.unwrap(),
})

/** An object of numbers by state, without their defaults. */
function whole(perState: typeof deadline) {
  const { calling, bidding, awarding, performing } = perState.unwrap().shape
  return z.strictObject({
    calling: calling.unwrap(),
    bidding: bidding.unwrap(),
    awarding: awarding.unwrap(),
    performing: performing.unwrap(),
  })
}

const contextSchema: z.ZodType<ContractNetContext> = z.strictObject({
  policy,
  initiator: z.string(),
  seats: z.array(
    z.strictObject({
      id: z.string(),
      active: z.boolean(),
      expelled: z.boolean(),
      turns: count,
      violations: count,
      heard: count,
    }),
  ),
  visit: z.strictObject({ state: z.enum(STATES), due: count, bonus: count }),
  turns: count,
  moves: count,
  left: z.strictObject({ calling: count, bidding: count, awarding: count, performing: count }),
  round: count,
  call: z.strictObject({ id: z.string(), task: json, replyWithin: count.nullable() }).nullable(),
  bids: z.array(
    z.strictObject({
      id: z.string(),
      bidder: z.string(),
      price,
      offer: json,
      status: z.enum(['open', 'accepted', 'rejected', 'withdrawn']),
    }),
  ),
  refusals: z.array(z.string()),
  awards: z.array(
    z.strictObject({
      bid: z.string(),
      bidder: z.string(),
      price,
      round: count,
      status: z.enum(['done', 'failed']).nullable(),
      output: json,
    }),
  ),
  offender: z.string().nullable(),
  closing: z
    .strictObject({
      status: z.enum([
        'done',
        'partial',
        'failed',
        'no_bids',
        'not_awarded',
        'timeout',
        'abandoned',
        'cancelled',
      ]),
      cause: z.enum(['deadline', 'turns', 'initiator', 'members', 'called_off']).nullable(),
    })
    .nullable(),
})

/** A context that a snapshot holds for a state, or what is wrong with it. */
export const readContext = (
  given: unknown,
  state: string,
):
  | { readonly context: ContractNetContext; readonly issues?: never }
  | { readonly issues: readonly Issue[]; readonly context?: never } => {
  const parsed = contextSchema.safeParse(given, inOurWords)
  if (!parsed.success) return { issues: issuesOf(parsed.error, ['context']) }
  const { visit, closing } = parsed.data
  const expected = closing === null ? visit.state : 'closed'
  // What lies on the table is shown to agents, who must not change it.
  if (state === expected) return { context: deepFreeze(parsed.data) }
  return {
    issues: [
      { path: 'context.visit.state', message: `is of "${expected}", but the snapshot's state is "${state}"` },
    ],
  }
}
