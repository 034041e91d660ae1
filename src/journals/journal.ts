/**
 * The journal port: where the events of conversations are kept, and what a host needs to go on with them. One writer
 * for each conversation; an append is all or nothing, and when it resolves, what it wrote is as safe as the journal's
 * `capabilities` say.
 */
import type { Answer } from '../agents/agent.ts'
import type { Question } from '../schema/question.ts'
import type { RecordEvent } from '../schema/record.ts'
import type { Snapshot } from '../schema/snapshot.ts'

export interface JournalRead {
  /** All events of the conversation, `open` first; empty when it is not known. */
  readonly events: readonly RecordEvent[]
  /** What had to be dropped, such as a last line that a crash cut short. */
  readonly warnings: readonly string[]
}

/** How a conversation stands after an append: kept with its events, so that it is found without reading them. */
export interface Standing {
  /** The machine's state. */
  readonly state: string
  /** ms: when the state's time is up; null: never. */
  readonly dueAt: number | null
  /** How it ended; null while it is open. */
  readonly outcome: object | null
  /** Taken after these events; in place of the one before. Absent: that one stays. */
  readonly snapshot?: Snapshot
  /** All questions that wait for an answer now. Absent: those of the append before. */
  readonly questions?: readonly Question[]
}

export interface AppendOptions {
  readonly standing?: Standing
  /** The id of the lease under which the writer has taken the conversation. Absent: nobody may have taken it. */
  readonly lease?: string
}

/** All that is needed to go on with a conversation. */
export interface Loaded {
  /** The newest snapshot, with the ids of all messages up to it; null: there is none, and `events` begin with `open`. */
  readonly snapshot: Snapshot | null
  /** The events after the snapshot. */
  readonly events: readonly RecordEvent[]
  /** Events that the journal has of it, those before the snapshot included. */
  readonly length: number
  /** What waits for an answer, or has one that was not taken yet. */
  readonly questions: readonly PendingQuestion[]
  readonly warnings: readonly string[]
}

/** A question that nobody has settled. */
export interface PendingQuestion extends Question {
  /** The answer that was given and not taken yet; null: none. */
  readonly answer: Answer | null
}

/** A conversation, as a list tells it. */
export interface Summary {
  readonly id: string
  /** The protocol's name, and its version. */
  readonly machine: string
  readonly version: number | null
  readonly goal: string
  /** Events, `open` included. */
  readonly length: number
  /** ms: when it was opened, and when the newest event happened. */
  readonly openedAt: number
  readonly at: number
  /** What the last append said; state null: none has said it. */
  readonly state: string | null
  readonly dueAt: number | null
  readonly outcome: object | null
  /** How many questions wait for an answer. */
  readonly questions: number
  /** The lease that has taken it and lasts; null: none. */
  readonly holder: string | null
}

/** Which conversations are meant. What is absent does not matter. */
export interface ListFilter {
  readonly closed?: boolean
  readonly machine?: string
  readonly state?: string
  /** What the outcome says as its `status`. */
  readonly status?: string
  /** Only ids after this one, in the order of their UTF-8 bytes, which is the list's: for the next page. */
  readonly after?: string
  /** Most of them. Default: all. */
  readonly limit?: number
}

/**
 * A host's leave to write, as long as it is renewed. Whoever appends under a lease that has ended, or to a
 * conversation that another lease has taken, is refused: `LEASE_LOST`.
 */
export interface Lease {
  /** Unique, also among leases that have ended: the fence of what is appended. */
  readonly id: string
  /** Makes it last for its time again, from now. @throws ColloquyError `LEASE_LOST` when it has ended */
  renew(): Promise<void>
  /** Takes a conversation, also one that is not there yet. False: another lease that lasts has it. @throws ColloquyError `LEASE_LOST` */
  take(conversation: string): Promise<boolean>
  /** Gives conversations back: nothing is to be done there until somebody speaks or it is due. Those of others stay. */
  drop(conversations: readonly string[]): Promise<void>
  /**
   * Takes what must be looked after: open conversations, taken by no lasting lease, that are due before `before`, have an
   * answer waiting, or were taken by a lease that ended. The first due come first. Of those that this lease has taken
   * already, only such with an answer waiting are told.
   * @param before ms
   * @param limit most of them
   * @throws ColloquyError `LEASE_LOST`
   */
  takeUrgent(before: number, limit: number): Promise<readonly string[]>
  /** Ends it; what it had taken and not dropped is looked after by others at once. Safe to call twice. */
  release(): Promise<void>
}

export interface Journal {
  readonly capabilities: {
    /** Whether what was appended outlives the process. */
    readonly durable: boolean
    /** Whether hosts in different processes may use it at the same time. */
    readonly shared: boolean
  }
  /**
   * Appends events of a conversation, in their order. No events: only the standing changes.
   * @param seq place of the first of them: as many as the journal has of this conversation; `open` is 0
   * @throws ColloquyError `JOURNAL_CONFLICT` when the journal has more or fewer, or has a message of that id already;
   * `LEASE_LOST` when another lease has taken the conversation, or this one has ended; `JOURNAL_FAILED` when it cannot
   * write. Nothing is appended then.
   */
  append(
    conversation: string,
    seq: number,
    events: readonly RecordEvent[],
    options?: AppendOptions,
  ): Promise<void>
  /** @throws ColloquyError `JOURNAL_CORRUPT` with the place of what cannot be read */
  read(conversation: string): Promise<JournalRead>
  /** What is needed to go on; null when it is not known. @throws ColloquyError `JOURNAL_CORRUPT` */
  load(conversation: string): Promise<Loaded | null>
  /** Conversations in the order of their ids' UTF-8 bytes. */
  list(filter?: ListFilter): Promise<readonly Summary[]>
  /**
   * Questions that wait for an answer or have one that was not taken yet, the oldest first.
   * @param conversation of this one only
   */
  questions(conversation?: string): Promise<readonly PendingQuestion[]>
  /**
   * Keeps an answer for whoever looks after the conversation. The first one stands.
   * @throws ColloquyError `QUESTION_UNKNOWN`, `QUESTION_ANSWERED`
   */
  answer(question: string, answer: Answer): Promise<void>
  /**
   * Begins a lease.
   * @param ttl ms that it lasts unless renewed
   * @param name of a host, the same after its restart: an earlier lease of that name ends at once, and what it had taken
   * is left, so that a host that was killed need not wait until its old lease has run out
   */
  lease(ttl: number, name?: string): Promise<Lease>
  /**
   * Makes the record of a closed conversation smaller without losing anything of it. Of an open one, or one that is
   * compact already: does nothing.
   * @returns bytes of its events before and after
   */
  compact(conversation: string): Promise<{ readonly before: number; readonly after: number }>
  /** Waits for what is being appended. Safe to call twice. */
  close(): Promise<void>
}
