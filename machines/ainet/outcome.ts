/** How a mailbox or a talk ended. */
import { type AinetContext, type Cause, type Request, roundsOf, type Status } from './context.ts'
import type { State } from './policy.ts'

export interface Outcome {
  readonly status: Status
  /** The state in which it ended. */
  readonly state: State
  /** Of a timeout, or where it was abandoned. */
  readonly cause?: Cause
  readonly opener: string | null
  /** Requests that have ended. */
  readonly rounds: number
  /** What was asked, who replied, and how it went; without an ending: it was in the mailbox when that closed. */
  readonly requests: readonly Request[]
  /** Over all visits. */
  readonly turns: number
}

export const outcomeOf = (context: AinetContext): Outcome | null => {
  const { closing, visit, opener, requests, turns } = context
  if (closing === null) return null
  return {
    status: closing.status,
    state: visit.state,
    ...(closing.cause === null ? {} : { cause: closing.cause }),
    opener,
    rounds: roundsOf(context),
    requests,
    turns,
  }
}
