/** What the guards need to know of a conversation; never the transcript. All ids are opaque: looked up by value, never used as keys. */
import type { Json } from '../../src/schema/json.ts'
import type { Policy, State } from './policy.ts'

/** One member's place, kept after it leaves so that coming back launders nothing. */
export interface Seat {
  readonly id: string
  readonly active: boolean
  readonly expelled: boolean
  /** Turns of this visit. */
  readonly turns: number
  /** Violations of this visit. */
  readonly violations: number
  /** `moves` at this member's last message or last joining, whichever is later. */
  readonly heard: number
}

export interface Proposal {
  /** The id of the message that raised it. */
  readonly id: string
  readonly author: string
  readonly subtasks: readonly {
    readonly id: string
    readonly title: string | null
    readonly requires: readonly string[]
  }[]
  readonly agrees: readonly string[]
  readonly objects: readonly string[]
}

export type ResultStatus = 'success' | 'partial' | 'failed'

export interface Subtask {
  readonly id: string
  readonly title: string | null
  /** Capabilities that it asks for. */
  readonly requires: readonly string[]
  readonly owner: string | null
  /** Whom it is offered to; never set together with an owner. */
  readonly offered: string | null
  /** Null while pending. */
  readonly status: ResultStatus | null
  readonly output: Json
  /** How often it went from pending to reported. */
  readonly attempts: number
  /** Whether the limit reported it, not its owner. */
  readonly byLimit: boolean
}

/** A reviewer's last word of this visit; subtasks null: all of them. */
export interface Verdict {
  readonly from: string
  readonly pass: boolean
  readonly subtasks: readonly string[] | null
}

export type Status = 'accepted' | 'rejects_exhausted' | 'timeout' | 'abandoned' | 'cancelled'
export type Cause = 'turns' | 'deadline' | 'idle' | 'tokens' | 'max_turns'
export type Warning = 'adopted_without_quorum' | 'partial' | 'rejects_exhausted' | 'unreviewed'

/** One stay in a state. */
export interface Visit {
  readonly state: State
  /** When it was entered. */
  readonly since: number
  /** Turns that each member has for the subtasks, beyond its turn limit. */
  readonly bonus: number
}

export interface ConversationContext {
  readonly policy: Policy
  /** Active members in joining order, and those who left. */
  readonly seats: readonly Seat[]
  readonly lead: string | null
  readonly visit: Visit
  /** Turns in this visit. */
  readonly spoken: number
  /** When the last turn of this visit was spoken, or the state entered. */
  readonly touched: number
  /** Turns in all visits. */
  readonly turns: number
  readonly tokens: number
  /** Transitions so far. */
  readonly moves: number
  /** For each state, `moves` after it was last left; 0: never. */
  readonly left: Readonly<Record<State, number>>
  readonly proposals: readonly Proposal[]
  readonly adopted: { readonly id: string; readonly author: string } | null
  readonly subtasks: readonly Subtask[]
  /** The independent reviewers of this visit to review, as long as they stay. */
  readonly reviewers: readonly string[]
  readonly verdicts: readonly Verdict[]
  readonly rejections: number
  readonly warnings: readonly Warning[]
  /** Who has reached the violation limit and is about to be expelled. */
  readonly offender: string | null
  readonly closing: { readonly status: Status; readonly cause: Cause | null } | null
}

export interface Opening {
  readonly members: readonly string[]
  readonly lead: string | null
  readonly policy: Policy
  /** ms. */
  readonly at: number
}

/** Lists that hold nothing yet, the same one for all: there may be very many conversations that have just opened. */
const NOTHING: readonly never[] = Object.freeze([])

