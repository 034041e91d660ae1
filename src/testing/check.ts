/** The termination checker: proves that every conversation of a protocol closes, within how much, or shows one that does not. */
import type { Decision } from '../engine/decision.ts'
import { issuesOfGroup } from '../engine/opening.ts'
import type { Protocol } from '../engine/protocol.ts'
import { type RecordLine, replay } from '../engine/replay.ts'
import { ColloquyError } from '../errors.ts'
import { FIRST_TIME, KeyWriter, permutations } from './canonical.ts'
import { type Edge, Explorer, type Point, type Told } from './explorer.ts'
import { merged } from './merge.ts'
import { watching } from './purity.ts'
import { DIMENSIONS, type Dimension, type Progress, type Round, Search, weightOf } from './search.ts'

export interface CheckOptions {
  readonly protocol: Protocol
  /** How many members, or their names in joining order. Default: 3. */
  readonly members?: number | readonly string[]
  /** Who leads. Default: both, nobody and the first, as far as the protocol takes them. */
  readonly lead?: string | null
  /** Completed key by key. */
  readonly policy?: unknown
  /** Most interchangeable things, such as pieces of work. Default: 2. */
  readonly size?: number
  /** Whether members that left may join again. Turns are then counted with them. Default: false. */
  readonly joins?: boolean
  /** Most states to explore. Default: 2,000,000, for which 2 GB of memory are enough. */
  readonly maxStates?: number
  readonly onProgress?: (progress: Progress) => void
}

/** The most that there can be of something. */
export interface Bound {
  /** Null: there is no bound, or none is known. */
  readonly most: number | null
  /** The record of a conversation that has as much or, where there is no bound, of how it comes; null: none is known. */
  readonly record: readonly RecordEntry[] | null
  /** Where there is no bound, the places in the record between which it can be repeated. */
  readonly loop: Loop | null
}

/** Places in a record: the first entry of what can be repeated, and the first after it. */
export type Loop = readonly [from: number, to: number]

/** Something that stands against the proof, and what to do. */
export interface Problem {
  readonly message: string
  /** What led there; null: it concerns all. */
  readonly record: readonly RecordEntry[] | null
}

interface Waste {
  /** Place of an edge. */
  readonly at: number
  readonly member: string
  readonly keep: number
}

/** A line of a record. */
export type RecordEntry = Readonly<Record<string, unknown>> & { readonly type: string; readonly at: number }

export interface Counterexample {
  /** Why this never ends, in a sentence. */
  readonly why: string
  /** What leads there and, where something goes round, what can be repeated. */
  readonly record: readonly RecordEntry[]
  /** Null: nothing is said any more. */
  readonly loop: Loop | null
}

export interface CheckReport {
  readonly protocol: string
  readonly members: readonly string[]
  /** Completed. */
  readonly policy: object
  readonly size: number
  readonly joins: boolean
  /** `proved`: every conversation closes. `refuted`: one need not. `unproved`: not known. */
  readonly verdict: 'proved' | 'refuted' | 'unproved'
  /**
   * Whether messages were made from the payload schemas, because the protocol does not tell what may be said
   * (`checking.says`): then all of this is about payloads with a few texts and numbers, those of the context among them,
   * without unknown keys; about messages with and without content, tokens and `replyTo`; and about a few instants.
   */
  readonly sampled: boolean
  /** Why it is not proved, and what to do. */
  readonly problems: readonly Problem[]
  readonly counterexample: Counterexample | null
  readonly turns: Bound
  /** Messages that are recorded, those against the rules included. */
  readonly messages: Bound
  readonly ms: Bound
  /** Most turns by the protocol's own formula; null: none. */
  readonly formula: number | null
  readonly unreachableStates: readonly string[]
  /** Branches that are never taken under this policy. */
  readonly unreachableTransitions: readonly string[]
  /** Intents that never have an effect under this policy. */
  readonly unusedIntents: readonly string[]
  readonly statesWithoutDueTime: readonly string[]
  /** What the rank says: on how many events it was looked at, and whether it fell on all of them. */
  readonly rank: { readonly events: number; readonly holds: boolean; readonly opening: readonly number[] }
  readonly explored: { readonly states: number; readonly steps: number; readonly ms: number }
}

/** The id of every conversation that a report shows. */
export const CHECKED_ID = 'checked'

const nameOf = (index: number): string => (index < 26 ? String.fromCharCode(97 + index) : `p${index + 1}`)

/** More members than this leave nothing to be explored in any time. */
const MOST_MEMBERS = 100

/**
 * The members' names, in joining order.
 * @throws ColloquyError `USAGE`
 */
