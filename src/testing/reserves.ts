/**
 * What members can have recorded for nothing: against the rules, or too late. It changes nothing but how much more of it
 * they can afford, so it is counted, and said only where somebody wants to read it.
 */
import type { Decision } from '../engine/decision.ts'
import type { Saying } from '../engine/protocol.ts'
import { ColloquyError } from '../errors.ts'
import type { Key } from './canonical.ts'
import type { Point, Said, Told } from './moves.ts'
import type { Trial } from './trial.ts'

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

/** More messages without an effect than this are taken for no limit. */
const MOST_SPARE = 10_000
/** How often what a protocol claims to be spent is compared with what is said. */
const COMPARE_EVERY = 97

/** Where edges begin, with what all of them need to know of it. */
export class Origin {
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

export class Reserves {
  readonly #trial: Trial
  #compared = 0
  readonly #lastingOf = (member: string, point: Point): number => this.#trial.lasting(point, member)

  constructor(trial: Trial) {
    this.#trial = trial
  }

  originOf(point: Point): Origin {
    const trial = this.#trial
    return new Origin(point, trial.members(point), trial.visit(point), this.#lastingOf)
  }

  /** The point at which a member has said all that it can spare. */
  ready(point: Point, member: string, stutters?: readonly Saying[]): Point | null {
    const { spent } = this.#trial.checking
    if (spent === undefined) return this.exhaust(point, member, 0, stutters)?.point ?? null
    const { position, now } = point
    const context = spent(position.context, member, position.state)
    const ready = { position: { ...position, context }, now }
    if (this.#compared++ % COMPARE_EVERY === 0) {
      const said = this.exhaust(point, member, 0)?.point
      if (said === undefined || JSON.stringify(said.position.context) !== JSON.stringify(context)) {
        throw new ColloquyError(
          'PROTOCOL_INVALID',
          `checking.spent of "${this.#trial.options.protocol.name}" tells another context than what "${member}" says leads to, in state "${position.state}"`,
        )
      }
    }
    return ready
  }

  /**
   * Lets a member say what does nothing until it can say no more of it than `keep`: the cheapest first. Null: there is no
   * end to it, or nothing to say.
   */
  exhaust(
    point: Point,
    member: string,
    keep: number,
    sayings = this.#trial.says(point, member),
  ): Exhausted | null {
    const { core } = this.#trial.keyOf(point)
    const events: Said[] = []
    const decisions: Decision[] = []
    let at = point
    let last: Saying | null = null
    for (let left = this.#trial.spare(at, member); left !== 0 && left !== keep; ) {
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
    if (events.length === 0 || (last !== null && this.#trial.keyOf(at).core !== core)) return null
    return { point: at, events, decisions, last }
  }

  /**
   * A message that is recorded and costs its sender a part of what it may waste; null where it is not such.
   * @param core what it must leave alone; null: it costs one exactly, and the rest is looked at later
   */
  #waste(at: Point, member: string, saying: Saying, left: number, core: string | null): Wasted | null {
    const said = this.#trial.say(at, member, saying)
    const { point, decision } = this.#trial.step(at, said)
    // Where turns are unlimited one leaves the core alone, and is no waste all the same.
    if (decision.effect !== 'recorded' || this.#trial.turnsOf(at, point, said, decision) > 0) return null
    const after = this.#trial.spare(point, member)
    if (after === null || after >= left || (core === null && after !== left - 1)) return null
    if (core !== null && this.#trial.keyOf(point).core !== core) return null
    return { point, decision, said, saying, left: after }
  }

  /** Whether a move ends the visit in the same way when its sender can spare nothing. */
  goesWithout(from: Point, mover: string, move: Told, key: Key): boolean {
    if (this.#trial.spare(from, mover) === null) return true
    const ready = this.ready(from, mover)
    // It may have said before all that it can spare, though it cannot say it here.
    if (ready === null) return true
    return this.#trial.keyOf(this.#trial.step(ready, move).point).core === key.core
  }

  /** Where a move that ends the visit leads when everybody has said first what it can spare; else where it leads anyhow. */
  afterWaste(
    { point, members }: Origin,
    move: Told,
    needs: string | null,
    key: Key,
    otherwise: Point,
  ): Point {
    let at = point
    for (const member of members) {
      const spare = this.#trial.spare(at, member)
      if (spare === null || spare === 0) continue
      const keep = needs === member ? 1 : 0
      at = (keep === 0 ? this.ready(at, member) : this.exhaust(at, member, keep)?.point) ?? at
    }
    const { point: after } = this.#trial.step(at, move)
    return this.#trial.keyOf(after).whole === key.whole ? after : otherwise
  }

  /** What could have been said for nothing, and cannot any more: the visit is over, the member is gone, or was heard. */
  spared(origin: Origin, after: Point, needs: string | null, isOver: boolean): number {
    if (this.#trial.checking.spare === undefined) return 0
    const present = this.#trial.members(after)
    let spared = 0
    for (const member of origin.members) {
      const spare = origin.lasting(member)
      const kept = isOver || !present.includes(member) ? 0 : this.#trial.lasting(after, member)
      const needed = needs === member ? 1 : 0
      if (spare > kept) spared += Math.max(0, spare - kept - needed)
    }
    return spared
  }

  /** How many messages can be recorded for nothing only before their senders say anything else. */
  allFleeting(point: Point): number {
    return this.#trial.members(point).reduce((sum, member) => sum + this.#trial.fleeting(point, member), 0)
  }
}
