/**
 * What can happen next, at any point of a conversation: the protocol's own machine, guards and actions, under an
 * adversary that may say anything that could make a difference, fail, go, or stay silent. An edge is one such move, or
 * a move prepared by messages against the rules that do nothing but use up what a member may afford.
 *
 * Time is told by the slowest schedule: every message waits until the last moment before the due time. That no guard but
 * those of `deadline` goes by the time is checked wherever there is something to wait for.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Decision } from '../engine/decision.ts'
import type { Checking, Protocol, Saying, Scope } from '../engine/protocol.ts'
import type { MachineEvent, Position, Runner } from '../engine/runner.ts'
import { runnerOf } from '../engine/runners.ts'
import { DecisionSink } from '../engine/step.ts'
import { ColloquyError, messageOf } from '../errors.ts'
import type { Happening } from '../schema/record.ts'
import { FIRST_TIME, type Key, type KeyWriter, keyOfContext } from './canonical.ts'
import { type BranchMark, MARK, markedMachine } from './marked.ts'
import { Sayings } from './sayings.ts'

/** A conversation at a time. */
export interface Point {
  readonly position: Position
  /** ms. */
  readonly now: number
}

/** Something that happened, as a record tells it. */
export type Told = Exclude<Happening, { type: 'message' }> | Said
export interface Said {
  readonly type: 'message'
  readonly at: number
  readonly message: {
    readonly id: string
    readonly from: string
    readonly intent: string
    readonly payload: Readonly<Record<string, unknown>>
    readonly replyTo: string | null
    readonly tokens: number
    readonly content?: string
  }
}

export interface Edge extends Point {
  readonly key: Key
  readonly events: readonly Told[]
  readonly decisions: readonly Decision[]
  readonly turns: number
  /** Recorded messages of the edge's own. */
  readonly messages: number
  /** Messages that could have been recorded before, and cannot any more. */
  readonly spared: number
  /** Who uses up one of the messages that it could spare. */
  readonly spender: string | null
  readonly ms: number
  /** What was done last; null: it was waited. */
  readonly move: Told['type'] | null
  /** Who has said all that it can spare before. */
  readonly ready: string | null
}

/** All that can happen at a point. */
export interface Expansion {
  readonly edges: readonly Edge[]
  /** A turn that can be spoken for ever without any change. */
  readonly turnLoop: Edge | null
  /** A message that can be recorded for ever without any change. */
  readonly messageLoop: Edge | null
  /** Nothing is due: silence lasts for ever. */
  readonly silent: boolean
  /** The due time comes and changes nothing. */
  readonly stuck: boolean
}

/** Something that no rule may do. */
export interface Flaw {
  readonly kind: 'clock' | 'time' | 'chance' | 'unrecorded' | 'cancel'
  readonly message: string
}

/** Where a member has said all that it can say for nothing. */
export interface Exhausted {
  readonly point: Point
  readonly events: readonly Said[]
  readonly decisions: readonly Decision[]
  readonly last: Saying | null
}

interface Wasted {
  readonly point: Point
  readonly decision: Decision
  readonly said: Said
  readonly saying: Saying
  readonly left: number
}

/** How a decision calls what comes too late, and the point at which a member has said all that it can say of it. */
interface Late {
  readonly reason: string
  readonly origin: Origin
}

/** Who has said all that it can spare, and how many messages these were. */
interface Ready {
  readonly member: string
  readonly messages: number
}
const NOTHING = {}

const GOING = ['fault', 'leave'] as const
const LEAVING = ['leave'] as const

/** What was said at a point, and where it led. */
interface Heard {
  readonly position: Position
  readonly key: Key
}

/** More messages without an effect than this are taken for no limit. */
const MOST_SPARE = 10_000
/** How often what a protocol claims to be spent is compared with what is said, and a step taken twice. */
const COMPARE_EVERY = 97

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

