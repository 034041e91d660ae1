/**
 * A simulated world: `convene` with a clock that is set by hand, agents whose answers pass through a network, and chance
 * from a seed. No real timer runs: when everybody waits, the clock goes on to the next time at which something is due.
 * So a conversation of hours takes less than a millisecond, and the same seed gives the same record, byte for byte.
 *
 * Everybody waits when a turn of the event loop brought nothing: what hangs on promises alone is settled by then. What
 * an agent waits for has to be the world's: its clock, or nothing. Files, sockets and timers of its own come too late.
 */
import type { Agent, Answer, PlainText, Turn, Utterance } from '../agents/agent.ts'
import { type Clock, type SimulatedClock, simulatedClock } from '../engine/clock.ts'
import { type Convened, type ConveneOptions, convene } from '../engine/facilitator.ts'
import type { Protocol } from '../engine/protocol.ts'
import { utterancesOf } from '../engine/utterances.ts'
import { ColloquyError } from '../errors.ts'
import { type Draw, drawOf } from './draw.ts'
import { type Network, type NetworkOptions, network } from './network.ts'

/** What an agent of a simulated world is given besides its turn. */
export interface Surroundings {
  readonly clock: Clock
  /** Choices of this agent's own, from the world's seed. */
  readonly draw: Draw
}

/** An agent that may use the world it lives in. Any agent is one. */
export interface Resident<Board = Readonly<Record<string, unknown>>>
  extends Pick<Agent<Board>, 'capabilities' | 'timeout' | 'close'> {
  (turn: Turn<Board>, signal: AbortSignal, surroundings: Surroundings): Answer | Promise<Answer>
}

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

