/** Random mailboxes and talks: acts become inputs by what lies in the mailbox, so that they reach every state and shrink well. */
import fc from 'fast-check'
import { type AinetContext, isOpenTo, requestOf } from '../../../machines/ainet/context.ts'
import { ainet, type Board, type Outcome, type PolicyInput } from '../../../machines/ainet/index.ts'
import type { Conversation } from '../../../src/engine/conversation.ts'
import type { Sent } from '../../../src/engine/events.ts'
import { openConversation } from '../../../src/engine/opening.ts'
import type { MessageInput } from '../../../src/schema/message.ts'
import { members, ODD_NAMES } from '../../support/arbitraries.ts'

export type Talk = Conversation<AinetContext, Outcome, Board>

export const INTENTS = ['request', 'claim', 'reply', 'read', 'say', 'done'] as const

/** What is put to a conversation. */
export type Input =
  | { readonly kind: 'send'; readonly message: MessageInput; readonly at: number }
  | { readonly kind: 'join' | 'leave' | 'fault'; readonly member: string; readonly at: number }
  | { readonly kind: 'tick' | 'cancel'; readonly at: number }

interface Act {
  readonly kind: 'help' | 'say' | 'join' | 'leave' | 'fault' | 'tick' | 'cancel'
  readonly who: number
  readonly what: number
  readonly which: number
  readonly ms: number
}

export interface Scenario {
  readonly members: readonly string[]
  readonly lead: string | null
  readonly policy: PolicyInput
  readonly at: number
  readonly acts: readonly Act[]
}

const upTo = (max: number) => fc.integer({ min: 1, max })
const ms = fc.oneof(upTo(60), fc.integer({ min: 61, max: 100_000_000 }))

export const policyFor = (size: number): fc.Arbitrary<PolicyInput> =>
  fc.record(
    {
      mode: fc.constantFrom('mailbox', 'mailbox', 'talk'),
      rounds: upTo(4),
      turnLimit: fc.record(
        { idle: upTo(3), pending: upTo(3), done: upTo(3), talking: fc.integer({ min: 2, max: 5 }) },
        { requiredKeys: [] },
      ),
      deadline: fc.record({ idle: ms, pending: ms, done: ms, talking: ms }, { requiredKeys: [] }),
      maxTurns: fc.oneof({ arbitrary: fc.constant(null), weight: 3 }, upTo(20)),
      minMembers: fc.oneof({ arbitrary: fc.constant(1), weight: 3 }, upTo(size)),
      violationLimit: fc.oneof(upTo(3), upTo(10), fc.constant(null)),
    },
    { requiredKeys: [] },
  )

const nat = fc.nat({ max: 999 })
const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.oneof(
    { arbitrary: fc.constant('help' as const), weight: 60 },
    { arbitrary: fc.constant('say' as const), weight: 25 },
    { arbitrary: fc.constant('fault' as const), weight: 5 },
    { arbitrary: fc.constant('tick' as const), weight: 5 },
    { arbitrary: fc.constantFrom('join' as const, 'leave' as const), weight: 5 },
    { arbitrary: fc.constant('cancel' as const), weight: 1 },
  ),
  who: nat,
  what: nat,
  which: nat,
  ms: fc.oneof({ arbitrary: fc.nat({ max: 3 }), weight: 9 }, { arbitrary: fc.nat({ max: 90 }), weight: 1 }),
})

export const scenario = (maxActs = 50): fc.Arbitrary<Scenario> =>
  members.chain((group) =>
    fc.record({
      members: fc.constant(group),
      lead: fc.oneof(fc.constant(null), fc.constantFrom(...group)),
      policy: policyFor(group.length),
      at: fc.constantFrom(0, 1_700_000_000_000),
      acts: fc.array(act, { maxLength: maxActs, size: 'max' }),
    }),
  )

const pick = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)]