export interface ExplorerOptions {
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

/** Who may use up one of the messages that it can spare, by failing or by something against the rules. */
const spenderOf = (move: Told, { effect }: Decision): string | null => {
  if (move.type === 'fault') return move.member
  return move.type === 'message' && effect === 'recorded' ? move.message.from : null
}

/** Whether an edge has at least as much of everything as another to the same place. */
const isNoLess = (a: Edge, b: Edge): boolean =>
  a.turns >= b.turns &&
  a.ms >= b.ms &&
  a.messages + a.spared >= b.messages + b.spared &&
  (a.move === 'join') === (b.move === 'join')

interface MessageEvent extends MachineEvent {
  readonly at: number
  readonly id: string
  readonly from: string
  readonly content: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly replyTo: string | null
  readonly tokens: number
}

/**
 * Some instants between now and what is due: the last and, where the rules tell of themselves what matters, one between;
 * else all that are a power of two before, so that there are few however much is said between them.
 */
const instantsOf = (now: number, due: number, isKnown: boolean): readonly number[] => {
  if (isKnown) return [...new Set([now + Math.ceil((due - now) / 3), due - 1])]
  const instants: number[] = []
  for (let left = 1; due - left > now; left *= 2) instants.unshift(due - left)
  return instants
}

/** A message as the machine sees it. */
const eventOf = ({
  at,
  message: { id, from, intent, payload, replyTo, tokens, content = '' },
}: Said): MessageEvent => ({
  type: intent,
  at,
  id,
  from,
  content,
  payload,
  replyTo,
  tokens,
})

/** Whether two values are alike, looking a few levels down: enough to see that most of a context was not touched. */
const isAlike = (a: unknown, b: unknown, depth = 3): boolean => {
  if (a === b) return true
  if (depth === 0 || typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let at = 0; at < a.length; at++) if (!isAlike(a[at], b[at], depth - 1)) return false
    return true
  }
  if (Object.getPrototypeOf(a) !== Object.prototype || Object.getPrototypeOf(b) !== Object.prototype)
    return false
  const [one, other] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>]
  let count = 0
  for (const name in one) {
    if (!isAlike(one[name], other[name], depth - 1)) return false
    count++
  }
  for (const _ in other) count--
  return count === 0
}

/** What the ids of the checker’s messages begin with: nothing that a context says of itself. */
const OWN_ID = 'checked-message-'
const isOwnId = (text: string): boolean => text.startsWith(OWN_ID)

/** Where edges begin, with what all of them need to know of it. */
class Origin {
  readonly point: Point
  readonly members: readonly string[]
  readonly visit: unknown
  readonly #lastingOf: (member: string, point: Point) => number
  readonly #lasting: number[] = []

  constructor(
    point: Point,
    members: readonly string[],
    visit: unknown,
    lastingOf: (member: string, point: Point) => number,
  ) {
    this.point = point
    this.members = members
    this.visit = visit
    this.#lastingOf = lastingOf
  }

  /** Where all is the same but for what somebody can spare. */
  at(point: Point): Origin {
    return new Origin(point, this.members, this.visit, this.#lastingOf)
  }

  /** What a member can spare at any time of the visit. */
  lasting(member: string): number {
    const index = this.members.indexOf(member)
    if (index < 0) return 0
    this.#lasting[index] ??= this.#lastingOf(member, this.point)
    return this.#lasting[index]
  }
}

export class Explorer {
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
  readonly #options: ExplorerOptions
  readonly #checking: Checking
  readonly #runner: Runner
  readonly #says: (point: Point, member: string) => readonly Saying[]
  #ids = 0
  #compared = 0
  readonly #visited = new Set<string>()
  readonly #misplacedIn = new Set<string>()
  readonly #lastingOf = (member: string, point: Point): number => this.#lasting(point, member)

