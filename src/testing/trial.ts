/**
 * The protocol's own machine, guards and actions, on trial: what an event leads to, what is known of a conversation, and
 * what the rules do that no rule may do.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Decision } from '../engine/decision.ts'
import type { Checking, Protocol, Saying, Scope } from '../engine/protocol.ts'
import type { MachineEvent, Position, Runner } from '../engine/runner.ts'
import { runnerOf } from '../engine/runners.ts'
import { DecisionSink } from '../engine/step.ts'
import { ColloquyError, messageOf } from '../errors.ts'
import { FIRST_TIME, type Key, type KeyWriter, keyOfContext } from './canonical.ts'
import { type BranchMark, MARK, markedMachine } from './marked.ts'
import { eventOf, isOwnId, OWN_ID, type Point, type Said, type Told } from './moves.ts'
import { Sayings } from './sayings.ts'

/** Something that no rule may do. */
export interface Flaw {
  readonly kind: 'clock' | 'time' | 'chance' | 'unrecorded' | 'cancel'
  readonly message: string
}

/** How often a step is taken twice. */
const REPEAT_EVERY = 97

class MarkingSink extends DecisionSink {
  readonly #taken: Uint8Array

  constructor(taken: Uint8Array) {
    super()
    this.#taken = taken
  }

  override note(type: string, params: unknown): void {
    if (type === MARK) this.#taken[params as number] = 1
    else super.note(type, params)
  }
}

export interface TrialOptions {
  readonly protocol: Protocol
  /** All that may ever be members. */
  readonly members: readonly string[]
  readonly lead: string | null
  readonly policy: object
  readonly scope: Scope
  readonly writer: KeyWriter
  /** Whether a clock or chance was asked, and by what. */
  readonly asked: () => string | null
}

export class Trial {
  readonly marks: readonly BranchMark[]
  /** For each mark whether its branch was taken. */
  readonly taken: Uint8Array
  /** The states that were reached. */
  readonly reached = new Set<string>()
  /** Intents that had an effect. */
  readonly used = new Set<string>()
  #flaw: Flaw | null = null
  steps = 0
  /** Intents of which no payload could be made. */
  readonly unsaid: readonly string[]
  readonly options: TrialOptions
  readonly checking: Checking
  readonly #runner: Runner
  /** What a member may try to say. */
  readonly says: (point: Point, member: string) => readonly Saying[]
  #ids = 0

  constructor(options: TrialOptions) {
    this.options = options
    const { protocol, scope } = options
    const { machine, marks } = markedMachine(protocol.machine)
    this.marks = marks
    this.taken = new Uint8Array(marks.length)
    this.#runner = runnerOf(machine)
    const checking = protocol.checking ?? {}
    this.checking = checking
    const made = new Sayings(protocol, isOwnId)
    this.unsaid = checking.says === undefined ? made.unsaid : []
    this.says =
      checking.says === undefined
        ? ({ position }) => made.of(position.context, options.members)
        : ({ position }, member) => checking.says?.(position.context, member, position.state, scope) ?? []
  }

  /** The gravest thing found that no rule may do: what puts the search itself in doubt comes before the rest. */
  get flaw(): Flaw | null {
    return this.#flaw
  }

