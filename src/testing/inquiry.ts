/** The search from one opening, and what it found as records. */
import type { Decision } from '../engine/decision.ts'
import type { Protocol } from '../engine/protocol.ts'
import { type RecordLine, replay } from '../engine/replay.ts'
import { FIRST_TIME, permutations } from './canonical.ts'
import type { Edge, Explorer } from './explorer.ts'
import type { Point, Told } from './moves.ts'
import type { Loop, RecordEntry } from './report.ts'
import { type Dimension, type Progress, type Round, Search, weightOf } from './search.ts'

/** The id of every conversation that a report shows. */
export const CHECKED_ID = 'checked'

interface Waste {
  /** Place of an edge. */
  readonly at: number
  readonly member: string
  readonly keep: number
}

/** The search from one opening. */
export class Inquiry {
  readonly explorer: Explorer
  readonly search: Search
  readonly policy: object
  readonly #protocol: Protocol
  readonly #members: readonly string[]
  readonly #lead: string | null
  #root: Point | null = null

  constructor(
    protocol: Protocol,
    members: readonly string[],
    lead: string | null,
    policy: object,
    explorer: Explorer,
    maxStates: number,
    tell: (progress: Progress) => void,
  ) {
    this.#protocol = protocol
    this.#members = members
    this.#lead = lead
    this.policy = policy
    this.explorer = explorer
    this.search = new Search(explorer, maxStates, tell)
  }

  get root(): Point {
    this.#root ??= this.explorer.trial.open()
    return this.#root
  }

  run(): void {
    this.search.run(this.root)
  }

  most(dimension: Dimension): number {
    return this.search.exceeded || this.search.isRound
      ? Number.POSITIVE_INFINITY
      : this.search.mostFrom(this.root, dimension)
  }

  /** A conversation that has the most of something. */
  longest(dimension: Dimension): readonly RecordEntry[] | null {
    if (!Number.isFinite(this.most(dimension))) return null
    const way = this.#way(dimension)
    if (way === null) return null
    return this.record(way, dimension === 'messages')
  }

  /** The edges of a longest way. */
  #way(dimension: Dimension): readonly Edge[] | null {
    const candidates = (point: Point): Edge[] => {
      if (point.position.done) return []
      const most = this.search.mostFrom(point, dimension)
      return this.explorer
        .expand(point)
        .edges.filter((edge) => weightOf(edge, dimension) + this.search.mostFrom(edge, dimension) === most)
    }
    const seen = new Set([this.explorer.trial.keyOf(this.root).whole])
    const way: Edge[] = []
    const open = [candidates(this.root)]
    while (open.length > 0) {
      const edge = open.at(-1)?.shift()
      if (edge === undefined) {
        open.pop()
        way.pop()
        continue
      }
      if (edge.position.done) return [...way, edge]
      if (seen.has(edge.key.whole)) continue
      seen.add(edge.key.whole)
      way.push(edge)
      open.push(candidates(edge))
    }
    return null
  }

  /**
   * What happened along some edges, as a record.
   * @param wasting whether everybody also says what does nothing, as much as it can, and as soon: some of it only at first
   */
  record(way: readonly Edge[], wasting: boolean): readonly RecordEntry[] {
    const told: Told[] = []
    const decided: Decision[] = []
    let real = this.root
    const waste = (member: string, keep: number): void => {
      const spoken = this.explorer.reserves.exhaust(real, member, keep)
      if (spoken === null) return
      real = spoken.point
      told.push(...spoken.events)
      decided.push(...spoken.decisions)
    }
    const wastes = wasting ? this.#wastes(way) : []
    for (const [index, edge] of way.entries()) {
      for (const { at, member, keep } of wastes) if (at === index) waste(member, keep)
      if (edge.ready !== null) waste(edge.ready, 0)
      for (const event of edge.events) {
        told.push(event)
        const next = this.explorer.trial.step(real, event)
        decided.push(next.decision)
        real = next.point
      }
      if (edge.events.length === 0) real = { position: real.position, now: edge.now }
    }
    return this.#written(told, decided)
  }

  /** Who says what it can spare before which edge: everybody at the first of each visit, but for what its failures need. */
  #wastes(way: readonly Edge[]): readonly Waste[] {
    const wastes: Waste[] = []
    let began = 0
    for (const [index, edge] of way.entries()) {
      const before = way[index - 1] ?? this.root
      if (!edge.position.done && !this.#left(before, edge)) continue
      const spenders = way
        .slice(began, index + 1)
        .filter(({ ready }) => ready === null)
        .map(({ spender }) => spender)
      for (const member of this.explorer.trial.members(way[began - 1] ?? this.root)) {
        wastes.push({ at: began, member, keep: spenders.filter((spender) => spender === member).length })
      }
      began = index + 1
    }
    return wastes
  }

  #left(before: Point, after: Point): boolean {
    const visit = this.#protocol.checking?.visit
    if (visit === undefined) return before.position.state !== after.position.state
    return (
      visit(before.position.context, before.position.state) !==
      visit(after.position.context, after.position.state)
    )
  }

  /** A way round, as a record. */
  round({ stem, loop }: Round): { readonly record: readonly RecordEntry[]; readonly loop: Loop } {
    const before = this.record(stem, false).length
    const record = this.record([...stem, ...loop], false)
    return { record, loop: [before, record.length] }
  }

  /** The record with names of its own, from time 0, in the joining order in which it goes as it went. */
  #written(told: readonly Told[], decided: readonly Decision[]): readonly RecordEntry[] {
    const ids = new Map<string, string>()
    for (const event of told) if (event.type === 'message') ids.set(event.message.id, `m${ids.size + 1}`)
    const entries = told.map((event) => renamed({ ...event, at: event.at - FIRST_TIME }, ids) as RecordEntry)
    const orders = permutations(this.#members.slice(0, 6))
    const opened = (members: readonly string[]): RecordEntry => ({
      type: 'open',
      at: 0,
      id: CHECKED_ID,
      machine: this.#protocol.name,
      version: this.#protocol.version,
      goal: '',
      members: [...members, ...this.#members.slice(6)],
      lead: this.#lead,
      policy: this.policy,
    })
    const goesAlike = (members: readonly string[]): boolean => {
      try {
        const { decisions } = replayed(this.#protocol, [opened(members), ...entries])
        return decisions.every(
          ({ effect, reason }, index) =>
            effect === decided[index]?.effect && reason === decided[index]?.reason,
        )
      } catch {
        return false
      }
    }
    const order = decided.length === 0 ? this.#members : (orders.find(goesAlike) ?? this.#members)
    return [opened(order), ...entries]
  }

  /** The lead that was looked at. */
  get lead(): string | null {
    return this.#lead
  }
}

const renamed = (value: unknown, ids: ReadonlyMap<string, string>): unknown => {
  if (typeof value === 'string') return ids.get(value) ?? value
  if (Array.isArray(value)) return value.map((item) => renamed(item, ids))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, renamed(inner, ids)]))
}

/** Replays a record. */
const replayed = (protocol: Protocol, entries: readonly RecordEntry[]) =>
  replay(
    entries.map((entry, index): RecordLine => ({ line: index + 1, value: entry })),
    { [protocol.name]: protocol },
  )
