/** One conversation in memory: it admits what comes, lets the machine decide, and tells what happened. */
import type { z } from 'zod'
import { ColloquyError, type Issue, messageOf } from '../errors.ts'
import { issuesOf } from '../schema/issues.ts'
import {
  CONTENT_LIMIT,
  type Message,
  type MessageInput,
  type MessageSchema,
  messageSchema,
} from '../schema/message.ts'
import { type Happening, LAST_TIME, type OpenEvent, openEvent, type RecordEvent } from '../schema/record.ts'
import { type Snapshot, snapshotSchema } from '../schema/snapshot.ts'
import { agentId } from '../schema/text.ts'
import { inOurWords } from '../schema/wording.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Decision, unchanged } from './decision.ts'
import { freshId } from './fresh-id.ts'
import { isoOf } from './iso.ts'
import type { Protocol } from './protocol.ts'
import { type Position, runnerOf } from './runner.ts'
import { start, step } from './step.ts'

/** What happened, in its place in the conversation. */
export interface ConversationEvent {
  /** 0 for `open`, then 1, 2, 3, … without a gap. What was ignored or rejected has none: it changed nothing. */
  readonly seq: number
  readonly event: RecordEvent
  /** Null for `open`. */
  readonly decision: Decision | null
}

/** The answer to one event. */
export interface Sent extends Decision {
  /** The message's id, where it had one. */
  readonly id?: string
  /** What is wrong with a message that is `invalid`. */
  readonly issues?: readonly Issue[]
  /** Its place; absent when it was ignored or rejected. */
  readonly seq?: number
}

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

/** What a listener may hear. */
export interface Topics {
  /** Everything that was applied or recorded, `open` excluded. */
  event: ConversationEvent
  message: ConversationEvent & { readonly message: Message }
  /** A change of state, once for each. */
  transition: { readonly seq: number; readonly from: string; readonly to: string; readonly reason: string }
  /** The end; nothing comes after it. */
  closed: { readonly seq: number; readonly outcome: object }
  /** What was ignored or rejected. */
  refused: { readonly event: Happening; readonly decision: Sent }
}

type Listener<Topic extends keyof Topics> = (heard: Topics[Topic]) => void
type Listeners = { [Topic in keyof Topics]?: Set<Listener<Topic>> }

