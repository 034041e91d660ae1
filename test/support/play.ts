/** Plays scenarios: acts become inputs by what lies on the table, inputs are put to a conversation, answers are collected. */

import { reviewersNow, type Subtask } from '../../machines/conversation/context.ts'
import type { Board, ConversationContext } from '../../machines/conversation/index.ts'
import { conversation, type Outcome } from '../../machines/conversation/index.ts'
import type { Intent } from '../../machines/conversation/intents.ts'
import { type SimulatedClock, simulatedClock } from '../../src/engine/clock.ts'
import type { Conversation } from '../../src/engine/conversation.ts'
import type { Decision } from '../../src/engine/decision.ts'
import type { Sent } from '../../src/engine/events.ts'
import { openConversation } from '../../src/engine/opening.ts'
import type { MessageInput } from '../../src/schema/message.ts'
import { type Happening, LAST_TIME } from '../../src/schema/record.ts'
import { type Act, ODD_NAMES, type Scenario } from './arbitraries.ts'

export type Talk = Conversation<ConversationContext, Outcome, Board>

/** What is put to a conversation. `at` undefined: by its clock. */
export type Input =
  | {
      readonly kind: 'send'
      readonly raw: unknown
      readonly at: number | undefined
      readonly strict: boolean
    }
  | { readonly kind: 'join' | 'leave' | 'fault'; readonly member: string; readonly at: number | undefined }
  | { readonly kind: 'tick' | 'cancel'; readonly at: number | undefined }
  | { readonly kind: 'apply'; readonly event: Happening }

export interface World {
  readonly talk: Talk
  readonly clock: SimulatedClock
  /** All messages so far, as they were given. */
  readonly said: Record<string, unknown>[]
}

export const begin = ({ group, policy, at }: Scenario): World => {
  const clock = simulatedClock(at)
  const talk = openConversation({ protocol: conversation, id: 'c1', ...group, policy, clock, at })
  return { talk, clock, said: [] }
}

const pick = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)]

const STRANGERS = ['stranger', '__proto__', '智能体', 'e\u0301tude'] as const