export const namesOf = (members: number | readonly string[]): readonly string[] => {
  if (typeof members !== 'number') return members
  whole('members', members, 1, MOST_MEMBERS)
  return Array.from({ length: members }, (_, index) => nameOf(index))
}

const whole = (name: string, value: number, least: number, most: number): void => {
  if (Number.isInteger(value) && value >= least && value <= most) return
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
  throw new ColloquyError('USAGE', `${name} must be a whole number ${range}, not ${value}`, {
    issues: [{ path: name, message: `must be a whole number ${range}` }],
  })
}

/**
 * Explores all that can happen in a conversation of a protocol, for a policy and a number of members, with any messages,
 * failures, departures and silence. Synchronous.
 * @throws ColloquyError `POLICY_INVALID` when the policy is refused for every lead; `OPEN_INVALID` when no conversation
 *   could open with the members or the lead; `USAGE` for a number that is none
 */
export const check = (options: CheckOptions): CheckReport => {
  const { size = 2, maxStates = 2_000_000 } = options
  whole('size', size, 0, Number.MAX_SAFE_INTEGER)
  whole('maxStates', maxStates, 1, Number.MAX_SAFE_INTEGER)
  const members = namesOf(options.members ?? 3)
  const started = performance.now()
  const [first, ...others] = rootsOf(options, members)
  return merged(
    [reportFrom(options, members, first), ...others.map((root) => reportFrom(options, members, root))],
    performance.now() - started,
  )
}

/** Explores all from one opening; what that took in memory is free when the next is looked at. */
const reportFrom = (
  options: CheckOptions,
  members: readonly string[],
  { lead, policy }: Root,
): CheckReport => {
  const { protocol, size = 2, joins = false, maxStates = 2_000_000, onProgress = () => undefined } = options
  const started = performance.now()
  const { result } = watching((asked, pause) => {
    const scope = { size, joins }
    const writer = new KeyWriter()
    const explorer = new Explorer({ protocol, members, lead, policy, scope, writer, asked })
    const inquiry = new Inquiry(protocol, members, lead, policy, explorer, maxStates, (progress) =>
      pause(() => onProgress(progress)),
    )
    inquiry.run()
    return inquiry
  })
  return reportOf(options, members, result, started)
}

interface Root {
  readonly lead: string | null
  readonly policy: object
}

/**
 * The openings to look at: those leads that the protocol takes.
 * @throws ColloquyError `POLICY_INVALID` when it takes none; `OPEN_INVALID`
 */
