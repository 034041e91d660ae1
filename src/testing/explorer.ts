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
import type { Saying } from '../engine/protocol.ts'
import type { Position } from '../engine/runner.ts'
import type { Key } from './canonical.ts'
import type { Point, Told } from './moves.ts'
import { type Origin, Reserves } from './reserves.ts'
import { Trial, type TrialOptions } from './trial.ts'

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

/** What is not recorded is no part of a conversation. */
const isUnrecorded = ({ effect }: Decision): boolean => effect === 'ignored' || effect === 'rejected'

/** The edges from one point, without those that are no more than others to the same place. */
class Fan {
  readonly key: Key
  messageLoop: Edge | null = null
  #turnLoop: Edge | null = null
  readonly #edges: Edge[] = []
  readonly #byKey = new Map<string, Edge[]>()

  constructor(key: Key) {
    this.key = key
  }

  add(edge: Edge): void {
    const alike = this.#byKey.get(edge.key.whole)
    if (alike === undefined) this.#byKey.set(edge.key.whole, [edge])
    else if (alike.some((known) => isNoLess(known, edge))) return
    else alike.push(edge)
    this.#edges.push(edge)
  }

  /** Takes what was no message, if it changes more than what a member may afford; null: it was not recorded. */
  go(edge: Edge | null): void {
    if (edge === null || (edge.key.core === this.key.core && edge.turns === 0)) return
    if (edge.key.whole !== this.key.whole) this.add(edge)
    else if (edge.turns > 0) this.turns(edge)
  }