/** What would be rejected as malformed by any reader of the specification. */
const BROKEN: readonly ((raw: Record<string, unknown>) => unknown)[] = [
  () => undefined,
  () => null,
  () => 5,
  () => 'info',
  () => [],
  (raw) => [raw],
  (raw) => ({ ...raw, id: undefined }),
  (raw) => ({ ...raw, id: '' }),
  (raw) => ({ ...raw, id: 7 }),
  (raw) => ({ ...raw, id: 'x'.repeat(129) }),
  (raw) => ({ ...raw, id: '🤖'.repeat(129) }),
  (raw) => ({ ...raw, from: '' }),
  (raw) => ({ ...raw, from: ' a' }),
  (raw) => ({ ...raw, from: 'a\u0000' }),
  (raw) => ({ ...raw, from: 'Broadcast' }),
  (raw) => ({ ...raw, from: 'TASK' }),
  (raw) => ({ ...raw, from: null }),
  (raw) => ({ ...raw, from: { toString: 'a' } }),
  (raw) => ({ ...raw, to: '' }),
  (raw) => ({ ...raw, to: 'BROADCAST' }),
  (raw) => ({ ...raw, intent: 'constructor' }),
  (raw) => ({ ...raw, intent: '__proto__' }),
  (raw) => ({ ...raw, intent: 'join' }),
  (raw) => ({ ...raw, intent: 'deadline' }),
  (raw) => ({ ...raw, intent: undefined }),
  (raw) => ({ ...raw, intent: ['info'] }),
  (raw) => ({ ...raw, content: '\ud800' }),
  (raw) => ({ ...raw, content: 5 }),
  (raw) => ({ ...raw, content: null }),
  (raw) => ({ ...raw, content: 'é'.repeat(524_289) }),
  (raw) => ({ ...raw, payload: null }),
  (raw) => ({ ...raw, payload: [] }),
  (raw) => ({ ...raw, payload: 'x' }),
  (raw) => ({ ...raw, replyTo: 5 }),
  (raw) => ({ ...raw, replyTo: '' }),
  (raw) => ({ ...raw, correlationId: {} }),
  (raw) => ({ ...raw, tokens: -1 }),
  (raw) => ({ ...raw, tokens: 0.5 }),
  (raw) => ({ ...raw, tokens: Number.NaN }),
  (raw) => ({ ...raw, tokens: 1e300 }),
  (raw) => ({ ...raw, tokens: '1' }),
  (raw) => ({ ...raw, sentAt: 'yesterday' }),
  (raw) => ({ ...raw, sentAt: '2025-01-01T00:00:00Z' }),
  (raw) => ({ ...raw, sentAt: 5 }),
  (raw) => ({ ...raw, schemaVersion: '2.0' }),
  (raw) => ({ ...raw, schemaVersion: 1 }),
  (raw) => ({ ...raw, trace: 'x' }),
  (raw) => ({ ...raw, trace: { traceparent: 1 } }),
  (raw) => ({ ...raw, conversation: 1 }),
  (raw) => ({ ...raw, intent: 'proposal', payload: { subtasks: {} } }),
  (raw) => ({ ...raw, intent: 'proposal', payload: { subtasks: [{ id: 'x' }, { id: 'x' }] } }),
  (raw) => ({ ...raw, intent: 'proposal', payload: { subtasks: [{ id: 't2' }, {}] } }),
  (raw) => ({ ...raw, intent: 'proposal', payload: { subtasks: [null] } }),
  (raw) => ({ ...raw, intent: 'proposal', payload: { subtasks: [{ title: 5 }] } }),
  (raw) => ({ ...raw, intent: 'proposal', payload: { subtasks: [{ requires: 'x' }] } }),
  (raw) => ({ ...raw, intent: 'agree', payload: { decisive: 'true' } }),
  (raw) => ({ ...raw, intent: 'object', payload: { subtask: '' } }),
  (raw) => ({ ...raw, intent: 'assign', payload: {} }),
  (raw) => ({ ...raw, intent: 'assign', payload: { subtask: 't1', owner: 'task' } }),
  (raw) => ({ ...raw, intent: 'assign', payload: { subtask: 't1', owner: 'a', title: null } }),
  (raw) => ({ ...raw, intent: 'accept', payload: { subtask: 5 } }),
  (raw) => ({ ...raw, intent: 'progress', payload: { percent: Number.NaN } }),
  (raw) => ({ ...raw, intent: 'progress', payload: { percent: Number.POSITIVE_INFINITY } }),
  (raw) => ({ ...raw, intent: 'progress', payload: { note: 5 } }),
  (raw) => ({ ...raw, intent: 'result', payload: { status: 'done' } }),
  (raw) => ({ ...raw, intent: 'verdict', payload: { verdict: 'PASS' } }),
  (raw) => ({ ...raw, intent: 'verdict', payload: { subtasks: 't1' } }),
  (raw) => ({ ...raw, intent: 'reject', payload: { subtasks: [''] } }),
  (raw) => ({ ...raw, intent: 'reject', payload: { reasons: [1] } }),
  (raw) => ({ ...raw, intent: 'reject', payload: { unsupported: null } }),
]

/** Odd, and valid all the same. */
const ODD_BUT_VALID: readonly ((raw: Record<string, unknown>) => Record<string, unknown>)[] = [
  (raw) => ({ ...raw, to: 'task', trace: {}, schemaVersion: '1.7' }),
  (raw) => ({ ...raw, ...(JSON.parse('{"__proto__":{"from":"x"},"constructor":1}') as object) }),
  (raw) => Object.assign(Object.create(null) as Record<string, unknown>, raw),
  (raw) => ({ ...raw, from: typeof raw.from === 'string' ? raw.from.normalize('NFD') : raw.from }),
  (raw) => ({ ...raw, sentAt: '2025-01-01T00:00:00.000Z', correlationId: '\u0000', conversation: 'c1' }),
  (raw) => ({ ...raw, content: 'é\u2028🤖'.repeat(9) }),
]

