/** What a member may do now and what lies on the table, told to agents when they are asked. */
import type { AllowedIntent } from '../../src/agents/agent.ts'
import {
  type Cause,
  type IoaContext,
  isActive,
  isOpen,
  isPending,
  isTalk,
  owedBy,
  type ResultStatus,
  seatOf,
} from './context.ts'
import { INTENTS, type Intent } from './intents.ts'

/** The table of a conversation as one member sees it. */
export interface Board {
  /** Who has the floor, or gets it when the chat goes on. */
  readonly speaker: string
  readonly tasks: readonly {
    readonly id: string
    readonly title: string | null
    readonly owner: string
    /** Null while its result is owed. */
    readonly status: ResultStatus | null
    /** Whether the chat waits for it. */
    readonly awaited: boolean
  }[]
  /** Ids of the tasks whose results this member owes. */
  readonly yours: readonly string[]
  /** Turns of talk that are left for all before the conclusion is forced. */
  readonly talkLeft: number
  /** What forced the conclusion; null: nothing has. */
  readonly forced: Cause | null
}

export const board = (context: IoaContext, member: string): Board => ({
  speaker: context.speaker,
  tasks: context.tasks.map(({ id, title, owner, status }) => ({
    id,
    title,
    owner,
    status,
    awaited: context.awaited.includes(id),
  })),
  yours: owedBy(context, member).map(({ id }) => id),
  talkLeft: context.policy.maxTurns - context.spoken,
  forced: context.forced,
})

const ASSIGNMENT = '{to: [member], title?, next?: member}'

const FORMS: Readonly<Record<Intent, string>> = {
  discuss: '{next?: member}',
  assign_sync: ASSIGNMENT,
  assign_async: ASSIGNMENT,
  pause: '{tasks?: [id], next?: member}',
  report: '{task?, status?: "success" | "partial" | "failed", output?}',
  conclude: '{next?: member}',
}

const MEANINGS: Readonly<Record<Intent, string>> = {
  discuss: 'says something; the floor passes to `next`, or else to the next member',
  assign_sync: 'gives a task to members, and the chat waits for their results',
  assign_async: 'gives a task to members, and the chat goes on meanwhile',
  pause: 'has the chat wait for the results of the tasks named, or of all',
  report: 'reports the result of the task named, or of all that one owes',
  conclude: 'ends the talk: `next`, or else the speaker itself, sums it up',
}

/** Whether an intent could be anything but a violation now. */
const can = (context: IoaContext, member: string, intent: Intent): boolean => {
  const { state } = context.visit
  if (intent === 'report') return context.tasks.some((task) => task.owner === member && isOpen(task))
  if (context.speaker !== member) return false
  if (state === 'conclusion') return intent === 'conclude'
  return isTalk(state) && (intent !== 'pause' || context.tasks.some(isPending))
}

/** What the rules admit from a member now; intents that could only be a violation are left out. */
export const allowed = (context: IoaContext, member: string): readonly AllowedIntent[] => {
  if (context.closing !== null || !isActive(context, member)) return []
  const isEnd = context.visit.state === 'conclusion'
  return INTENTS.filter((intent) => can(context, member, intent)).map((intent) =>
    isEnd && intent === 'conclude'
      ? { intent, does: 'sums up the result, and ends the conversation', form: '{output?}' }
      : { intent, does: MEANINGS[intent], form: FORMS[intent] },
  )
}

/** Turns that a member has left: of talk, or for the conclusion, and one for each result that it owes. */
export const turnsLeft = (context: IoaContext, member: string): number => {
  const { policy, visit, spoken, tries, closing } = context
  const seat = seatOf(context, member)
  if (closing !== null || seat === undefined || !seat.active) return 0
  const share = policy.memberTurns === null ? policy.maxTurns : policy.memberTurns - seat.turns
  const left =
    visit.state === 'conclusion' ? policy.concludeTurns - tries : Math.min(policy.maxTurns - spoken, share)
  return Math.max(0, left) + owedBy(context, member).length
}
