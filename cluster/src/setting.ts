/** What an app brings to its conversations, put in order once. */
import type { Agent, FloorOptions, Protocol } from 'colloquy'
import type { Answerers } from './asked.ts'
import { type Book, bookOf } from './book.ts'

export interface ConversationsOptions {
  /**
   * All that conversations may go by. The first one's name is the default; of one name, new conversations get the newest
   * version, and open ones go on with the one that they were opened with, for as long as it is in this list.
   */
  readonly protocols: readonly Protocol[]
  /** Members that the cluster asks, by their ids. The same agents in every process of the app. */
  readonly agents?: Readonly<Record<string, Agent<object>>>
  /** Members that are people: what they are asked waits in the conversation for `answer`. */
  readonly people?: readonly string[]
  /** Where the rules ask nobody in particular: one after the other, or all at once. Default: `round_robin`. */
  readonly talk?: FloorOptions['talk']
  /** Most ms that an agent may take for one turn, unless it says otherwise itself. Default: 120,000. */
  readonly turnTimeout?: number
  /** The virtual object's name in Restate. Default: `colloquy`. */
  readonly name?: string
}

export interface Setting {
  readonly name: string
  /** Of the service that asks the agents. */
  readonly askingName: string
  readonly book: Book
  readonly answerers: Answerers
  readonly agents: ReadonlyMap<string, Agent<object>>
  /** ms. */
  readonly turnTimeout: number
}

export const OBJECT = 'colloquy'
const TURN_TIMEOUT = 120_000

/** @throws ColloquyError `PROTOCOL_INVALID` */
export const settingOf = (options: ConversationsOptions): Setting => {
  const { protocols, people = [], talk = 'round_robin', name = OBJECT } = options
  const agents = new Map(Object.entries(options.agents ?? {}))
  return {
    name,
    askingName: `${name}-agents`,
    book: bookOf(protocols),
    answerers: {
      people: new Set(people),
      agents: new Map([...agents].map(([id, { capabilities }]) => [id, capabilities])),
      talk,
    },
    agents,
    turnTimeout: options.turnTimeout ?? TURN_TIMEOUT,
  }
}