/** What this engine rejects besides: it is no JSON, no Unicode, or meant for another conversation. */
const STRICT: readonly ((raw: Record<string, unknown>) => unknown)[] = [
  (raw) => ({ ...raw, id: '\ud800' }),
  (raw) => ({ ...raw, replyTo: '\udfff' }),
  (raw) => ({ ...raw, from: 'a\ud800' }),
  (raw) => ({ ...raw, conversation: 'c2' }),
  (raw) => ({ ...raw, extra: 1n }),
  (raw) => ({ ...raw, extra: new Date(0) }),
  (raw) => ({ ...raw, payload: { ...(raw.payload as object), extra: Number.NaN } }),
  (raw) => ({ ...raw, payload: { ...(raw.payload as object), extra: () => 1 } }),
  (raw) => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    return { ...raw, payload: { ...(raw.payload as object), circle } }
  },
  (raw) => ({ ...raw, intent: 'result', payload: { output: new Map() } }),
]

const names = (world: World): readonly string[] => [
  ...world.talk.context.seats.map(({ id }) => id),
  ...STRANGERS,
]

/** A new message id, an odd one at times; never one that was used. */
const freshId = ({ said }: World, { odd, what }: Act): string => {
  const plain = `m${said.length}`
  return odd && what % 7 === 0 ? `${pick(ODD_NAMES, what)?.slice(0, 20)}${plain}` : plain
}

const subtaskId = ({ talk }: World, index: number): string =>
  pick([...talk.context.subtasks.map(({ id }) => id), 'nothing', '__proto__'], index) ?? 'nothing'

const planOf = ({ which, odd }: Act): readonly object[] =>
  Array.from({ length: which % 4 }, (_, index) =>
    odd ? { id: `${pick(ODD_NAMES, which + index)}`.slice(0, 100) + index, title: '题' } : {},
  )

/** Any intent with any payload of its own. */
const payloadOf = (world: World, act: Act, intent: Intent): Record<string, unknown> => {
  const { what, which, odd } = act
  const named = odd ? { subtask: subtaskId(world, which) } : {}
  switch (intent) {
    case 'proposal':
      return which % 5 === 0 ? {} : { subtasks: planOf(act) }
    case 'agree':
      return what % 3 === 0 ? { decisive: what % 2 === 0 } : {}
    case 'assign':
      return {
        subtask: subtaskId(world, which),
        owner: pick(names(world), what),
        ...(odd ? { title: 'x' } : {}),
      }
    case 'result':
      return {
        ...named,
        ...pick([{}, { status: 'failed' }, { status: 'partial', output: { x: [1] } }], what),
      }
    case 'verdict':
    case 'reject': {
      const subtasks = Array.from({ length: what % 3 }, (_, index) => subtaskId(world, which + index))
      return {
        ...pick([{}, { verdict: 'pass' }, { verdict: 'reject' }], which),
        ...(odd ? { subtasks } : {}),
      }
    }
    case 'progress':
      return { ...named, percent: what }
    default:
      return intent === 'question' || intent === 'info' ? {} : named
  }
}

type Said = { readonly from: string; readonly intent: Intent } & Partial<MessageInput>

/** What the state asks for, from somebody who may do it. */
const helpful = (world: World, act: Act): Said | null => {
  const { talk } = world
  const { context } = talk
  const { who, what, which, odd } = act
  const from = pick(talk.members, who)
  if (from === undefined) return null
  switch (context.visit.state) {
    case 'discussion':
      return { from, intent: 'proposal', payload: { subtasks: planOf(act) } }
    case 'proposal': {
      if (what % 7 === 0 || what % 7 === 3)
        return { from, intent: 'proposal', payload: { subtasks: planOf(act) } }
      const proposal = pick(context.proposals, which)
      if (what % 7 === 1 && talk.lead !== null)
        return {
          from: talk.lead,
          intent: 'agree',
          replyTo: proposal?.id ?? null,
          payload: { decisive: true },
        }
      const voter = pick(
        talk.members.filter((id) => id !== proposal?.author),
        who,
      )
      return {
        from: voter ?? from,
        intent: what % 6 === 0 ? 'object' : 'agree',
        replyTo: proposal?.id ?? null,
      }
    }
    case 'assign':
      return sharing(world, act, from)
    case 'execution': {
      const pending = context.subtasks.filter(({ status }) => status === null)
      const subtask = what % 6 === 0 ? pick(context.subtasks, which) : pick(pending, which)
      if (subtask === undefined || subtask.owner === null) return sharing(world, act, from)
      return { from: subtask.owner, intent: 'result', payload: odd ? { subtask: subtask.id } : {} }
    }
    case 'review': {
      const reviewer = pick(reviewersNow(context), who) ?? from
      const subtasks = odd ? [subtaskId(world, which)] : []
      return what % 2 === 0
        ? { from: reviewer, intent: 'reject', payload: { subtasks } }
        : { from: reviewer, intent: 'verdict' }
    }
  }
}