export const rootsOf = (
  { protocol, lead, policy = {} }: Pick<CheckOptions, 'protocol' | 'lead' | 'policy'>,
  members: readonly string[],
): readonly [Root, ...Root[]] => {
  const wrong = issuesOfGroup({ members, lead: lead ?? null })
  if (wrong.length > 0) {
    const found = wrong.map(({ path, message }) => `${path} ${message}`).join('; ')
    throw new ColloquyError('OPEN_INVALID', `There is nothing to check: ${found}`, { issues: wrong })
  }
  const leads = lead === undefined ? [null, members[0] ?? null] : [lead]
  const completed = leads.map((each) => ({
    lead: each,
    answer: protocol.completePolicy(policy, { members, lead: each }),
  }))
  const [first, ...others] = completed.flatMap(({ lead: each, answer }) =>
    answer.issues === undefined ? [{ lead: each, policy: answer.policy }] : [],
  )
  if (first !== undefined) return [first, ...others]
  const issues = completed.at(-1)?.answer.issues ?? []
  throw new ColloquyError(
    'POLICY_INVALID',
    `There is nothing to check: ${issues.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
    { issues },
  )
}

/** The search from one opening. */
class Inquiry {
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
    this.#root ??= this.explorer.open()
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
    const seen = new Set([this.explorer.keyOf(this.root).whole])
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
      const spoken = this.explorer.exhaust(real, member, keep)
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
        const next = this.explorer.step(real, event)
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
      for (const member of this.explorer.members(way[began - 1] ?? this.root)) {
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

const WHY: Readonly<Record<'silent' | 'stuck', string>> = {
  silent: 'nothing is ever due there, so when everybody is silent it stays open for ever',
  stuck: 'its due time comes and changes nothing, so when everybody is silent it stays open for ever',
}

const counterexampleOf = (inquiry: Inquiry): Counterexample | null => {
  const { lasso } = inquiry.search
  if (lasso === null) return null
  const { why, stem, loop } = lasso
  const last = (loop.at(-1) ?? stem.at(-1) ?? inquiry.root).position.state
  if (why !== 'round')
    return { why: `In state "${last}" ${WHY[why]}`, record: inquiry.record(stem, false), loop: null }
  const ms = loop.reduce((sum, edge) => sum + edge.ms, 0)
  const { record, loop: places } = inquiry.round(lasso)
  const events = places[1] - places[0]
  const what = events === 1 ? 'one event' : `${events} events`
  return {
    why: `In state "${last}" the same can be done again and again: ${what} in ${ms} ms, after which everything is as it was`,
    record,
    loop: places,
  }
}

/** @param started ms of the clock */
const reportOf = (
  options: CheckOptions,
  members: readonly string[],
  inquiry: Inquiry,
  started: number,
): CheckReport => {
  const { protocol, size = 2, joins = false, maxStates = 2_000_000 } = options
  const { explorer, search, policy, lead } = inquiry
  const { flaw } = explorer
  const { lasso, exceeded, rankFault } = search
  const problems: Problem[] = []
  if (flaw !== null)
    problems.push({ message: flaw.message, record: inquiry.record(search.flawed ?? [], false) })
  for (const intent of explorer.unsaid)
    problems.push({
      message: `No payload could be made from the schema of "${intent}", so that it was never said: tell in \`checking.says\` what may be said.`,
      record: null,
    })
  if (exceeded)
    problems.push({
      message: tooLarge(protocol, maxStates, members.length, size, rankFault === null && search.ranked > 0),
      record: null,
    })
  if (rankFault !== null) {
    const { before, after, stem } = rankFault
    problems.push({
      message: `The rank does not fall: it goes from [${before.join(', ')}] to [${after.join(', ')}] with the last event. The search does not rely on it, but it is no argument for larger groups.`,
      record: inquiry.record(stem, false),
    })
  }
  const isTrusted = (flaw === null || flaw.kind === 'cancel') && explorer.unsaid.length === 0
  const isWhole = lasso === null && !exceeded
  const boundOf = (dimension: Dimension): Bound => {
    const most = inquiry.most(dimension)
    if (isWhole && Number.isFinite(most)) return { most, record: inquiry.longest(dimension), loop: null }
    const round = dimension === 'ms' ? undefined : search.endless[dimension]
    return round === undefined
      ? { most: null, record: null, loop: null }
      : { most: null, ...inquiry.round(round) }
  }
  const [turns, messages, time] = DIMENSIONS.map(boundOf) as [Bound, Bound, Bound]
  const states = isWhole ? Object.keys(protocol.machine.root.states) : []
  return {
    protocol: protocol.name,
    members,
    policy,
    size,
    joins,
    verdict: lasso !== null ? 'refuted' : exceeded || !isTrusted ? 'unproved' : 'proved',
    sampled: protocol.checking?.says === undefined,
    problems,
    counterexample: counterexampleOf(inquiry),
    turns,
    messages,
    ms: time,
    formula: protocol.checking?.bound?.(policy, { members, lead }, size) ?? null,
    unreachableStates: states.filter(
      (state) => ![...explorer.reached].some((name) => name === state || name.includes(`"${state}"`)),
    ),
    unreachableTransitions: isWhole
      ? explorer.marks
          .filter(({ on }, mark) => explorer.taken[mark] !== 1 && (joins || on !== 'join'))
          .map(textOfBranch)
      : [],
    unusedIntents: isWhole
      ? Object.keys(protocol.payloads).filter((intent) => !explorer.used.has(intent))
      : [],
    statesWithoutDueTime: [...search.timeless],
    rank: {
      events: search.ranked,
      holds: rankFault === null && search.ranked > 0,
      opening: explorer.rank(inquiry.root),
    },
    explored: { states: search.states, steps: explorer.steps, ms: performance.now() - started },
  }
}

const tooLarge = (
  protocol: Protocol,
  maxStates: number,
  members: number,
  size: number,
  rankHolds: boolean,
): string =>
  [
    `The search was given up after ${maxStates} states.`,
    `Lower the number of members (${members}), the size (${size}) or the limits of the policy, or raise the number of states.`,
    protocol.checking?.sketch === undefined
      ? 'What only grows in the context, such as a count of all turns, makes states without end: tell in `checking.sketch` what the future depends on.'
      : '',
    rankHolds
      ? `The rank of "${protocol.name}" fell on every event that was looked at; as far as it does so always, every conversation without joins ends. This is an argument for all sizes, and no proof for this one.`
      : '',
  ]
    .filter((line) => line !== '')
    .join(' ')

const textOfBranch = ({
  state,
  on,
  guard,
  target,
  index,
}: {
  readonly state: string
  readonly on: string | null
  readonly guard: string | null
  readonly target: string | null
  readonly index: number
}): string => {
  const where = state === '' ? 'any state' : state
  const what = on === null ? 'of itself' : `on ${on}`
  return `${where}, ${what}${guard === null ? '' : ` if ${guard}`}${target === null ? '' : ` → ${target}`} (${index + 1})`
}
