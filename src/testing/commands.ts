/**
 * Model-based runs: `fc.commands` of a protocol against what must hold of any conversation, under whatever rules. The
 * model is a ledger: which ids are taken and by whom, how far the record goes, how it ended, and a second conversation
 * that only hears the record.
 */
import fc from 'fast-check'
import type { Conversation } from '../engine/conversation.ts'
import type { ConversationEvent, Sent } from '../engine/events.ts'
import { openConversation, restoreConversation } from '../engine/opening.ts'
import type { Protocol } from '../engine/protocol.ts'
import { type Input, Play, put } from './play.ts'
import { withRecord } from './recorded-failure.ts'
import { ACTS, type Act, type ActOptions, act, type Opening } from './scenarios.ts'

/** What must hold of a conversation, as far as it has come. */
export class Ledger {
  /** Who sent the message with an id. */
  readonly #senders = new Map<string, string>()
  /** Hears the record, event by event, as a replay does. */
  readonly #echo: Conversation
  #seq = 0
  #at: number
  /** How it ended, as JSON; null while it is open. */
  #end: string | null = null

  constructor(protocol: Protocol, { group, policy, at }: Opening) {
    this.#echo = openConversation({ protocol, id: 'c1', ...group, policy, at })
    this.#at = at
  }

  /** Does something to a conversation, and to another restored from its snapshot, and checks what came of it. */
  take(play: Play, input: Input): Sent {
    const { conversation } = play
    const { protocol, context, seq, at, dueAt } = conversation
    // An overdue deadline comes first, and may change who is a member.
    const isLast = conversation.isClosed || (dueAt !== null && Math.max(at, input.at || 0) >= dueAt)
    const before = stateOf(conversation)
    const twin = restoreConversation(copyOf(conversation.snapshot()), { protocol })
    const heard: ConversationEvent[] = []
    const stop = conversation.on('event', (event) => heard.push(event))
    const sent = play.perform(input)
    stop()

    this.#hear(heard)
    const also = put(twin, input)
    same('What a restored conversation answers', textOf(also), textOf(sent))
    same('What a restored conversation comes to', textOf(twin.snapshot()), textOf(conversation.snapshot()))
    same('The last place in the record', conversation.seq, seq + heard.length)
    same('The state that the answer tells', sent.to, conversation.state)
    const isKept = sent.effect === 'applied' || sent.effect === 'recorded'
    same('The place that the answer tells', sent.seq, isKept ? conversation.seq : undefined)
    if (heard.length === 0) same('What something without an effect left', stateOf(conversation), before)
    if (input.kind === 'send')
      this.#admitted(input.raw, sent, (id) => isLast || protocol.isMember(context, id))
    this.#whole(conversation)
    return sent
  }

  /** The record goes on without a gap, and replays to the same. */
  #hear(heard: readonly ConversationEvent[]): void {
    for (const { seq, event, decision } of heard) {
      same('The place of an event', seq, ++this.#seq)
      that(event.at >= this.#at, `An event of ${event.at} follows one of ${this.#at}`)
      this.#at = event.at
      if (event.type === 'open') continue
      const { effect, reason, to } = this.#echo.apply(event)
      same(
        'What a replay decides',
        textOf({ effect, reason, to }),
        textOf({ effect: decision?.effect, reason: decision?.reason, to: decision?.to }),
      )
    }
  }

  /** Ids are taken once, members speak, and nobody else. */
  #admitted(raw: unknown, sent: Sent, mayBeMember: (id: string) => boolean): void {
    const { id, from } = Object(raw) as { readonly id?: unknown; readonly from?: unknown }
    if (sent.reason === 'invalid' || typeof id !== 'string' || typeof from !== 'string') {
      same('What becomes of a malformed message', sent.effect, 'rejected')
      return
    }
    const sender = this.#senders.get(id)
    const by = from.normalize('NFC')
    if (sender === by)
      same('What becomes of a repeated message', `${sent.effect} ${sent.reason}`, 'ignored duplicate')
    else if (sender !== undefined)
      same('What becomes of a message under a taken id', `${sent.effect} ${sent.reason}`, 'rejected id_taken')
    else if (!mayBeMember(by))
      same('What becomes of a message of no member', `${sent.effect} ${sent.reason}`, 'ignored not_member')
    if (sent.seq !== undefined) this.#senders.set(id, by)
  }

  /** What can be said of every conversation, whatever happened. */
  #whole({ protocol, context, state, members, isClosed, dueAt, outcome }: Conversation): void {
    same('How many members there are', new Set(members).size, members.length)
    for (const member of members)
      that(protocol.isMember(context, member), `"${member}" is listed as a member and is none`)
    const known = Object.keys(protocol.payloads)
    for (const member of members)
      for (const { intent } of protocol.allowed(context, member, state))
        that(known.includes(intent), `"${intent}" is allowed and is no intent`)
    if (!isClosed) {
      that(this.#end === null, 'It was closed and is open again')
      same('The outcome of an open conversation', outcome, null)
      const calls = protocol.floor(context, { capabilities: new Map(), talk: 'all_at_once' }, state)
      for (const { member } of calls) that(members.includes(member), `"${member}" is asked and is no member`)
      return
    }
    same('What is due after the end', dueAt, null)
    const end = textOf({ state, context, outcome })
    if (this.#end !== null) same('What something after the end left', end, this.#end)
    this.#end = end
  }
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? 'undefined'
const copyOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** All of a conversation but the time, which runs on. */
const stateOf = (conversation: Conversation): string => textOf({ ...conversation.snapshot(), at: 0 })

const that = (holds: boolean, found: string): void => {
  if (!holds) throw new Error(found)
}

const same = (what: string, got: unknown, wanted: unknown): void =>
  that(Object.is(got, wanted), `${what} is ${String(got)}, and not ${String(wanted)}`)

/** One act as a command. */
export class Try implements fc.Command<Ledger, Play> {
  readonly #act: Act
  #input: Input | null = null

  constructor(tried: Act) {
    this.#act = tried
  }

  check(): boolean {
    return true
  }

  run(ledger: Ledger, play: Play): void {
    const input = play.inputOf(this.#act)
    this.#input = input
    withRecord(play.conversation, () => ledger.take(play, input))
  }

  toString(): string {
    return fc.stringify(this.#input ?? this.#act)
  }
}

/** Commands of a protocol, for `fc.modelRun(() => setUp(protocol, opening), commands)`. */
export const commandsOf = ({
  acts = ACTS,
  weights,
}: ActOptions = {}): fc.Arbitrary<Iterable<fc.Command<Ledger, Play>>> =>
  fc.commands([act(weights).map((tried) => new Try(tried))], { maxCommands: acts, size: 'max' })

/** Where the commands begin: a ledger and a conversation that has just opened. */
export const setUp = (
  protocol: Protocol,
  opening: Opening,
): { readonly model: Ledger; readonly real: Play } => ({
  model: new Ledger(protocol, opening),
  real: new Play(protocol, opening),
})