  get #isTrusted(): boolean {
    return this.#flaw === null || this.#flaw.kind === 'cancel'
  }

  #found(flaw: Flaw): void {
    if (this.#flaw === null || (this.#isTrusted && flaw.kind !== 'cancel')) this.#flaw = flaw
  }

  /** Where the conversation opens. */
  open(): Point {
    const { protocol, members, lead, policy } = this.options
    const now = FIRST_TIME
    const position = this.#runner.start(
      protocol.input({ members, lead }, policy, now),
      new MarkingSink(this.taken),
    )
    this.reached.add(position.state)
    return { position, now }
  }

  keyOf({ position, now }: Point): Key {
    const { context, state, done } = position
    if (done) return { core: '', whole: '' }
    const { sketch } = this.checking
    if (sketch === undefined) return keyOfContext(context, now, state, isOwnId)
    return this.options.writer.keyOf(sketch(context, now, state, this.options.scope), state)
  }

  dueAt({ position }: Point): number | null {
    return position.done ? null : this.options.protocol.dueAt(position.context, position.state)
  }

  /** When the visit is over at the latest. */
  endsAt(point: Point): number | null {
    const { position } = point
    if (position.done || this.checking.endsAt === undefined) return this.dueAt(point)
    return this.checking.endsAt(position.context, position.state)
  }

  rank({ position }: Point): readonly number[] {
    return position.done ? [] : this.options.protocol.rank(position.context, position.state)
  }

  /** How many messages a member can still have recorded in this visit for nothing. */
  spare({ position }: Point, member: string): number | null {
    if (position.done || this.checking.spare === undefined) return 0
    return this.checking.spare(position.context, member, position.state)
  }

  members({ position }: Point): readonly string[] {
    return position.done ? [] : this.options.protocol.members(position.context)
  }

  /** Applies an event. */
  step(point: Point, event: Told): { readonly point: Point; readonly decision: Decision } {
    this.steps++
    const sink = new MarkingSink(this.taken)
    const { position } = point
    const machineEvent = event.type === 'message' ? eventOf(event) : event
    const next = this.#next(position, machineEvent, sink)
    const decision = sink.decision(machineEvent, position.state, next.state)
    if ((this.steps < REPEAT_EVERY || this.steps % REPEAT_EVERY === 0) && this.#isTrusted)
      this.#repeat(position, machineEvent, next)
    if (decision.transitions.length > 0) for (const { to } of decision.transitions) this.reached.add(to)
    if (event.type === 'message' && decision.effect === 'applied') this.used.add(event.message.intent)
    if (this.#isTrusted) this.#suspect(position, event, next, decision)
    return { point: { position: next, now: event.at }, decision }
  }

  /** The same once more must be the same. */
  #repeat(position: Position, event: MachineEvent, next: Position): void {
    const again = this.#next(position, event, new MarkingSink(this.taken))
    if (again.state === next.state && isDeepStrictEqual(again.context, next.context)) return
    this.#found({
      kind: 'chance',
      message: `In state "${position.state}" the same "${event.type}" does one thing now and another a moment later: a guard or an action goes by chance, or by something outside of the context.`,
    })
  }

  /** Notes what makes a record tell less than what decides. */
  #suspect(before: Position, event: Told, after: Position, { effect }: Decision): void {
    const what = event.type === 'message' ? `"${event.message.intent}"` : `"${event.type}"`
    const asked = this.options.asked()
    if (asked !== null) {
      this.#found({
        kind: 'clock',
        message: `A guard or an action of state "${before.state}" asks ${asked} when ${what} comes: what it decides depends on more than the record. Times come with events, as \`event.at\`.`,
      })
    }
    const isUnrecorded = effect === 'ignored' || effect === 'rejected'
    if (isUnrecorded && (before.state !== after.state || !isDeepStrictEqual(before.context, after.context))) {
      this.#found({
        kind: 'unrecorded',
        message: `In state "${before.state}" ${what} is ${effect} and changes something all the same. What is ${effect} is not recorded, so no replay would know: decide "recorded", or change nothing.`,
      })
    }
  }

  #next(position: Position, event: MachineEvent, sink: DecisionSink): Position {
    try {
      return this.#runner.next(position, event, sink)
    } catch (error) {
      if (error instanceof ColloquyError) throw error
      throw new ColloquyError(
        'PROTOCOL_INVALID',
        `The machine of "${this.options.protocol.name}" threw on "${event.type}" in state "${position.state}": ${messageOf(error)}`,
        { cause: error },
      )
    }
  }

  say(point: Point, member: string, saying: Saying): Said {
    return {
      type: 'message',
      at: point.now,
      message: {
        id: `${OWN_ID}${++this.#ids}`,
        from: member,
        intent: saying.intent,
        payload: saying.payload ?? {},
        replyTo: saying.replyTo ?? null,
        tokens: saying.tokens ?? 0,
        ...(saying.content === undefined ? {} : { content: saying.content }),
      },
    }
  }

  /** How many turns an event took. */
  turnsOf(before: Point, after: Point, event: Told, decision: Decision): number {
    const { turns } = this.checking
    if (turns !== undefined) return turns(after.position.context) - turns(before.position.context)
    return event.type === 'message' && decision.effect === 'applied' ? 1 : 0
  }

  /** Which visit of which state it is. */
  visit({ position }: Point): unknown {
    const { visit } = this.checking
    return visit === undefined ? position.state : visit(position.context, position.state)
  }

  /** What a member can spare at any time of the visit. */
  lasting(point: Point, member: string): number {
    const spare = this.spare(point, member)
    return spare === null ? Number.POSITIVE_INFINITY : spare - this.fleeting(point, member)
  }

  /** How many messages it can still have recorded for nothing only before it says anything else. */
  fleeting({ position }: Point, member: string): number {
    return this.checking.fleeting?.(position.context, member, position.state) ?? 0
  }

  /** The same thing said at any time before something is due must have the same effect. */
  compareTimes(point: Point, instants: readonly number[]): void {
    if (!this.#isTrusted) return
    const due = this.dueAt(point)
    for (const member of this.members(point)) {
      for (const saying of this.says(point, member)) {
        const said = this.say(point, member, saying)
        const now = this.step(point, said)
        for (const later of instants) {
          const then = this.step(point, { ...said, at: later })
          const dues = [this.dueAt(now.point), this.dueAt(then.point)] as const
          const isSame =
            now.decision.effect === then.decision.effect &&
            now.decision.reason === then.decision.reason &&
            now.decision.to === then.decision.to
          if (!isSame) {
            this.#found({
              kind: 'time',
              message: `In state "${point.position.state}" a "${saying.intent}" does one thing at once (${now.decision.effect}, ${now.decision.reason}) and another ${later - point.now} ms later (${then.decision.effect}, ${then.decision.reason}), before anything is due: a guard goes by the time. Let only "deadline" do so.`,
            })
            return
          }
          if (due !== null && dues[0] !== null && dues[1] !== null && dues[0] > dues[1]) {
            this.#found({
              kind: 'time',
              message: `In state "${point.position.state}" a "${saying.intent}" said later makes something due earlier: the search for the longest conversation does not cover this.`,
            })
            return
          }
        }
      }
    }
  }

  /** What changes nothing, or is no part of the longest conversation, is tried once in each state, so that its branch is seen. */
  probe(point: Point): void {
    const { now } = point
    this.step(point, { type: 'deadline', at: now })
    this.step(point, { type: 'deadline', at: now + 2 ** 38 })
  }

  /** Whoever runs a conversation must be able to end it. */
  mustCancel(point: Point): void {
    const { point: after } = this.step(point, { type: 'cancel', at: point.now })
    if (after.position.done || this.#flaw !== null) return
    this.#found({
      kind: 'cancel',
      message: `"cancel" does not close the conversation in state "${point.position.state}": nobody can stop it there.`,
    })
  }
}
