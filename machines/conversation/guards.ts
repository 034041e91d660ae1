/** What the guards' names mean. Total and pure: whatever the event, they answer and change nothing. */

import { admitting } from './admission.ts'
import {
  agreementsNeeded,
  type ConversationContext,
  chairOf,
  isActive,
  type Proposal,
  reviewersNow,
  type Subtask,
  seatOf,
  shareOf,
} from './context.ts'
import type { ConversationEvent, MessageEvent } from './intents.ts'

type Guard = (args: { context: ConversationContext; event: ConversationEvent }) => boolean
/** A guard that only some intents reach; for any other event it does not hold. */
const on =
  <Type extends MessageEvent['type']>(
    [type, other]: readonly [Type, Type?],
    holds: (context: ConversationContext, event: MessageEvent<Type>) => boolean,
  ): Guard =>
  ({ context, event }) =>
    (event.type === type || event.type === other) && holds(context, event as MessageEvent<Type>)

const isMessage = (event: ConversationEvent): event is MessageEvent => 'from' in event

/** Whether the sender has no turn left in this visit, in unit `round`. */
const spent = ({ context, event }: Parameters<Guard>[0], isTalk: boolean): boolean => {
  if (context.policy.turnUnit !== 'round' || !isMessage(event)) return false
  const share = shareOf(context, isTalk)
  return share !== null && (seatOf(context, event.from)?.turns ?? 0) >= share
}

const isPending = (subtask: Subtask): boolean => subtask.status === null
const isFree = (subtask: Subtask): boolean =>
  isPending(subtask) && subtask.owner === null && subtask.offered === null
const subtaskOf = (context: ConversationContext, id: string): Subtask | undefined =>
  context.subtasks.find((subtask) => subtask.id === id)

/** The proposal that a vote is for: the one it names, or the only one; undefined when it names none or leaves doubt. */
export const proposalOf = (context: ConversationContext, replyTo: string | null): Proposal | undefined => {
  if (replyTo !== null) return context.proposals.find((proposal) => proposal.id === replyTo)
  return context.proposals.length === 1 ? context.proposals[0] : undefined
}

/** The earliest proposal that is carried. */
export const carriedOf = (context: ConversationContext): Proposal | undefined => {
  let members = 0
  for (const seat of context.seats) if (seat.active) members++
  return context.proposals.find((proposal) => {
    const voters = isActive(context, proposal.author) ? members - 1 : members
    if (voters === 0) return true
    const agrees = proposal.agrees.length
    return agrees >= agreementsNeeded(context, voters, members) && agrees >= proposal.objects.length
  })
}

/** What the limit adopts: most agreements, at least one, no more objections than agreements; the earliest of equals. */
export const bestOf = (context: ConversationContext): Proposal | undefined => {
  let best: Proposal | undefined
  for (const proposal of context.proposals) {
    if (proposal.agrees.length === 0 || proposal.objects.length > proposal.agrees.length) continue
    if (best === undefined || proposal.agrees.length > best.agrees.length) best = proposal
  }
  return best
}

const limitReached = (context: ConversationContext): boolean => {
  if (context.policy.turnUnit === 'message') {
    const limit = context.policy.turnLimit[context.visit.state]
    return limit !== null && context.spoken >= limit
  }
  const share = shareOf(context, false)
  return share !== null && context.seats.every((seat) => !seat.active || seat.turns >= share)
}

const isDeadline = (context: ConversationContext, at: number): boolean => {
  const deadline = context.policy.deadline[context.visit.state]
  return deadline !== null && at >= context.visit.since + deadline
}

const isIdle = (context: ConversationContext, at: number): boolean => {
  const idle = context.policy.idle[context.visit.state]
  return idle !== null && at >= context.touched + idle
}

const isDue = (context: ConversationContext, at: number): boolean =>
  isDeadline(context, at) || isIdle(context, at)
const adopts = (context: ConversationContext): boolean =>
  context.policy.onLimit.proposal === 'adopt' && bestOf(context) !== undefined
const reviews = (context: ConversationContext): boolean => context.policy.onLimit.execution === 'review'

const said = (context: ConversationContext, pass: boolean): number => {
  let count = 0
  for (const verdict of context.verdicts) if (verdict.pass === pass) count++
  return count
}

/** Whether as many reviewers as decide have said the same. */
const isDecided = (context: ConversationContext, pass: boolean): boolean => {
  if (context.verdicts.length === 0) return false
  return (
    said(context, pass) >= Math.min(context.policy.reviewQuorum, Math.max(1, reviewersNow(context).length))
  )
}

const subjectOf = (event: ConversationEvent): string | null =>
  'member' in event ? event.member : isMessage(event) ? event.from : null

