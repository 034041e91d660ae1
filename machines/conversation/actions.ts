/** What the actions' names mean: each returns the part of the context that it changes. Pure; an event it is not meant for changes nothing. */
import {
  activeMembers,
  type Cause,
  type ConversationContext,
  isActive,
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
    types: readonly Type[],
    change: (context: ConversationContext, event: Extract<ConversationEvent, { type: Type }>) => Patch,
  ) =>
  ({ context, event }: Args): Patch =>
    (types as readonly string[]).includes(event.type)
      ? change(context, event as Extract<ConversationEvent, { type: Type }>)
      : NOTHING

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
  change: (subtask: Subtask) => Partial<Subtask>,
): readonly Subtask[] =>
  context.subtasks.map((subtask) => (concerns(subtask) ? { ...subtask, ...change(subtask) } : subtask))

const withTurn = (seat: Seat, heard: number): Seat => ({
  id: seat.id,
  active: seat.active,
  expelled: seat.expelled,
  turns: seat.turns + 1,
  violations: seat.violations,
  heard,
})

const charged = (context: ConversationContext, id: string, heard: boolean): Patch => {
  const limit = context.policy.violationLimit
  let offender = context.offender
  const seats = reseat(context, id, (seat) => {
    const violations = seat.violations + 1
    if (limit !== null && violations >= limit) offender = id
    return { ...seat, violations, heard: heard ? context.moves : seat.heard }
  })
  return { seats, offender }
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
    if (reviewers.length === 0) reviewers = activeMembers({ ...context, seats })
  }
  return {
    seats,
    lead: context.lead === id ? (seats.find((seat) => seat.active)?.id ?? null) : context.lead,
    proposals: context.proposals.map((proposal) => ({
      ...proposal,
      agrees: proposal.agrees.filter(stay),
      objects: proposal.objects.filter(stay),
    })),
    subtasks: retask(
      context,
      (subtask) => subtask.status === null && (subtask.owner === id || subtask.offered === id),
      () => ({ owner: null, offered: null }),
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

/** Offered to another, or at once one's own. */
const givenTo = (owner: string, from: string): Partial<Subtask> =>
  owner === from ? { owner, offered: null } : { owner: null, offered: owner }

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
  violation: ({ context, event }: Args): Patch =>
    'from' in event
      ? { ...charged(context, event.from, true), tokens: context.tokens + event.tokens }
      : NOTHING,

  /** Said before a change was heard: no violation. */
  late: ({ context, event }: Args): Patch =>
    'from' in event
      ? {
          seats: reseat(context, event.from, (seat) => ({ ...seat, heard: context.moves })),
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
    if (!hasTurn) return charged(context, member, false)
    const seats = reseat(context, member, (own) => withTurn(own, own.heard))
    return {
      ...charged({ ...context, seats }, member, false),
      spoken: context.spoken + 1,
      touched: at,
      turns: context.turns + 1,
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
    const voted = proposalOf(context, event.replyTo)
    if (voted === undefined || voted.author === event.from) return NOTHING
    const others = (votes: readonly string[]): string[] => votes.filter((voter) => voter !== event.from)
    const agrees = others(voted.agrees)
    const objects = others(voted.objects)
    ;(agree ? agrees : objects).push(event.from)
    return {
      proposals: context.proposals.map((proposal) =>
        proposal === voted ? { ...proposal, agrees, objects } : proposal,
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
      const added = { ...newSubtask(id, title ?? null, []), ...givenTo(owner, from) }
      return { subtasks: [...context.subtasks, added] }
    }
    if (known.owner === owner) return NOTHING
    return {
      subtasks: retask(
        context,
        (subtask) => subtask === known,
        () => givenTo(owner, from),
      ),
    }
  }),
  acceptSubtasks: on(['accept'], (context, { from, payload }) => {
    const mine = { owner: from, offered: null }
    const take = (chosen: (subtask: Subtask) => boolean): Patch => ({
      subtasks: retask(context, chosen, () => mine),
    })
    if (payload.subtask !== undefined) return take(({ id }) => id === payload.subtask)
    const isOffered = (subtask: Subtask): boolean => subtask.status === null && subtask.offered === from
    if (context.subtasks.some(isOffered)) return take(isOffered)
    if (context.subtasks.length === 0) return { subtasks: [{ ...newSubtask('task', null, []), ...mine }] }
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
      () => ({ owner: null, offered: null }),
    ),
  })),

  report: on(['result'], (context, { from, content, payload }) => ({
    subtasks: retask(
      context,
      ({ id, owner, status }) =>
        owner === from && (payload.subtask === undefined ? status === null : payload.subtask === id),
      ({ status, attempts }) => ({
        status: payload.status ?? 'success',
        output: payload.output ?? content,
        attempts: status === null ? attempts + 1 : attempts,
        byLimit: false,
      }),
    ),
  })),
  /** The limit reports what is still pending. */
  reportFailed: ({ context }: Args): Patch => ({
    subtasks: retask(
      context,
      ({ status }) => status === null,
      ({ attempts }) => ({ status: 'failed', offered: null, attempts: attempts + 1, byLimit: true }),
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
        ({ owner, byLimit }) => ({
          status: null,
          output: null,
          owner: owner !== null && !byLimit && isActive(context, owner) ? owner : null,
          offered: null,
          byLimit: false,
        }),
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
        seat.turns + seat.violations === 0 ? seat : { ...seat, turns: 0, violations: 0 },
      ),
      spoken: 0,
      touched: event.at,
      moves,
      left: { ...context.left, [context.visit.state]: moves },
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
