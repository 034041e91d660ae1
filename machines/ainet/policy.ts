/** The policy: the numbers and choices of one mailbox or talk, fixed for its life. */
import { z } from 'zod'

/** The open states: those of a mailbox in the order of one round, and that of a talk. */
export const STATES = ['idle', 'pending', 'done', 'talking'] as const
export type State = (typeof STATES)[number]

const count = z.int('must be an integer of at least 1').min(1, 'must be an integer of at least 1')
const limit = z.union([count, z.null()], 'must be an integer of at least 1, or null for none')
/** Who opens a talk needs a turn for it, and another one to close it. */
const two = z.int('must be an integer of at least 2').min(2, 'must be an integer of at least 2')
const mode = z.enum(['mailbox', 'talk'])

const MINUTE = 60_000

/**
 * The schema of a policy: parsing completes a partial one key by key, and refuses unknown keys. Deadlines, turn limits
 * and rounds cannot be turned off: by them everything ends.
 */
export const policySchema = z.strictObject({
  mode: mode
    .default('mailbox')
    .describe('Requests and replies by the status of a mailbox, or one talk that its opener closes'),
  rounds: count.default(10).describe('Requests that a mailbox takes, one after the other'),
  turnLimit: z
    .strictObject({
      idle: count.default(3),
      pending: count.default(5),
      done: count.default(3),
      talking: two.default(10),
    })
    .prefault({})
    .describe('Turns of each member per visit'),
  deadline: z
    .strictObject({
      idle: count.default(10 * MINUTE),
      pending: count.default(10 * MINUTE),
      done: count.default(10 * MINUTE),
      talking: count.default(60 * MINUTE),
    })
    .prefault({})
    .describe('ms per state since it was entered'),
  maxTurns: limit.default(null).describe('Turns in all states together'),
  minMembers: count.default(1).describe('Fewer active members close it'),
  violationLimit: limit
    .default(10)
    .describe('Violations in one visit after which a member is expelled; null: never'),
})

/** A policy with nothing to be filled in: what a snapshot lacks was something else before. */
export const wholePolicySchema = z.strictObject({
  mode,
  rounds: count,
  turnLimit: z.strictObject({ idle: count, pending: count, done: count, talking: two }),
  deadline: z.strictObject({ idle: count, pending: count, done: count, talking: count }),
  maxTurns: limit,
  minMembers: count,
  violationLimit: limit,
})

/** A completed policy. */
export type Policy = Readonly<z.output<typeof policySchema>>
/** A partial policy, as users write it. */
export type PolicyInput = z.input<typeof policySchema>
