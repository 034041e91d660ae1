/** What the guards' names mean. Total and pure: whatever the event, they answer and change nothing. */
import { admitting } from './admission.ts'
import {
  awardsNow,
  type Bid,
  type ContractNetContext,
  hasReplied,
  isActive,
  openBids,
  participants,
  performers,
  seatOf,
  turnsLeft,
} from './context.ts'
import type { ContractNetEvent, MessageEvent } from './intents.ts'

type Guard = (args: { context: ContractNetContext; event: ContractNetEvent }) => boolean
type Choosing = MessageEvent<'accept' | 'reject' | 'not_understood'>

const isMessage = (event: ContractNetEvent): event is MessageEvent => 'from' in event

/** The intents by which the initiator decides on a proposal. */
const isChoosing = (event: ContractNetEvent): event is Choosing =>
  event.type === 'accept' || event.type === 'reject' || event.type === 'not_understood'

const isNamed = ({ payload, replyTo }: Choosing): boolean => payload.bidder !== undefined || replyTo !== null

/** The proposals that an answer to them means: of the bidder and with the id that it names; unnamed, all that are open. */
export const meantBy = (context: ContractNetContext, event: Choosing): readonly Bid[] => {
  const { payload, replyTo } = event
  if (!isNamed(event)) return openBids(context)
  return context.bids.filter(
    ({ bidder, id }) =>
      (payload.bidder === undefined || bidder === payload.bidder) && (replyTo === null || id === replyTo),
  )
}

const isFromInitiator: Guard = ({ context, event }) => isMessage(event) && event.from === context.initiator
const isSpent = (context: ContractNetContext, id: string): boolean => turnsLeft(context, id) === 0

const hasOpenBids = (context: ContractNetContext): boolean => openBids(context).length > 0
const isDue: Guard = ({ context, event }) => event.at >= context.visit.due
const mayRenew = ({ round, policy }: ContractNetContext): boolean => round < policy.rounds

/** Whether nobody is left who could still propose or refuse. */
const isAnswered = (context: ContractNetContext): boolean =>
  participants(context).every((id) => hasReplied(context, id) || isSpent(context, id))
const allReplied = (context: ContractNetContext): boolean =>
  participants(context).every((id) => hasReplied(context, id))

const hasAwards = (context: ContractNetContext): boolean => awardsNow(context).length > 0
/** Whether the choice is made: as many as may be are accepted, or none is left to choose from. */
const isAwarded = (context: ContractNetContext): boolean =>
  hasAwards(context) &&
  (!hasOpenBids(context) || awardsNow(context).length >= (context.policy.awards ?? Number.POSITIVE_INFINITY))

const allReported = (context: ContractNetContext): boolean => performers(context).length === 0
const allDone = (context: ContractNetContext): boolean =>
  awardsNow(context).every(({ status }) => status === 'done')
const nobodyCanReport = (context: ContractNetContext): boolean =>
  performers(context).every((id) => isSpent(context, id))

const subjectOf = (event: ContractNetEvent): string | null =>
  'member' in event ? event.member : isMessage(event) ? event.from : null

export const guards = {
  turnsSpent: ({ context, event }) => isMessage(event) && isSpent(context, event.from),
  isLate: ({ context, event }) => {
    if (!isMessage(event)) return false
    const heard = seatOf(context, event.from)?.heard ?? context.moves
    return admitting(event.type).some((state) => context.left[state] > heard)
  },

  isInitiator: isFromInitiator,
  isParticipant: (args) => isMessage(args.event) && !isFromInitiator(args),
  /** Something stands from an earlier round: calling it off changes nothing of that. */
  endsEarlier: (args) => isFromInitiator(args) && args.context.round > 0,

  isAnsweredWithBids: ({ context }) => isAnswered(context) && hasOpenBids(context),
  isAnsweredAndRenewed: ({ context }) => isAnswered(context) && mayRenew(context),
  allReplied: ({ context }) => allReplied(context),
  isAnswered: ({ context }) => isAnswered(context),
  dueWithBids: (args) => isDue(args) && hasOpenBids(args.context),
  dueAndRenewed: (args) => isDue(args) && mayRenew(args.context),

  isUnknown: ({ context, event }) =>
    isChoosing(event) && isNamed(event) && meantBy(context, event).length === 0,
  isDecided: ({ context, event }) =>
    isChoosing(event) && meantBy(context, event).every(({ status }) => status !== 'open'),
  isAmbiguous: ({ context, event }) => isChoosing(event) && meantBy(context, event).length > 1,
  isAwarded: ({ context }) => isAwarded(context),
  noneIsLeft: ({ context }) => !hasOpenBids(context),
  noneIsLeftAndRenewed: ({ context }) => !hasOpenBids(context) && mayRenew(context),
  dueWithAwards: (args) => isDue(args) && hasAwards(args.context),
  initiatorSpent: ({ context }) => isSpent(context, context.initiator),
  initiatorSpentWithAwards: ({ context }) => isSpent(context, context.initiator) && hasAwards(context),

  isPerformer: ({ context, event }) => isMessage(event) && performers(context).includes(event.from),
  allDone: ({ context }) => allReported(context) && allDone(context),
  allReported: ({ context }) => allReported(context),
  allReportedAndRenewed: ({ context }) => allReported(context) && mayRenew(context),
  nobodyCanReport: ({ context }) => nobodyCanReport(context),
  nobodyCanReportAndRenewed: ({ context }) => nobodyCanReport(context) && mayRenew(context),

  isDue,
  hasOffender: ({ context }) => context.offender !== null,
  initiatorIsGone: ({ context }) => !isActive(context, context.initiator),
  tooFew: ({ context: { seats, policy } }) => seats.filter(({ active }) => active).length < policy.minMembers,
  isMember: ({ context, event }) => isActive(context, subjectOf(event) ?? ''),
  isExpelled: ({ context, event }) => seatOf(context, subjectOf(event) ?? '')?.expelled === true,
} satisfies Record<string, Guard>
