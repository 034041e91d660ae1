/** The policy: the numbers of one conversation, fixed for its life. Whatever they are, it ends. */
import { z } from 'zod'

/** The open states. */
export const STATES = ['discussion', 'sync_assignment', 'async_assignment', 'pause', 'conclusion'] as const
export type State = (typeof STATES)[number]

const count = z.int('must be an integer of at least 1').min(1, 'must be an integer of at least 1')
const limit = z.union([count, z.null()], 'must be an integer of at least 1, or null for none')

const MINUTE = 60_000

/** The schema of a policy: parsing completes a partial one key by key, and refuses unknown keys. */
export const policySchema = z
  .strictObject({
    maxTurns: count.default(30).describe('Turns of talk in all; then the conclusion is forced'),
    memberTurns: limit.default(null).describe('Turns of talk of each member; then the floor passes it by'),
    concludeTurns: count.default(3).describe('Turns in which the conclusion must be given'),
    chatDeadline: limit
      .default(60 * MINUTE)
      .describe('ms since the opening, after which the conclusion is forced'),
    turnDeadline: limit
      .default(5 * MINUTE)
      .describe('ms that a member may hold the floor in silence; then it loses floor and turn'),
    taskDeadline: limit
      .default(20 * MINUTE)
      .describe('ms since a task was assigned, after which it counts as failed'),
    pauseDeadline: limit.default(null).describe('ms of one pause, after which the chat goes on without'),
    concludeDeadline: count.default(10 * MINUTE).describe('ms of the state conclusion'),
    violationLimit: limit
      .default(10)
      .describe('Violations in all after which a member is expelled; null: never'),
    minMembers: count.default(1).describe('Fewer active members close the conversation'),
  })
  .check((context) => {
    if (context.value.chatDeadline !== null) return
    const refuse = (key: string, what: string): void => {
      const message = `must not be null without chatDeadline: ${what} could go on for ever; set one of them`
      context.issues.push({ code: 'custom', path: [key], input: null, message })
    }
    if (context.value.turnDeadline === null) refuse('turnDeadline', 'silence')
    if (context.value.taskDeadline === null) refuse('taskDeadline', 'waiting for a result')
  })

/** A completed policy. */
export type Policy = Readonly<z.output<typeof policySchema>>
/** A partial policy, as users write it. */
export type PolicyInput = z.input<typeof policySchema>
