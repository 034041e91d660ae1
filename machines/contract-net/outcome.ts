/** How a contract net ended. */
import type { Json } from '../../src/schema/json.ts'
import type { Cause, ContractNetContext, Status } from './context.ts'
import type { State } from './policy.ts'

export interface Outcome {
  readonly status: Status
  /** The state in which it ended. */
  readonly state: State
  /** What cut it short; absent when all who were asked have answered. */
  readonly cause?: Cause
  /** What was awarded in all rounds, oldest first. */
  readonly awards: readonly {
    readonly bidder: string
    /** The id of the message that proposed it. */
    readonly bid: string
    readonly price: number | null
    /** Counts from 1. */
    readonly round: number
    /** Null: it was not reported before the end. */
    readonly status: 'done' | 'failed' | null
    /** What the bidder reported; null where it did not. */
    readonly output: Json
  }[]
  /** Calls for proposals. */
  readonly rounds: number
  /** Over all visits. */
  readonly turns: number
}

export const outcomeOf = ({ closing, visit, awards, round, turns }: ContractNetContext): Outcome | null =>
  closing === null
    ? null
    : {
        status: closing.status,
        state: visit.state,
        ...(closing.cause === null ? {} : { cause: closing.cause }),
        awards: awards.map(({ bidder, bid, price, round: made, status, output }) => ({
          bidder,
          bid,
          price,
          round: made,
          status,
          output,
        })),
        rounds: round,
        turns,
      }

/** The outcome as the record format prints it: without prices and outputs. */
export const briefOf = (outcome: Outcome): unknown => ({
  ...outcome,
  awards: outcome.awards.map(({ bidder, bid, round, status }) => ({ bidder, bid, round, status })),
})
