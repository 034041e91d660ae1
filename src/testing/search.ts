/**
 * The search through everything that can happen: depth first, by strongly connected components (Tarjan). Where a point
 * can be reached again, a conversation can go round; if time passes on the way it never ends, else it takes no time and
 * only its length has no bound. Elsewhere the longest way from a point is known once the ways from its successors are.
 */
import type { Key } from './canonical.ts'
import type { Edge, Expansion, Explorer } from './explorer.ts'
import type { Point } from './moves.ts'
import type { Flaw } from './trial.ts'

/** What a bound is of. */
export type Dimension = 'turns' | 'messages' | 'ms'
export const DIMENSIONS: readonly Dimension[] = ['turns', 'messages', 'ms']

/** A way round: what leads there, and what comes back. */
export interface Round {
  readonly stem: readonly Edge[]
  readonly loop: readonly Edge[]
}

/** A way on which time passes for ever; without a loop, in silence. */
export interface Lasso extends Round {
  readonly why: 'round' | 'silent' | 'stuck'
}

export interface Progress {
  readonly states: number
  readonly steps: number
}

interface Frame {
  readonly node: number
  readonly point: Point
  readonly edges: readonly Edge[]
  at: number
}

export const weightOf = (edge: Edge, dimension: Dimension): number =>
  dimension === 'messages' ? edge.messages + edge.spared : edge[dimension]

/** Lists of numbers by node. */
class Values {
  readonly turns: number[] = []
  readonly messages: number[] = []
  readonly ms: number[] = []
}

/** How often progress is told, in states. */
const TELL_EVERY = 1_000

export class Search {
  readonly #explorer: Explorer
  readonly #maxStates: number
  readonly #tell: (progress: Progress) => void
  readonly #known = new Map<string, number>()
  readonly #values = new Values()
  readonly #low: number[] = []
  readonly #open: boolean[] = []
  readonly #stack: number[] = []
  /** Edges on which the rank was looked at, and the first on which it did not fall. */
  ranked = 0
  rankFault: {
    readonly stem: readonly Edge[]
    readonly before: readonly number[]
    readonly after: readonly number[]
  } | null = null
  /** Whether there was more than `maxStates`. */
  exceeded = false
  lasso: Lasso | null = null
  /** Whether time can pass for ever while things go on; the search stops then. */
  isRound = false
  /** How there comes to be no bound, though time is bounded. */
  readonly endless: { turns?: Round; messages?: Round } = {}
  /** What led to the explorer's flaw. */
  flawed: readonly Edge[] | null = null
  #flaw: Flaw | null = null
  /** States in which silence lasts for ever. */
  readonly timeless = new Set<string>()

  constructor(explorer: Explorer, maxStates: number, tell: (progress: Progress) => void) {
    this.#explorer = explorer
    this.#maxStates = maxStates
    this.#tell = tell
  }

  get states(): number {
    return this.#known.size
  }

  /** The most that can still come of a dimension from a point. Infinity: no bound. */
  mostFrom(point: Point, dimension: Dimension): number {
    const node = this.#known.get(this.#explorer.trial.keyOf(point).whole)
    return node === undefined ? 0 : (this.#values[dimension][node] ?? 0)
  }

  /** Explores everything from a point on. Stops at the first lasso. */
  run(root: Point): void {
    const key = this.#explorer.trial.keyOf(root)
    if (this.#known.has(key.whole)) return
    const frames: Frame[] = []
    this.#enter(frames, root, key)
    while (frames.length > 0 && !this.isRound && !this.exceeded) {
      const frame = frames.at(-1) as Frame
      const edge = frame.edges[frame.at]
      if (edge === undefined) {
        frames.pop()
        this.#leave(frames, frame)
        continue
      }
      const target = this.#known.get(edge.key.whole)
      if (target === undefined) {
        this.#compareRanks(frames, edge)
        this.#enter(frames, edge, edge.key)
        continue
      }
      frame.at++
      this.#pass(frames, frame.node, edge, target)
    }
    if (this.exceeded || this.isRound) {
      // What is still open will never be known.
      for (const node of this.#stack)
        for (const dimension of DIMENSIONS) this.#values[dimension][node] = Number.POSITIVE_INFINITY
    }
  }

  #enter(frames: Frame[], point: Point, key: Key): void {
    const node = this.#known.size
    this.#known.set(key.whole, node)
    for (const dimension of DIMENSIONS) this.#values[dimension].push(0)
    this.#low.push(node)
    this.#open.push(true)
    this.#stack.push(node)
    if (node % TELL_EVERY === 0) this.#tell({ states: node, steps: this.#explorer.trial.steps })
    if (node >= this.#maxStates) {
      this.exceeded = true
      return
    }
    const expansion: Expansion = point.position.done
      ? { edges: [], turnLoop: null, messageLoop: null, silent: false, stuck: false }
      : this.#explorer.expand(point, key)
    const { turnLoop, messageLoop } = expansion
    if (turnLoop !== null) this.#unbounded('turns', node, frames, [turnLoop])
    // A turn may be taken by a failure, without a message.
    const message = turnLoop !== null && turnLoop.messages > 0 ? turnLoop : messageLoop
    if (message !== null) this.#unbounded('messages', node, frames, [message])
    const { flaw } = this.#explorer.trial
    if (flaw !== this.#flaw) {
      this.#flaw = flaw
      this.flawed = stemOf(frames)
    }
    if (expansion.silent || expansion.stuck) {
      this.#values.ms[node] = Number.POSITIVE_INFINITY
      this.timeless.add(point.position.state)
      this.lasso ??= { why: expansion.stuck ? 'stuck' : 'silent', stem: stemOf(frames), loop: [] }
    }
    frames.push({ node, point, edges: expansion.edges, at: 0 })
  }

  /** An edge to a point that is known. */
  #pass(frames: readonly Frame[], node: number, edge: Edge, target: number): void {
    if (this.#open[target] === true) {
      this.#low[node] = Math.min(this.#low[node] as number, target)
      this.#around(frames, node, edge, target)
      return
    }
    this.#improve(node, edge, target)
  }

  #improve(node: number, edge: Edge, target: number): void {
    for (const dimension of DIMENSIONS) {
      const values = this.#values[dimension]
      const most = weightOf(edge, dimension) + (values[target] as number)
      if (most > (values[node] as number)) values[node] = most
    }
  }

