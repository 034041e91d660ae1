/** What the actions' names mean: each returns the part of the context that it changes. Pure; an event it is not meant for changes nothing. */
import {
  type AinetContext,
  type Cause,
  type Ending,
  isSpent,
  newSeat,
  openerOf,
  type Request,
  requestOf,
  type Seat,
  type Status,
  seatOf,
} from './context.ts'
import { type AinetEvent, typeOf } from './intents.ts'
import type { State } from './policy.ts'

type Patch = Partial<AinetContext>
type Args = { context: AinetContext; event: AinetEvent }

const NOTHING: Patch = Object.freeze({})

/** The seats with one of them changed. */
const reseat = (
  { seats }: AinetContext,
  id: string,
  change: (seat: Seat) => Partial<Seat>,
): readonly Seat[] => seats.map((seat) => (seat.id === id ? { ...seat, ...change(seat) } : seat))

/** The request in the mailbox changed. */
const rewritten = (context: AinetContext, change: (request: Request) => Partial<Request>): Patch => {
  const request = requestOf(context)
  if (request === null) return NOTHING
  return { requests: [...context.requests.slice(0, -1), { ...request, ...change(request) }] }
}

/** Who is about to be expelled once these are the seats. */
const offenderOf = (
  { policy, offender }: AinetContext,
  seats: readonly Seat[],
  id: string,
): string | null => {
  const limit = policy.violationLimit
  if (limit === null) return offender
  return seats.some((seat) => seat.id === id && seat.violations >= limit) ? id : offender
}

const withViolation = (context: AinetContext, id: string, turns: number): Patch => {
  const seats = reseat(context, id, (seat) => ({
    turns: seat.turns + turns,
    violations: seat.violations + 1,
  }))
  return { seats, turns: context.turns + turns, offender: offenderOf(context, seats, id) }
}

export const actions = {
  /** A message that took effect or lost a race. */
  turn: ({ context, event }: Args): Patch =>
    'from' in event
      ? {
          seats: reseat(context, event.from, ({ turns }) => ({ turns: turns + 1, behind: false })),
          turns: context.turns + 1,
        }
      : NOTHING,
  /** A message against the rules. */
  violation: ({ context, event }: Args): Patch =>
    'from' in event ? withViolation(context, event.from, 0) : NOTHING,
  /** Said before the end of a request was heard of: no violation. */
  late: ({ context, event }: Args): Patch =>
    'from' in event ? { seats: reseat(context, event.from, () => ({ behind: false })) } : NOTHING,
  /** A turn while the member has any left, and a violation. */
  fault: ({ context, event }: Args): Patch => {
    const seat = event.type === 'fault' ? seatOf(context, event.member) : undefined
    return seat === undefined ? NOTHING : withViolation(context, seat.id, isSpent(context, seat) ? 0 : 1)
  },

  join: ({ context, event }: Args): Patch => {
    if (event.type !== 'join') return NOTHING
    const { member } = event
    const former = seatOf(context, member) ?? newSeat(member)
    const seat = { ...former, active: true, behind: false }
    return { seats: [...context.seats.filter(({ id }) => id !== member), seat] }
  },
  leave: ({ context, event }: Args): Patch =>
    event.type === 'leave' ? { seats: reseat(context, event.member, () => ({ active: false })) } : NOTHING,
  expel: ({ context }: Args): Patch =>
    context.offender === null
      ? NOTHING
      : {
          seats: reseat(context, context.offender, () => ({ active: false, expelled: true })),
          offender: null,
        },

  /** The first to speak opens the talk, where no lead does. */
  open: ({ context, event }: Args): Patch =>
    'from' in event ? { opener: openerOf(context) ?? event.from } : NOTHING,
  request: ({ context, event }: Args): Patch => {
    if (event.type !== 'request') return NOTHING
    const { id, from, payload } = event
    const request: Request = {
      id,
      from,
      type: typeOf(payload),
      to: payload.to ?? null,
      claimant: null,
      replies: [],
      ending: null,
    }
    return { requests: [...context.requests, request], opener: openerOf(context) ?? from }
  },
  claim: ({ context, event }: Args): Patch =>
    'from' in event ? rewritten(context, () => ({ claimant: event.from })) : NOTHING,
  free: ({ context }: Args): Patch => rewritten(context, () => ({ claimant: null })),
  /** Replying to a TASK claims it. Of each member the last reply counts: it has one file for it. */
  reply: ({ context, event }: Args): Patch => {
    if (!('from' in event)) return NOTHING
    const { id, from } = event
    return rewritten(context, ({ type, claimant, replies }) => ({
      claimant: type === 'TASK' ? from : claimant,
      replies: replies.some((reply) => reply.from === from)
        ? replies.map((reply) => (reply.from === from ? { from, id } : reply))
        : [...replies, { from, id }],
    }))
  },
  /** A request leaves the mailbox; of those who stay only its reader is sure to know. */
  end: ({ context }: Args, { ending }: { ending: Ending }): Patch => {
    const reader = ending === 'read' ? requestOf(context)?.from : undefined
    return {
      ...rewritten(context, () => ({ ending })),
      seats: context.seats.map((seat) => ({ ...seat, behind: seat.active && seat.id !== reader })),
    }
  },

  /** A visit begins: turns and violations at 0, the time noted. */
  enter: ({ context, event }: Args, { state }: { state: State }): Patch => ({
    visit: { state, since: event.at },
    seats: context.seats.map((seat) => ({ ...seat, turns: 0, violations: 0 })),
  }),
  close: (_: Args, closing: { status: Status; cause: Cause | null }): Patch => ({ closing }),
}
