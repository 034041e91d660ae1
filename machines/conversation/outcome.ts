/** How a conversation ended. Source: "Outcome" of the specification. */
import type { Json } from '../../src/schema/json.ts'
import type { Cause, ConversationContext, ResultStatus, Status, Warning } from './context.ts'
import type { State } from './policy.ts'

export interface Outcome {
  readonly status: Status
  /** The state in which it ended. */
  readonly state: State
  /** Of a timeout only. */
  readonly cause?: Cause
  /** The adopted proposal's id. */
  readonly proposal: string | null
  readonly subtasks: readonly {
    readonly id: string
    readonly title: string | null
    /** Who accepted it and has not lost it. */
    readonly owner: string | null
    readonly status: ResultStatus | null
    readonly attempts: number
    /** What the last result gave: its `output`, or else its content; null while pending. */
    readonly output: Json
  }[]
  readonly rejections: number
  /** Over all visits. */
  readonly turns: number
  /** In the order in which they arose. */
  readonly warnings: readonly Warning[]
}

export const outcomeOf = ({
  closing,
  visit,
  adopted,
  subtasks,
  rejections,
  turns,
  warnings,
}: ConversationContext): Outcome | null =>
  closing === null
    ? null
    : {
        status: closing.status,
        state: visit.state,
        ...(closing.cause === null ? {} : { cause: closing.cause }),
        proposal: adopted?.id ?? null,
        subtasks: subtasks.map(({ id, title, owner, status, attempts, output }) => ({
          id,
          title,
          owner,
          status,
          attempts,
          output,
        })),
        rejections,
        turns,
        warnings,
      }

/** The outcome as the record format prints it: without titles and outputs. */
export const briefOf = (outcome: Outcome): unknown => ({
  ...outcome,
  subtasks: outcome.subtasks.map(({ id, owner, status, attempts }) => ({ id, owner, status, attempts })),
})
