/** Carries what agents answer through a network, to the conversation that it is meant for. */
import type { Agent, Answer, PlainText, Turn, Utterance } from '../agents/agent.ts'
import type { Clock } from '../engine/clock.ts'
import type { Protocol } from '../engine/protocol.ts'
import { utterancesOf } from '../engine/utterances.ts'
import { ColloquyError } from '../errors.ts'
import { drawOf } from './draw.ts'
import type { Network } from './network.ts'
import type { Resident, Surroundings } from './resident.ts'

/** What became of the messages that were sent. */
export interface Traffic {
  readonly sent: number
  readonly lost: number
  /** Arrivals of a message that had arrived before. */
  readonly copies: number
  /** Messages that arrived after one that was sent later. */
  readonly overtaken: number
}

/** Of a seed's streams of chance, that of the network. */
const OF_NETWORK = 1

/** What a conversation has to offer to a network. */
interface Addressee {
  receive(message: unknown, at: number): unknown
  on(topic: 'event' | 'closed', listener: () => void): unknown
}

type Said = string | PlainText | Utterance
type Draft = Readonly<Record<string, unknown>>

/** One conversation's post. */
export class Post {
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
