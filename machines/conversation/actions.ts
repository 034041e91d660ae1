/** What the actions' names mean: each returns the part of the context that it changes. Pure; an event it is not meant for changes nothing. */
import {
  activeAmong,
  activeMembers,
  type Cause,
  type ConversationContext,
  isActive,
  type Proposal,
  type Seat,
  type Status,
  type Subtask,
  type Verdict,
} from './context.ts'
import { bestOf, carriedOf, proposalOf } from './guards.ts'
import { type ConversationEvent, defaultId, type MessageEvent } from './intents.ts'
import type { State } from './policy.ts'

type Patch = Partial<ConversationContext>
type Args = { context: ConversationContext; event: ConversationEvent }

const NOTHING: Patch = Object.freeze({})

const on =
  <Type extends ConversationEvent['type']>(
    [type, other]: readonly [Type, Type?],
    change: (context: ConversationContext, event: Extract<ConversationEvent, { type: Type }>) => Patch,
  ) =>
  ({ context, event }: Args): Patch =>
    event.type === type || event.type === other
      ? change(context, event as Extract<ConversationEvent, { type: Type }>)
      : NOTHING

// Seats, subtasks and proposals are copied by literals that name every field: several times as fast as spreads.

/** The seats with one of them changed. */
const reseat = (context: ConversationContext, id: string, change: (seat: Seat) => Seat): readonly Seat[] => {
  const seats = context.seats.slice()
  const index = seats.findIndex((seat) => seat.id === id)
  const seat = seats[index]
  if (seat !== undefined) seats[index] = change(seat)
  return seats
}

/** The subtasks with some of them changed. */
const retask = (
  context: ConversationContext,
  concerns: (subtask: Subtask) => boolean,
  change: (subtask: Subtask) => Subtask,
): readonly Subtask[] => context.subtasks.map((subtask) => (concerns(subtask) ? change(subtask) : subtask))

const counted = (seat: Seat, turns: number, violations: number, heard: number): Seat => ({
  id: seat.id,
  active: seat.active,
  expelled: seat.expelled,
  turns,
  violations,
  heard,
})
const withTurn = (seat: Seat, heard: number): Seat => counted(seat, seat.turns + 1, seat.violations, heard)
const withViolation = (seat: Seat, heard: number): Seat =>
  counted(seat, seat.turns, seat.violations + 1, heard)

/** Who is about to be expelled once these are the seats. */
const offenderOf = (context: ConversationContext, seats: readonly Seat[], id: string): string | null => {
  const limit = context.policy.violationLimit
  if (limit === null) return context.offender
  return seats.some((seat) => seat.id === id && seat.violations >= limit) ? id : context.offender
}

/** A member goes: its votes and verdict vanish, its pending subtasks become free, the lead passes on. */
const without = (context: ConversationContext, id: string, expelled: boolean): Patch => {
  const seats = reseat(context, id, (seat) => ({
    ...seat,
    active: false,
    expelled: seat.expelled || expelled,
  }))
  const stay = (other: string): boolean => other !== id
  let reviewers = context.reviewers
  if (context.visit.state === 'review' && reviewers.includes(id)) {
    reviewers = reviewers.filter(stay)
    if (reviewers.length === 0) reviewers = activeAmong(seats)
  }
  return {
    seats,
    lead: context.lead === id ? (seats.find((seat) => seat.active)?.id ?? null) : context.lead,
    proposals: context.proposals.map((proposal) =>
      voted(proposal, proposal.agrees.filter(stay), proposal.objects.filter(stay)),
    ),
    subtasks: retask(
      context,
      (subtask) => subtask.status === null && (subtask.owner === id || subtask.offered === id),
      freed,
    ),
    verdicts: context.verdicts.filter((verdict) => verdict.from !== id),
    reviewers,
  }
}

/** A proposal becomes the plan: its subtasks are the conversation's, without owners. */
const adoptionOf = (proposal: ReturnType<typeof proposalOf>): Patch =>
  proposal === undefined
    ? NOTHING
    : {
        adopted: { id: proposal.id, author: proposal.author },
        subtasks: proposal.subtasks.map(({ id, title, requires }) => newSubtask(id, title, requires)),
      }

const newSubtask = (id: string, title: string | null, requires: readonly string[]): Subtask => ({
  id,
  title,
  requires,
  owner: null,
  offered: null,
  status: null,
  output: null,
  attempts: 0,
  byLimit: false,
})

const given = (subtask: Subtask, owner: string | null, offered: string | null): Subtask => ({
  id: subtask.id,
  title: subtask.title,
  requires: subtask.requires,
  owner,
  offered,
  status: subtask.status,
  output: subtask.output,
  attempts: subtask.attempts,
  byLimit: subtask.byLimit,
})
const freed = (subtask: Subtask): Subtask => given(subtask, null, null)
/** Offered to another, or at once one's own. */
const givenTo = (subtask: Subtask, owner: string, from: string): Subtask =>
  owner === from ? given(subtask, owner, null) : given(subtask, null, owner)

