/** Whom to ask in each state. What is asked of a member and what it may say besides is in board.ts. */
import type { Call } from '../../src/engine/protocol.ts'
import { soleBid } from './board.ts'
import {
  awardsNow,
  type ContractNetContext,
  hasReplied,
  openBids,
  participants,
  performers,
  standing,
  turnsLeft,
} from './context.ts'

const AFTER: Readonly<Record<string, string>> = {
  no_bids: 'Nobody made a proposal.',
  not_awarded: 'No proposal was accepted.',
  failed: 'What was awarded has failed.',
  partial: 'Some of what was awarded has failed.',
}

const calling = (context: ContractNetContext): readonly Call[] => {
  const task =
    context.round === 0
      ? 'Call for proposals: say what is to be done, and what a proposal should tell.'
      : `${AFTER[standing(context)]} Call anew, on better terms, or call it off.`
  return [{ member: context.initiator, task, expected: 'cfp', replyTo: null }]
}

const bidding = (context: ContractNetContext): readonly Call[] =>
  participants(context)
    .filter((member) => !hasReplied(context, member))
    .map((member) => ({
      member,
      task: 'Propose how you would do it and at what price, or refuse. A proposal binds you.',
      expected: null,
      replyTo: context.call?.id ?? null,
    }))

const awarding = (context: ContractNetContext): readonly Call[] => {
  const { policy, initiator } = context
  const open = openBids(context).length
  const most = policy.awards === null ? open : Math.min(open, policy.awards - awardsNow(context).length)
  const choice =
    open === 1
      ? 'One proposal is open: accept or reject it.'
      : `${open} proposals are open: accept one, by its bidder's name (${most} at most), or reject one, or all that are left.`
  return [{ member: initiator, task: choice, expected: null, replyTo: soleBid(context) }]
}

const performing = (context: ContractNetContext): readonly Call[] =>
  performers(context).map((member) => ({
    member,
    task: 'Your proposal was accepted: do the work, and report its result or that it failed.',
    expected: 'inform',
    replyTo: null,
  }))

const CALLS = { calling, bidding, awarding, performing }

/** Whom to ask now; nobody when nobody could say anything that counts. */
export const floor = (context: ContractNetContext): readonly Call[] =>
  context.closing === null
    ? CALLS[context.visit.state](context).filter(({ member }) => turnsLeft(context, member) > 0)
    : []