export const guards = {
  turnsSpent: (args) => spent(args, false),
  talkTurnsSpent: (args) => spent(args, true),
  talkSpent: (args) => args.context.policy.talk.includes(args.context.visit.state) && spent(args, true),
  talkAdmitted: ({ context }) => context.policy.talk.includes(context.visit.state),
  isLate: ({ context, event }) => {
    if (!isMessage(event)) return false
    const heard = seatOf(context, event.from)?.heard ?? context.moves
    for (const state of admitting(context.policy, event.type)) if (context.left[state] > heard) return true
    return false
  },

  unknownProposal: on(
    ['agree', 'object'],
    (context, { replyTo }) => replyTo !== null && proposalOf(context, replyTo) === undefined,
  ),
  ambiguousVote: on(
    ['agree', 'object'],
    (context, { replyTo }) => replyTo === null && proposalOf(context, replyTo) === undefined,
  ),
  isDecisive: on(
    ['agree'],
    (context, { from, payload }) =>
      payload.decisive === true && context.policy.leadDecides && context.lead === from,
  ),
  isCarried: ({ context }) => carriedOf(context) !== undefined,

  mayAssign: on(['assign'], (context, { from, payload }) => {
    if (!isActive(context, payload.owner)) return false
    const subtask = subtaskOf(context, payload.subtask)
    if (subtask === undefined) return chairOf(context) === from
    if (!isPending(subtask)) return false
    if (subtask.owner !== null) return subtask.owner === from || chairOf(context) === from
    return context.policy.assigners === 'any' || context.lead === from
  }),
  mayAccept: on(['accept'], (context, { from, payload }) => {
    const anybody = context.policy.assigners === 'any'
    if (payload.subtask !== undefined) {
      const subtask = subtaskOf(context, payload.subtask)
      if (subtask === undefined || !isPending(subtask)) return false
      return subtask.owner === from || subtask.offered === from || (anybody && isFree(subtask))
    }
    if (context.subtasks.some((subtask) => isPending(subtask) && subtask.offered === from)) return true
    return anybody && (context.subtasks.length === 0 || context.subtasks.some(isFree))
  }),
  isTaken: on(['accept'], (context, { from, payload }) => {
    if (payload.subtask === undefined) {
      return context.subtasks.some((subtask) => isPending(subtask) && subtask.owner !== from)
    }
    const subtask = subtaskOf(context, payload.subtask)
    return subtask !== undefined && isPending(subtask) && (subtask.owner !== null || subtask.offered !== null)
  }),
  mayGiveBack: on(['object'], (context, { from, payload }) =>
    context.subtasks.some(
      (subtask) =>
        isPending(subtask) &&
        (subtask.owner === from || subtask.offered === from) &&
        (payload.subtask === undefined || payload.subtask === subtask.id),
    ),
  ),
  allAssigned: ({ context }) =>
    context.subtasks.length > 0 && context.subtasks.every((subtask) => subtask.owner !== null),

  mayProgress: on(['progress'], (context, { from, payload }) =>
    context.subtasks.some(
      (subtask) =>
        subtask.owner === from && (payload.subtask === undefined || payload.subtask === subtask.id),
    ),
  ),
  mayReport: on(['result'], (context, { from, payload }) =>
    context.subtasks.some(
      (subtask) =>
        subtask.owner === from &&
        (payload.subtask === undefined ? isPending(subtask) : payload.subtask === subtask.id),
    ),
  ),
  allReported: ({ context }) => context.subtasks.length > 0 && !context.subtasks.some(isPending),

  mayJudge: on(['verdict', 'reject'], (context, event) => {
    if (!reviewersNow(context).includes(event.from)) return false
    if (event.type === 'verdict' && event.payload.verdict !== 'reject') return true
    return (event.payload.subtasks ?? []).every((id) => subtaskOf(context, id) !== undefined)
  }),
  isPassed: ({ context }) => isDecided(context, true),
  isRejected: ({ context }) => isDecided(context, false),
  rejectsExhausted: ({ context }) =>
    context.rejections >= context.policy.maxReject && isDecided(context, false),

  hasOffender: ({ context }) => context.offender !== null,
  tooFew: ({ context }) => {
    let members = 0
    for (const seat of context.seats) if (seat.active) members++
    return members < context.policy.minMembers
  },
  tokensSpent: ({ context }) =>
    context.policy.tokenBudget !== null && context.tokens >= context.policy.tokenBudget,
  maxTurnsSpent: ({ context }) =>
    context.policy.maxTurns !== null && context.turns >= context.policy.maxTurns,
  limitReached: ({ context }) => limitReached(context),
  limitAdopts: ({ context }) => limitReached(context) && adopts(context),
  limitReviews: ({ context }) => limitReached(context) && reviews(context),
  dueAdopts: ({ context, event }) => isDue(context, event.at) && adopts(context),
  dueReviews: ({ context, event }) => isDue(context, event.at) && reviews(context),
  isDeadline: ({ context, event }) => isDeadline(context, event.at),
  isIdle: ({ context, event }) => isIdle(context, event.at),

  isMember: ({ context, event }) => isActive(context, subjectOf(event) ?? ''),
  isExpelled: ({ context, event }) => seatOf(context, subjectOf(event) ?? '')?.expelled === true,
} satisfies Record<string, Guard>
