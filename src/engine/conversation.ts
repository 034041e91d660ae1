/** One conversation in memory: it admits what comes, lets the machine decide, and tells what happened. */
import { messageOf } from '../errors.ts'
import { issuesOf } from '../schema/issues.ts'
import { CONTENT_LIMIT, type MessageInput } from '../schema/message.ts'
import { type Happening, happening, LAST_TIME, type OpenEvent, type RecordEvent } from '../schema/record.ts'
import type { Snapshot } from '../schema/snapshot.ts'
import { agentId } from '../schema/text.ts'
import { inOurWords } from '../schema/wording.ts'
import { type Reader, readerOf } from './admission.ts'
import { type Clock, systemClock } from './clock.ts'
import { unchanged } from './decision.ts'
import type { ConversationEvent, Sent } from './events.ts'
import { follow } from './follow.ts'
import { isoOf } from './iso.ts'
import { type Listener, Listeners, type Topics } from './listeners.ts'
import type { Protocol } from './protocol.ts'
import type { Position } from './runner.ts'
import { step } from './step.ts'

export interface OpenOptions<Context extends object, Outcome extends object, Board extends object> {
  readonly protocol: Protocol<Context, Outcome, Board>
  /** Default: `c_` and a nanoid. */
  readonly id?: string
  readonly goal?: string
  /** Agent ids, distinct, in joining order. */
  readonly members: readonly string[]
  readonly lead?: string | null
  /** Completed key by key with the protocol's defaults. */
  readonly policy?: unknown
  /** Default: the system's. */
  readonly clock?: Clock
  /** When it opens, in ms. Default: the clock's present. */
  readonly at?: number
  /** Whether it keeps its record in memory. Default: true. */
  readonly retain?: boolean
  /** Most bytes of UTF-8 in a message's content. Default: 1 MiB. */
  readonly contentLimit?: number
}

export interface RestoreOptions<Context extends object, Outcome extends object, Board extends object>
  extends Pick<OpenOptions<Context, Outcome, Board>, 'protocol' | 'clock' | 'retain' | 'contentLimit'> {}

/** Agent ids are compared as they are admitted: NFC-normalised. */
const admittedId = (id: string): string => {
  const parsed = agentId.safeParse(id)
  return parsed.success ? parsed.data : id
}

/**
 * A conversation. Synchronous; the only writer of its record. Opened by `openConversation`, taken up again by
 * `restoreConversation`.
 */
export class Conversation<
  Context extends object = object,
  Outcome extends object = object,
  Board extends object = object,
