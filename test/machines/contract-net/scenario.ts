/**
 * Random contract nets: a group with a policy and a list of acts. An act says what somebody tries by number (the third
 * bidder, the second member) and becomes an event only when it is its turn, so that random acts reach every state.
 */
import fc from 'fast-check'
import { openBids } from '../../../machines/contract-net/context.ts'
import {
  type Board,
  type ContractNetContext,
  contractNet,
  type Outcome,
  type PolicyInput,
} from '../../../machines/contract-net/index.ts'
import { INTENTS, type Intent } from '../../../machines/contract-net/intents.ts'
import { STATES } from '../../../machines/contract-net/policy.ts'
import type { Conversation } from '../../../src/engine/conversation.ts'
import type { Sent } from '../../../src/engine/events.ts'
import { openConversation } from '../../../src/engine/opening.ts'
import { name } from '../../support/arbitraries.ts'

export type Talk = Conversation<ContractNetContext, Outcome, Board>

const perState = <T>(value: fc.Arbitrary<T>) =>
  fc.record({ calling: value, bidding: value, awarding: value, performing: value }, { requiredKeys: [] })

/** A valid partial policy for a group of so many, with every key present in some. */
export const policyFor = (members: number): fc.Arbitrary<PolicyInput> =>
  fc.record(
    {
      deadline: perState(fc.integer({ min: 1, max: 300 })),
      turnLimit: perState(fc.integer({ min: 1, max: 3 })),
      awards: fc.constantFrom(1, 2, 2, 3, null),
      rounds: fc.integer({ min: 1, max: 3 }),
      minMembers: fc.integer({ min: 2, max: Math.min(3, members) }),
      violationLimit: fc.constantFrom(1, 2, 3, 5, null),
    },
    { requiredKeys: [] },
  )

export interface Act {
  readonly kind: 'help' | 'say' | 'repeat' | 'malformed' | 'join' | 'leave' | 'fault' | 'tick' | 'cancel'
  /** ms since the act before. */
  readonly ms: number
  readonly who: number
  readonly what: number
  readonly intent: Intent
}

const KINDS: readonly [Act['kind'], number][] = [
  ['help', 120],
  ['say', 120],
  ['repeat', 10],
  ['malformed', 10],
  ['join', 12],
  ['leave', 8],
  ['fault', 16],
  ['tick', 12],
  ['cancel', 1],
]

const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.oneof(...KINDS.map(([kind, weight]) => ({ arbitrary: fc.constant(kind), weight }))),
  ms: fc.oneof(
    { arbitrary: fc.integer({ min: 0, max: 3 }), weight: 12 },
    { arbitrary: fc.integer({ min: 4, max: 600 }), weight: 1 },
  ),
  who: fc.nat({ max: 99 }),
  what: fc.nat({ max: 99 }),
  intent: fc.constantFrom(...INTENTS),
})

export interface Scenario {
  readonly members: readonly string[]
  readonly lead: string
  readonly policy: PolicyInput
  readonly at: number
  readonly acts: readonly Act[]
}

/** @param joins whether anybody may join, or come back */
export const scenario = ({ maxActs = 60, joins = true } = {}): fc.Arbitrary<Scenario> =>
  fc
    .tuple(
      fc.uniqueArray(name, {
        minLength: 2,
        maxLength: 6,
        size: 'max',
        selector: (id) => id.normalize('NFC'),
      }),
      fc.nat({ max: 99 }),
    )
    .chain(([members, lead]) =>
      fc.record({
        members: fc.constant(members),
        lead: fc.constant(members[lead % members.length] ?? ''),
        policy: policyFor(members.length),
        at: fc.constantFrom(0, 1_700_000_000_000),
        acts: fc.array(joins ? act : act.filter(({ kind }) => kind !== 'join'), {
          maxLength: maxActs,
          size: 'max',
        }),
      }),
    )

const begin = ({ members, lead, policy, at }: Scenario): Talk =>
  openConversation({ protocol: contractNet, id: 'c1', members, lead, policy, at })

const STRANGERS = ['stranger', '__proto__', 'é', 'x'.repeat(128)]

const pick = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)]

/** What is put to a contract net; it can be put to another one that stands at the same point. */
export type Input =
  | { readonly kind: 'send'; readonly raw: Readonly<Record<string, unknown>> }
  | { readonly kind: 'join' | 'leave' | 'fault'; readonly member: string }
  | { readonly kind: 'tick' | 'cancel' }

/** Any intent with any payload of its own. */
const payloadFor = (talk: Talk, { what, who }: Act, intent: Intent): Record<string, unknown> => {
  switch (intent) {
    case 'cfp':
      return what % 3 === 0 ? { replyWithin: 1 + (what % 50), task: { what } } : {}
    case 'propose':
      return what % 2 === 0 ? { price: what / 4 } : { offer: [what, null] }
    case 'accept':
    case 'reject':
    case 'not_understood': {
      const bidder = pick([...talk.context.bids.map((bid) => bid.bidder), pick(STRANGERS, who)], what)
      return what % 3 === 0 ? {} : { bidder }
    }
    case 'inform':
      return what % 2 === 0 ? { output: { a: [what] } } : {}
    default:
      return what % 2 === 0 ? { reason: 'because' } : {}
  }
}

