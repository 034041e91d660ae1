/** The termination checker: proves that every conversation of a protocol closes, within how much, or shows one that does not. */
import { issuesOfGroup } from '../engine/opening.ts'
import type { Protocol } from '../engine/protocol.ts'
import { ColloquyError } from '../errors.ts'
import { KeyWriter } from './canonical.ts'
import { Explorer } from './explorer.ts'
import { Inquiry } from './inquiry.ts'
import { merged } from './merge.ts'
import { watching } from './purity.ts'
import type { Bound, CheckReport, Counterexample, Problem } from './report.ts'
import { DIMENSIONS, type Dimension, type Progress } from './search.ts'

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
  const { flaw } = explorer.trial
  const { lasso, exceeded, rankFault } = search
  const problems: Problem[] = []
  if (flaw !== null)
    problems.push({ message: flaw.message, record: inquiry.record(search.flawed ?? [], false) })
  for (const intent of explorer.trial.unsaid)
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
  const isTrusted = (flaw === null || flaw.kind === 'cancel') && explorer.trial.unsaid.length === 0
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
      (state) => ![...explorer.trial.reached].some((name) => name === state || name.includes(`"${state}"`)),
    ),
    unreachableTransitions: isWhole
      ? explorer.trial.marks
          .filter(({ on }, mark) => explorer.trial.taken[mark] !== 1 && (joins || on !== 'join'))
          .map(textOfBranch)
      : [],
    unusedIntents: isWhole
      ? Object.keys(protocol.payloads).filter((intent) => !explorer.trial.used.has(intent))
      : [],
    statesWithoutDueTime: [...search.timeless],
    rank: {
      events: search.ranked,
      holds: rankFault === null && search.ranked > 0,
      opening: explorer.trial.rank(inquiry.root),
    },
    explored: { states: search.states, steps: explorer.trial.steps, ms: performance.now() - started },
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