const sharing = ({ talk }: World, { which, what }: Act, from: string): Said => {
  const { subtasks, policy, lead } = talk.context
  const mine = pick(subtasks, which)
  if (what % 9 === 1 && mine !== undefined) {
    // An owner hands its work on, to another or to itself.
    const owner = what % 2 === 0 ? mine.owner : pick(talk.members, what)
    const giver = what % 4 === 0 ? talk.lead : mine.owner
    return { from: giver ?? from, intent: 'assign', payload: { subtask: mine.id, owner: owner ?? from } }
  }
  if (what % 9 === 0 && mine !== undefined) return { from, intent: 'accept', payload: { subtask: mine.id } }
  const isOpen = ({ status, owner }: Subtask): boolean => status === null && owner === null
  const subtask = pick(subtasks.filter(isOpen), which)
  if (subtask?.offered != null)
    return { from: subtask.offered, intent: 'accept', payload: { subtask: subtask.id } }
  if (policy.assigners === 'lead') {
    const owner = pick(talk.members, what) ?? from
    return { from: lead ?? from, intent: 'assign', payload: { subtask: subtask?.id ?? `new${what}`, owner } }
  }
  return { from, intent: 'accept' }
}

const timeOf = ({ talk, clock }: World, { time }: Act): number | undefined => {
  switch (time.by) {
    case 'step':
      return Math.max(0, talk.at + time.ms)
    case 'clock':
      clock.advance(time.ms)
      return undefined
    case 'due':
      return Math.max(0, (talk.dueAt ?? talk.at) + time.ms)
    case 'odd':
      return time.at
  }
}

const message = (world: World, act: Act, said: Said): Record<string, unknown> => {
  const raw: Record<string, unknown> = { id: freshId(world, act), ...said }
  if (act.tokens > 0) raw.tokens = act.tokens
  return raw
}

/** What an act means now. */
const resolve = (act: Act, world: World): Input => {
  const at = timeOf(world, act)
  const anybody = pick(names(world), act.who) ?? 'stranger'
  const send = (raw: unknown, strict = false): Input => ({ kind: 'send', raw, at, strict })
  const replyTo =
    pick([null, ...world.talk.context.proposals.map(({ id }) => id), 'nothing'], act.what) ?? null
  const anythingSaid = (): Record<string, unknown> => {
    const payload = payloadOf(world, act, act.intent)
    return message(world, act, { from: anybody, intent: act.intent, payload, replyTo })
  }
  switch (act.kind) {
    case 'help': {
      const said = helpful(world, act)
      return send(said === null ? anythingSaid() : message(world, act, said))
    }
    case 'say':
      return send(act.which % 10 === 0 ? pick(ODD_BUT_VALID, act.what)?.(anythingSaid()) : anythingSaid())
    case 'repeat': {
      const before = pick(world.said, act.which)
      if (before === undefined) return send(anythingSaid())
      return send(act.odd ? before : { ...before, from: anybody })
    }
    case 'malformed':
      return send(pick(BROKEN, act.what)?.(anythingSaid()))
    case 'strict':
      return send(pick(STRICT, act.what)?.(anythingSaid()), true)
    case 'join': {
      const gone = world.talk.context.seats.filter(({ active }) => !active).map(({ id }) => id)
      const joining = act.odd ? pick([...gone, ...gone, anybody], act.which) : pick(ODD_NAMES, act.what)
      return { kind: 'join', member: joining ?? anybody, at }
    }
    case 'leave': {
      // Rather somebody whose leaving matters: a reviewer, an owner, one who was charged, a voter.
      const { reviewers, subtasks, seats, proposals } = world.talk.context
      const missed = [
        ...reviewers,
        ...subtasks.flatMap(({ owner, offered }) => owner ?? offered ?? []),
        ...seats.flatMap(({ id, active, violations }) => (active && violations > 0 ? [id] : [])),
        ...proposals.flatMap(({ agrees }) => agrees),
      ]
      return { kind: 'leave', member: (act.odd ? pick(missed, act.which) : undefined) ?? anybody, at }
    }
    case 'fault':
      return { kind: 'fault', member: anybody, at }
    case 'tick':
    case 'cancel':
      return { kind: act.kind, at }
    case 'apply': {
      // By the record's own time, and without an overdue deadline's coming first.
      const then = Math.min(LAST_TIME, Math.max(world.talk.at, Math.trunc(at ?? 0) || 0))
      return act.odd
        ? { kind: 'apply', event: { type: 'message', at: then, message: anythingSaid() } }
        : { kind: 'apply', event: { type: 'deadline', at: then } }
    }
  }
}