/** What became of the messages that were sent. */
export interface Traffic {
  readonly sent: number
  readonly lost: number
  /** Arrivals of a message that had arrived before. */
  readonly copies: number
  /** Messages that arrived after one that was sent later. */
  readonly overtaken: number
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

/** Which of a seed's streams of chance one is. */
const OF_NETWORK = 1
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
  while (!isSettled) {
    const before = post.activity
    await new Promise((resolve) => setImmediate(resolve))
    if (post.events > most) cut = 'endless'
    else if (isSettled || post.activity !== before || clock.advanceToNext()) continue
    else cut = 'silence'
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

/** What a conversation has to offer to a network. */
interface Addressee {
  receive(message: unknown, at: number): unknown
  on(topic: 'event' | 'closed', listener: () => void): unknown
}

type Said = string | PlainText | Utterance
type Draft = Readonly<Record<string, unknown>>

/** Carries what agents answer, as the network will have it. */
class Post {
  readonly id: string
  /** Grows whenever anything happens. */
  activity = 0
  /** Of the conversation, so far. */
  events = 0
  readonly #protocol: Protocol
  readonly #seed: number
  readonly #clock: Clock
  readonly #network: Network
  #addressee: Addressee | null = null
  #isOver = false
  /** What calls off each wait, once it is over. */
  readonly #waiting = new Set<(reason: unknown) => void>()
  #ids = 0
  #sent = 0
  #lost = 0
  #copies = 0
  #overtaken = 0
  /** Places of the messages that arrived. */
  readonly #arrived = new Set<number>()
  #newest = -1

  constructor(protocol: Protocol, seed: number, clock: Clock, net: Network) {
    this.id = `w${seed}`
    this.#protocol = protocol
    this.#seed = seed
    this.#clock = clock
    this.#network = net
  }

  get traffic(): Traffic {
    return { sent: this.#sent, lost: this.#lost, copies: this.#copies, overtaken: this.#overtaken }
  }

  deliverTo(conversation: Addressee): void {
    this.#addressee = conversation
    conversation.on('event', () => {
      this.activity++
      this.events++
    })
    conversation.on('closed', () => this.close())
  }

  /** Whatever is under way is lost. */
  close(): void {
    this.#isOver = true
    for (const callOff of this.#waiting) callOff(OVER)
  }

  /** The agent as `convene` is to know it: at the other end of the network. */
  connected<Board extends object>(agent: Resident<Board>, surroundings: Surroundings): Agent<Board> {
    const { capabilities, timeout } = agent
    const connected = async (turn: Turn<Board>, signal: AbortSignal): Promise<Answer> => {
      this.activity++
      const answer = agent(turn, signal, surroundings)
      return this.#carried(isPromise(answer) ? await this.#awaited(answer) : answer, turn)
    }
    return Object.assign(connected, {
      ...(capabilities === undefined ? {} : { capabilities }),
      ...(timeout === undefined ? {} : { timeout }),
      ...(agent.close === undefined ? {} : { close: () => agent.close?.() ?? Promise.resolve() }),
    })
  }

  /** What of an answer arrives first, when it does. The rest comes by itself later. */
  async #carried(answer: Answer, turn: Turn<object>): Promise<Answer> {
    this.activity++
    const now = this.#clock.now()
    const drafts = this.#draftsOf(answer, turn).map((draft) => {
      const place = this.#sent++
      const from = String(draft.from)
      const packet = { from, at: now, place, timeLeft: turn.timeLeft }
      const fate = this.#network(packet, drawOf(this.#seed, OF_NETWORK, place))
      if (fate.length === 0) this.#lost++
      return { draft, place, fate, isOwn: from === turn.member }
    })
    const own = drafts.filter(({ isOwn }) => isOwn)
    const first = Math.min(...own.flatMap(({ fate }) => fate))
    for (const { draft, place, fate, isOwn } of drafts) {
      let isAnswered = false
      for (const ms of fate) {
        if (isOwn && ms === first && !isAnswered) isAnswered = true
        else this.#clock.wake(now + ms, () => this.#receive(draft, place))
      }
    }
    if (own.length === 0)
      throw new ColloquyError('AGENT_ANSWER_INVALID', 'The agent said nothing in its own name')
    if (first > 0) await this.#awaited(this.#until(now + first))
    const answered = own.filter(({ fate }) => fate.includes(first))
    for (const { place } of answered) this.#note(place)
    return answered.map(({ draft }) => ({ ...draft, intent: String(draft.intent) }))
  }

  /** Messages as they are sent: with ids that are the same for the same seed, and with the sender that they claim. */
  #draftsOf(answer: Answer, turn: Turn<object>): readonly Draft[] {
    const parts: readonly Said[] = isList(answer) ? answer : [answer]
    if (parts.length === 0) utterancesOf(answer, turn, this.#protocol)
    return parts.flatMap((part) =>
      utterancesOf([part], turn, this.#protocol).map((draft) => {
        const id = isGiven(part, draft.id) ? draft.id : `${this.id}-${this.#ids++}`
        const from = typeof part === 'object' && 'from' in part ? part.from : draft.from
        return { ...draft, id, from }
      }),
    )
  }

  #receive(draft: Draft, place: number): void {
    this.activity++
    if (this.#isOver) return
    this.#note(place)
    this.#addressee?.receive(draft, this.#clock.now())
  }

  #note(place: number): void {
    if (this.#arrived.has(place)) {
      this.#copies++
      return
    }
    this.#arrived.add(place)
    if (place < this.#newest) this.#overtaken++
    this.#newest = Math.max(this.#newest, place)
  }

  #until(at: number): Promise<void> {
    return new Promise((resolve) => {
      if (at < Number.POSITIVE_INFINITY) this.#clock.wake(at, resolve)
    })
  }

  /** What an agent or a message brings; when it is over, nobody waits for it any more. */
  #awaited<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, callOff) => {
      const settled = (): void => {
        this.activity++
        this.#waiting.delete(callOff)
      }
      if (this.#isOver) callOff(OVER)
      this.#waiting.add(callOff)
      promise.finally(settled).then(resolve, callOff)
    })
  }
}

const OVER = new ColloquyError('CANCELLED', 'The conversation is over')

/** Also a promise of another realm, as some test runners make them. */
const isPromise = (answer: Answer | Promise<Answer>): answer is Promise<Answer> =>
  typeof answer === 'object' && 'then' in answer

const isList = (answer: Answer): answer is readonly Said[] => Array.isArray(answer)

/** Whether the agent itself gave the message its id. */
const isGiven = (part: Said, id: unknown): boolean => {
  if (typeof part === 'string') return part.includes(String(id))
  return 'text' in part ? part.text.includes(String(id)) : part.id !== undefined
}
