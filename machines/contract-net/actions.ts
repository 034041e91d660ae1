/** What the actions' names mean: each returns the part of the context that it changes. Pure; an event it is not meant for changes nothing. */
import {
  type Award,
  type Bid,
  type Cause,
  type ContractNetContext,
  openBids,
  type Seat,
  type Status,
  standing,
  turnsLeft,
} from './context.ts'
import { meantBy } from './guards.ts'
import type { ContractNetEvent } from './intents.ts'
import type { State } from './policy.ts'

type Patch = Partial<ContractNetContext>
type Args = { context: ContractNetContext; event: ContractNetEvent }

const NOTHING: Patch = Object.freeze({})

/** The seats with one of them changed. */
const reseat = (
  context: ContractNetContext,
  id: string,
  change: (seat: Seat) => Partial<Seat>,
): readonly Seat[] => context.seats.map((seat) => (seat.id === id ? { ...seat, ...change(seat) } : seat))

/** Who is about to be expelled once these are the seats. */
const offenderOf = (context: ContractNetContext, seats: readonly Seat[], id: string): string | null => {
  const limit = context.policy.violationLimit
  if (limit === null) return context.offender
  return seats.some((seat) => seat.id === id && seat.violations >= limit) ? id : context.offender
}

const without = (refusals: readonly string[], id: string): readonly string[] =>
  refusals.filter((other) => other !== id)

/** A member goes: its reply counts no more, and what was awarded to it has failed. */
const gone = (context: ContractNetContext, id: string, expelled: boolean): Patch => ({
  seats: reseat(context, id, (seat) => ({ active: false, expelled: seat.expelled || expelled })),
  bids:
    context.visit.state === 'bidding'
      ? context.bids.filter(({ bidder }) => bidder !== id)
      : context.bids.map((bid) =>
          bid.bidder === id && bid.status === 'open' ? { ...bid, status: 'withdrawn' } : bid,
        ),
  refusals: without(context.refusals, id),
  awards: failed(context.awards, ({ bidder }) => bidder === id),
})

/** The awards, of which some that are not reported have failed. */
const failed = (awards: readonly Award[], concerns: (award: Award) => boolean): readonly Award[] =>
  awards.map((award) => (award.status === null && concerns(award) ? { ...award, status: 'failed' } : award))

const decidedAs = (
  context: ContractNetContext,
  meant: readonly Bid[],
  status: 'accepted' | 'rejected',
): readonly Bid[] =>
  context.bids.map((bid) => (meant.includes(bid) && bid.status === 'open' ? { ...bid, status } : bid))

