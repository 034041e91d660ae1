/**
 * A simulated world: `convene` with a clock that is set by hand, agents whose answers pass through a network, and chance
 * from a seed. No real timer runs: when everybody waits, the clock goes on to the next time at which something is due.
 * So a conversation of hours takes less than a millisecond, and the same seed gives the same record, byte for byte.
 *
 * Everybody waits when a turn of the event loop brought nothing new: what hangs on promises alone is settled by then. What
 * an agent waits for has to be the world's: its clock, or nothing. Files, sockets and timers of its own come too late.
 */
import { type SimulatedClock, simulatedClock } from '../engine/clock.ts'
import { type Convened, type ConveneOptions, convene } from '../engine/convene.ts'
import { ColloquyError } from '../errors.ts'
import { drawOf } from './draw.ts'
import { type Network, type NetworkOptions, network } from './network.ts'
import { Post, type Traffic } from './post.ts'
import type { Resident } from './resident.ts'

type Passed =
  | 'protocol'
  | 'goal'
  | 'lead'
  | 'policy'
  | 'on'
  | 'floor'
  | 'talk'
  | 'turnTimeout'
  | 'view'
  | 'stall'

/** As `convene` takes them, where nothing else is said. */
export interface SimulateOptions<Context extends object, Outcome extends object, Board extends object>
  extends Pick<ConveneOptions<Context, Outcome, Board>, Passed> {
  /** Default: 0. */
  readonly seed?: number
  readonly agents: Readonly<Record<string, Resident<Board>>> | ReadonlyMap<string, Resident<Board>>
  /** Default: every message arrives at once. */
  readonly network?: Network | NetworkOptions
  /** Default: one that stands at 0. */
  readonly clock?: SimulatedClock
  /** Most events; with more, the world cancels the conversation. Default: 10,000. */
  readonly most?: number
}

export interface Simulated<Outcome extends object> extends Convened<Outcome> {
  /**
   * Why the world had to cancel it: nothing was due and nobody was about to speak, or there was no end of it. Null: it
   * ended by its rules, or `convene` gave it up (`stalled`).
   */
  readonly cut: 'silence' | 'endless' | null
  /** ms of simulated time that it took. */
  readonly took: number
  readonly traffic: Traffic
}

const MOST = 10_000

/** Of a seed's streams of chance, that of the agents. */
const OF_AGENTS = 2

/**
 * Simulates a conversation.
 * @throws ColloquyError as `convene` does
 */
export const simulate = async <Context extends object, Outcome extends object, Board extends object>(
  options: SimulateOptions<Context, Outcome, Board>,
): Promise<Simulated<Outcome>> => {
  const { seed = 0, network: given = {}, clock = simulatedClock(), most = MOST, on, ...passed } = options
  const agents = options.agents instanceof Map ? [...options.agents] : Object.entries(options.agents)
  const post = new Post(options.protocol, seed, clock, typeof given === 'function' ? given : network(given))
  const start = clock.now()
  const stop = new AbortController()
  let isSettled = false
  const convened = convene({
    ...passed,
    id: post.id,
    agents: new Map(
      agents.map(([member, agent]: [string, Resident<Board>], index) => [
        member,
        post.connected(agent, { clock, draw: drawOf(seed, OF_AGENTS, index) }),
      ]),
    ),
    clock,
    signal: stop.signal,
    on: {
      ...on,
      opened(conversation) {
        post.deliverTo(conversation)
        on?.opened?.(conversation)
      },
    },
  }).finally(() => {
    isSettled = true
  })
  // It is awaited below, but may fail before.
  convened.catch(() => {})

  let cut: Simulated<Outcome>['cut'] = null
  let seen = -1
  while (!isSettled) {
    await new Promise((resolve) => setImmediate(resolve))
    if (post.events > most) cut = 'endless'
    else if (isSettled) break
    else if (post.activity !== seen) {
      seen = post.activity
      continue
    } else if (clock.advanceToNext()) {
      // What that wakes may take a turn of its own before it shows.
      seen = -1
      continue
    } else cut = 'silence'
    stop.abort(new ColloquyError('CANCELLED', CUTS[cut]))
    post.close()
    break
  }
  const ended = await convened
  const took = (ended.record.at(-1)?.at ?? start) - start
  return { ...ended, cut, took, traffic: post.traffic }
}

const CUTS = {
  silence: 'Nothing is due and nobody is about to speak: the conversation would wait for ever',
  endless: 'There is no end of it',
} as const