/** What helps it along: what those who are asked would say. */
const helpful = (
  talk: Talk,
  { who, what }: Act,
): readonly [string, Intent, Record<string, unknown>] | null => {
  const call = pick(
    contractNet.floor(talk.context, { capabilities: new Map(), talk: 'round_robin' }, talk.state),
    who,
  )
  if (call === undefined) return null
  switch (talk.state) {
    case 'calling':
      return [call.member, 'cfp', {}]
    case 'bidding':
      return what % 4 === 0 ? [call.member, 'refuse', {}] : [call.member, 'propose', { price: what }]
    case 'awarding': {
      const bidder = pick(openBids(talk.context), what)?.bidder
      return [call.member, what % 4 === 0 ? 'reject' : 'accept', { bidder }]
    }
    default:
      return [call.member, what % 4 === 0 ? 'failure' : 'inform', {}]
  }
}

const BROKEN: readonly ((raw: Record<string, unknown>) => Record<string, unknown>)[] = [
  (raw) => ({ ...raw, id: '' }),
  (raw) => ({ ...raw, from: 'task' }),
  (raw) => ({ ...raw, intent: 'constructor' }),
  (raw) => ({ ...raw, intent: 'cfp', payload: { replyWithin: 0 } }),
  (raw) => ({ ...raw, intent: 'cfp', payload: { replyWithin: Number.POSITIVE_INFINITY } }),
  (raw) => ({ ...raw, intent: 'propose', payload: { price: '3' } }),
  (raw) => ({ ...raw, intent: 'accept', payload: { bidder: 'broadcast' } }),
  (raw) => ({ ...raw, intent: 'refuse', payload: { reason: 5 } }),
  (raw) => ({ ...raw, payload: { extra: () => 1 } }),
]

const inputOf = (talk: Talk, given: Act, said: Readonly<Record<string, unknown>>[]): Input | null => {
  const { kind, who, what, intent } = given
  const everybody = [...talk.context.seats.map(({ id }) => id), ...STRANGERS]
  const member = pick(everybody, who) ?? ''
  const id = `m${said.length}`
  switch (kind) {
    case 'help': {
      const help = helpful(talk, given)
      if (help === null) return null
      const [from, meant, payload] = help
      return { kind: 'send', raw: { id, from, intent: meant, payload } }
    }
    case 'say': {
      // Left to chance, most of what is said would be against the rules, and most would be called off early.
      const isApt = who % 3 > 0
      const from = isApt ? (pick([talk.lead ?? '', ...talk.members], what) ?? member) : member
      const apt = contractNet.allowed(talk.context, from, talk.state).map((each) => each.intent as Intent)
      const chosen = isApt ? (pick(apt, who) ?? intent) : intent
      const meant = chosen === 'call_off' && what % 20 > 0 ? 'accept' : chosen
      const replyTo = what % 7 === 0 ? (pick(talk.context.bids, who)?.id ?? 'unknown') : null
      const payload = payloadFor(talk, given, meant)
      return { kind: 'send', raw: { id, from, intent: meant, replyTo, content: 'text', payload } }
    }
    case 'malformed': {
      const raw = { id, from: member, intent, payload: payloadFor(talk, given, intent) }
      return { kind: 'send', raw: (pick(BROKEN, what) ?? ((same) => same))(raw) }
    }
    case 'repeat': {
      const raw = pick(said, what)
      return raw === undefined ? null : { kind: 'send', raw }
    }
    case 'join':
    case 'leave':
    case 'fault':
      return { kind, member }
    default:
      return { kind }
  }
}

export const perform = (talk: Talk, input: Input, at: number): Sent => {
  switch (input.kind) {
    case 'send':
      return talk.receive(input.raw, at)
    case 'join':
      return talk.join(input.member, at)
    case 'leave':
      return talk.leave(input.member, at)
    case 'fault':
      return talk.fault(input.member, undefined, at)
    case 'tick':
      return talk.tick(at)
    case 'cancel':
      return talk.cancel(at)
  }
}

/** What an observer of a play is given: the input that comes next, its time, and what lets it happen. */
export type Watch = (talk: Talk, input: Input, at: number, go: () => Sent) => void

/** Plays a scenario, an observer looking on at each step. */
export const play = (given: Scenario, watch: Watch = (_talk, _input, _at, go) => void go()): Talk => {
  const talk = begin(given)
  const said: Readonly<Record<string, unknown>>[] = []
  let now = given.at
  for (const next of given.acts) {
    now += next.ms
    const input = inputOf(talk, next, said)
    if (input === null) continue
    if (input.kind === 'send') said.push(input.raw)
    watch(talk, input, now, () => perform(talk, input, now))
  }
  return talk
}

export const KNOWN_STATES: readonly string[] = [...STATES, 'closed']
