/** The host port: many conversations at once, by whatever engine they are kept going. */
import type { Answer } from '../agents/agent.ts'
import type { ConversationEvent, Sent } from '../engine/events.ts'
import type { Call } from '../engine/protocol.ts'
import type { ListFilter, PendingQuestion, Summary } from '../journals/journal.ts'
import type { RecordEvent } from '../schema/record.ts'

/** What a conversation is opened with. */
export interface OpenRequest {
  /** Default: `c_` and a nanoid. Opened again with the same id, goal, members, lead and policy, it is the same conversation. */
  readonly id?: string
  /** The protocol's name. Default: the host's first. */
  readonly protocol?: string
  readonly goal?: string
  readonly members: readonly string[]
  readonly lead?: string | null
  readonly policy?: unknown
}

/** A conversation as it is now; all of it is in the journal. */
export interface ConversationView {
  readonly id: string
  readonly protocol: string
  readonly version: number
  readonly goal: string
  readonly state: string
  readonly members: readonly string[]
  readonly lead: string | null
  /** Place of the newest event. */
  readonly seq: number
  /** ms: when that happened. */
  readonly at: number
  /** ms: when the state's time is up; null: never. */
  readonly dueAt: number | null
  readonly outcome: object | null
  /** Whom the rules would ask to speak now, and why; nobody: it waits for its clock, or is closed. */
  readonly next: readonly Call[]
  /** What is asked of people; an answer that came shows once the journal is asked. */
  readonly questions: readonly PendingQuestion[]
}

/**
 * Holds many conversations. Every answer comes after what it tells is in the journal. What is told of a message that was
 * sent before is the same effect again (`duplicate`): to send again after an error is always safe.
 */
export interface Host {
  /** @throws ColloquyError `OPEN_INVALID`, `POLICY_INVALID`, `PROTOCOL_UNKNOWN`, `CONVERSATION_EXISTS`; nothing is opened then */
  open(request: OpenRequest): Promise<ConversationView>
  /**
   * Sends a message to a conversation. A wrong one is `rejected` with its `issues`.
   * @throws ColloquyError `CONVERSATION_UNKNOWN`; `CONVERSATION_HELD` by another host; `HOST_BUSY`, `HOST_CLOSED`,
   * `JOURNAL_FAILED`: then nothing was acknowledged, and it may be sent again
   */
  send(conversation: string, message: unknown): Promise<Sent>
  join(conversation: string, member: string): Promise<Sent>
  leave(conversation: string, member: string): Promise<Sent>
  /** A member failed when it was asked to speak. */
  fault(conversation: string, member: string, error?: string): Promise<Sent>
  cancel(conversation: string): Promise<Sent>
  /** Null when it is not known. */
  show(conversation: string): Promise<ConversationView | null>
  /** The whole record; empty when it is not known. */
  record(conversation: string): Promise<readonly RecordEvent[]>
  list(filter?: ListFilter): Promise<readonly Summary[]>
  /**
   * Events after a place, the past ones first, then as they happen; ends after the one that closes, and when the host closes.
   * @throws ColloquyError `CONVERSATION_UNKNOWN` at the first event
   */
  follow(conversation: string, options?: FollowOptions): AsyncIterableIterator<ConversationEvent>
  /** Questions that wait for a person, the oldest first. */
  questions(conversation?: string): Promise<readonly PendingQuestion[]>
  /**
   * Answers a question; the first answer stands. Resolves when it is kept; it may be taken later.
   * @throws ColloquyError `QUESTION_UNKNOWN`, `QUESTION_ANSWERED`; `AGENT_EMPTY`, `AGENT_ANSWER_INVALID` for what is no
   * answer: nothing is kept then, and the question waits on
   */
  answer(question: string, answer: Answer): Promise<void>
  /** Takes nothing more, finishes what it has begun, and gives its conversations back. Safe to call twice. */
  close(): Promise<void>
}

export interface FollowOptions {
  /** Default: -1, so that `open` comes first. */
  readonly after?: number
  readonly signal?: AbortSignal
}