export const actions = {
  /** A message that took effect, or came to nothing within the rules. */
  turn: ({ context, event }: Args): Patch =>
    'from' in event
      ? {
          seats: reseat(context, event.from, (seat) => ({ turns: seat.turns + 1, heard: context.moves })),
          turns: context.turns + 1,
        }
      : NOTHING,

  /** A message against the rules. */
  violation: ({ context, event }: Args): Patch => {
    if (!('from' in event)) return NOTHING
    const seats = reseat(context, event.from, (seat) => ({
      violations: seat.violations + 1,
      heard: context.moves,
    }))
    return { seats, offender: offenderOf(context, seats, event.from) }
  },

  /** Said before a change was heard: no violation. */
  late: ({ context, event }: Args): Patch =>
    'from' in event ? { seats: reseat(context, event.from, () => ({ heard: context.moves })) } : NOTHING,

  /** A turn while the member has any left, and a violation. */
  fault: ({ context, event }: Args): Patch => {
    if (event.type !== 'fault') return NOTHING
    const turns = turnsLeft(context, event.member) > 0 ? 1 : 0
    const seats = reseat(context, event.member, (seat) => ({
      turns: seat.turns + turns,
      violations: seat.violations + 1,
    }))
    return { seats, offender: offenderOf(context, seats, event.member), turns: context.turns + turns }
  },

  join: ({ context, event }: Args): Patch => {
    if (event.type !== 'join') return NOTHING
    const { member } = event
    const former = context.seats.find(({ id }) => id === member)
    const seat: Seat = {
      id: member,
      active: true,
      expelled: false,
      turns: former?.turns ?? 0,
      violations: former?.violations ?? 0,
      heard: context.moves,
    }
    return { seats: [...context.seats.filter(({ id }) => id !== member), seat] }
  },
  leave: ({ context, event }: Args): Patch =>
    event.type === 'leave' ? gone(context, event.member, false) : NOTHING,
  expel: ({ context }: Args): Patch =>
    context.offender === null ? NOTHING : { ...gone(context, context.offender, true), offender: null },

  /** A round begins. */
  call: ({ context, event }: Args): Patch =>
    event.type === 'cfp'
      ? {
          round: context.round + 1,
          call: {
            id: event.id,
            task: event.payload.task === undefined ? event.content : event.payload.task,
            replyWithin: event.payload.replyWithin ?? null,
          },
          bids: [],
          refusals: [],
        }
      : NOTHING,

  /** A participant's last reply counts. */
  bid: ({ context, event }: Args): Patch => {
    if (event.type !== 'propose') return NOTHING
    const { id, from: bidder, content, payload } = event
    const offer = payload.offer === undefined ? content : payload.offer
    const made: Bid = { id, bidder, price: payload.price ?? null, offer, status: 'open' }
    return {
      bids: [...context.bids.filter((bid) => bid.bidder !== bidder), made],
      refusals: without(context.refusals, bidder),
    }
  },
  decline: ({ context, event }: Args): Patch =>
    'from' in event
      ? {
          bids: context.bids.filter(({ bidder }) => bidder !== event.from),
          refusals: [...without(context.refusals, event.from), event.from],
        }
      : NOTHING,

  award: ({ context, event }: Args): Patch => {
    if (event.type !== 'accept') return NOTHING
    const meant = meantBy(context, event)
    const made = meant.map(
      ({ id, bidder, price }): Award => ({
        bid: id,
        bidder,
        price,
        round: context.round,
        status: null,
        output: null,
      }),
    )
    return { bids: decidedAs(context, meant, 'accepted'), awards: [...context.awards, ...made] }
  },
  turnDown: ({ context, event }: Args): Patch =>
    event.type === 'reject' || event.type === 'not_understood'
      ? { bids: decidedAs(context, meantBy(context, event), 'rejected') }
      : NOTHING,
  rejectOthers: ({ context }: Args): Patch => ({ bids: decidedAs(context, openBids(context), 'rejected') }),

  report: ({ context, event }: Args, { status }: { status: 'done' | 'failed' }): Patch => {
    if (event.type !== 'inform' && event.type !== 'failure' && event.type !== 'not_understood') return NOTHING
    const told = event.type === 'inform' ? event.payload.output : event.payload.reason
    const output = told === undefined ? event.content : told
    return {
      awards: context.awards.map((award) =>
        award.bidder === event.from && award.status === null ? { ...award, status, output } : award,
      ),
    }
  },
  /** The limit reports what is not reported. */
  failUnreported: ({ context }: Args): Patch => ({ awards: failed(context.awards, () => true) }),

  /** A visit begins: turns and violations at 0, its due time set. */
  enter: ({ context, event }: Args, { state }: { state: State }): Patch => {
    const { policy, visit, call } = context
    const moves = context.moves + 1
    const within =
      state === 'bidding' ? (call?.replyWithin ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY
    return {
      visit: {
        state,
        due: event.at + Math.min(policy.deadline[state], within),
        bonus: state === 'awarding' ? openBids(context).length : 0,
      },
      seats: context.seats.map((seat) => ({ ...seat, turns: 0, violations: 0 })),
      moves,
      left: { ...context.left, [visit.state]: moves },
    }
  },
  /** The end: how and why. */
  close: (_: Args, closing: { status: Status; cause: Cause | null }): Patch => ({ closing }),
  conclude: ({ context }: Args, { cause }: { cause: Cause | null }): Patch => ({
    closing: { status: standing(context), cause },
  }),
}
