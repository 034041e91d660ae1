/** What a member may do now and what lies in the mailbox, told to agents when they are asked. */
import type { AllowedIntent } from '../../src/agents/agent.ts'
import {
  type AinetContext,
  activeMembers,
  isActive,
  isOpenTo,
  openerOf,
  type Request,
  requestOf,
  roundsOf,
  seatOf,
} from './context.ts'
import type { Intent } from './intents.ts'
import type { Policy } from './policy.ts'

/** The mailbox or talk as one member sees it. */
export interface Board {
  readonly mode: Policy['mode']
  readonly opener: string | null
  /** What is in the mailbox. */
  readonly request: Omit<Request, 'ending'> | null
  /** What this member is to the request in the mailbox. */
  readonly you: 'requester' | 'asked' | null
  /** Requests that the mailbox still takes, the present one included; null: it is a talk. */
  readonly roundsLeft: number | null
}

export const board = (context: AinetContext, member: string): Board => {
  const { mode, rounds } = context.policy
  const request = requestOf(context)
  const role = request?.from === member ? 'requester' : 'asked'
  return {
    mode,
    opener: openerOf(context),
    request:
      request === null
        ? null
        : {
            id: request.id,
            from: request.from,
            type: request.type,
            to: request.to,
            claimant: request.claimant,
            replies: request.replies.map(({ from, id }) => ({ from, id })),
          },
    you: request !== null && (role === 'requester' || isOpenTo(request, member)) ? role : null,
    roundsLeft: mode === 'mailbox' ? rounds - roundsOf(context) : null,
  }
}

const MEANINGS: Readonly<Record<Intent, string>> = {
  request: 'asks all, one member, or whoever claims it as a task',
  claim: 'takes the task; nobody else may reply to it then',
  reply: 'answers the request; of several replies of yours the last counts',
  read: 'takes note of the replies and frees the mailbox',
  say: 'says something to the others',
  done: 'closes everything: nothing more is wanted',
}
const FORM = '{type?: "BROADCAST" | "PRIVATE" | "TASK", to?: member}'

const told = (intent: Intent): AllowedIntent =>
  intent === 'request' ? { intent, does: MEANINGS[intent], form: FORM } : { intent, does: MEANINGS[intent] }

/** What the rules admit from a member now; intents that could only be a violation or come too late are left out. */
export const allowed = (context: AinetContext, member: string): readonly AllowedIntent[] => {
  if (turnsLeft(context, member) === 0) return []
  const { policy, visit } = context
  const finish = openerOf(context) === member ? [told('done')] : []
  const request = requestOf(context)
  if (request !== null) {
    if (request.from === member) return visit.state === 'done' ? [told('read')] : []
    if (!isOpenTo(request, member)) return []
    const mayClaim = request.type === 'TASK' && request.claimant === null
    return mayClaim ? [told('claim'), told('reply')] : [told('reply')]
  }
  if (policy.mode === 'mailbox')
    return activeMembers(context).some((id) => id !== member) ? [told('request'), ...finish] : finish
  if (visit.state === 'idle' || finish.length > 0) return [told('say'), ...finish]
  return [told('say'), { intent: 'done', does: 'says that your part is done; the talk goes on' }]
}

/** Turns that a member has left in this visit, at most. */
export const turnsLeft = (context: AinetContext, member: string): number => {
  const { policy, visit, turns, closing } = context
  const seat = seatOf(context, member)
  if (seat === undefined || closing !== null || !isActive(context, member)) return 0
  const inAll = policy.maxTurns === null ? Number.POSITIVE_INFINITY : policy.maxTurns - turns
  return Math.max(0, Math.min(policy.turnLimit[visit.state] - seat.turns, inAll))
}
