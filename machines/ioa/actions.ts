/** What the actions' names mean: each returns the part of the context that it changes. Pure; an event it is not meant for changes nothing. */
import {
  type Cause,
  hasTurn,
  holderFrom,
  type IoaContext,
  isOpen,
  isPending,
  type Seat,
  type Status,
  seatOf,
  type Task,
} from './context.ts'
import { awaitedBy, reportedBy, subjectOf } from './guards.ts'
import type { IoaEvent } from './intents.ts'
import type { State } from './policy.ts'

type Patch = Partial<IoaContext>
type Args = { readonly context: IoaContext; readonly event: IoaEvent }

const NOTHING: Patch = Object.freeze({})

/** The seats with one of them changed. */
const reseat = ({ seats }: IoaContext, id: string, change: Partial<Seat>): readonly Seat[] =>
  seats.map((seat) => (seat.id === id ? { ...seat, ...change } : seat))

/** The tasks with some of them changed. */
const retask = (
  { tasks }: IoaContext,
  concerns: (task: Task) => boolean,
  change: Partial<Task>,
): readonly Task[] => tasks.map((task) => (concerns(task) ? { ...task, ...change } : task))

/** A member gets the floor. */
const given = (context: IoaContext, speaker: string, at: number): Patch => ({
  speaker,
  given: at,
  seats: reseat(context, speaker, { overrun: false }),
})

/** A member goes: what it owes has failed for good, and the floor passes on. */
const without = (context: IoaContext, id: string, expelled: boolean, at: number): Patch => {
  const { lead, speaker } = context
  const left = {
    ...context,
    seats: reseat(context, id, { active: false, overrun: false, expelled }),
    lead: lead === id ? null : lead,
    tasks: retask(context, (task) => task.owner === id && isOpen(task), { status: 'failed', overdue: false }),
  }
  const patch = { seats: left.seats, lead: left.lead, tasks: left.tasks }
  return speaker === id ? { ...patch, ...given(left, holderFrom(left, id, 'the next'), at) } : patch
}

