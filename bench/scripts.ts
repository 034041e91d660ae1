/** Events after admission, as the machine, XState's actor and the reducer all take them. */
import type { ConversationContext } from '../machines/conversation/context.ts'
import { conversation } from '../machines/conversation/index.ts'
import type { ConversationEvent, Intent, MessageEvent } from '../machines/conversation/intents.ts'
import { INTENTS } from '../machines/conversation/intents.ts'
import type { Policy, PolicyInput } from '../machines/conversation/policy.ts'
import type { Position } from '../src/engine/runner.ts'
import { start, step } from '../src/engine/step.ts'

/** One conversation: how it opens and all that happens in it. */
export interface Script {
  readonly members: readonly string[]
  readonly lead: string | null
  readonly policy: Policy
  readonly at: number
  readonly events: readonly ConversationEvent[]
}

const MEMBERS = ['ada', 'bo', 'cy', 'dee'] as const
const OPENED_AT = 1_700_000_000_000

const completed = (policy: PolicyInput, members: readonly string[], lead: string | null): Policy => {
  const result = conversation.completePolicy(policy, { members, lead })
  if (result.issues !== undefined) throw new Error(JSON.stringify(result.issues))
  return result.policy as Policy
}

/** Numbers in [0, 1) that look random and are the same each time: mulberry32. */
export const randomOf = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Four members who inform each other in turn and never come to a proposal. */
export const steadyTalk = (length: number): Script => ({
  members: MEMBERS,
  lead: null,
  policy: completed({ turnLimit: { discussion: null } }, MEMBERS, null),
  at: OPENED_AT,
  events: Array.from({ length }, (_, index) => ({
    type: 'info',
    at: OPENED_AT + index,
    id: `m${index}`,
    from: MEMBERS[index % MEMBERS.length] as string,
    content: 'ok',
    payload: {},
    replyTo: null,
    tokens: 1,
  })),
})

type Random = () => number
const pick = <T>(list: readonly T[], random: Random): T | undefined =>
  list[Math.floor(random() * list.length)]

/** What moves the conversation on, from somebody who may say it: intent, sender, payload, what it answers. */
const helpful = (context: ConversationContext, members: readonly string[], random: Random) => {
  const from = pick(members, random) as string
  const pending = context.subtasks.filter(({ status }) => status === null)
  const subtask = pick(pending, random)
  switch (context.visit.state) {
    case 'discussion': {
      if (random() < 0.7) return { type: random() < 0.5 ? 'info' : 'question', from } as const
      const subtasks = Array.from({ length: Math.floor(random() * 4) }, (_, index) => ({
        title: `Part ${index}`,
      }))
      return { type: 'proposal', from, payload: { subtasks } } as const
    }
    case 'proposal': {
      const proposal = pick(context.proposals, random)
      const voter = pick(
        members.filter((member) => member !== proposal?.author),
        random,
      )
      const type = random() < 0.7 ? 'agree' : 'object'
      return { type, from: voter ?? from, replyTo: proposal?.id ?? null } as const
    }
    case 'assign':
      if (subtask?.offered != null) return { type: 'accept', from: subtask.offered } as const
      if (random() < 0.5) return { type: 'accept', from } as const
      return {
        type: 'assign',
        from: context.lead ?? from,
        payload: { subtask: subtask?.id ?? 'task', owner: pick(members, random) as string },
      } as const
    case 'execution':
      if (subtask === undefined || subtask.owner === null) return { type: 'accept', from } as const
      if (random() < 0.4) return { type: 'progress', from: subtask.owner, payload: { percent: 50 } } as const
      return { type: 'result', from: subtask.owner, payload: { subtask: subtask.id } } as const
    case 'review':
      return random() < 0.5
        ? ({ type: 'verdict', from, payload: { verdict: 'pass' } } as const)
        : ({ type: 'reject', from, payload: {} } as const)
  }
}

/** Anything from anybody: valid by the schema, mostly against the rules. */
const anything = (context: ConversationContext, members: readonly string[], random: Random) => {
  const subtask = pick(context.subtasks, random)?.id ?? 't1'
  const payload = random() < 0.5 ? { subtask, owner: pick(members, random) as string } : {}
  const type = pick(INTENTS, random) as Intent
  const from = pick(members, random) as string
  return {
    type,
    from,
    payload: type === 'assign' ? { subtask, owner: from } : payload,
    replyTo: random() < 0.5 ? (pick(context.proposals, random)?.id ?? 'nothing') : null,
  }
}

const happeningOf = (position: Position<ConversationContext>, at: number, id: string, random: Random) => {
  const { context } = position
  const members = conversation.members(context)
  const chance = random()
  const member = random() < 0.3 ? 'eve' : (pick(members, random) as string)
  if (chance < 0.02) return { type: 'join', at, member } as const
  if (chance < 0.03) return { type: 'leave', at, member } as const
  if (chance < 0.06) return { type: 'fault', at, member } as const
  if (chance < 0.065)
    return { type: 'deadline', at: conversation.dueAt(context, context.visit.state) ?? at } as const
  if (chance < 0.08) return { type: 'deadline', at } as const
  if (chance < 0.083) return { type: 'cancel', at } as const
  const said = (chance < 0.75 ? helpful : anything)(context, members, random)
  return {
    at,
    id,
    content: 'ok',
    payload: {},
    replyTo: null,
    tokens: Math.floor(random() * 50),
    ...said,
  } as MessageEvent
}

const POLICIES: readonly PolicyInput[] = [
  {},
  { onLimit: { proposal: 'adopt' }, talk: ['discussion', 'proposal', 'execution'] },
  { agreeRatio: '2/3', reviewers: 'any', reviewQuorum: 2, maxReject: 1 },
  { turnUnit: 'message', turnLimit: { discussion: 12, proposal: 12 }, tokenBudget: 3_000 },
]

const mixedTalk = (seed: number): Script => {
  const random = randomOf(seed)
  const lead = random() < 0.5 ? MEMBERS[0] : null
  const policy = completed(POLICIES[seed % POLICIES.length] ?? {}, MEMBERS, lead)
  const opening = { members: MEMBERS, lead, policy, at: OPENED_AT }
  let position = start(conversation.machine, opening) as Position<ConversationContext>
  const events: ConversationEvent[] = []
  for (let at = OPENED_AT; !position.done && events.length < 200; at += Math.floor(random() * 2_000)) {
    const event = happeningOf(position, at, `m${events.length}`, random)
    events.push(event)
    position = step(conversation.machine, position, event).position as Position<ConversationContext>
    at = event.at
  }
  return { ...opening, events }
}

/** Conversations in which anything happens, about as often helpful as not; most of them end. */
export const randomMix = (conversations: number): readonly Script[] =>
  Array.from({ length: conversations }, (_, seed) => mixedTalk(seed))