  /** An edge within a component: part of a way round. */
  #around(frames: readonly Frame[], node: number, edge: Edge, target: number): void {
    const way = (): Edge[] => [edge, ...this.#wayBack(edge, target, node)]
    const before = (): readonly Frame[] =>
      frames.slice(
        0,
        frames.findIndex((frame) => frame.node === node),
      )
    if (edge.turns > 0) this.#unbounded('turns', node, before(), way)
    if (edge.messages + edge.spared > 0) this.#unbounded('messages', node, before(), way)
    const isSilent = edge.events.some(({ type }) => type === 'deadline')
    if (edge.ms === 0 && !isSilent) return
    this.isRound = true
    this.lasso = { why: 'round', stem: stemOf(before()), loop: way() }
  }

  /** There is no most of something from a node on; the first time, how this comes is kept. */
  #unbounded(
    dimension: 'turns' | 'messages',
    node: number,
    frames: readonly Frame[],
    loop: readonly Edge[] | (() => readonly Edge[]),
  ): void {
    this.#values[dimension][node] = Number.POSITIVE_INFINITY
    this.endless[dimension] ??= { stem: stemOf(frames), loop: typeof loop === 'function' ? loop() : loop }
  }

  /** The shortest way from the end of an edge to a node of its component. */
  #wayBack(edge: Edge, target: number, goal: number): readonly Edge[] {
    if (target === goal) return []
    const cameBy = new Map<number, { readonly edge: Edge; readonly from: number }>()
    let wave: { readonly point: Point; readonly node: number }[] = [{ point: edge, node: target }]
    const seen = new Set([target])
    while (wave.length > 0) {
      const next: typeof wave = []
      for (const { point, node } of wave) {
        if (point.position.done) continue
        for (const out of this.#explorer.expand(point).edges) {
          const reached = this.#known.get(out.key.whole)
          if (reached === undefined || this.#open[reached] !== true || seen.has(reached)) continue
          seen.add(reached)
          cameBy.set(reached, { edge: out, from: node })
          if (reached === goal) return wayTo(cameBy, goal, target)
          next.push({ point: out, node: reached })
        }
      }
      wave = next
    }
    return []
  }

  #leave(frames: readonly Frame[], { node }: Frame): void {
    const parent = frames.at(-1)
    if (this.#low[node] === node) this.#close(node)
    if (parent === undefined) return
    const edge = parent.edges[parent.at++] as Edge
    if (this.#open[node] !== true) {
      this.#improve(parent.node, edge, node)
      return
    }
    this.#low[parent.node] = Math.min(this.#low[parent.node] as number, this.#low[node] as number)
    this.#around(frames, parent.node, edge, node)
  }

  /** A component is complete: its nodes share what can come after. */
  #close(root: number): void {
    const nodes: number[] = []
    let node: number
    do {
      node = this.#stack.pop() as number
      nodes.push(node)
    } while (node !== root)
    if (nodes.length > 1) {
      for (const dimension of DIMENSIONS) {
        const values = this.#values[dimension]
        const most = nodes.reduce((best, each) => Math.max(best, values[each] as number), 0)
        for (const each of nodes) values[each] = most
      }
    }
    for (const each of nodes) this.#open[each] = false
  }

  #compareRanks(frames: readonly Frame[], edge: Edge): void {
    const { point } = frames.at(-1) as Frame
    if (edge.events.length === 0 || edge.move === 'join' || edge.position.done || this.rankFault !== null)
      return
    const before = this.#explorer.trial.rank(point)
    if (before.length === 0) return
    const after = this.#explorer.trial.rank(edge)
    this.ranked++
    const order = compare(after, before)
    const endBefore = this.#explorer.trial.endsAt(point)
    const endAfter = this.#explorer.trial.endsAt(edge)
    const isStill = order === 0 && endBefore !== null && endAfter !== null && endAfter <= endBefore
    if (order < 0 || isStill) return
    this.rankFault = { stem: stemOf(frames), before, after }
  }
}

/** The edges that led to the newest frame. */
const stemOf = (frames: readonly Frame[]): Edge[] =>
  frames.map((frame) => frame.edges[frame.at]).filter((edge) => edge !== undefined)

const wayTo = (
  cameBy: ReadonlyMap<number, { readonly edge: Edge; readonly from: number }>,
  goal: number,
  start: number,
): readonly Edge[] => {
  const way: Edge[] = []
  for (let at = goal; at !== start; ) {
    const step = cameBy.get(at)
    if (step === undefined) break
    way.unshift(step.edge)
    at = step.from
  }
  return way
}

/** Lexicographically. */
export const compare = (a: readonly number[], b: readonly number[]): number => {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0
    if (value !== other) return value - other
  }
  return 0
}