> {
  readonly id: string
  readonly goal: string
  readonly protocol: Protocol<Context, Outcome, Board>
  readonly #clock: Clock
  readonly #read: Reader
  #retain: boolean
  /** How it was opened, where that is retained. */
  #open: OpenEvent | null
  #position: Position
  /** Who sent the message with an id; made with the first message, so that waiting conversations stay small. */
  #known: Map<string, string> | null
  #seq: number
  #at: number
  #events: ConversationEvent[] | null = null
  #listeners: Listeners | null = null

  /** @internal Use `openConversation` or `restoreConversation`. */
  constructor(
    options: RestoreOptions<Context, Outcome, Board>,
    born: {
      readonly id: string
      readonly goal: string
      readonly position: Position
      readonly seq: number
      readonly at: number
      readonly open: OpenEvent | null
      readonly known: Map<string, string> | null
    },
  ) {
    this.id = born.id
    this.goal = born.goal
    this.protocol = options.protocol
    this.#clock = options.clock ?? systemClock
    this.#read = readerOf(options.protocol, options.contentLimit ?? CONTENT_LIMIT)
    this.#retain = options.retain ?? true
    this.#position = born.position
    this.#seq = born.seq
    this.#at = born.at
    this.#known = born.known
    this.#open = this.#retain ? born.open : null
  }

  /** The machine's state. */
  get state(): string {
    return this.#position.state
  }

  /** What the guards know; never to be changed. */
  get context(): Context {
    return this.#position.context as Context
  }

  /** Place of the newest event; 0 after opening. */
  get seq(): number {
    return this.#seq
  }

  /** ms: when the newest event happened. */
  get at(): number {
    return this.#at
  }

  /** ms: when the present state's time is up and `tick` does something; null: never. */
  get dueAt(): number | null {
    return this.#position.done ? null : this.protocol.dueAt(this.context, this.state)
  }

  /** How it ended; null while it is open. */
  get outcome(): Outcome | null {
    return this.#position.done ? ((this.#position.output ?? {}) as Outcome) : null
  }

  get isClosed(): boolean {
    return this.#position.done
  }

  /** Active members in joining order. */
  get members(): readonly string[] {
    return this.protocol.members(this.context)
  }

  get lead(): string | null {
    return this.protocol.lead(this.context)
  }

  /**
   * Sends a message. Never throws for what the message holds: a wrong one is `rejected`, with its `issues`.
   * An overdue deadline is fired first. Times run on: an `at` before the newest event counts as that event's.
   * @param at ms; default: the clock's present
   */
  send(message: MessageInput, at?: number): Sent {
    return this.receive(message, at)
  }

  /** Sends what came from outside, of whatever shape. */
  receive(message: unknown, at?: number): Sent {
    return this.#input({ type: 'message', at: this.#time(at), message })
  }

  /** Adds a member at the end. What is no agent id is `rejected`, with its `issues`. */
  join(member: string, at?: number): Sent {
    const parsed = agentId.safeParse(member, inOurWords)
    if (!parsed.success && !this.isClosed) {
      return { ...unchanged('rejected', 'invalid', this.state), issues: issuesOf(parsed.error, ['member']) }
    }
    return this.#input({ type: 'join', at: this.#time(at), member: parsed.data ?? member })
  }

  /** Removes a member. */
  leave(member: string, at?: number): Sent {
    return this.#input({ type: 'leave', at: this.#time(at), member: admittedId(member) })
  }

  /** A member failed when it was asked to speak; `error` says how, for the record. */
  fault(member: string, error?: string, at?: number): Sent {
    const fault = { type: 'fault', at: this.#time(at), member: admittedId(member) } as const
    if (error === undefined) return this.#input(fault)
    // Without types an error may be given as it was caught; the record takes text.
    return this.#input({ ...fault, error: messageOf(error) })
  }

  /** Closes it from outside. A second time changes nothing. */
  cancel(at?: number): Sent {
    return this.#input({ type: 'cancel', at: this.#time(at) })
  }

  /** Fires the deadline when it is due; harmless at any other time, and as often as one likes. */
  tick(now?: number): Sent {
    const event = { type: 'deadline', at: this.#time(now) } as const
    const due = this.dueAt
    if (this.isClosed || (due !== null && event.at >= due)) return this.#apply(event)
    // Rules of a user's own need not handle a deadline that is early. Time has passed all the same.
    this.#at = Math.max(this.#at, event.at)
    const decision = unchanged('ignored', 'not_due', this.state)
    this.#listeners?.tell('refused', { event, decision })
    return decision
  }

  /**
   * Applies an event of a record as it stands, with the record's own time, and nothing besides: no deadline is fired
   * before it. For replays; whoever carries messages uses `send` and the others.
   */
  apply(event: Happening): Sent {
    const parsed = happening.safeParse(event, inOurWords)
    if (parsed.success) return this.#apply(parsed.data)
    return { ...unchanged('rejected', 'invalid', this.state), issues: issuesOf(parsed.error) }
  }

  #apply(event: Happening): Sent {
    const decided = this.#decide(event)
    if (decided.seq === undefined) this.#listeners?.tell('refused', { event, decision: decided })
    return decided
  }

  /** The record so far: what was retained, oldest first. Starts at a restored snapshot's position after a restore. */
  record(): RecordEvent[] {
    return this.#retained().map(({ event }) => event)
  }

  /** The same with each event's place and decision. */
  events(): readonly ConversationEvent[] {
    return this.#retained().slice()
  }

  /** Whether a message of that id has been said. */
  knows(message: string): boolean {
    return this.#known?.has(message) === true
  }

  /** Lets go of the record so far, and keeps none in memory from now on, such as when a journal has it. */
  forget(): void {
    this.#retain = false
    this.#open = null
    this.#events = null
  }

  /** All that is needed to go on, as plain JSON. */
  snapshot(): Snapshot {
    return {
      format: 1,
      machine: this.protocol.name,
      version: this.protocol.version,
      id: this.id,
      goal: this.goal,
      state: this.state,
      context: structuredClone(this.context),
      seq: this.#seq,
      at: this.#at,
      known: [...(this.#known ?? [])],
      ...(this.outcome === null ? {} : { outcome: this.outcome }),
    }
  }

  /** Listens; what a listener throws harms nobody, and is emitted as a process warning. Returns how to stop listening. */
  on<Topic extends keyof Topics>(topic: Topic, listener: Listener<Topic>): () => void {
    if (this.#listeners === null) this.#listeners = new Listeners(this.id)
    return this.#listeners.add(topic, listener)
  }

  /** All events from the first retained one on, then as they happen; ends after the one that closes. */
  [Symbol.asyncIterator](): AsyncIterableIterator<ConversationEvent> {
    return this.follow()
  }

  /** Events after a `seq`, the retained ones first, then as they happen; ends after the one that closes. */
  follow(after = -1): AsyncIterableIterator<ConversationEvent> {
    const listen = (onEvent: Listener<'event'>, onEnd: () => void): (() => void) => {
      const stops = [this.on('event', onEvent), this.on('closed', onEnd)]
      return () => {
        for (const stop of stops) stop()
      }
    }
    return follow({ past: this.#retained(), isClosed: this.isClosed, listen }, after)
  }

  /** Events so far; a list only when somebody asks or something happens, so that waiting conversations stay small. */
  #retained(): ConversationEvent[] {
    if (this.#events === null)
      this.#events = this.#open === null ? [] : [{ seq: 0, event: this.#open, decision: null }]
    return this.#events
  }

  #time(at: number | undefined): number {
    const time = Math.trunc(at ?? this.#clock.now())
    // Not by Math.max, which makes NaN of NaN: what is no time counts as the newest event's.
    return time > this.#at ? Math.min(time, LAST_TIME) : this.#at
  }

  #input(event: Happening): Sent {
    const due = this.dueAt
    if (due === null || event.at < due) return this.#apply(event)
    this.#apply({ type: 'deadline', at: event.at })
    // Somebody who heard of that may have spoken meanwhile, later than this event began.
    return this.#apply(event.at < this.#at ? { ...event, at: this.#at } : event)
  }

  /** Checks in the order of the specification ("What happens to a message"), then lets the machine decide. */
  #decide(event: Happening): Sent {
    if (event.type === 'message') return this.#decideMessage(event.at, event.message)
    if (this.#position.done) return unchanged('ignored', 'closed', this.state)
    return this.#take(event, event)
  }

  #decideMessage(at: number, input: unknown): Sent {
    const { data: message, issues } = this.#read(input, this.id)
    if (message === undefined) return { ...unchanged('rejected', 'invalid', this.state), issues }
    const { id, from, intent, content, payload, replyTo, tokens } = message
    const sender = this.#known?.get(id)
    if (sender === from) return { ...unchanged('ignored', 'duplicate', this.state), id }
    if (sender !== undefined) return { ...unchanged('rejected', 'id_taken', this.state), id }
    if (this.#position.done) return { ...unchanged('ignored', 'closed', this.state), id }
    if (!this.protocol.isMember(this.context, from))
      return { ...unchanged('ignored', 'not_member', this.state), id }
    const event = { type: intent, at, id, from, content, payload, replyTo, tokens }
    // Reading made this object for us alone.
    message.conversation = this.id
    message.sentAt ??= isoOf(at)
    Object.freeze(message)
    return this.#take(event, { type: 'message', at, message }, event)
  }

  /** Lets the machine decide, and keeps what changed something. */
  #take(
    event: { readonly type: string; readonly at: number },
    happening: Happening,
    said?: { readonly id: string; readonly from: string },
  ): Sent {
    const { position, decision } = step(this.protocol.machine, this.#position, event)
    this.#position = position
    this.#at = Math.max(this.#at, event.at)
    if (decision.effect === 'ignored' || decision.effect === 'rejected') return decision
    if (said !== undefined) {
      if (this.#known === null) this.#known = new Map()
      this.#known.set(said.id, said.from)
    }
    const seq = ++this.#seq
    const entry: ConversationEvent = { seq, event: happening, decision }
    if (this.#retain) this.#retained().push(entry)
    this.#listeners?.announce(entry, this.outcome)
    const { effect, reason, from, to, transitions, expelled } = decision
    if (expelled !== undefined) return { ...decision, seq, ...(said === undefined ? {} : { id: said.id }) }
    return said === undefined
      ? { effect, reason, from, to, transitions, seq }
      : { effect, reason, from, to, transitions, seq, id: said.id }
  }
}