export const actions = {
  /** A turn of talk of whoever speaks, fails, or holds the floor in silence, while it has one. */
  spend: ({ context, event }: Args): Patch => {
    const seat = seatOf(context, subjectOf(event) ?? context.speaker)
    if (seat === undefined || !hasTurn(context, seat)) return NOTHING
    return {
      seats: reseat(context, seat.id, { turns: seat.turns + 1 }),
      spoken: context.spoken + 1,
      turns: context.turns + 1,
    }
  },
  /** One of the turns in which the conclusion must be given. */
  attempt: ({ context }: Args): Patch => ({ tries: context.tries + 1, turns: context.turns + 1 }),

  /** The floor goes to the member named; without a name the speaker keeps it, or the next in joining order has it. */
  hand: ({ context, event }: Args, { keeps }: { keeps: boolean }): Patch => {
    if (!('from' in event) || event.type === 'report') return NOTHING
    const { next } = event.payload
    const holder =
      next === undefined && !keeps
        ? holderFrom(context, event.from, 'the next')
        : holderFrom(context, next ?? event.from, 'it')
    return given(context, holder, event.at)
  },
  /** The floor passes to the next. */
  pass: ({ context, event }: Args): Patch =>
    given(context, holderFrom(context, context.speaker, 'the next'), event.at),
  /** The clock takes the floor. */
  overrun: ({ context }: Args): Patch => ({ seats: reseat(context, context.speaker, { overrun: true }) }),

  /** Who concludes by the speaker's own wish: whoever it names, or itself. Turns left do not matter any more. */
  appoint: ({ context, event }: Args): Patch =>
    event.type === 'conclude' ? given(context, event.payload.next ?? event.from, event.at) : NOTHING,
  /** A limit has the group conclude: the lead, or else whoever has the floor. Who was about to speak is late. */
  force: ({ context, event }: Args, { cause }: { cause: Cause }): Patch => ({
    speaker: context.lead ?? context.speaker,
    given: event.at,
    seats: 'from' in event ? context.seats : reseat(context, context.speaker, { overrun: true }),
    awaited: [],
    forced: cause,
  }),

  assignTasks: ({ context, event }: Args, { awaits }: { awaits: boolean }): Patch => {
    if (event.type !== 'assign_sync' && event.type !== 'assign_async') return NOTHING
    const { taskDeadline } = context.policy
    const added = [...new Set(event.payload.to)].map(
      (owner, position): Task => ({
        id: `t${context.tasks.length + position + 1}`,
        title: event.payload.title ?? null,
        owner,
        status: null,
        output: null,
        due: taskDeadline === null ? null : event.at + taskDeadline,
        overdue: false,
      }),
    )
    return { tasks: [...context.tasks, ...added], awaited: awaits ? added.map(({ id }) => id) : [] }
  },
  awaitTasks: ({ context, event }: Args): Patch =>
    event.type === 'pause' ? { awaited: awaitedBy(context, event) } : NOTHING,
  stopWaiting: (): Patch => ({ awaited: [] }),
  /** The chat goes on with whoever was to speak next, or the first after it who can. */
  resume: ({ context, event }: Args): Patch => ({
    ...given(context, holderFrom(context, context.speaker, 'it'), event.at),
    awaited: [],
  }),

  report: ({ context, event }: Args): Patch => {
    if (event.type !== 'report') return NOTHING
    const { content, payload } = event
    const reported = reportedBy(context, event)
    return {
      turns: context.turns + 1,
      tasks: retask(context, (task) => reported.includes(task), {
        status: payload.status ?? 'success',
        output: payload.output === undefined ? content : payload.output,
        overdue: false,
      }),
    }
  },
  failOverdue: ({ context, event }: Args): Patch => ({
    tasks: retask(context, (task) => isPending(task) && task.due !== null && event.at >= task.due, {
      status: 'failed',
      overdue: true,
    }),
  }),
  sumUp: ({ event }: Args): Patch => {
    if (event.type !== 'conclude') return NOTHING
    const { content, payload } = event
    return { conclusion: payload.output === undefined ? content : payload.output }
  },

  /** A message against the rules, or a failure. */
  violation: ({ context, event }: Args): Patch => {
    const { violationLimit } = context.policy
    const seat = seatOf(context, subjectOf(event) ?? '')
    // Where nobody is expelled nothing is counted, so that nothing changes.
    if (seat === undefined || violationLimit === null) return NOTHING
    const violations = seat.violations + 1
    return {
      seats: reseat(context, seat.id, { violations }),
      offender: violations >= violationLimit ? seat.id : context.offender,
    }
  },
  late: ({ context, event }: Args): Patch => ({
    seats: reseat(context, subjectOf(event) ?? '', { overrun: false }),
  }),
  expel: ({ context, event }: Args): Patch =>
    context.offender === null
      ? NOTHING
      : { ...without(context, context.offender, true, event.at), offender: null },

  join: ({ context, event }: Args): Patch => {
    if (event.type !== 'join') return NOTHING
    const { member } = event
    const former = seatOf(context, member)
    const seat: Seat = {
      id: member,
      active: true,
      expelled: false,
      turns: former?.turns ?? 0,
      violations: former?.violations ?? 0,
      overrun: false,
    }
    return { seats: [...context.seats.filter(({ id }) => id !== member), seat] }
  },
  leave: ({ context, event }: Args): Patch =>
    event.type === 'leave' ? without(context, event.member, false, event.at) : NOTHING,

  enter: ({ event }: Args, { state }: { state: State }): Patch => ({ visit: { state, since: event.at } }),
  /** The end: how and why. */
  close: ({ context }: Args, { status, cause }: { status: Status; cause: Cause | null }): Patch => ({
    closing: { status, cause: status === 'forced' ? context.forced : cause },
  }),
}