/** The schema of a protocol's messages, built once. */
const schemas = new WeakMap<object, Map<number, MessageSchema>>()
const schemaOf = (protocol: Protocol, contentLimit: number): MessageSchema => {
  const byLimit = schemas.get(protocol) ?? new Map<number, MessageSchema>()
  schemas.set(protocol, byLimit)
  const schema = byLimit.get(contentLimit) ?? messageSchema(protocol.payloads, contentLimit)
  byLimit.set(contentLimit, schema)
  return schema
}

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
  readonly #schema: MessageSchema
  readonly #retain: boolean
  /** How it was opened, where that is retained. */
  readonly #open: OpenEvent | null
  #position: Position
  /** Who sent the message with an id; made with the first message, so that waiting conversations stay small. */
  #known: Map<string, string> | null
  #seq: number
  #at: number
  #events: ConversationEvent[] | null = null
  #listeners: Listeners | null = null
  #outbox: ConversationEvent[] | null = null

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
    this.#schema = schemaOf(options.protocol, options.contentLimit ?? CONTENT_LIMIT)
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
    return this.#position.done ? null : this.protocol.dueAt(this.context)
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
    if (!parsed.success) {
      return { ...unchanged('rejected', 'invalid', this.state), issues: issuesOf(parsed.error, ['member']) }
    }
    return this.#input({ type: 'join', at: this.#time(at), member: parsed.data })
  }

  /** Removes a member. */
  leave(member: string, at?: number): Sent {
    return this.#input({ type: 'leave', at: this.#time(at), member: admittedId(member) })
  }

  /** A member failed when it was asked to speak; `error` says how, for the record. */
  fault(member: string, error?: string, at?: number): Sent {
    const fault = { type: 'fault', at: this.#time(at), member: admittedId(member) } as const
    return this.#input(error === undefined ? fault : { ...fault, error })
  }

  /** Closes it from outside. A second time changes nothing. */
  cancel(at?: number): Sent {
    return this.#input({ type: 'cancel', at: this.#time(at) })
  }

  /** Fires the deadline when it is due; harmless at any other time, and as often as one likes. */
  tick(now?: number): Sent {
    const at = this.#time(now)
    return this.apply({ type: 'deadline', at })
  }

  /**
   * Applies an event of a record as it stands, with the record's own time, and nothing besides: no deadline is fired
   * before it. For replays; whoever carries messages uses `send` and the others.
   */
  apply(event: Happening): Sent {
    const decided = this.#decide(event)
    if (decided.seq === undefined) this.#tell('refused', { event, decision: decided })
    else this.#drain()
    return decided
  }

  /** The record so far: what was retained, oldest first. Starts at a restored snapshot's position after a restore. */
  record(): RecordEvent[] {
    return this.#retained().map(({ event }) => event)
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
    if (this.#listeners === null) this.#listeners = {}
    const all: Listeners = this.#listeners
    const known: Set<Listener<Topic>> = (all[topic] as Set<Listener<Topic>> | undefined) ?? new Set()
    ;(all as Record<Topic, Set<Listener<Topic>>>)[topic] = known
    known.add(listener)
    return () => known.delete(listener)
  }

  /** All events from the first retained one on, then as they happen; ends after the one that closes. */
  [Symbol.asyncIterator](): AsyncIterableIterator<ConversationEvent> {
    return this.follow()
  }

  /** Events after a `seq`, the retained ones first, then as they happen; ends after the one that closes. */
  follow(after = -1): AsyncIterableIterator<ConversationEvent> {
    const waiting = this.#retained().filter(({ seq }) => seq > after)
    // A listener that sends and then follows finds its event here, and is told of it once more.
    const seen = waiting.at(-1)?.seq ?? after
    let wake: (() => void) | null = null
    let isOver = this.isClosed
    const stop = [
      this.on('event', (event) => {
        if (event.seq <= seen) return
        waiting.push(event)
        wake?.()
      }),
      this.on('closed', () => {
        isOver = true
        wake?.()
      }),
    ]
    let taken = 0
    // Not by Array#shift, which moves all that wait: a long record would take quadratic time.
    const take = (): ConversationEvent | undefined => {
      const event = waiting[taken]
      if (event !== undefined) taken++
      if (taken * 2 > waiting.length) {
        waiting.splice(0, taken)
        taken = 0
      }
      return event
    }
    const end = (): IteratorResult<ConversationEvent, undefined> => {
      for (const each of stop) each()
      isOver = true
      waiting.length = 0
      taken = 0
      wake?.()
      return { done: true, value: undefined }
    }
    const next = async (): Promise<IteratorResult<ConversationEvent, undefined>> => {
      while (waiting.length === taken && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        wake = null
      }
      const value = take()
      return value === undefined ? end() : { done: false, value }
    }
    let chain: Promise<unknown> = Promise.resolve()
    return {
      // One after the other, so that calls that overlap get different events, in order.
      next: () => {
        const result = chain.then(next)
        chain = result
        return result
      },
      return: async () => end(),
      [Symbol.asyncIterator]() {
        return this
      },
    }
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
    if (due !== null && event.at >= due) this.apply({ type: 'deadline', at: event.at })
    return this.apply(event)
  }

  /** Checks in the order of the specification ("What happens to a message"), then lets the machine decide. */
  #decide(event: Happening): Sent {
    if (event.type === 'message') return this.#decideMessage(event.at, event.message)
    if (this.#position.done) return unchanged('ignored', 'closed', this.state)
    return this.#take(event, event)
  }

  #decideMessage(at: number, input: unknown): Sent {
    const parsed = this.#parse(input)
    if (!parsed.success) return { ...unchanged('rejected', 'invalid', this.state), issues: parsed.issues }
    const { id, from, intent, content, payload, replyTo, tokens } = parsed.data
    const sender = this.#known?.get(id)
    if (sender === from) return { ...unchanged('ignored', 'duplicate', this.state), id }
    if (sender !== undefined) return { ...unchanged('rejected', 'id_taken', this.state), id }
    if (this.#position.done) return { ...unchanged('ignored', 'closed', this.state), id }
    if (!this.protocol.isMember(this.context, from))
      return { ...unchanged('ignored', 'not_member', this.state), id }
    const event = { type: intent, at, id, from, content, payload, replyTo, tokens }
    // Parsing made this object for us alone.
    const message = parsed.data
    message.conversation = this.id
    message.sentAt ??= isoOf(at)
    return this.#take(event, { type: 'message', at, message }, event)
  }

  #parse(
    input: unknown,
  ): { success: true; data: z.output<MessageSchema> } | { success: false; issues: Issue[] } {
    const parsed = this.#schema.safeParse(input, inOurWords)
    if (!parsed.success) return { success: false, issues: issuesOf(parsed.error) }
    const { conversation } = parsed.data
    if (conversation === undefined || conversation === this.id) return { success: true, data: parsed.data }
    const message = `names the conversation "${conversation}", but this one is "${this.id}"`
    return { success: false, issues: [{ path: 'conversation', message }] }
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
    if (this.#listeners !== null) {
      if (this.#outbox === null) this.#outbox = []
      this.#outbox.push(entry)
    }
    const { effect, reason, from, to, transitions, expelled } = decision
    if (expelled !== undefined) return { ...decision, seq, ...(said === undefined ? {} : { id: said.id }) }
    return said === undefined
      ? { effect, reason, from, to, transitions, seq }
      : { effect, reason, from, to, transitions, seq, id: said.id }
  }

  #isDraining = false

  /** Tells listeners what happened, in order, also when one of them sends again from within. */
  #drain(): void {
    if (this.#isDraining || this.#outbox === null) return
    this.#isDraining = true
    try {
      for (let entry = this.#outbox.shift(); entry !== undefined; entry = this.#outbox.shift())
        this.#announce(entry)
    } finally {
      this.#isDraining = false
    }
  }

  #announce(entry: ConversationEvent): void {
    const { seq, event, decision } = entry
    this.#tell('event', entry)
    if (event.type === 'message' && this.#listeners?.message !== undefined)
      this.#tell('message', { ...entry, message: event.message as Message })
    for (const transition of decision?.transitions ?? []) this.#tell('transition', { seq, ...transition })
    const outcome = this.outcome
    if (outcome !== null && seq === this.#seq) this.#tell('closed', { seq, outcome })
  }

  #tell<Topic extends keyof Topics>(topic: Topic, heard: Topics[Topic]): void {
    const listeners = this.#listeners?.[topic] as Set<Listener<Topic>> | undefined
    if (listeners === undefined) return
    for (const listener of [...listeners]) {
      try {
        listener(heard)
      } catch (error) {
        process.emitWarning(`A listener to "${topic}" of conversation ${this.id} threw: ${messageOf(error)}`)
      }
    }
  }
}

/**
 * Opens a conversation.
 * @throws ColloquyError `OPEN_INVALID` (members, lead, id) or `POLICY_INVALID`, with each wrong field; nothing is opened then.
 */
export const openConversation = <Context extends object, Outcome extends object, Board extends object>(
  options: OpenOptions<Context, Outcome, Board>,
): Conversation<Context, Outcome, Board> => {
  const { protocol } = options
  const at = options.at ?? (options.clock ?? systemClock).now()
  const parsed = openEvent.safeParse(
    {
      type: 'open',
      at: typeof at === 'number' ? Math.trunc(at) : at,
      id: options.id ?? freshId('c_'),
      machine: protocol.name,
      version: protocol.version,
      goal: options.goal ?? '',
      members: options.members,
      lead: options.lead ?? null,
    },
    inOurWords,
  )
  if (!parsed.success) throw refusal('OPEN_INVALID', issuesOf(parsed.error))
  const { members, lead } = parsed.data
  const issues = issuesOfGroup(members, lead)
  if (issues.length > 0) throw refusal('OPEN_INVALID', issues)
  const completed = protocol.completePolicy(options.policy ?? {}, { members, lead })
  if (completed.issues !== undefined) throw refusal('POLICY_INVALID', completed.issues)
  const open = { ...parsed.data, policy: completed.policy as OpenEvent['policy'] }
  const position = start(protocol.machine, protocol.input(open, completed.policy, open.at))
  return new Conversation(options, { ...open, position, seq: 0, open, known: null })
}

const refusal = (code: 'OPEN_INVALID' | 'POLICY_INVALID', issues: readonly Issue[]): ColloquyError =>
  new ColloquyError(
    code,
    `The conversation was not opened: ${issues.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
    { issues },
  )

const issuesOfGroup = (members: readonly string[], lead: string | null): Issue[] => {
  const issues: Issue[] = []
  if (members.length === 0) issues.push({ path: 'members', message: 'must name at least one member' })
  for (const [index, member] of members.entries()) {
    if (members.indexOf(member) < index) {
      issues.push({
        path: `members[${index}]`,
        message: `repeats "${member}": each member needs an id of its own`,
      })
    }
  }
  if (lead !== null && !members.includes(lead)) {
    issues.push({
      path: 'lead',
      message: `names "${lead}", who is no member; members are: ${members.join(', ')}`,
    })
  }
  return issues
}

/**
 * Takes a conversation up from a snapshot: it goes on as if it had never stopped, message ids known so far included.
 * @throws ColloquyError `SNAPSHOT_INVALID` when it is no snapshot, of another protocol, or of a version that has no migration
 */
export const restoreConversation = <Context extends object, Outcome extends object, Board extends object>(
  snapshot: unknown,
  options: RestoreOptions<Context, Outcome, Board>,
): Conversation<Context, Outcome, Board> => {
  const { protocol } = options
  const parsed = snapshotSchema.safeParse(snapshot, inOurWords)
  if (!parsed.success) {
    const issues = issuesOf(parsed.error)
    const found = issues.map(({ path, message }) => `${path} ${message}`).join('; ')
    throw new ColloquyError('SNAPSHOT_INVALID', `This is no snapshot of a conversation: ${found}`, { issues })
  }
  const { machine, version, id, goal, state, seq, at, known, outcome } = parsed.data
  if (machine !== protocol.name) {
    const message = `The snapshot is of the protocol "${machine}", not of "${protocol.name}"`
    throw new ColloquyError('SNAPSHOT_INVALID', message)
  }
  let context: object = structuredClone(parsed.data.context)
  for (let from = version; from !== protocol.version; from++) {
    const migrate = from < protocol.version ? protocol.migrations?.[from] : undefined
    if (migrate === undefined) {
      const message = `The snapshot is of version ${version} of "${machine}"; this is version ${protocol.version}, with no way from ${from} to it`
      throw new ColloquyError('SNAPSHOT_INVALID', message)
    }
    context = migrate(context)
  }
  if (!runnerOf(protocol.machine).knows(state)) {
    throw new ColloquyError('SNAPSHOT_INVALID', `The protocol "${machine}" has no state "${state}"`)
  }
  const position = { state, context, done: outcome !== undefined, output: outcome }
  return new Conversation(options, { id, goal, position, seq, at, open: null, known: new Map(known) })
}
