/** Plays scenarios: acts become inputs by what lies on the table, and inputs are put to a conversation. */
import type { Conversation } from '../engine/conversation.ts'
import type { Sent } from '../engine/events.ts'
import { openConversation } from '../engine/opening.ts'
import type { Protocol, Scope } from '../engine/protocol.ts'
import type { MessageInput } from '../schema/message.ts'
import { type Draw, drawFrom, pick } from './draw.ts'
import { ODD_IDS } from './groups.ts'
import { brokenBy, payloadFor } from './messages.ts'
import { withRecord } from './recorded-failure.ts'
import type { Act, Opening, Scenario } from './scenarios.ts'
import { textsOn } from './table.ts'

/** What is put to a conversation. */
export type Input =
  | { readonly kind: 'send'; readonly raw: unknown; readonly at: number }
  | { readonly kind: 'join' | 'leave' | 'fault'; readonly member: string; readonly at: number }
  | { readonly kind: 'tick' | 'cancel'; readonly at: number }

/** A conversation that is being played. */
export class Play<
  Context extends object = object,
  Outcome extends object = object,
  Board extends object = object,
> {
  readonly conversation: Conversation<Context, Outcome, Board>
  /** All that was sent and could be read, as it was given. */
  readonly sent: Readonly<Record<string, unknown>>[] = []
  /** Whoever was a member once. */
  readonly known: string[]

  constructor(protocol: Protocol<Context, Outcome, Board>, { group, policy, at }: Opening) {
    this.conversation = openConversation({ protocol, id: 'c1', ...group, policy, at, clock: STANDING })
    this.known = [...this.conversation.members]
  }

  /** What an act means now. */
  inputOf({ kind, when: { after, ms }, choices }: Act): Input {
    const { conversation, sent } = this
    const draw = drawFrom(choices)
    const from = after === 'due' ? (conversation.dueAt ?? conversation.at) : conversation.at
    const at = Number.isNaN(ms) ? ms : Math.max(0, from + ms)
    switch (kind) {
      case 'help':
        return { kind: 'send', raw: this.#helpful(draw), at }
      case 'say':
        return { kind: 'send', raw: this.#anything(draw), at }
      case 'repeat':
        return { kind: 'send', raw: pick(sent, draw) ?? this.#anything(draw), at }
      case 'forge':
        return { kind: 'send', raw: this.#forged(draw), at }
      case 'malformed':
        return { kind: 'send', raw: brokenBy(conversation.protocol, this.#anything(draw), draw), at }
      case 'join':
        return { kind, member: pick(draw(2) === 0 ? ODD_IDS : this.known, draw) ?? 'late', at }
      case 'leave':
      case 'fault':
        return { kind, member: pick(this.known, draw) ?? 'nobody', at }
      case 'tick':
      case 'cancel':
        return { kind, at }
    }
  }

  /** Puts an input to the conversation. */
  perform(input: Input): Sent {
    if (input.kind === 'join' && !this.known.includes(input.member)) this.known.push(input.member)
    const sent = put(this.conversation, input)
    if (input.kind === 'send' && sent.reason !== 'invalid' && isObject(input.raw)) this.sent.push(input.raw)
    return sent
  }

  /** What the floor asks for, what the protocol says can be said, or what is allowed. */
  #helpful(draw: Draw): MessageInput {
    const { conversation } = this
    const { protocol, context, state, members } = conversation
    const way = draw(3)
    const calls = way === 2 ? [] : protocol.floor(context, FLOOR, state)
    const call = pick(calls, draw)
    const member = call?.member ?? pick(members, draw)
    if (member === undefined) return this.#anything(draw)
    const allowed = protocol.allowed(context, member, state)
    const meant = protocol.checking?.says?.(context, member, state, SCOPE) ?? []
    const sayings = meant.filter(({ intent }) => allowed.some((each) => each.intent === intent))
    const saying = way === 0 ? undefined : pick(sayings, draw)
    if (saying !== undefined) return { ...saying, ...this.#envelope(member) }
    const asked = draw(4) === 3 ? null : (call?.expected ?? null)
    const intent = asked ?? pick(allowed, draw)?.intent
    if (intent === undefined) return this.#anything(draw)
    const defaults = intent === call?.expected ? call.defaults : undefined
    const payload = { ...payloadFor(protocol, intent, draw, this.#texts(member)), ...defaults }
    return { ...this.#envelope(member), intent, payload, replyTo: call?.replyTo ?? this.#answered(draw) }
  }

  #anything(draw: Draw): MessageInput {
    const { protocol } = this.conversation
    const intents = Object.keys(protocol.payloads)
    const intent = pick(intents, draw) ?? ''
    const from = pick([...this.known, 'stranger'], draw) ?? 'stranger'
    const payload = payloadFor(protocol, intent, draw, this.#texts(from)) ?? {}
    const message = { ...this.#envelope(from, draw), intent, payload, replyTo: this.#answered(draw) }
    const tokens = draw(4) === 3 ? draw(100) : 0
    return tokens === 0 ? message : { ...message, tokens }
  }

  /** A message of before under another name, or a new one under an id of before. */
  #forged(draw: Draw): Readonly<Record<string, unknown>> {
    const before = pick(this.sent, draw)
    const anything = this.#anything(draw)
    if (before === undefined) return { ...anything }
    return draw(2) === 0 ? { ...before, from: anything.from } : { ...anything, id: before.id }
  }

  #envelope(from: string, draw: Draw = () => 0): { readonly id: string; readonly from: string } {
    const plain = `m${this.sent.length}`
    return { id: draw(7) === 6 ? `${pick(ODD_IDS, draw)?.slice(0, 20)}${plain}` : plain, from }
  }

  #answered(draw: Draw): string | null {
    const ids = this.sent.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
    return draw(2) === 0 ? null : (pick(ids, draw) ?? null)
  }

  /** What a payload may name: what lies on the table first. */
  #texts(member: string): readonly string[] {
    const { protocol, context, state, members } = this.conversation
    return [
      ...new Set([...textsOn(protocol.board(context, member, state)), ...members, ...this.known, 'nobody']),
    ]
  }
}

/** Puts an input to a conversation. */
export const put = (
  conversation: Pick<Conversation, 'receive' | 'join' | 'leave' | 'fault' | 'tick' | 'cancel'>,
  input: Input,
): Sent => {
  switch (input.kind) {
    case 'send':
      return conversation.receive(input.raw, input.at)
    case 'join':
    case 'leave':
      return conversation[input.kind](input.member, input.at)
    case 'fault':
      return conversation.fault(input.member, 'failed', input.at)
    case 'tick':
    case 'cancel':
      return conversation[input.kind](input.at)
  }
}

/** All times are given: nobody asks this clock. */
const STANDING = { now: () => 0, wake: () => () => {} }
const FLOOR = { capabilities: new Map<string, readonly string[]>(), talk: 'all_at_once' } as const
const SCOPE: Scope = { size: 3, joins: true }

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Closed, a conversation is tried only so many times more. */
const AFTER_THE_END = 6

/**
 * Plays a scenario. `around` does each step by calling `go`, and may look before and after.
 * @throws RecordedFailure when `around` throws, with the record so far
 */
export const play = <Context extends object, Outcome extends object, Board extends object>(
  protocol: Protocol<Context, Outcome, Board>,
  scenario: Scenario,
  around: (play: Play<Context, Outcome, Board>, input: Input, go: () => Sent) => void = (
    _play,
    _input,
    go,
  ) => {
    go()
  },
): Play<Context, Outcome, Board> => {
  const played = new Play(protocol, scenario)
  let after = 0
  for (const act of scenario.acts) {
    if (played.conversation.isClosed && ++after > AFTER_THE_END) break
    const input = played.inputOf(act)
    withRecord(played.conversation, () => around(played, input, () => played.perform(input)))
  }
  return played
}
