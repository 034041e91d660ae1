/**
 * The journal port: where the events of conversations are kept. One writer for each conversation; an append is all or
 * nothing, and when it resolves, what it wrote is as safe as the journal's `capabilities` say.
 */
import type { RecordEvent } from '../schema/record.ts'

export interface JournalRead {
  /** All events of the conversation, `open` first; empty when it is not known. */
  readonly events: readonly RecordEvent[]
  /** What had to be dropped, such as a last line that a crash cut short. */
  readonly warnings: readonly string[]
}

export interface Journal {
  readonly capabilities: {
    /** Whether what was appended outlives the process. */
    readonly durable: boolean
  }
  /**
   * Appends events of a conversation, in their order.
   * @param seq place of the first of them: as many as the journal has of this conversation; `open` is 0
   * @throws ColloquyError `JOURNAL_CONFLICT` when the journal has more or fewer; `JOURNAL_FAILED` when it cannot write. Nothing is appended then.
   */
  append(conversation: string, seq: number, events: readonly RecordEvent[]): Promise<void>
  /** @throws ColloquyError `JOURNAL_CORRUPT` with the place of what cannot be read */
  read(conversation: string): Promise<JournalRead>
  /** Ids of all conversations. */
  list(): Promise<readonly string[]>
  /** Waits for what is being appended. Safe to call twice. */
  close(): Promise<void>
}
