/** What the guards' names mean. Total and pure: whatever the event, they answer and change nothing. */
import {
  activeMembers,
  type IoaContext,
  isActive,
  isOpen,
  isPending,
  isSpent,
  seatOf,
  type Task,
} from './context.ts'
import type { IoaEvent, MessageEvent } from './intents.ts'

type Args = { readonly context: IoaContext; readonly event: IoaEvent }
type Guard = (args: Args) => boolean

/** Whom an event is about: a message's sender, or the member that joins, leaves or fails. */
export const subjectOf = (event: IoaEvent): string | null =>
  'from' in event ? event.from : 'member' in event ? event.member : null

const isSpeaker: Guard = ({ context, event }) => subjectOf(event) === context.speaker

/** Whether a message of whoever has the floor names nobody or a member to speak next. */
const mayTalk: Guard = (args) => {
  const { context, event } = args
  if (!('from' in event) || event.type === 'report' || !isSpeaker(args)) return false
  const { next } = event.payload
  return next === undefined || isActive(context, next)
}

/** The tasks that a report is about: the one named, or else those owed, or else those that are only late. */
export const reportedBy = (context: IoaContext, { from, payload }: MessageEvent<'report'>): Task[] => {
  const own = context.tasks.filter((task) => task.owner === from && isOpen(task))
  if (payload.task !== undefined) return own.filter(({ id }) => id === payload.task)
  const owed = own.filter(isPending)
  return owed.length > 0 ? owed : own
}

/** The tasks that a pause is to wait for; empty when it names one that there is not, or none that is owed. */
export const awaitedBy = (context: IoaContext, { payload }: MessageEvent<'pause'>): string[] => {
  const { tasks: named } = payload
  const owed = context.tasks.filter(isPending).map(({ id }) => id)
  if (named === undefined) return owed
  const known = named.every((id) => context.tasks.some((task) => task.id === id))
  return known ? owed.filter((id) => named.includes(id)) : []
}

const isIn = ({ context }: Args): boolean =>
  context.tasks.every((task) => !isPending(task) || !context.awaited.includes(task.id))
const isOwed = ({ context }: Args): boolean => context.tasks.some(isPending)

const isPast = (start: number, ms: number | null, at: number): boolean => ms !== null && at >= start + ms

export const guards = {
  isSpeaker,
  mayTalk,
  mayAssign: (args) => {
    const { context, event } = args
    if (event.type !== 'assign_sync' && event.type !== 'assign_async') return false
    return mayTalk(args) && event.payload.to.every((owner) => isActive(context, owner))
  },
  mayPause: (args) =>
    args.event.type === 'pause' && mayTalk(args) && awaitedBy(args.context, args.event).length > 0,
  mayReport: ({ context, event }) => event.type === 'report' && reportedBy(context, event).length > 0,
  isLate: ({ context, event }) => seatOf(context, subjectOf(event) ?? '')?.overrun === true,

  /** What the chat waited for is there, and other results are still owed. */
  isInAndMoreOwed: (args) => isIn(args) && isOwed(args),
  isIn,
  nothingOwed: (args) => !isOwed(args),
  limitReached: ({ context }) =>
    context.spoken >= context.policy.maxTurns ||
    context.seats.every((seat) => !seat.active || isSpent(context, seat)),
  isForced: (args) => isSpeaker(args) && args.context.forced !== null,
  triesSpent: ({ context }) => context.tries >= context.policy.concludeTurns,

  isChatDue: ({ context, event }) => isPast(context.opened, context.policy.chatDeadline, event.at),
  isTurnDue: ({ context, event }) => isPast(context.given, context.policy.turnDeadline, event.at),
  isTaskDue: ({ context, event }) =>
    context.tasks.some((task) => isPending(task) && task.due !== null && event.at >= task.due),
  isPauseDue: ({ context, event }) => isPast(context.visit.since, context.policy.pauseDeadline, event.at),
  isConclusionDue: ({ context, event }) =>
    isPast(context.visit.since, context.policy.concludeDeadline, event.at),

  hasOffender: ({ context }) => context.offender !== null,
  tooFew: ({ context }) => activeMembers(context).length < context.policy.minMembers,
  isMember: ({ context, event }) => isActive(context, subjectOf(event) ?? ''),
  isExpelled: ({ context, event }) => seatOf(context, subjectOf(event) ?? '')?.expelled === true,
} satisfies Record<string, Guard>