/** The context of a conversation that opens. */
export const opened = ({ members, lead, policy, at }: Opening): ConversationContext => ({
  policy,
  seats: members.map((id) => ({ id, active: true, expelled: false, turns: 0, violations: 0, heard: 0 })),
  lead,
  visit: { state: 'discussion', since: at, bonus: 0 },
  spoken: 0,
  touched: at,
  turns: 0,
  tokens: 0,
  moves: 0,
  left: NEVER_LEFT,
  proposals: NOTHING,
  adopted: null,
  subtasks: NOTHING,
  reviewers: NOTHING,
  verdicts: NOTHING,
  rejections: 0,
  warnings: NOTHING,
  offender: null,
  closing: null,
})

const NEVER_LEFT = Object.freeze({ discussion: 0, proposal: 0, assign: 0, execution: 0, review: 0 })

export const seatOf = (context: ConversationContext, id: string): Seat | undefined => {
  for (const seat of context.seats) if (seat.id === id) return seat
  return undefined
}

export const isActive = (context: ConversationContext, id: string): boolean =>
  seatOf(context, id)?.active === true

export const activeAmong = (seats: readonly Seat[]): string[] => {
  const active: string[] = []
  for (const seat of seats) if (seat.active) active.push(seat.id)
  return active
}

export const activeMembers = (context: ConversationContext): string[] => activeAmong(context.seats)

/** The lead; without one the adopted proposal's author while active; without either the first active member. */
export const chairOf = (context: ConversationContext): string | null => {
  if (context.lead !== null) return context.lead
  if (context.adopted !== null && isActive(context, context.adopted.author)) return context.adopted.author
  return context.seats.find((seat) => seat.active)?.id ?? null
}

/** Turns that a member has in this visit, or null for no limit. Talk may use the turn limit only; the rest is for the work. */
export const shareOf = (context: ConversationContext, isTalk: boolean): number | null => {
  const limit = context.policy.turnLimit[context.visit.state]
  return limit === null || isTalk ? limit : limit + context.visit.bonus
}

/** Agreements that a proposal needs of so many voters. The ceiling is exact. Source: "carried" of the specification. */
export const agreementsNeeded = (context: ConversationContext, voters: number, members: number): number => {
  const { agreeRatio } = context.policy
  if (agreeRatio === 'auto') return Math.max(1, ceilOf(members <= 3 ? 5 : members <= 6 ? 6 : 7, 10, voters))
  if (typeof agreeRatio === 'number') return Math.max(1, Math.ceil(agreeRatio * voters - 1e-9))
  const slash = agreeRatio.indexOf('/')
  const [part, whole] = [agreeRatio.slice(0, slash), agreeRatio.slice(slash + 1)]
  // Products of up to 9 digits and a member count stay exact in a double.
  if (whole.length <= 9 && part.length <= 9) return Math.max(1, ceilOf(Number(part), Number(whole), voters))
  return Math.max(1, Number((BigInt(part) * BigInt(voters) + BigInt(whole) - 1n) / BigInt(whole)))
}

/** ⌈part / whole × voters⌉ of integers. */
const ceilOf = (part: number, whole: number, voters: number): number => {
  const raised = part * voters + whole - 1
  return (raised - (raised % whole)) / whole
}

/** Who may give a verdict now. Source: `reviewers` of the specification. */
export const reviewersNow = (context: ConversationContext): readonly string[] => {
  switch (context.policy.reviewers) {
    case 'any':
      return activeMembers(context)
    case 'lead':
      return context.lead === null ? [] : [context.lead]
    case 'independent':
      return context.reviewers
  }
}

/** When this visit's time is up, in ms, or null where nothing is due. */
export const dueAt = (context: ConversationContext): number | null => {
  if (context.closing !== null) return null
  const deadline = context.policy.deadline[context.visit.state]
  const idle = context.policy.idle[context.visit.state]
  const byDeadline = deadline === null ? Number.POSITIVE_INFINITY : context.visit.since + deadline
  const byIdle = idle === null ? Number.POSITIVE_INFINITY : context.touched + idle
  const due = Math.min(byDeadline, byIdle)
  return due === Number.POSITIVE_INFINITY ? null : due
}
