/** The policy: the numbers and choices of one conversation, fixed for its life. Source: "Policy" of the specification. */
import { z } from 'zod'
import { deepFreeze } from '../../src/schema/freeze.ts'

/** The open states, in their order. */
export const STATES = ['discussion', 'proposal', 'assign', 'execution', 'review'] as const
export type State = (typeof STATES)[number]

const count = z.int('must be an integer of at least 1').min(1, 'must be an integer of at least 1')
const limit = z.union([count, z.null()], 'must be an integer of at least 1, or null for none')

const isFraction = (text: string): boolean => {
  const [, part, whole] = /^(\d{1,100})\/(\d{1,100})$/.exec(text) ?? []
  return part !== undefined && whole !== undefined && BigInt(part) > 0n && BigInt(part) <= BigInt(whole)
}

const RATIO = 'must be a number in (0, 1], a fraction "p/q" of integers with 0 < p ≤ q, or "auto"'

const perState = (defaults: Readonly<Record<State, number | null>>) =>
  z
    .strictObject({
      discussion: limit.default(defaults.discussion),
      proposal: limit.default(defaults.proposal),
      assign: limit.default(defaults.assign),
      execution: limit.default(defaults.execution),
      review: limit.default(defaults.review),
    })
    .prefault({})

const MINUTE = 60_000

/** The schema of a policy: parsing completes a partial one key by key, and refuses unknown keys. */
export const policySchema = z
  .strictObject({
    agreeRatio: z
      .union(
        [z.literal('auto'), z.number(RATIO).gt(0, RATIO).lte(1, RATIO), z.string().refine(isFraction, RATIO)],
        RATIO,
      )
      .default('auto')
      .describe(
        'Share of the voters that must agree; auto: 0.5 for up to 3 active members, 0.6 for 4–6, 0.7 from 7',
      ),
    leadDecides: z
      .boolean()
      .default(true)
      .describe("The lead's decisive agreement adopts a proposal at once"),
    assigners: z
      .enum(['any', 'lead'])
      .default('any')
      .describe('Who may offer free subtasks; "lead": only what the lead offers can be accepted'),
    reviewers: z
      .enum(['independent', 'any', 'lead'])
      .default('independent')
      .describe('Who may give a verdict'),
    reviewQuorum: count.default(1).describe('How many reviewers must say the same'),
    maxReject: z
      .int('must be an integer of at least 0')
      .min(0, 'must be an integer of at least 0')
      .default(2)
      .describe('Rejections that send work back; the next one closes with a warning'),
    turnUnit: z
      .enum(['round', 'message'])
      .default('round')
      .describe('Whether turn limits are per member or for all'),
    turnLimit: perState({ discussion: 6, proposal: 3, assign: 2, execution: 20, review: 2 }).describe(
      'Turns per visit',
    ),
    deadline: perState({
      discussion: 10 * MINUTE,
      proposal: 10 * MINUTE,
      assign: 10 * MINUTE,
      execution: 60 * MINUTE,
      review: 10 * MINUTE,
    }).describe('ms per state since it was entered'),
    idle: perState({
      discussion: null,
      proposal: null,
      assign: null,
      execution: null,
      review: null,
    }).describe('ms per state since it was entered or had its last turn'),
    maxTurns: limit.default(null).describe('Turns in all states together'),
    tokenBudget: limit.default(null).describe('Tokens of all messages; not enforced in review'),
    minMembers: count.default(1).describe('Fewer active members close the conversation'),
    onLimit: z
      .strictObject({
        proposal: z.enum(['close', 'adopt']).default('close'),
        execution: z.enum(['review', 'close']).default('review'),
      })
      .prefault({})
      .describe("What follows at a state's turn limit, deadline or idle time"),
    violationLimit: limit
      .default(10)
      .describe('Violations in one visit after which a member is expelled; null: never'),
    talk: z
      .array(z.enum(STATES))
      .default(['discussion'])
      .describe('The states that also admit question and info'),
  })
  .check((context) => {
    const { deadline, idle, turnLimit } = context.value
    for (const state of STATES) {
      if (deadline[state] !== null || (idle[state] !== null && turnLimit[state] !== null)) continue
      context.issues.push({
        code: 'custom',
        path: ['deadline', state],
        input: null,
        message:
          idle[state] === null
            ? 'must not be null: silence could go on for ever; set it, or both idle and turnLimit of this state'
            : 'must not be null without a turn limit: chatter could go on for ever; set it, or turnLimit of this state',
      })
    }
  })

/** A completed policy. */
export type Policy = Readonly<z.output<typeof policySchema>>
/** A partial policy, as users write it. */
export type PolicyInput = z.input<typeof policySchema>

const frozen = <T extends object>(value: T): T => {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) frozen(inner)
  return Object.freeze(value)
}

const DEFAULTS: Policy = frozen(policySchema.parse({}))

/**
 * A completed policy whose defaults are the same objects in all conversations: they are most of what a policy takes,
 * and there may be very many conversations.
 */
export const withSharedDefaults = (completed: Policy, given: PolicyInput): Policy => {
  const own = (Object.keys(given) as (keyof Policy)[]).filter((key) => given[key] !== undefined)
  if (own.length === 0) return DEFAULTS
  return deepFreeze({ ...DEFAULTS, ...Object.fromEntries(own.map((key) => [key, completed[key]])) })
}

/** A completed policy as the one object that stands for all that are equal to the default, or else one that nobody can change. */
export const shared = (completed: Policy): Policy =>
  JSON.stringify(completed) === JSON.stringify(DEFAULTS) ? DEFAULTS : deepFreeze(completed)
