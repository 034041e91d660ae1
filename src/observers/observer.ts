/**
 * The observer port: hears what a host or `convene` does, for traces, metrics and logs. Observers change nothing, and
 * what one throws harms nobody. Without any there is nothing to call.
 */
import type { Happening } from '../schema/record.ts'

/** W3C trace context, as messages carry it. */
export interface Trace {
  readonly traceparent?: string
  readonly tracestate?: string
}

/** Work that takes time. */
export type Work =
  /** An event is decided and kept. */
  | {
      readonly type: 'process'
      readonly conversation: string
      readonly protocol: string
      readonly event: Happening
    }
  /** Events are written to the journal. */
  | { readonly type: 'append'; readonly conversation: string; readonly events: number }
  /** A member's agent is asked to speak. */
  | {
      readonly type: 'turn'
      readonly conversation: string
      readonly protocol: string
      readonly member: string
      readonly state: string
      readonly task: string
    }

/** How work ended. */
export interface Ended {
  /** What was decided; of `process` only. */
  readonly decision?: {
    readonly effect: string
    readonly reason: string
    readonly from: string
    readonly to: string
  }
  /** What the answer cost, where it is known; of `turn` only. */
  readonly tokens?: number
  /** What went wrong. */
  readonly error?: unknown
}

/** Work that somebody observes. */
export interface Begun {
  /** Called once, when it has ended. */
  end(ended: Ended): void
  /** Does a part of the work, such as calling an agent, as this work. */
  within?<Result>(act: () => Result): Result
  /** For the messages that come of it. */
  readonly trace?: Trace
}

/** What happened at one moment. */
export type Fact =
  | {
      readonly type: 'opened'
      readonly conversation: string
      readonly protocol: string
      readonly members: number
    }
  /** A conversation is gone on with, after a start or because another host left it. */
  | { readonly type: 'resumed'; readonly conversation: string; readonly protocol: string }
  | {
      readonly type: 'transition'
      readonly conversation: string
      readonly protocol: string
      readonly from: string
      readonly to: string
      readonly reason: string
    }
  | {
      readonly type: 'closed'
      readonly conversation: string
      readonly protocol: string
      readonly outcome: object
    }
  /** A person is asked. */
  | {
      readonly type: 'asked'
      readonly conversation: string
      readonly question: string
      readonly member: string
    }
  /** Something that harms nobody but should be known. */
  | {
      readonly type: 'warning'
      readonly conversation: string | null
      /** In our own words: nothing that members or agents say. */
      readonly text: string
      readonly error?: unknown
    }
  /** Something failed, and will be tried again. */
  | { readonly type: 'failed'; readonly conversation: string | null; readonly error: unknown }

export interface Observer {
  /** Work begins; what is returned hears of its end. */
  began?(work: Work): Begun | undefined
  happened?(fact: Fact): void
}