const voted = (proposal: Proposal, agrees: readonly string[], objects: readonly string[]): Proposal => ({
  id: proposal.id,
  author: proposal.author,
  subtasks: proposal.subtasks,
  agrees,
  objects,
})

const leftAt = (
  left: ConversationContext['left'],
  state: State,
  moves: number,
): ConversationContext['left'] => ({
  discussion: state === 'discussion' ? moves : left.discussion,
  proposal: state === 'proposal' ? moves : left.proposal,
  assign: state === 'assign' ? moves : left.assign,
  execution: state === 'execution' ? moves : left.execution,
  review: state === 'review' ? moves : left.review,
})

const verdictOf = ({ type, from, payload }: MessageEvent<'verdict' | 'reject'>): Verdict => {
  const pass = type === 'verdict' && payload.verdict !== 'reject'
  const named = payload.subtasks ?? []
  return { from, pass, subtasks: pass || named.length === 0 ? null : named }
}

export const actions = {
  /** A message that took effect or lost a race. */
  turn: ({ context, event }: Args): Patch =>
    'from' in event
      ? {
          seats: reseat(context, event.from, (seat) => withTurn(seat, context.moves)),
          spoken: context.spoken + 1,
          touched: event.at,
          turns: context.turns + 1,
          tokens: context.tokens + event.tokens,
        }
      : NOTHING,

  /** A message against the rules. */
  violation: ({ context, event }: Args): Patch => {
    if (!('from' in event)) return NOTHING
    const { from, tokens } = event
    const seats = reseat(context, from, (seat) => withViolation(seat, context.moves))
    return { seats, offender: offenderOf(context, seats, from), tokens: context.tokens + tokens }
  },

  /** Said before a change was heard: no violation. */
  late: ({ context, event }: Args): Patch =>
    'from' in event
      ? {
          seats: reseat(context, event.from, (seat) =>
            counted(seat, seat.turns, seat.violations, context.moves),
          ),
          tokens: context.tokens + event.tokens,
        }
      : NOTHING,

  /** A turn while the member has any left, and a violation. */
  fault: on(['fault'], (context, { member, at }) => {
    const seat = context.seats.find(({ id }) => id === member)
    if (seat === undefined) return NOTHING
    const limit = context.policy.turnLimit[context.visit.state]
    const hasTurn =
      context.policy.turnUnit === 'message' || limit === null || seat.turns < limit + context.visit.bonus
    const turns = hasTurn ? 1 : 0
    const seats = reseat(context, member, (own) =>
      counted(own, own.turns + turns, own.violations + 1, own.heard),
    )
    return {
      seats,
      offender: offenderOf(context, seats, member),
      spoken: context.spoken + turns,
      touched: hasTurn ? at : context.touched,
      turns: context.turns + turns,
    }
  }),

  join: on(['join'], (context, { member }) => {
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
  }),
  leave: on(['leave'], (context, { member }) => without(context, member, false)),
  expel: ({ context }: Args): Patch =>
    context.offender === null ? NOTHING : { ...without(context, context.offender, true), offender: null },

  propose: on(['proposal'], (context, { id, from, payload }) => ({
    proposals: [
      ...context.proposals,
      {
        id,
        author: from,
        subtasks: (payload.subtasks ?? []).map((subtask, position) => ({
          id: subtask.id ?? defaultId(position),
          title: subtask.title ?? null,
          requires: subtask.requires ?? [],
        })),
        agrees: [],
        objects: [],
      },
    ],
  })),
  /** A member's last vote counts; the author's never does. */
  vote: ({ context, event }: Args, { agree }: { agree: boolean }): Patch => {
    if (event.type !== 'agree' && event.type !== 'object') return NOTHING
    const meant = proposalOf(context, event.replyTo)
    if (meant === undefined || meant.author === event.from) return NOTHING
    const others = (votes: readonly string[]): string[] => votes.filter((voter) => voter !== event.from)
    const agrees = others(meant.agrees)
    const objects = others(meant.objects)
    ;(agree ? agrees : objects).push(event.from)
    return {
      proposals: context.proposals.map((proposal) =>
        proposal === meant ? voted(proposal, agrees, objects) : proposal,
      ),
    }
  },
  adoptNamed: on(['agree'], (context, { replyTo }) => adoptionOf(proposalOf(context, replyTo))),
  adoptCarried: ({ context }: Args): Patch => adoptionOf(carriedOf(context)),
  adoptBest: ({ context }: Args): Patch => ({
    ...adoptionOf(bestOf(context)),
    warnings: [...context.warnings, 'adopted_without_quorum'],
  }),

  assignSubtask: on(['assign'], (context, { from, payload: { subtask: id, owner, title } }) => {
    const known = context.subtasks.find((subtask) => subtask.id === id)
    if (known === undefined) {
      const added = givenTo(newSubtask(id, title ?? null, []), owner, from)
      return { subtasks: [...context.subtasks, added] }
    }
    if (known.owner === owner) return NOTHING
    return {
      subtasks: retask(
        context,
        (subtask) => subtask === known,
        (subtask) => givenTo(subtask, owner, from),
      ),
    }
  }),
  acceptSubtasks: on(['accept'], (context, { from, payload }) => {
    const mine = (subtask: Subtask): Subtask => given(subtask, from, null)
    const take = (chosen: (subtask: Subtask) => boolean): Patch => ({
      subtasks: retask(context, chosen, mine),
    })
    if (payload.subtask !== undefined) return take(({ id }) => id === payload.subtask)
    const isOffered = (subtask: Subtask): boolean => subtask.status === null && subtask.offered === from
    if (context.subtasks.some(isOffered)) return take(isOffered)
    if (context.subtasks.length === 0) return { subtasks: [mine(newSubtask('task', null, []))] }
    const first = context.subtasks.find(
      ({ status, owner, offered }) => status === null && owner === null && offered === null,
    )
    return take((subtask) => subtask === first)
  }),
  giveBack: on(['object'], (context, { from, payload }) => ({
    subtasks: retask(
      context,
      ({ id, status, owner, offered }) =>
        status === null &&
        (owner === from || offered === from) &&
        (payload.subtask === undefined || payload.subtask === id),
      freed,
    ),
  })),

  report: on(['result'], (context, { from, content, payload }) => ({
    subtasks: retask(
      context,
      ({ id, owner, status }) =>
        owner === from && (payload.subtask === undefined ? status === null : payload.subtask === id),
      (subtask) => ({
        id: subtask.id,
        title: subtask.title,
        requires: subtask.requires,
        owner: subtask.owner,
        offered: subtask.offered,
        status: payload.status ?? 'success',
        output: payload.output === undefined ? content : payload.output,
        attempts: subtask.status === null ? subtask.attempts + 1 : subtask.attempts,
        byLimit: false,
      }),
    ),
  })),
  /** The limit reports what is still pending. */
  reportFailed: ({ context }: Args): Patch => ({
    subtasks: retask(
      context,
      ({ status }) => status === null,
      (subtask) => ({
        ...subtask,
        status: 'failed',
        offered: null,
        attempts: subtask.attempts + 1,
        byLimit: true,
      }),
    ),
    warnings: context.warnings.includes('partial') ? context.warnings : [...context.warnings, 'partial'],
  }),

  appointReviewers: ({ context }: Args): Patch => {
    const members = activeMembers(context)
    const independent = members.filter((id) => !context.subtasks.some(({ owner }) => owner === id))
    return { reviewers: independent.length > 0 ? independent : members }
  },
  judge: on(['verdict', 'reject'], (context, event) => ({
    verdicts: [...context.verdicts.filter(({ from }) => from !== event.from), verdictOf(event)],
  })),
  countRejection: ({ context }: Args): Patch => ({ rejections: context.rejections + 1 }),
  rework: ({ context }: Args): Patch => {
    const rejections = context.verdicts.filter(({ pass }) => !pass)
    const isNamed = (id: string): boolean =>
      rejections.some(({ subtasks }) => subtasks === null || subtasks.includes(id))
    return {
      subtasks: retask(
        context,
        ({ id }) => isNamed(id),
        (subtask) => {
          const { id, title, requires, owner, byLimit, attempts } = subtask
          const keeps = owner !== null && !byLimit && isActive(context, owner)
          return { ...newSubtask(id, title, requires), owner: keeps ? owner : null, attempts }
        },
      ),
    }
  },

  /** A visit begins: turns, shares and violations at 0, the time noted. */
  enter: ({ context, event }: Args, { state }: { state: State }): Patch => {
    const moves = context.moves + 1
    const sharesWork = state === 'assign' || state === 'execution'
    return {
      visit: { state, since: event.at, bonus: sharesWork ? 2 * context.subtasks.length : 0 },
      seats: context.seats.map((seat) =>
        seat.turns + seat.violations === 0 ? seat : counted(seat, 0, 0, seat.heard),
      ),
      spoken: 0,
      touched: event.at,
      moves,
      left: leftAt(context.left, context.visit.state, moves),
      verdicts: [],
      reviewers: [],
    }
  },
  /** The end: how, why, and the warnings that go with it. */
  close: ({ context }: Args, { status, cause }: { status: Status; cause: Cause | null }): Patch => {
    const warnings = [...context.warnings]
    if (status === 'rejects_exhausted') warnings.push('rejects_exhausted')
    else if (context.visit.state === 'review' && status !== 'accepted') warnings.push('unreviewed')
    return { closing: { status, cause }, warnings }
  },
}
