/** What the guards need to know of a contract net; never the transcript. All ids are opaque: looked up by value, never used as keys. */
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

/** `open` until the initiator decides; `withdrawn`: its bidder went while the initiator was choosing. */
export type BidStatus = 'open' | 'accepted' | 'rejected' | 'withdrawn'

/** A participant's proposal in the present round, its last one. */
export interface Bid {
  /** The id of the message that made it. */
  readonly id: string
  readonly bidder: string
  readonly price: number | null
  /** What was proposed: the payload's `offer`, or else the content. */
  readonly offer: Json
  readonly status: BidStatus
}

/** A proposal that was accepted, and what became of it. */
export interface Award {
  /** The id of the message that proposed it. */
  readonly bid: string
  readonly bidder: string
  readonly price: number | null
  /** Counts from 1. */
  readonly round: number
  /** Null: not reported yet. */
  readonly status: 'done' | 'failed' | null
  /** What its bidder reported; null where it did not. */
  readonly output: Json
}

/** The call for proposals of the present round. */
export interface CallForProposals {
  readonly id: string
  /** What is to be done: the payload's `task`, or else the content. */
  readonly task: Json
  /** ms; null: as the policy has it. */
  readonly replyWithin: number | null
}

export type Status =
  | 'done'
  | 'partial'
  | 'failed'
  | 'no_bids'
  | 'not_awarded'
  | 'timeout'
  | 'abandoned'
  | 'cancelled'
/** What cut it short; none: all who were asked have answered. */
export type Cause = 'deadline' | 'turns' | 'initiator' | 'members' | 'called_off'

/** One stay in a state. */
export interface Visit {
  readonly state: State
  /** When its time is up, in ms. */
  readonly due: number
  /** Turns that the initiator has for the proposals, beyond its turn limit. */
  readonly bonus: number
}

export interface ContractNetContext {
  readonly policy: Policy
  readonly initiator: string
  /** Active members in joining order, and those who left. */
  readonly seats: readonly Seat[]
  readonly visit: Visit
  /** Turns in all visits. */
  readonly turns: number
  /** Transitions so far. */
  readonly moves: number
  /** For each state, `moves` after it was last left; 0: never. */
  readonly left: Readonly<Record<State, number>>
  /** Calls so far. */
  readonly round: number
  readonly call: CallForProposals | null
  /** Of the present round. */
  readonly bids: readonly Bid[]
  /** Participants whose last reply in the present round is no proposal. */
  readonly refusals: readonly string[]
  /** Of all rounds, oldest first. */
  readonly awards: readonly Award[]
  /** Who has reached the violation limit and is about to be expelled. */
  readonly offender: string | null
  readonly closing: { readonly status: Status; readonly cause: Cause | null } | null
}

export interface Opening {
  readonly members: readonly string[]
  readonly initiator: string
  readonly policy: Policy
  /** ms. */
  readonly at: number
}

/** The context of a contract net that opens. */
export const opened = ({ members, initiator, policy, at }: Opening): ContractNetContext => ({
  policy,
  initiator,
  seats: members.map((id) => ({ id, active: true, expelled: false, turns: 0, violations: 0, heard: 0 })),
  visit: { state: 'calling', due: at + policy.deadline.calling, bonus: 0 },
  turns: 0,
  moves: 0,
  left: { calling: 0, bidding: 0, awarding: 0, performing: 0 },
  round: 0,
  call: null,
  bids: [],
  refusals: [],
  awards: [],
  offender: null,
  closing: null,
})

export const seatOf = (context: ContractNetContext, id: string): Seat | undefined =>
  context.seats.find((seat) => seat.id === id)

export const isActive = (context: ContractNetContext, id: string): boolean =>
  seatOf(context, id)?.active === true

export const activeMembers = ({ seats }: ContractNetContext): string[] =>
  seats.filter(({ active }) => active).map(({ id }) => id)

/** Turns that a member has in this visit. */
const shareOf = ({ policy, visit, initiator }: ContractNetContext, id: string): number =>
  policy.turnLimit[visit.state] + (id === initiator ? visit.bonus : 0)

/** Turns that a member has left in this visit. */
export const turnsLeft = (context: ContractNetContext, id: string): number => {
  const seat = seatOf(context, id)
  return seat === undefined ? 0 : Math.max(0, shareOf(context, id) - seat.turns)
}

export const openBids = ({ bids }: ContractNetContext): readonly Bid[] =>
  bids.filter(({ status }) => status === 'open')

/** The present round's awards. */
export const awardsNow = ({ awards, round }: ContractNetContext): readonly Award[] =>
  awards.filter((award) => award.round === round)

/** Whether a participant has proposed or refused in this round. */
export const hasReplied = ({ bids, refusals }: ContractNetContext, id: string): boolean =>
  refusals.includes(id) || bids.some(({ bidder }) => bidder === id)

/** Who is called upon to propose. */
export const participants = (context: ContractNetContext): string[] =>
  activeMembers(context).filter((id) => id !== context.initiator)

/** Who has been awarded something in this round and has not reported. */
export const performers = (context: ContractNetContext): string[] =>
  awardsNow(context).flatMap(({ bidder, status }) => (status === null ? [bidder] : []))

/** How it stands when nothing more comes: by the newest awards, or else by the last call. */
export const standing = (context: ContractNetContext): Status => {
  const { round, awards, bids } = context
  if (round === 0) return 'timeout'
  const newest = awards.at(-1)
  if (newest === undefined) return bids.length > 0 ? 'not_awarded' : 'no_bids'
  const isDone = ({ status }: Award): boolean => status === 'done'
  if (awards.filter((award) => award.round === newest.round).every(isDone)) return 'done'
  return awards.some(isDone) ? 'partial' : 'failed'
}

/** When this visit's time is up, in ms; null: it has ended. */
export const dueAt = ({ closing, visit }: ContractNetContext): number | null =>
  closing === null ? visit.due : null
