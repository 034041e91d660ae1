/**
 * Turns under way. A member is asked once at a time: until its agent has settled, or has been told to stop and has not
 * for `stopTimeout`. Turns time out, are overtaken when the group moves on, and are all called off at the end.
 */
import type { Agent, Answer, Turn } from '../agents/agent.ts'
import { ColloquyError } from '../errors.ts'
import type { Begun, Observer, Trace } from '../observers/observer.ts'
import type { Clock } from './clock.ts'
import { within } from './within.ts'

/** Why a turn was called off; an agent finds it in its signal's `reason`. */
type Ending = 'timeout' | 'moved on' | 'over'

/** One turn that a member was asked to take. */
export interface Ask<Board extends object> {
  readonly turn: Turn<Board>
  readonly controller: AbortController
  ended: Ending | null
  /** Settles when the agent has; never rejects. */
  settled: Promise<unknown>
  stopTimer: () => void
  /** For the messages that come of it. */
  readonly trace: Trace | undefined
}

/** What comes of it, with the time at which it came. */
export type Arrival<Board extends object> =
  | { readonly type: 'answer'; readonly ask: Ask<Board>; readonly at: number; readonly answer: Answer }
  | { readonly type: 'failure'; readonly ask: Ask<Board>; readonly at: number; readonly error: unknown }
  /** The agent still has to stop, but the member has had its time. */
  | { readonly type: 'timeout'; readonly ask: Ask<Board>; readonly at: number; readonly error: unknown }
  /** Something may be possible that was not before. */
  | { readonly type: 'wake' }

export interface AskingOptions<Board extends object> {
  readonly agents: ReadonlyMap<string, Agent<Board>>
  readonly clock: Clock
  /** ms; null: none. An agent's own goes before it. */
  readonly turnTimeout: number | null
  /** ms. */
  readonly stopTimeout: number
  readonly signal: AbortSignal | undefined
  /** The protocol's name, and who observes the turns. */
  readonly protocol: string
  readonly observer: Observer | undefined
  arrive(arrival: Arrival<Board>): void
  /** @param error what went wrong, whose words are somebody else's */
  warn(text: string, error?: unknown): void
}

export interface Asking<Board extends object> {
  /** How many members are not free. */
  readonly size: number
  isFree(member: string): boolean
  ask(turn: Turn<Board>, agent: Agent<Board>): void
  /** Calls off the turns that are not worth waiting for any more. */
  overtake(isOver: (turn: Turn<Board>) => boolean): void
  /** The member may be asked again. */
  free(ask: Ask<Board>): void
  /** Calls off all turns. */
  callOff(): void
  /** Stops all agents, at most within `stopTimeout` of real time; gives the members whose agents have not stopped by then. */
  stop(): Promise<readonly string[]>
}

const REASONS: Readonly<Record<Ending, string>> = {
  timeout: 'The turn timed out',
  'moved on': 'The group has moved on; what is said now comes too late',
  over: 'The conversation is over',
}

const NOT_ASKED: Promise<unknown> = Promise.resolve()
const NO_TIMER = (): void => {}

export const asking = <Board extends object>(options: AskingOptions<Board>): Asking<Board> => {
  const { agents, clock, stopTimeout, signal, protocol, observer, arrive, warn } = options
  const open = new Map<string, Ask<Board>>()
  /** All whose agents have not settled, also those that are not waited for any more. */
  const running = new Set<Ask<Board>>()

  const end = (ask: Ask<Board>, ending: Ending): void => {
    if (ask.ended !== null) return
    ask.ended = ending
    ask.stopTimer()
    // Whoever aborted knows best why.
    if (ending === 'over' && signal?.aborted === true) ask.controller.abort(signal.reason)
    else
      ask.controller.abort(
        new ColloquyError(ending === 'timeout' ? 'AGENT_TIMEOUT' : 'CANCELLED', REASONS[ending]),
      )
  }

  const free = (ask: Ask<Board>): void => {
    if (open.get(ask.turn.member) === ask) open.delete(ask.turn.member)
  }

  /** An agent that was told to stop gets a while; then its member is free all the same. */
  const release = (ask: Ask<Board>): void => {
    const stopTimer = clock.wake(clock.now() + stopTimeout, () => {
      free(ask)
      arrive({ type: 'wake' })
    })
    void ask.settled.then(stopTimer)
  }

  const expire = (ask: Ask<Board>, timeout: number): void => {
    end(ask, 'timeout')
    const error = new ColloquyError('AGENT_TIMEOUT', `did not answer within ${timeout} ms`)
    arrive({ type: 'timeout', ask, at: clock.now(), error })
    release(ask)
  }

  /** Has the agent take the turn; whatever comes of it arrives. */
  const settle = async (ask: Ask<Board>, agent: Agent<Board>, begun: Begun | undefined): Promise<void> => {
    const call = (): Answer | Promise<Answer> => agent(ask.turn, ask.controller.signal)
    let arrival: Arrival<Board>
    try {
      const answer = await (begun?.within === undefined ? call() : begun.within(call))
      arrival = { type: 'answer', ask, at: clock.now(), answer }
      begun?.end({ tokens: tokensOf(answer) })
    } catch (error) {
      arrival = { type: 'failure', ask, at: clock.now(), error }
      begun?.end({ error })
    }
    running.delete(ask)
    ask.stopTimer()
    arrive(arrival)
  }

  return {
    get size() {
      return open.size
    },
    isFree: (member) => !open.has(member),
    ask(turn, agent) {
      const { conversation, member, state, task } = turn
      const begun = observer?.began?.({ type: 'turn', conversation, protocol, member, state, task })
      const ask: Ask<Board> = {
        turn,
        trace: begun?.trace,
        controller: new AbortController(),
        ended: null,
        settled: NOT_ASKED,
        stopTimer: NO_TIMER,
      }
      open.set(turn.member, ask)
      running.add(ask)
      const timeout = agent.timeout === undefined ? options.turnTimeout : agent.timeout
      if (timeout !== null) ask.stopTimer = clock.wake(clock.now() + timeout, () => expire(ask, timeout))
      ask.settled = settle(ask, agent, begun)
    },
    overtake(isOver) {
      for (const ask of open.values()) {
        if (ask.ended !== null || !isOver(ask.turn)) continue
        end(ask, 'moved on')
        release(ask)
      }
    },
    free,
    callOff() {
      for (const ask of running) end(ask, 'over')
    },
    async stop() {
      for (const ask of running) end(ask, 'over')
      const left = new Set<string>()
      const closing = new Map<Agent<Board>, Promise<void>>()
      const closed = (agent: Agent<Board>): Promise<void> => {
        // One agent may be several members.
        const known = closing.get(agent) ?? (async () => agent.close?.())()
        closing.set(agent, known)
        return known
      }
      const stopping = [...agents].map(async ([member, agent]) => {
        left.add(member)
        const turns = [...running].filter(({ turn }) => turn.member === member)
        await Promise.all([closed(agent), ...turns.map(({ settled }) => settled)])
        left.delete(member)
      })
      await within(stopTimeout, stopping, (error) => warn('An agent failed to stop', error))
      return [...left]
    },
  }
}

/** What an answer says that it cost, in all. */
const tokensOf = (answer: Answer): number => {
  const parts = Array.isArray(answer) ? answer : [answer]
  let tokens = 0
  for (const part of parts) {
    const cost: unknown = typeof part === 'object' && part !== null ? part.tokens : 0
    if (typeof cost === 'number') tokens += cost
  }
  return tokens
}
