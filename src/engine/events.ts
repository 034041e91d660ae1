/** What a conversation tells: its events, and its answers. */
import type { Issue } from '../errors.ts'
import type { RecordEvent } from '../schema/record.ts'
import type { Decision } from './decision.ts'

/** What happened, in its place in the conversation. */
export interface ConversationEvent {
  /** 0 for `open`, then 1, 2, 3, … without a gap. What was ignored or rejected has none: it changed nothing. */
  readonly seq: number
  readonly event: RecordEvent
  /** Null for `open`. */
  readonly decision: Decision | null
}

/** The answer to one event. */
export interface Sent extends Decision {
  /** The message's id, where it had one. */
  readonly id?: string
  /** What is wrong with a message that is `invalid`. */
  readonly issues?: readonly Issue[]
  /** Its place; absent when it was ignored or rejected. */
  readonly seq?: number
}
