/**
 * Follows a conversation through what the checker explores: after every event there must be an explored edge to a point
 * that is the same but for its times, and at which members can afford no less against the rules.
 */

import type { Protocol } from '../../src/engine/protocol.ts'
import type { Position } from '../../src/engine/runner.ts'
import { KeyWriter } from '../../src/testing/canonical.ts'
import { type Edge, Explorer } from '../../src/testing/explorer.ts'
import type { Point } from '../../src/testing/moves.ts'

export interface ShadowOptions {
  readonly protocol: Protocol
  readonly members: readonly string[]
  readonly lead: string | null
  /** Completed. */
  readonly policy: object
  readonly size: number
  readonly joins?: boolean
  /** ms: a time at which the sketch of a position tells no time that has passed. */
  readonly began: (position: Position) => number
}

export class Shadow {
  readonly #options: ShadowOptions
  readonly #explorer: Explorer
  /** By key, the first that was met: what is explored from it is all that is ever explored for the key. */
  readonly #met = new Map<string, Point>()
  #point: Point
  /** Edges that were followed. */
  followed = 0
  /** Points met again. */
  again = 0

  constructor(options: ShadowOptions) {
    this.#options = options
    const { protocol, members, lead, policy, size, joins = false } = options
    const scope = { size, joins }
    this.#explorer = new Explorer({
      protocol,
      members,
      lead,
      policy,
      scope,
      writer: new KeyWriter(),
      asked: () => null,
    })
    this.#point = this.#explorer.trial.open()
  }

  /** Begins anew, and remembers what was met. */
  restart(): void {
    this.#point = this.#explorer.trial.open()
  }

  /** As the search does: a point whose key is known is never looked at again. */
  #meet(edge: Edge): Point {
    const known = this.#met.get(edge.key.whole)
    if (known === undefined) this.#met.set(edge.key.whole, edge)
    else this.again++
    return known ?? edge
  }

  /** @throws when nothing that was explored leads where the conversation went */
  follow(before: Position, after: Position, what: string): void {
    const from = this.#key(before)
    const to = this.#key(after)
    if (from.core !== this.#key(this.#point.position).core)
      throw new Error(`The shadow is elsewhere before ${what}`)
    const turns = this.#turns(after) - this.#turns(before)
    if (from.core === to.core) {
      if (turns > 0) throw new Error(`${what} is a turn that leaves no trace`)
      return
    }
    // Of edges to the same place the checker keeps those with most turns.
    const edge = this.#edges().find((each) => each.turns >= turns && this.#covers(each, after))
    if (edge === undefined)
      throw new Error(`Nothing that was explored in "${before.state}" does what ${what} did`)
    this.followed++
    this.#point = this.#meet(edge)
  }

  /** What can happen, once time has passed. */
  #edges(): readonly Edge[] {
    const { edges } = this.#explorer.expand(this.#point)
    const [first] = edges
    if (first === undefined || first.move !== null) return edges
    this.#point = this.#meet(first)
    return this.#edges()
  }

  #covers(edge: Edge, after: Position): boolean {
    const explored = this.#key(edge.position)
    const reached = this.#key(after)
    if (explored.core !== reached.core) return false
    // What follows the core is the members' reserves, in an order that depends on the core alone.
    const reserves = [...reached.whole.slice(reached.core.length)]
    return reserves.every((reserve, place) => (explored.whole[explored.core.length + place] ?? '') >= reserve)
  }

  #turns({ context }: Position): number {
    return this.#options.protocol.checking?.turns?.(context) ?? 0
  }

  #key(position: Position) {
    return this.#explorer.trial.keyOf({ position, now: this.#options.began(position) })
  }
}
