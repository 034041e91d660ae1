/**
 * The agent port: whatever takes a turn and gives an answer can take part.
 * Adapters in this folder make agents of functions, processes, chat endpoints and people.
 */

/** An intent that the rules admit now, and how to say it. */
export interface AllowedIntent {
  readonly intent: string
  /** What it does here, in one line. */
  readonly does: string
  /** The payload's fields in short, such as `{subtask?, status?: "success" | "partial" | "failed"}`; absent when there is none. */
  readonly form?: string
}

/** One message as members see it. */
export interface TranscriptEntry {
  readonly id: string
  readonly from: string
  readonly intent: string
  readonly content: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly replyTo: string | null
  /** The state in which it was said. */
  readonly state: string
  /** ms since the epoch, or of the simulated clock. */
  readonly at: number
  /** What the rules made of it: `applied` or `recorded`. */
  readonly effect: string
  readonly reason: string
}

/**
 * All that a member is told when it is asked to speak. `Board` is the protocol's own part: what lies on the table
 * (for the conversation protocol: proposals with votes, subtasks).
 */
export interface Turn<Board = Readonly<Record<string, unknown>>> {
  readonly conversation: string
  readonly goal: string
  /** Who is asked. */
  readonly member: string
  readonly members: readonly string[]
  readonly lead: string | null
  readonly state: string
  /** Why this member is asked now, in one line. */
  readonly task: string
  /** What the rules admit from this member now. */
  readonly allowed: readonly AllowedIntent[]
  /**
   * The intent that a bare text is taken as when nothing in it tells; null: nothing is assumed, as of a vote or a
   * verdict, and a text that does not tell is no answer.
   */
  readonly expected: string | null
  /** The message that a bare text answers, or null. */
  readonly replyTo: string | null
  /** Payload fields that a bare text takes when it is meant as expected, such as the work asked about. */
  readonly defaults?: Readonly<Record<string, unknown>>
  /** The newest messages, oldest first; bounded by the `view` option. */
  readonly transcript: readonly TranscriptEntry[]
  /** How many older messages the bounded view leaves out. */
  readonly omitted: number
  readonly board: Board
  /** Turns that this member has left in this state, this one included; null: no limit. */
  readonly turnsLeft: number | null
  /** True when this is the member's last turn in this state. */
  readonly lastTurn: boolean
  /** ms until this state's time is up; null: no deadline. */
  readonly timeLeft: number | null
  /** Why this member's last answer could not be used, so that it can do better; null: it could, or there was none. */
  readonly notice: string | null
}

/** What an agent may say as a message: all but the intent is optional. */
export interface Utterance {
  readonly intent: string
  readonly content?: string
  readonly payload?: Readonly<Record<string, unknown>>
  readonly replyTo?: string | null
  /** Message id; made when absent. */
  readonly id?: string
  readonly to?: string
  readonly correlationId?: string | null
  /** What the answer cost, for the token budget. */
  readonly tokens?: number
}

/** Plain text (the tagger finds its intent), with what it cost where that is known. */
export interface PlainText {
  readonly text: string
  readonly tokens?: number
  /** Of the message; made when absent. Of a text that holds several messages, the first one's. */
  readonly id?: string
}

/** What an agent answers: text, a message, or several messages, sent in their order. */
export type Answer = string | PlainText | Utterance | readonly (string | PlainText | Utterance)[]

/**
 * An agent: takes a turn, gives an answer. The signal aborts when the turn is over (timed out, the group moved on,
 * cancelled); its `reason` says which. A throw, a rejection, or an empty answer counts as a fault of the member. The
 * error's message goes into the record, where members and observers read it: keep secrets out of it.
 */
export interface Agent<Board = Readonly<Record<string, unknown>>> {
  (turn: Turn<Board>, signal: AbortSignal): Answer | Promise<Answer>
  /** What the agent can do, matched with what a piece of work requires. */
  readonly capabilities?: readonly string[]
  /** Own limit for one turn in ms, in place of the group's `turnTimeout`; null: only the state's deadline. */
  readonly timeout?: number | null
  /** Stops whatever the agent keeps running; resolves when all has stopped. Called once, at the end. */
  close?(): Promise<void>
}
