/** An agent of a function from text to text. */
import { ColloquyError } from '../errors.ts'
import type { Agent } from './agent.ts'
import { renderTurn } from './render.ts'
import { untilAborted } from './wait.ts'

export interface TextAgentOptions {
  /** What the agent can do, matched with what a piece of work requires. */
  readonly capabilities?: readonly string[]
  /** Limit for one turn in ms; null: only the state's deadline. Default: the group's. */
  readonly timeout?: number | null
}

/**
 * Makes an agent of a function that takes the turn as text (see `renderTurn`) and returns what the member says: plain
 * text, text with an `[intent]` before it, or one JSON object as text.
 *
 * When the signal aborts, the turn is over at once and a later result is dropped; whether the function itself stops
 * is up to it: heed the signal. A function that blocks the event loop (a synchronous HTTP call, a long loop) also
 * blocks every timeout and every other member of the process: run it as a `subprocess` or in a worker instead.
 *
 * @param fn - Takes the rendered turn and the turn's signal; returns text or a promise of it.
 * @returns An agent for any protocol. It rejects with what `fn` throws, with `signal.reason` on abort, and with
 *   `AGENT_ANSWER_INVALID` when `fn` returns anything but a string.
 */
export function textAgent(
  fn: (text: string, signal: AbortSignal) => string | Promise<string>,
  options: TextAgentOptions = {},
): Agent<unknown> {
  const agent: Agent<unknown> = async (turn, signal) => {
    signal.throwIfAborted()
    const answer: unknown = await untilAborted(
      Promise.resolve().then(() => fn(renderTurn(turn), signal)),
      signal,
    )
    if (typeof answer !== 'string') {
      const got = answer === null ? 'null' : Array.isArray(answer) ? 'an array' : typeof answer
      throw new ColloquyError('AGENT_ANSWER_INVALID', `The function must return text; it returned ${got}`, {
        remedy: 'Return a string, or write an Agent to answer with messages.',
      })
    }
    return answer
  }
  const { capabilities, timeout } = options
  return Object.assign(agent, {
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(timeout === undefined ? {} : { timeout }),
  })
}