/** What the state asks for, from somebody who may do it. */
const helpful = (context: AinetContext, active: readonly string[], act: Act): Omit<MessageInput, 'id'> => {
  const { who, what, which } = act
  const somebody = pick(active, who) ?? 'nobody'
  const request = requestOf(context)
  if (request === null) {
    if (context.policy.mode === 'talk') {
      const from = what % 9 === 0 ? (context.opener ?? somebody) : somebody
      return { from, intent: what % 9 === 0 ? 'done' : 'say' }
    }
    if (what % 19 === 0 && context.opener !== null) return { from: context.opener, intent: 'done' }
    const to = pick(
      active.filter((id) => id !== somebody),
      which,
    )
    const payload = pick([{}, { type: 'BROADCAST' }, { type: 'TASK' }, { type: 'TASK' }, { to }], what)
    return { from: somebody, intent: 'request', payload: payload ?? {} }
  }
  const asked = active.filter((id) => isOpenTo(request, id))
  if (context.visit.state === 'done' && what % 2 === 0) return { from: request.from, intent: 'read' }
  const from = pick(asked, who) ?? somebody
  return { from, intent: what % 3 === 0 ? 'claim' : 'reply', replyTo: what % 4 === 0 ? request.id : null }
}

/** Any intent from anybody, whether it makes sense or not. */
const anything = (context: AinetContext, names: readonly string[], act: Act): Omit<MessageInput, 'id'> => {
  const { who, what, which } = act
  const intent = pick(INTENTS, what) ?? 'say'
  const to = pick(names, which)
  const replyTo = pick([null, null, 'nothing', ...context.requests.map(({ id }) => id)], which) ?? null
  const payload = pick([{}, { type: 'TASK' }, { type: 'PRIVATE', to }, { to }], which) ?? {}
  return { from: pick(names, who) ?? 'nobody', intent, replyTo, payload: intent === 'request' ? payload : {} }
}

const resolve = (talk: Talk, act: Act, count: number): Input => {
  const { context } = talk
  const names = [...context.seats.map(({ id }) => id), 'stranger', '__proto__']
  const member = pick(names, act.who) ?? 'stranger'
  const at = talk.at + act.ms
  switch (act.kind) {
    case 'help':
      return { kind: 'send', message: { id: `m${count}`, ...helpful(context, talk.members, act) }, at }
    case 'say':
      return { kind: 'send', message: { id: `m${count}`, ...anything(context, names, act) }, at }
    case 'join': {
      const gone = context.seats.filter(({ active }) => !active).map(({ id }) => id)
      return { kind: 'join', member: pick([...gone, ...ODD_NAMES], act.which) ?? member, at }
    }
    case 'tick':
      return { kind: 'tick', at: Math.max(talk.at, (talk.dueAt ?? at) + ((act.what % 3) - 1)) }
    case 'cancel':
      return { kind: 'cancel', at }
    case 'leave': {
      // Rather somebody whose leaving matters.
      const request = requestOf(context)
      const missed = [context.opener, request?.from, request?.to, request?.claimant].filter(
        (id) => id != null,
      )
      return { kind: 'leave', member: (act.what % 2 === 0 ? pick(missed, act.which) : null) ?? member, at }
    }
    case 'fault':
      return { kind: 'fault', member, at }
  }
}

export const put = (talk: Talk, input: Input): Sent => {
  switch (input.kind) {
    case 'send':
      return talk.send(input.message, input.at)
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
  }
}

/** Plays a scenario to its end; `around` does each step and may look before and after. */
export const play = (
  { acts, ...opening }: Scenario,
  around: (talk: Talk, input: Input, go: () => Sent) => void = (_talk, _input, go) => {
    go()
  },
): Talk => {
  const talk = openConversation({ protocol: ainet, id: 'c1', ...opening })
  let after = 0
  for (const [count, each] of acts.entries()) {
    if (talk.isClosed && ++after > 3) break
    const input = resolve(talk, each, count)
    around(talk, input, () => put(talk, input))
  }
  return talk
}
