/** How a conversation ended. */
import type { Json } from '../../src/schema/json.ts'
import type { Cause, IoaContext, ResultStatus, Status } from './context.ts'
import type { State } from './policy.ts'

export interface Outcome {
  /** Concluded by a member's wish, concluded because a limit forced it, or ended without a conclusion. */
  readonly status: Status
  /** The state in which it ended. */
  readonly state: State
  /** What forced the conclusion, or why none came in time. */
  readonly cause?: Cause
  /** What was given as `output`, or else said; null: there is none. */
  readonly conclusion: Json
  readonly tasks: readonly {
    readonly id: string
    readonly title: string | null
    readonly owner: string
    /** Null: never reported. */
    readonly status: ResultStatus | null
    readonly output: Json
  }[]
  /** Turns of talk, results and turns in conclusion. */
  readonly turns: number
}

export const outcomeOf = ({ closing, visit, conclusion, tasks, turns }: IoaContext): Outcome | null =>
  closing === null
    ? null
    : {
        status: closing.status,
        state: visit.state,
        ...(closing.cause === null ? {} : { cause: closing.cause }),
        conclusion,
        tasks: tasks.map(({ id, title, owner, status, output }) => ({ id, title, owner, status, output })),
        turns,
      }

/** The outcome as records and reports print it: without titles and outputs. */
export const briefOf = (outcome: Outcome): unknown => ({
  ...outcome,
  tasks: outcome.tasks.map(({ id, owner, status }) => ({ id, owner, status })),
})
