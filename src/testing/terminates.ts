/**
 * Whether every conversation of a protocol ends: proved for a small group by looking at all that can happen, and tried
 * on larger ones, under other policies, with members who do what they can to keep it going.
 */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { Group, Protocol } from '../engine/protocol.ts'
import { check } from './check.ts'
import { type Draw, drawOf } from './draw.ts'
import { Play } from './play.ts'
import { RecordedFailure, withRecord } from './recorded-failure.ts'
import type { CheckReport } from './report.ts'
import { type ActKind, type Scenario, scenarios } from './scenarios.ts'
import { compare } from './search.ts'
import { simulate } from './world.ts'
import { worlds } from './worlds.ts'

export interface TerminationOptions {
  /** Members of the group for which it is proved. Default: 2. */
  readonly members?: number
  /** Most interchangeable things, such as pieces of work, in the proof. Default: 1. */
  readonly size?: number
  /** Of the proof; the runs are under any. Default: the protocol's defaults, for which a proof may take too many states. */
  readonly policy?: Readonly<Record<string, unknown>>
  /** Whether members that left may join again, in the proof; in the runs they may. Default: false. */
  readonly joins?: boolean
  /** Most states that the proof may look at. Default: 200,000. */
  readonly maxStates?: number
  /** Random conversations, and as many simulated worlds. Default: 100. */
  readonly runs?: number
  /** Of the random ones. Default: 0. */
  readonly seed?: number
  /** Most that adversaries do in one conversation. Default: 2,000. */
  readonly steps?: number
}

/**
 * Asserts that every conversation of a protocol ends, and tells how the proof went.
 * @throws RecordedFailure with a record that shows an endless one, or that it is not proved and why
 */
export const assertTerminates = async (
  protocol: Protocol,
  options: TerminationOptions = {},
): Promise<CheckReport> => {
  const { members = 2, size = 1, joins = false, policy, maxStates = 200_000 } = options
  const { runs = 100, seed = 0, steps = 2_000 } = options
  const report = check({
    protocol,
    members,
    size,
    joins,
    maxStates,
    ...(policy === undefined ? {} : { policy }),
  })
  prove(report)
  await holds(
    // Silence may come at any time, and makes the smaller record.
    fc.property(scenarios(protocol, TRIED), fc.boolean(), fc.nat(), (scenario, isLong, chance) => {
      outlast(protocol, scenario, chance, isLong ? steps : 0)
    }),
    { numRuns: runs, seed },
  )
  await holds(
    fc.asyncProperty(worlds(protocol, TRIED), async (world) => {
      let hasRank = true
      const { cut, record } = await simulate({
        protocol,
        ...world,
        stall: 'wait',
        turnTimeout: null,
        most: steps,
        on: {
          opened({ context, state }) {
            hasRank = protocol.rank(context, state).length > 0
          },
        },
      })
      // With a rank it ends, if late.
      if (cut === null || (cut === 'endless' && hasRank)) return
      throw new RecordedFailure(`It is still open after ${record.length - 1} events: ${cut}`, record)
    }),
    { numRuns: runs, seed },
  )
  return report
}

/** Limits low enough to be reached. */
const TRIED = { members: { most: 5 }, policy: { most: 12 } } as const

const prove = ({ verdict, problems, counterexample, rank, protocol }: CheckReport): void => {
  if (counterexample !== null) {
    const { why, record, loop } = counterexample
    const again = loop === null ? '' : ` Lines ${loop[0] + 1} to ${loop[1]} can be repeated.`
    throw new RecordedFailure(`"${protocol}" need not end. ${why}.${again}`, record)
  }
  if (verdict === 'proved' && (rank.events === 0 || rank.holds)) return
  const why = problems.map(({ message }) => message).join(' ')
  const record = problems.find((problem) => problem.record !== null)?.record ?? []
  throw new RecordedFailure(`It is not proved that "${protocol}" ends. ${why}`, record)
}

/** Runs a property; its failure is thrown as it is, with what repeats it. */
const holds = async <Ts>(
  property: fc.IRawProperty<Ts>,
  parameters: { readonly numRuns: number; readonly seed: number },
): Promise<void> => {
  const { failed, errorInstance, seed, numShrinks } = await fc.check(property, parameters)
  if (!failed) return
  if (!(errorInstance instanceof RecordedFailure)) throw errorInstance
  const { found, record, cause } = errorInstance
  throw new RecordedFailure(`${found} (seed ${seed}, made smaller ${numShrinks} times)`, record, { cause })
}

/** What keeps a conversation going. */
const KEEPING: readonly ActKind[] = [
  'help',
  'help',
  'help',
  'say',
  'say',
  'repeat',
  'forge',
  'malformed',
  'fault',
]

const CHOICES = 2 ** 16

/**
 * Plays a scenario, keeps it going for so many steps more, and then falls silent: it has to end.
 * @param chance of what keeps it going
 */