  constructor(options: ExplorerOptions) {
    this.#options = options
    const { protocol, scope } = options
    const { machine, marks } = markedMachine(protocol.machine)
    this.marks = marks
    this.taken = new Uint8Array(marks.length)
    this.#runner = runnerOf(machine)
    const checking = protocol.checking ?? {}
    this.#checking = checking
    const made = new Sayings(protocol, isOwnId)
    this.unsaid = checking.says === undefined ? made.unsaid : []
    this.#says =
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
    const { protocol, members, lead, policy } = this.#options
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
    const { sketch } = this.#checking
    if (sketch === undefined) return keyOfContext(context, now, state, isOwnId)
    return this.#options.writer.keyOf(sketch(context, now, state, this.#options.scope), state)
  }

  dueAt({ position }: Point): number | null {
    return position.done ? null : this.#options.protocol.dueAt(position.context, position.state)
  }

  /** When the visit is over at the latest. */
  endsAt(point: Point): number | null {
    const { position } = point
    if (position.done || this.#checking.endsAt === undefined) return this.dueAt(point)
    return this.#checking.endsAt(position.context, position.state)
  }

  rank({ position }: Point): readonly number[] {
    return position.done ? [] : this.#options.protocol.rank(position.context, position.state)
  }

  /** How many messages a member can still have recorded in this visit for nothing. */
  spare({ position }: Point, member: string): number | null {
    if (position.done || this.#checking.spare === undefined) return 0
    return this.#checking.spare(position.context, member, position.state)
  }

  members({ position }: Point): readonly string[] {
    return position.done ? [] : this.#options.protocol.members(position.context)
  }

  /** Applies an event. */
  step(point: Point, event: Told): { readonly point: Point; readonly decision: Decision } {
    this.steps++
    const sink = new MarkingSink(this.taken)
    const { position } = point
    const machineEvent = event.type === 'message' ? eventOf(event) : event
    const next = this.#next(position, machineEvent, sink)
    const decision = sink.decision(machineEvent, position.state, next.state)
    if ((this.steps < COMPARE_EVERY || this.steps % COMPARE_EVERY === 0) && this.#isTrusted)
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
    const asked = this.#options.asked()
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
        `The machine of "${this.#options.protocol.name}" threw on "${event.type}" in state "${position.state}": ${messageOf(error)}`,
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

  /** Everything that can happen next. */
  expand(point: Point, key = this.keyOf(point)): Expansion {
    const due = this.dueAt(point)
    const overdue = due !== null && due <= point.now
    const edges: Edge[] = []
    if (due !== null && due - 1 > point.now) {
      const isKnown = this.#checking.sketch !== undefined
      const instants = instantsOf(point.now, due, isKnown)
      this.#compareTimes(point, instants)
      const isMinded = !isKnown && this.#keepsTimes(point, instants)
      edges.push(this.#wait(point, isMinded ? (instants[0] ?? due - 1) : due - 1))
      if (!isMinded) return { edges, turnLoop: null, messageLoop: null, silent: false, stuck: false }
    }
    const isNew = !this.#visited.has(point.position.state)
    this.#visited.add(point.position.state)
    const byKey = new Map<string, Edge[]>()
    let turnLoop: Edge | null = null
    let messageLoop: Edge | null = null
    let stuck = false
    const add = (edge: Edge): void => {
      const alike = byKey.get(edge.key.whole)
      if (alike === undefined) byKey.set(edge.key.whole, [edge])
      else if (alike.some((known) => isNoLess(known, edge))) return
      else alike.push(edge)
      edges.push(edge)
    }
    /** Takes what was no message; what it changes is at least a count that matters. */
    const go = (edge: Edge): Edge | null => {
      if (edge.key.core === key.core && edge.turns === 0) return null
      if (edge.key.whole === key.whole) return edge
      add(edge)
      return null
    }
    const origin = this.#origin(point)
    if (!overdue) {
      for (const member of origin.members) {
        const stutters: Saying[] = []
        // Of what a member may say, much leads to the same: then it is compared, which is faster than a key.
        const heard: Heard[] = []
        let late: Late | null = null
        const hear = (from: Origin, saying: Saying): void => {
          const said = this.say(point, member, saying)
          const { point: next, decision } = this.step(from.point, said)
          if (decision.effect === 'ignored' || decision.effect === 'rejected') return
          const reached = this.#keyAmong(heard, next)
          const turns = (): number => this.#turnsOf(from.point, next, said, decision)
          const edge = (isLate = false): Edge =>
            this.#edgeOf(from, next, [said], [decision], reached, said, { isLate })
          if (reached.core !== key.core) {
            // Who says early what it can say only then, says it without any other effect in the longest conversation.
            if (late !== null && from === origin && decision.reason === late.reason) {
              add(edge(true))
              hear(late.origin, saying)
              return
            }
            const alike = byKey.get(reached.whole)
            // A message more that leads where another leads is the same edge.
            if (alike?.some((known) => known.move === 'message' && known.turns === turns()) === true) return
            add(edge())
            return
          }
          if (turns() > 0) {
            // Where nothing limits turns, what it may afford against the rules may.
            if (reached.whole !== key.whole) add(edge())
            else if (turnLoop === null || turnLoop.messages === 0) turnLoop = edge()
            return
          }
          const before = this.spare(from.point, member)
          const after = this.spare(next, member)
          if (before === null || after === null || after >= before) {
            messageLoop ??= edge()
            return
          }
          stutters.push(saying)
          if (this.#fleeting(point, member) > this.#fleeting(next, member) && reached.whole === key.whole)
            late ??= { reason: decision.reason, origin: this.#origin(next) }
        }
        for (const saying of this.#says(point, member)) hear(origin, saying)
        for (const edge of this.#brink(origin, member, stutters, key)) add(edge)
        let isFaultFatal = false
        for (const edge of this.#going(origin, member, GOING)) {
          if (edge.move === 'fault') isFaultFatal = !this.members(edge).includes(member)
          turnLoop ??= go(edge)
        }
        for (const twin of this.#twins(point, member).map((each) => this.#origin(each))) {
          for (const edge of this.#brink(twin, member, stutters, key)) add(edge)
          for (const edge of this.#going(twin, member, isFaultFatal ? GOING : LEAVING)) turnLoop ??= go(edge)
        }
      }
      if (this.#options.scope.joins) {
        for (const member of this.#options.members.filter((id) => !origin.members.includes(id))) {
          const edge = this.#edge(origin, { type: 'join', at: point.now, member })
          if (edge !== null) go(edge)
        }
      }
    }
    if (!overdue && this.#isToBeMisplaced(origin)) {
      for (const edge of this.#misplaced(origin)) turnLoop ??= go(edge)
    }
    if (due !== null) {
      const at = Math.max(due, point.now)
      const edge = this.#edge(origin, { type: 'deadline', at })
      if (
        edge === null ||
        (edge.key.whole === this.keyOf({ position: point.position, now: at }).whole && !edge.position.done)
      )
        stuck = true
      else add(edge)
    }
    if (isNew) this.#probe(point)
    this.#mustCancel(point)
    return { edges, turnLoop, messageLoop, silent: due === null, stuck }
  }

  #wait({ position, now }: Point, until: number): Edge {
    const later = { position, now: until }
    return {
      ...later,
      key: this.keyOf(later),
      events: [],
      decisions: [],
      turns: 0,
      messages: 0,
      spared: 0,
      spender: null,
      ms: until - now,
      move: null,
      ready: null,
    }
  }

  /** Whether what happens at one time leaves something else behind than at another. */
  #keepsTimes(point: Point, instants: readonly number[]): boolean {
    const events = this.members(point).flatMap((member): Told[] => [
      ...this.#says(point, member).map((saying) => this.say(point, member, saying)),
      { type: 'fault', at: point.now, member },
      { type: 'leave', at: point.now, member },
    ])
    return events.some((event) => {
      const { context } = this.step(point, event).point.position
      return instants.some(
        (at) => !isDeepStrictEqual(context, this.step(point, { ...event, at }).point.position.context),
      )
    })
  }

  #origin(point: Point): Origin {
    return new Origin(point, this.members(point), this.#visit(point), this.#lastingOf)
  }

  /** The key of a point; where something said before led to the same, its key. */
  #keyAmong(heard: Heard[], point: Point): Key {
    const { position } = point
    for (let at = heard.length - 1; at >= 0; at--) {
      const known = heard[at] as Heard
      if (known.position.state === position.state && isAlike(known.position.context, position.context))
        return known.key
    }
    const key = this.keyOf(point)
    heard.push({ position, key })
    return key
  }

  /** What a member does when it can afford nothing against the rules any more: one more costs it its seat. */
  #brink(from: Origin, member: string, stutters: readonly Saying[], key: Key): Edge[] {
    const [first] = stutters
    if (first === undefined) return []
    const spentAll = this.#ready(from.point, member, stutters)
    if (spentAll === null) return []
    const found: Edge[] = []
    const origin = from.at(spentAll)
    const last = this.say(spentAll, member, first)
    for (const event of [last, { type: 'fault', at: spentAll.now, member } as const]) {
      const { point: next, decision } = this.step(spentAll, event)
      if (decision.effect === 'ignored') continue
      const reached = this.keyOf(next)
      if (reached.core === key.core) continue
      // What it takes to get ready is said only where somebody wants to read it.
      const ready = { member, messages: from.lasting(member) }
      found.push(this.#edgeOf(origin, next, [event], [decision], reached, event, { ready }))
    }
    return found
  }

  /** The point at which a member has said all that it can spare. */
  #ready(point: Point, member: string, stutters?: readonly Saying[]): Point | null {
    const { spent } = this.#checking
    if (spent === undefined) return this.exhaust(point, member, 0, stutters)?.point ?? null
    const { position, now } = point
    const context = spent(position.context, member, position.state)
    const ready = { position: { ...position, context }, now }
    if (this.#compared++ % COMPARE_EVERY === 0) {
      const said = this.exhaust(point, member, 0)?.point
      if (said === undefined || JSON.stringify(said.position.context) !== JSON.stringify(context)) {
        throw new ColloquyError(
          'PROTOCOL_INVALID',
          `checking.spent of "${this.#options.protocol.name}" tells another context than what "${member}" says leads to, in state "${position.state}"`,
        )
      }
    }
    return ready
  }

  /** A member fails, or goes. A failure may cost the seat as well. */
  #going(origin: Origin, member: string, ways: readonly ('fault' | 'leave')[]): Edge[] {
    return ways
      .map((type) => this.#edge(origin, { type, at: origin.point.now, member }))
      .filter((edge) => edge !== null)
  }

  /** Always where little is known of the rules; else once in each state for those who are gone. */
  #isToBeMisplaced({ point, members }: Origin): boolean {
    if (this.#checking.says === undefined) return true
    const gone = this.#options.members.filter((id) => !members.includes(id))
    const place = JSON.stringify([point.position.state, gone])
    if (this.#misplacedIn.has(place)) return false
    this.#misplacedIn.add(place)
    return true
  }

  /** Who is no member leaves or fails, and who is one joins: the machine is told, and should ignore it. */
  #misplaced(origin: Origin): Edge[] {
    const at = origin.point.now
    const present = origin.members
    const absent = [...this.#options.members.filter((id) => !present.includes(id)), 'nobody']
    const tried: Told[] = [
      ...absent.flatMap((member) => [
        { type: 'leave', at, member } as const,
        { type: 'fault', at, member } as const,
      ]),
      ...present.slice(0, 1).map((member) => ({ type: 'join', at, member }) as const),
    ]
    return tried.map((event) => this.#edge(origin, event)).filter((edge) => edge !== null)
  }

  #twins({ position, now }: Point, member: string): Point[] {
    const twins = this.#checking.twins?.(position.context, member, position.state) ?? []
    return twins.map((context) => ({ position: { ...position, context }, now }))
  }

  /**
   * Lets a member say what does nothing until it can say no more of it than `keep`: the cheapest first. Null: there is no
   * end to it, or nothing to say.
   */
  exhaust(point: Point, member: string, keep: number, sayings = this.#says(point, member)): Exhausted | null {
    const { core } = this.keyOf(point)
    const events: Said[] = []
    const decisions: Decision[] = []
    let at = point
    let last: Saying | null = null
    for (let left = this.spare(at, member); left !== 0 && left !== keep; ) {
      if (left === null || events.length >= MOST_SPARE) return null
      // What cost one once will cost one again, as a rule.
      const again: Wasted | null = last === null ? null : this.#waste(at, member, last, left, null)
      const wasted: Wasted | null =
        again ??
        sayings
          .map((saying) => this.#waste(at, member, saying, left as number, core))
          .reduce(
            (best, each) => (each !== null && (best === null || each.left > best.left) ? each : best),
            null,
          )
      if (wasted === null || wasted.left < keep) break
      at = wasted.point
      left = wasted.left
      last = wasted.saying
      events.push(wasted.said)
      decisions.push(wasted.decision)
    }
    if (events.length === 0 || (last !== null && this.keyOf(at).core !== core)) return null
    return { point: at, events, decisions, last }
  }

  /**
   * A message that is recorded and costs its sender a part of what it may waste; null where it is not such.
   * @param core what it must leave alone; null: it costs one exactly, and the rest is looked at later
   */
  #waste(at: Point, member: string, saying: Saying, left: number, core: string | null): Wasted | null {
    const said = this.say(at, member, saying)
    const { point, decision } = this.step(at, said)
    // Where turns are unlimited one leaves the core alone, and is no waste all the same.
    if (decision.effect !== 'recorded' || this.#turnsOf(at, point, said, decision) > 0) return null
    const after = this.spare(point, member)
    if (after === null || after >= left || (core === null && after !== left - 1)) return null
    if (core !== null && this.keyOf(point).core !== core) return null
    return { point, decision, said, saying, left: after }
  }

  /** One move as an edge; null where it is not recorded. */
  #edge(origin: Origin, move: Told): Edge | null {
    const { point: next, decision } = this.step(origin.point, move)
    if (decision.effect === 'ignored' || decision.effect === 'rejected') return null
    return this.#edgeOf(origin, next, [move], [decision], this.keyOf(next), move)
  }

  /** @param origin where the last of the events happens; those before it take no time */
  #edgeOf(
    origin: Origin,
    to: Point,
    events: readonly Told[],
    decisions: readonly Decision[],
    key: Key,
    move: Told,
    { isLate = false, ready }: { readonly isLate?: boolean; readonly ready?: Ready } = NOTHING,
  ): Edge {
    const { point: from, members, visit } = origin
    const isOver = to.position.done || visit !== this.#visit(to)
    const decision = decisions.at(-1) as Decision
    const turns = this.#turnsOf(from, to, move, decision)
    // Whoever fails, or says something against the rules, needs one of those that it can spare.
    const mover = spenderOf(move, decision)
    const isSpent =
      mover !== null &&
      origin.lasting(mover) > (isOver ? 0 : this.#lasting(to, mover)) &&
      (turns === 0 || !isOver || move.type === 'fault' || !this.#goesWithout(from, mover, move, key))
    const needs = isSpent && !isLate ? mover : null
    // As long as nobody goes and the visit lasts, what can be said for nothing can still be said later.
    const isSame = !isOver && members.length === this.members(to).length
    const spared = isSame ? 0 : this.#spared(origin, to, needs, isOver)
    // Where everybody says first what it can spare, it was heard later than it would have been.
    const arrived = isOver && !to.position.done ? this.#afterWaste(origin, move, needs, key, to) : to
    return {
      position: arrived.position,
      now: to.now,
      key,
      events,
      decisions,
      turns,
      // It was counted when the visit began: whatever else is said instead, the longest conversation says it there.
      messages: isLate
        ? Number.NEGATIVE_INFINITY
        : events.length -
          (move.type === 'message' ? 0 : 1) +
          (isOver ? this.#allFleeting(arrived) : 0) +
          (ready?.messages ?? 0),
      spared,
      spender: needs,
      ms: to.now - from.now,
      move: move.type,
      ready: ready?.member ?? null,
    }
  }

  /** Whether a move ends the visit in the same way when its sender can spare nothing. */
  #goesWithout(from: Point, mover: string, move: Told, key: Key): boolean {
    if (this.spare(from, mover) === null) return true
    const ready = this.#ready(from, mover)
    // It may have said before all that it can spare, though it cannot say it here.
    if (ready === null) return true
    return this.keyOf(this.step(ready, move).point).core === key.core
  }

  #afterWaste(
    { point, members }: Origin,
    move: Told,
    needs: string | null,
    key: Key,
    otherwise: Point,
  ): Point {
    let at = point
    for (const member of members) {
      const spare = this.spare(at, member)
      if (spare === null || spare === 0) continue
      const keep = needs === member ? 1 : 0
      at = (keep === 0 ? this.#ready(at, member) : this.exhaust(at, member, keep)?.point) ?? at
    }
    const { point: after } = this.step(at, move)
    return this.keyOf(after).whole === key.whole ? after : otherwise
  }

  #turnsOf(before: Point, after: Point, event: Told, decision: Decision): number {
    const { turns } = this.#checking
    if (turns !== undefined) return turns(after.position.context) - turns(before.position.context)
    return event.type === 'message' && decision.effect === 'applied' ? 1 : 0
  }

  #visit({ position }: Point): unknown {
    const { visit } = this.#checking
    return visit === undefined ? position.state : visit(position.context, position.state)
  }

  /** What could have been said for nothing, and cannot any more: the visit is over, the member is gone, or was heard. */
  #spared(origin: Origin, after: Point, needs: string | null, isOver: boolean): number {
    if (this.#checking.spare === undefined) return 0
    const present = this.members(after)
    let spared = 0
    for (const member of origin.members) {
      const spare = origin.lasting(member)
      const kept = isOver || !present.includes(member) ? 0 : this.#lasting(after, member)
      const needed = needs === member ? 1 : 0
      if (spare > kept) spared += Math.max(0, spare - kept - needed)
    }
    return spared
  }

  /** What a member can spare at any time of the visit. */
  #lasting(point: Point, member: string): number {
    const spare = this.spare(point, member)
    return spare === null ? Number.POSITIVE_INFINITY : spare - this.#fleeting(point, member)
  }

  #allFleeting(point: Point): number {
    return this.members(point).reduce((sum, member) => sum + this.#fleeting(point, member), 0)
  }

  #fleeting({ position }: Point, member: string): number {
    return this.#checking.fleeting?.(position.context, member, position.state) ?? 0
  }

  /** The same thing said at any time before something is due must have the same effect. */
  #compareTimes(point: Point, instants: readonly number[]): void {
    if (!this.#isTrusted) return
    const due = this.dueAt(point)
    for (const member of this.members(point)) {
      for (const saying of this.#says(point, member)) {
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
  #probe(point: Point): void {
    const { now } = point
    this.step(point, { type: 'deadline', at: now })
    this.step(point, { type: 'deadline', at: now + 2 ** 38 })
  }

  #mustCancel(point: Point): void {
    const { point: after } = this.step(point, { type: 'cancel', at: point.now })
    if (after.position.done || this.#flaw !== null) return
    this.#found({
      kind: 'cancel',
      message: `"cancel" does not close the conversation in state "${point.position.state}": nobody can stop it there.`,
    })
  }
}