  /** A turn without any change. One with a message tells more than a failure. */
  turns(edge: Edge): void {
    if (this.#turnLoop === null || this.#turnLoop.messages < edge.messages) this.#turnLoop = edge
  }

  /** Whether a message with as many turns leads there: one more is the same edge. */
  hasMessage({ whole }: Key, turns: () => number): boolean {
    const alike = this.#byKey.get(whole)
    return alike?.some((known) => known.move === 'message' && known.turns === turns()) === true
  }

  expansion(silent: boolean, stuck: boolean): Expansion {
    return { edges: this.#edges, turnLoop: this.#turnLoop, messageLoop: this.messageLoop, silent, stuck }
  }
}

export class Explorer {
  readonly trial: Trial
  readonly reserves: Reserves
  readonly #visited = new Set<string>()
  readonly #misplacedIn = new Set<string>()

  constructor(options: TrialOptions) {
    this.trial = new Trial(options)
    this.reserves = new Reserves(this.trial)
  }

  /** Everything that can happen next. */
  expand(point: Point, key = this.trial.keyOf(point)): Expansion {
    const { trial } = this
    const due = trial.dueAt(point)
    const fan = new Fan(key)
    if (due !== null && due - 1 > point.now) {
      const isKnown = trial.checking.sketch !== undefined
      const instants = instantsOf(point.now, due, isKnown)
      trial.compareTimes(point, instants)
      const isMinded = !isKnown && this.#keepsTimes(point, instants)
      fan.add(this.#wait(point, isMinded ? (instants[0] ?? due - 1) : due - 1))
      if (!isMinded) return fan.expansion(false, false)
    }
    const origin = this.reserves.originOf(point)
    if (due === null || due > point.now) {
      for (const member of origin.members) {
        const stutters = this.#hear(fan, origin, member)
        const isFaultFatal = this.#lose(fan, origin, member, stutters, GOING)
        for (const twin of this.#twins(point, member))
          this.#lose(fan, this.reserves.originOf(twin), member, stutters, isFaultFatal ? GOING : LEAVING)
      }
      for (const move of this.#strange(origin)) fan.go(this.#edge(origin, move))
    }
    const stuck = due !== null && !this.#end(fan, origin, Math.max(due, point.now))
    if (!this.#visited.has(point.position.state)) trial.probe(point)
    this.#visited.add(point.position.state)
    trial.mustCancel(point)
    return fan.expansion(due === null, stuck)
  }

  /** All that a member may say. What it can say for nothing is returned. */
  #hear(fan: Fan, origin: Origin, member: string): Saying[] {
    const { trial } = this
    const { key } = fan
    const { point } = origin
    const stutters: Saying[] = []
    // Of what a member may say, much leads to the same: then it is compared, which is faster than a key.
    const heard: Heard[] = []
    let late: Late | null = null
    const hear = (from: Origin, saying: Saying): void => {
      const said = trial.say(point, member, saying)
      const { point: next, decision } = trial.step(from.point, said)
      if (isUnrecorded(decision)) return
      const reached = this.#keyAmong(heard, next)
      const turns = (): number => trial.turnsOf(from.point, next, said, decision)
      const edge = (isLate = false): Edge =>
        this.#edgeOf(from, next, [said], [decision], reached, said, { isLate })
      if (reached.core !== key.core) {
        // Who says early what it can say only then, says it without any other effect in the longest conversation.
        if (late !== null && from === origin && decision.reason === late.reason) {
          fan.add(edge(true))
          hear(late.origin, saying)
        } else if (!fan.hasMessage(reached, turns)) fan.add(edge())
        return
      }
      if (turns() > 0) {
        // Where nothing limits turns, what it may afford against the rules may.
        if (reached.whole !== key.whole) fan.add(edge())
        else fan.turns(edge())
        return
      }
      const before = trial.spare(from.point, member)
      const after = trial.spare(next, member)
      if (before === null || after === null || after >= before) {
        fan.messageLoop ??= edge()
        return
      }
      stutters.push(saying)
      if (trial.fleeting(point, member) > trial.fleeting(next, member) && reached.whole === key.whole)
        late ??= { reason: decision.reason, origin: this.reserves.originOf(next) }
    }
    for (const saying of trial.says(point, member)) hear(origin, saying)
    return stutters
  }

  /** A member is expelled, fails, or goes. Whether its failure cost the seat is returned. */
  #lose(
    fan: Fan,
    origin: Origin,
    member: string,
    stutters: readonly Saying[],
    ways: readonly ('fault' | 'leave')[],
  ): boolean {
    let isFaultFatal = false
    for (const edge of this.#brink(origin, member, stutters, fan.key)) fan.add(edge)
    for (const type of ways) {
      const edge = this.#edge(origin, { type, at: origin.point.now, member })
      if (type === 'fault' && edge !== null) isFaultFatal = !this.trial.members(edge).includes(member)
      fan.go(edge)
    }
    return isFaultFatal
  }

  /** What is due comes. Whether it changes anything is returned. */
  #end(fan: Fan, origin: Origin, at: number): boolean {
    const { position } = origin.point
    const edge = this.#edge(origin, { type: 'deadline', at })
    if (edge === null) return false
    if (!edge.position.done && edge.key.whole === this.trial.keyOf({ position, now: at }).whole) return false
    fan.add(edge)
    return true
  }

  /** Whoever is no member joins, and what should change nothing: it leaves or fails, and who is a member joins. */
  #strange({ point, members }: Origin): Told[] {
    const at = point.now
    const { members: all, scope } = this.trial.options
    const gone = all.filter((id) => !members.includes(id))
    const moves: Told[] = scope.joins ? gone.map((member) => ({ type: 'join', at, member })) : []
    const place = JSON.stringify([point.position.state, gone])
    // Always where little is known of the rules; else once in each state for those who are gone.
    if (this.trial.checking.says !== undefined && this.#misplacedIn.has(place)) return moves
    this.#misplacedIn.add(place)
    for (const member of [...gone, 'nobody'])
      moves.push({ type: 'leave', at, member }, { type: 'fault', at, member })
    for (const member of members.slice(0, 1)) moves.push({ type: 'join', at, member })
    return moves
  }

  #wait({ position, now }: Point, until: number): Edge {
    const later = { position, now: until }
    return {
      ...later,
      key: this.trial.keyOf(later),
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
    const events = this.trial
      .members(point)
      .flatMap((member): Told[] => [
        ...this.trial.says(point, member).map((saying) => this.trial.say(point, member, saying)),
        { type: 'fault', at: point.now, member },
        { type: 'leave', at: point.now, member },
      ])
    return events.some((event) => {
      const { context } = this.trial.step(point, event).point.position
      return instants.some(
        (at) => !isDeepStrictEqual(context, this.trial.step(point, { ...event, at }).point.position.context),
      )
    })
  }

  /** The key of a point; where something said before led to the same, its key. */
  #keyAmong(heard: Heard[], point: Point): Key {
    const { position } = point
    for (let at = heard.length - 1; at >= 0; at--) {
      const known = heard[at] as Heard
      if (known.position.state === position.state && isAlike(known.position.context, position.context))
        return known.key
    }
    const key = this.trial.keyOf(point)
    heard.push({ position, key })
    return key
  }

  /** What a member does when it can afford nothing against the rules any more: one more costs it its seat. */
  #brink(from: Origin, member: string, stutters: readonly Saying[], key: Key): Edge[] {
    const [first] = stutters
    if (first === undefined) return []
    const spentAll = this.reserves.ready(from.point, member, stutters)
    if (spentAll === null) return []
    const found: Edge[] = []
    const origin = from.at(spentAll)
    const last = this.trial.say(spentAll, member, first)
    for (const event of [last, { type: 'fault', at: spentAll.now, member } as const]) {
      const { point: next, decision } = this.trial.step(spentAll, event)
      if (isUnrecorded(decision)) continue
      const reached = this.trial.keyOf(next)
      if (reached.core === key.core) continue
      // What it takes to get ready is said only where somebody wants to read it.
      const ready = { member, messages: from.lasting(member) }
      found.push(this.#edgeOf(origin, next, [event], [decision], reached, event, { ready }))
    }
    return found
  }

  #twins({ position, now }: Point, member: string): Point[] {
    const twins = this.trial.checking.twins?.(position.context, member, position.state) ?? []
    return twins.map((context) => ({ position: { ...position, context }, now }))
  }

  /** One move as an edge; null where it is not recorded. */
  #edge(origin: Origin, move: Told): Edge | null {
    const { point: next, decision } = this.trial.step(origin.point, move)
    if (isUnrecorded(decision)) return null
    return this.#edgeOf(origin, next, [move], [decision], this.trial.keyOf(next), move)
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
    const isOver = to.position.done || visit !== this.trial.visit(to)
    const decision = decisions.at(-1) as Decision
    const turns = this.trial.turnsOf(from, to, move, decision)
    // Whoever fails, or says something against the rules, needs one of those that it can spare.
    const mover = spenderOf(move, decision)
    const isSpent =
      mover !== null &&
      origin.lasting(mover) > (isOver ? 0 : this.trial.lasting(to, mover)) &&
      (turns === 0 || !isOver || move.type === 'fault' || !this.reserves.goesWithout(from, mover, move, key))
    const needs = isSpent && !isLate ? mover : null
    // As long as nobody goes and the visit lasts, what can be said for nothing can still be said later.
    const isSame = !isOver && members.length === this.trial.members(to).length
    const spared = isSame ? 0 : this.reserves.spared(origin, to, needs, isOver)
    // Where everybody says first what it can spare, it was heard later than it would have been.
    const arrived = isOver && !to.position.done ? this.reserves.afterWaste(origin, move, needs, key, to) : to
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
          (isOver ? this.reserves.allFleeting(arrived) : 0) +
          (ready?.messages ?? 0),
      spared,
      spender: needs,
      ms: to.now - from.now,
      move: move.type,
      ready: ready?.member ?? null,
    }
  }
}
