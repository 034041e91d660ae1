/** What the guards need to know of a mailbox or a talk; never the transcript. All ids are opaque: looked up by value, never used as keys. */
import type { RequestType } from './intents.ts'
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
  /** Whether a request has ended since this member last took a turn: it may not have heard of it. */
  readonly behind: boolean
}

/** How a request went back to idle. */
export type Ending = 'read' | 'unread' | 'unanswered' | 'unanswerable' | 'withdrawn'

export interface Request {
  /** The id of the message that made it. */
  readonly id: string
  readonly from: string
  readonly type: RequestType
  /** Of a PRIVATE one. */
  readonly to: string | null
  /** Whose a TASK is. */
  readonly claimant: string | null
  /** Each replier's last reply, in the order in which they first replied. */
  readonly replies: readonly { readonly from: string; readonly id: string }[]
  /** Null while it is in the mailbox. */
  readonly ending: Ending | null
}

export type Status = 'done' | 'timeout' | 'abandoned' | 'cancelled'
/** What the time was up of, or whom it was abandoned by. */
export type Cause = 'deadline' | 'turns' | 'max_turns' | 'rounds' | 'members' | 'opener'

export interface AinetContext {
  readonly policy: Policy
  /** Active members in joining order, and those who left. */
  readonly seats: readonly Seat[]
  /** The lead, or else the first to ask or speak. */
  readonly opener: string | null
  /** The stay in the present state, and when it began, in ms. */
  readonly visit: { readonly state: State; readonly since: number }
  /** Turns in all visits. */
  readonly turns: number
  /** All requests so far; the last one is in the mailbox while it has no ending. */
  readonly requests: readonly Request[]
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

export const newSeat = (id: string): Seat => ({
  id,
  active: true,
  expelled: false,
  turns: 0,
  violations: 0,
  behind: false,
})

/** The context of a mailbox or talk that opens. */
export const opened = ({ members, lead, policy, at }: Opening): AinetContext => ({
  policy,
  seats: members.map(newSeat),
  opener: lead,
  visit: { state: 'idle', since: at },
  turns: 0,
  requests: [],
  offender: null,
  closing: null,
})

export const seatOf = ({ seats }: AinetContext, id: string): Seat | undefined =>
  seats.find((seat) => seat.id === id)

export const isActive = (context: AinetContext, id: string): boolean => seatOf(context, id)?.active === true

export const activeMembers = ({ seats }: AinetContext): string[] =>
  seats.filter(({ active }) => active).map(({ id }) => id)

/** The opener as long as it is here. */
export const openerOf = (context: AinetContext): string | null =>
  context.opener !== null && isActive(context, context.opener) ? context.opener : null

/** The request in the mailbox. */
export const requestOf = ({ requests }: AinetContext): Request | null => {
  const last = requests.at(-1)
  return last === undefined || last.ending !== null ? null : last
}

/** Requests that have been in the mailbox and are not any more. */
export const roundsOf = ({ requests }: AinetContext): number =>
  requests.filter(({ ending }) => ending !== null).length

/** Whether a member has no turn left in this visit. */
export const isSpent = ({ policy, visit }: AinetContext, { turns }: Seat): boolean =>
  turns >= policy.turnLimit[visit.state]

/** Whether a request is for somebody, as far as no claim says otherwise. */
export const isFor = ({ from, type, to }: Request, id: string): boolean =>
  type === 'PRIVATE' ? id === to : id !== from

/** Whether a request is for somebody, and nobody else has claimed it. */
export const isOpenTo = (request: Request, id: string): boolean =>
  isFor(request, id) && (request.claimant === null || request.claimant === id)

/** When this visit's time is up, in ms, or null where nothing is due. */
export const dueAt = ({ closing, visit, policy }: AinetContext): number | null =>
  closing === null ? visit.since + policy.deadline[visit.state] : null