/** One event and what was decided on it. */
export interface Heard {
  readonly event: Happening
  readonly decision: Decision
}

export interface Performed {
  readonly sent: Sent
  /** All events that the input came to, an overdue deadline first; a message stands as it was given. */
  readonly heard: readonly Heard[]
}

/**
 * Hears each event just after it was decided, until stopped. What a listener throws harms no conversation: here it is
 * kept, and thrown on stopping, so that a check within can fail.
 */
export const check = (talk: Talk, hear: (heard: Heard) => void): (() => void) => {
  const thrown: unknown[] = []
  const stop = talk.on('event', ({ event, decision }) => {
    if (event.type === 'open' || decision === null) return
    try {
      hear({ event, decision })
    } catch (error) {
      thrown.push(error)
    }
  })
  return () => {
    stop()
    if (thrown.length > 0) throw thrown[0]
  }
}

/** Puts an input to a conversation. */
export const perform = (talk: Talk, input: Input): Performed => {
  const heard: Heard[] = []
  const stop = [
    talk.on('event', ({ event, decision }) => {
      if (event.type !== 'open' && decision !== null) heard.push({ event, decision })
    }),
    talk.on('refused', (refused) => {
      heard.push(refused)
    }),
  ]
  const sent = put(talk, input)
  for (const each of stop) each()
  const raw = rawOf(input)
  const last = heard.at(-1)
  if (raw !== undefined && last?.event.type === 'message')
    heard[heard.length - 1] = { ...last, event: { ...last.event, message: raw } }
  return { sent, heard }
}

/** The message of an input, as it was given. */
const rawOf = (input: Input): unknown => {
  if (input.kind === 'send') return input.raw
  return input.kind === 'apply' && input.event.type === 'message' ? input.event.message : undefined
}

const put = (talk: Talk, input: Input): Sent => {
  switch (input.kind) {
    case 'send':
      return talk.send(input.raw as MessageInput, input.at)
    case 'join':
      return talk.join(input.member, input.at)
    case 'leave':
      return talk.leave(input.member, input.at)
    case 'fault':
      return talk.fault(input.member, 'failed', input.at)
    case 'tick':
      return talk.tick(input.at)
    case 'cancel':
      return talk.cancel(input.at)
    case 'apply':
      return talk.apply(input.event)
  }
}

/** Remembers what was said, for acts that repeat it. */
const remember = (world: World, input: Input): void => {
  const raw = input.kind === 'send' && input.strict ? null : rawOf(input)
  if (typeof raw === 'object' && raw !== null && !Array.isArray(raw))
    world.said.push(raw as Record<string, unknown>)
}

/** Closed, a conversation is tried only so many times more. */
const AFTER_THE_END = 6

/** Plays a scenario to its end; `around` does each step and may look before and after. */
export const play = (
  scenario: Scenario,
  around: (world: World, input: Input, go: () => Performed) => void = (_world, _input, go) => {
    go()
  },
): World => {
  const world = begin(scenario)
  let after = 0
  for (const act of scenario.acts) {
    if (world.talk.isClosed && ++after > AFTER_THE_END) break
    const input = resolve(act, world)
    around(world, input, () => perform(world.talk, input))
    remember(world, input)
  }
  return world
}
