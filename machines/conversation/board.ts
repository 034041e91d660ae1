/** What a member may do now and what lies on the table, told to agents when they are asked. */
import type { AllowedIntent } from '../../src/agents/agent.ts'
import { admits } from './admission.ts'
import {
  type ConversationContext,
  chairOf,
  isActive,
  reviewersNow,
  type Subtask,
  seatOf,
  shareOf,
} from './context.ts'
import { INTENTS, type Intent } from './intents.ts'
import type { State } from './policy.ts'

/** The table of a conversation as one member sees it. */
export interface Board {
  readonly chair: string | null
  readonly proposals: readonly {
    readonly id: string
    readonly author: string
    readonly subtasks: readonly { readonly id: string; readonly title: string | null }[]
    readonly agrees: readonly string[]
    readonly objects: readonly string[]
    /** This member's own last vote. */
    readonly yourVote: 'agree' | 'object' | null
  }[]
  /** The adopted proposal's id. */
  readonly adopted: string | null
  readonly subtasks: readonly {
    readonly id: string
    readonly title: string | null
    readonly requires: readonly string[]
    readonly owner: string | null
    readonly offered: string | null
    readonly status: string | null
    readonly attempts: number
  }[]
  /** Ids of the pending subtasks that are this member's. */
  readonly yours: readonly string[]
  /** Ids of the pending subtasks that are offered to this member. */
  readonly offeredToYou: readonly string[]
  /** Who may give a verdict; empty outside review. */
  readonly reviewers: readonly string[]
  /** Rejections so far, and how many send work back at most. */
  readonly rejections: number
  readonly maxReject: number
}

export const board = (context: ConversationContext, member: string): Board => {
  const pending = context.subtasks.filter(({ status }) => status === null)
  return {
    chair: chairOf(context),
    proposals: context.proposals.map(({ id, author, subtasks, agrees, objects }) => ({
      id,
      author,
      subtasks: subtasks.map((subtask) => ({ id: subtask.id, title: subtask.title })),
      agrees: [...agrees],
      objects: [...objects],
      yourVote: agrees.includes(member) ? 'agree' : objects.includes(member) ? 'object' : null,
    })),
    adopted: context.adopted?.id ?? null,
    subtasks: context.subtasks.map(({ id, title, requires, owner, offered, status, attempts }) => ({
      id,
      title,
      requires: [...requires],
      owner,
      offered,
      status,
      attempts,
    })),
    yours: pending.filter(({ owner }) => owner === member).map(({ id }) => id),
    offeredToYou: pending.filter(({ offered }) => offered === member).map(({ id }) => id),
    reviewers: context.visit.state === 'review' && context.closing === null ? reviewersNow(context) : [],
    rejections: context.rejections,
    maxReject: context.policy.maxReject,
  }
}

const FORMS: Readonly<Partial<Record<Intent, string>>> = {
  proposal: '{subtasks?: [{id?, title?, requires?: [capability]}]}',
  assign: '{subtask, owner, title?}',
  accept: '{subtask?}',
  progress: '{subtask?, percent?, note?}',
  result: '{subtask?, status?: "success" | "partial" | "failed", output?}',
  verdict: '{verdict?: "pass" | "reject", subtasks?: [id], unsupported?: [sentence], reasons?: [text]}',
  reject: '{subtasks?: [id], unsupported?: [sentence], reasons?: [text]}',
}

const MEANINGS: Readonly<Record<Intent, string>> = {
  question: 'asks the others something',
  info: 'tells the others something',
  proposal: 'proposes a plan; its subtasks are what will be worked on',
  agree: 'votes for the proposal that replyTo names',
  object: 'votes against the proposal that replyTo names',
  assign: 'offers a pending subtask to a member, or takes it oneself',
  accept: 'takes the subtask named, or what is offered, or the first free one',
  progress: 'tells how the work goes',
  result: 'reports the subtask named, or all of one’s own that are pending',
  verdict: 'passes the results (or rejects them, with verdict "reject")',
  reject: 'sends the subtasks named, or all, back to work',
}

/** `object` gives work back where work is shared out. */
const meaningOf = (intent: Intent, state: State): string =>
  intent === 'object' && state !== 'proposal'
    ? 'gives back the subtask named, or all of one’s own'
    : MEANINGS[intent]

/** Whether a pending subtask is a member's, or offered to it. */
const holds = ({ subtasks }: ConversationContext, member: string, as: 'owner' | 'offered'): boolean =>
  subtasks.some((subtask) => subtask.status === null && subtask[as] === member)
const owns = ({ subtasks }: ConversationContext, member: string): boolean =>
  subtasks.some(({ owner }) => owner === member)
const mayTalk = (context: ConversationContext, member: string): boolean => {
  const { turnUnit, turnLimit } = context.policy
  const limit = turnUnit === 'round' ? turnLimit[context.visit.state] : null
  return limit === null || (seatOf(context, member)?.turns ?? 0) < limit
}

const isUnowned = ({ status, owner }: Subtask): boolean => status === null && owner === null

/** Whether an intent that the state admits could be anything but a violation. */
const can = (context: ConversationContext, member: string, intent: Intent): boolean => {
  switch (intent) {
    case 'question':
    case 'info':
      return mayTalk(context, member)
    case 'assign':
      return (
        chairOf(context) === member ||
        holds(context, member, 'owner') ||
        (context.policy.assigners === 'any' && context.subtasks.some(isUnowned))
      )
    case 'accept':
      return context.policy.assigners === 'any' && context.subtasks.length === 0
        ? true
        : context.subtasks.some(({ status }) => status === null)
    case 'object':
      return (
        context.visit.state === 'proposal' ||
        holds(context, member, 'owner') ||
        holds(context, member, 'offered')
      )
    case 'progress':
      return mayTalk(context, member) && owns(context, member)
    case 'result':
      return owns(context, member)
    case 'verdict':
    case 'reject':
      return reviewersNow(context).includes(member)
    case 'proposal':
    case 'agree':
      return true
  }
}

/** What the rules admit from a member now; intents that could only be a violation are left out. */
export const allowed = (context: ConversationContext, member: string): readonly AllowedIntent[] => {
  if (context.closing !== null || !isActive(context, member) || turnsLeft(context, member) === 0) return []
  const { policy, lead } = context
  const { state } = context.visit
  const told: AllowedIntent[] = []
  for (const intent of INTENTS) {
    if (!admits(policy, state, intent) || !can(context, member, intent)) continue
    const isDecisive = intent === 'agree' && lead === member && policy.leadDecides
    const form = isDecisive ? '{decisive?: true}' : FORMS[intent]
    const does = meaningOf(intent, state)
    told.push(form === undefined ? { intent, does } : { intent, does, form })
  }
  return told
}

/** Turns that a member has left in this visit, at most; null: no limit. */
export const turnsLeft = (context: ConversationContext, member: string): number | null => {
  const { policy, visit, spoken, turns } = context
  const seat = seatOf(context, member)
  const share =
    policy.turnUnit === 'message'
      ? policy.turnLimit[visit.state] === null
        ? null
        : (policy.turnLimit[visit.state] ?? 0) - spoken
      : shareOf(context, false) === null
        ? null
        : (shareOf(context, false) ?? 0) - (seat?.turns ?? 0)
  const inAll = policy.maxTurns === null ? null : policy.maxTurns - turns
  const least = Math.min(share ?? Number.POSITIVE_INFINITY, inAll ?? Number.POSITIVE_INFINITY)
  return least === Number.POSITIVE_INFINITY ? null : Math.max(0, least)
}
