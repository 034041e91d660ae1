/** What the guards' names mean. Total and pure: whatever the event, they answer and change nothing. */
import {
  type AinetContext,
  activeMembers,
  dueAt,
  isActive,
  isFor,
  isOpenTo,
  isSpent,
  openerOf,
  type Request,
  requestOf,
  roundsOf,
  seatOf,
} from './context.ts'
import { type AinetEvent, type MessageEvent, typeOf } from './intents.ts'

type Guard = (args: { context: AinetContext; event: AinetEvent }) => boolean

const isMessage = (event: AinetEvent): event is MessageEvent => 'from' in event

/** A guard about the sender and the request in the mailbox; without either it does not hold. */
const onRequest =
  (holds: (request: Request, event: MessageEvent, context: AinetContext) => boolean): Guard =>
  ({ context, event }) => {
    const request = requestOf(context)
    return request !== null && isMessage(event) && holds(request, event, context)
  }

/** Whether a message answers an earlier request and not the one in the mailbox. Plain AINET names none, and means this one. */
const isStale = (request: Request, { replyTo }: MessageEvent, { requests }: AinetContext): boolean =>
  replyTo !== null && replyTo !== request.id && requests.some(({ id }) => id === replyTo)

const isSpentId = (context: AinetContext, id: string | null): boolean => {
  const seat = id === null ? undefined : seatOf(context, id)
  return seat?.active === true && isSpent(context, seat)
}

const subjectOf = (event: AinetEvent): string =>
  'member' in event ? event.member : isMessage(event) ? event.from : ''

export const guards = {
  isMailbox: ({ context }) => context.policy.mode === 'mailbox',
  isTalk: ({ context }) => context.policy.mode === 'talk',
  turnsSpent: ({ context, event }) => isMessage(event) && isSpentId(context, event.from),
  isOpener: ({ context, event }) => isMessage(event) && openerOf(context) === event.from,
  isLate: ({ context, event }) => isMessage(event) && seatOf(context, event.from)?.behind === true,

  /** There must be somebody who could reply. */
  mayRequest: ({ context, event }) => {
    if (event.type !== 'request') return false
    const { to } = event.payload
    if (typeOf(event.payload) === 'PRIVATE')
      return to !== undefined && to !== event.from && isActive(context, to)
    return activeMembers(context).some((id) => id !== event.from)
  },
  isRequester: onRequest(({ from }, event) => from === event.from),
  mayClaim: onRequest(
    (request, event, context) =>
      request.type === 'TASK' && isOpenTo(request, event.from) && !isStale(request, event, context),
  ),
  mayReply: onRequest(
    (request, event, context) => isOpenTo(request, event.from) && !isStale(request, event, context),
  ),
  isTaken: onRequest(
    (request, event, context) =>
      isFor(request, event.from) && !isOpenTo(request, event.from) && !isStale(request, event, context),
  ),

  requesterGone: ({ context }) => {
    const request = requestOf(context)
    return request !== null && !isActive(context, request.from)
  },
  requesterSpent: ({ context }) => isSpentId(context, requestOf(context)?.from ?? null),
  isClaimLost: ({ context }) => {
    const claimant = requestOf(context)?.claimant ?? null
    return claimant !== null && (!isActive(context, claimant) || isSpentId(context, claimant))
  },
  isUnanswerable: ({ context }) => {
    const request = requestOf(context)
    return !context.seats.some(
      (seat) => seat.active && request !== null && isOpenTo(request, seat.id) && !isSpent(context, seat),
    )
  },
  openerGone: ({ context }) => openerOf(context) === null,
  openerSpent: ({ context }) => isSpentId(context, context.opener),

  isServed: ({ context }) =>
    roundsOf(context) >= context.policy.rounds && context.requests.at(-1)?.ending === 'read',
  roundsSpent: ({ context }) => roundsOf(context) >= context.policy.rounds,
  maxTurnsSpent: ({ context }) =>
    context.policy.maxTurns !== null && context.turns >= context.policy.maxTurns,
  allSpent: ({ context }) => context.seats.every((seat) => !seat.active || isSpent(context, seat)),
  hasOffender: ({ context }) => context.offender !== null,
  tooFew: ({ context }) => activeMembers(context).length < context.policy.minMembers,
  isDue: ({ context, event }) => event.at >= (dueAt(context) ?? Number.POSITIVE_INFINITY),

  isMember: ({ context, event }) => isActive(context, subjectOf(event)),
  isExpelled: ({ context, event }) => seatOf(context, subjectOf(event))?.expelled === true,
} satisfies Record<string, Guard>