const outlast = (protocol: Protocol, scenario: Scenario, chance: number, steps: number): void => {
  const play = new Play(protocol, scenario)
  const { conversation } = play
  withRecord(conversation, () => {
    const watch = new Watch(protocol, play, scenario.group)
    for (const act of scenario.acts) {
      if (conversation.isClosed) break
      watch.around(() => play.perform(play.inputOf(act)))
    }
    keepGoing(play, watch, drawOf(chance), steps)
    if (steps > 0 && !conversation.isClosed && !watch.hasRank) {
      const { seq } = conversation
      throw new Error(`It is still open after ${seq} events, and no rank says why it will end`)
    }
    fallSilent(play, watch)
    watch.bounded()
  })
}

const keepGoing = (play: Play, watch: Watch, draw: Draw, steps: number): void => {
  const { conversation } = play
  for (let step = 0; step < steps && !conversation.isClosed; step++) {
    const kind = KEEPING[draw(KEEPING.length)] ?? 'help'
    const choices = Array.from({ length: 16 }, () => draw(CHOICES))
    const ms = stepOf(conversation, draw)
    watch.around(() => play.perform(play.inputOf({ kind, when: { after: 'event', ms }, choices })))
  }
}

/** So many due times in a row are no end. */
const MOST_TICKS = 1_000

const fallSilent = ({ conversation }: Play, watch: Watch): void => {
  for (let ticks = 0; !conversation.isClosed; ticks++) {
    const { dueAt, state, context } = conversation
    if (dueAt === null)
      throw new Error(`Nothing is due in "${state}": when everybody is silent, it stays open for ever`)
    watch.around(() => conversation.tick(dueAt))
    const isSame = conversation.state === state && isDeepStrictEqual(conversation.context, context)
    if (isSame)
      throw new Error(`In "${state}" the due time comes and changes nothing: it stays open for ever`)
    if (ticks > MOST_TICKS)
      throw new Error(`It is still open after ${ticks} due times, though everybody is silent`)
  }
}

/** ms to the next act: mostly none; else a part of what is left, so that a limit of time comes near as well as one of turns. */
const stepOf = ({ dueAt, at }: Play['conversation'], draw: Draw): number => {
  if (draw(5) > 0) return 0
  return dueAt === null ? 1 : Math.max(1, Math.ceil((dueAt - at) / 8))
}

/** Sees that what remains grows less, and that no more is said than the protocol's own formula gives. */
class Watch {
  readonly #protocol: Protocol
  readonly #play: Play
  readonly #group: Group
  readonly #policy: object
  /** Most interchangeable things at once. */
  #things = 0
  #hasJoined = false

  constructor(protocol: Protocol, play: Play, group: Group) {
    this.#protocol = protocol
    this.#play = play
    this.#group = group
    const [open] = play.conversation.record()
    this.#policy = open?.type === 'open' ? open.policy : {}
  }

  get hasRank(): boolean {
    return this.#rank().length > 0
  }

  /** Does something, and looks at each event that comes of it. */
  around(act: () => unknown): void {
    const { conversation } = this.#play
    let [rank, end] = [this.#rank(), this.#end()]
    const faults: string[] = []
    const stop = conversation.on('event', ({ event }) => {
      const [rankBefore, endBefore] = [rank, end]
      rank = this.#rank()
      end = this.#end()
      if (event.type === 'join') this.#hasJoined = true
      if (event.type === 'join' || rankBefore.length === 0 || conversation.isClosed) return
      const order = compare(rank, rankBefore)
      // Where nothing but time is left to end it, the rank may stay; then its end must not be put off.
      if (order < 0 || (order === 0 && end !== null && end === endBefore)) return
      faults.push(
        `The rank does not fall: [${rankBefore.join(', ')}], then [${rank.join(', ')}], with "${event.type}"`,
      )
    })
    act()
    stop()
    const { checking } = this.#protocol
    const { context, at, state } = conversation
    const things =
      checking?.sketch?.(context, at, state, { size: MANY, joins: this.#hasJoined }).things.length ?? 0
    this.#things = Math.max(this.#things, things)
    if (faults[0] !== undefined) throw new Error(faults[0])
  }

  /** Joins bring turns of their own, which no formula counts. */
  bounded(): void {
    const { checking } = this.#protocol
    if (this.#hasJoined || checking?.turns === undefined) return
    const most = checking.bound?.(this.#policy, this.#group, this.#things) ?? null
    const turns = checking.turns(this.#play.conversation.context)
    if (most !== null && turns > most)
      throw new Error(`It took ${turns} turns, and its formula gives ${most} at most`)
  }

  /** When the present visit is over at the latest. */
  #end(): number | null {
    const { context, state, dueAt } = this.#play.conversation
    const { endsAt } = this.#protocol.checking ?? {}
    return endsAt === undefined ? dueAt : endsAt(context, state)
  }

  #rank(): readonly number[] {
    const { context, state } = this.#play.conversation
    return this.#protocol.rank(context, state)
  }
}

const MANY = 1_000
