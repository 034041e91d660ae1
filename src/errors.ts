/** One error class and one table of codes: what happened, what follows, what to do. */

/** Every code that colloquy throws, with the standing advice for it. */
export const ERROR_CODES = {
  POLICY_INVALID: 'Correct the fields named; nothing was opened.',
  OPEN_INVALID: 'Correct the fields named; nothing was opened.',
  PROTOCOL_UNKNOWN: 'Use one of the protocols named, or pass your own as `protocol`.',
  PROTOCOL_INVALID: 'Correct the machine or its parts as named; see CONTRIBUTING.md, "Add a machine".',
  MACHINE_UNSUPPORTED: 'Flatten the machine, or run it with the interpreter.',
  SNAPSHOT_INVALID: 'Restore from a snapshot that this version wrote, or from the record.',
  RECORD_INVALID: 'Correct or cut the record at the line named; what precedes it is intact.',
  JOURNAL_CORRUPT: 'Restore the file from a copy, or cut it at the line named.',
  JOURNAL_CONFLICT: 'Another writer appended first: read the journal again and retry.',
  JOURNAL_LOCKED: 'End the process named, or use a journal that several may share: sqlite or postgres.',
  JOURNAL_VERSION: 'Use a version of colloquy that knows this journal, or restore it from a copy.',
  JOURNAL_FAILED:
    'Nothing was acknowledged. Free space, or mend the disk or the permissions, then send again.',
  LEASE_LOST: 'Another host looks after the conversation now: send to it, or send again.',
  CONVERSATION_UNKNOWN: 'Check the id; `list` tells which there are.',
  CONVERSATION_EXISTS: 'Choose another id, or go on with the conversation that has it.',
  CONVERSATION_HELD: 'Send to the host that holds it, or again when its lease has ended.',
  QUESTION_UNKNOWN: 'It was answered, or the group has moved on: `questions` tells what is asked now.',
  QUESTION_ANSWERED: 'The first answer stands; `questions` tells what is asked now.',
  HOST_BUSY: 'Nothing was taken. Wait a moment, then send again.',
  HOST_CLOSED: 'Nothing was taken. Send to another host, or again after a start.',
  TRANSPORT_CLOSED: 'Open the transport again, and send what was not acknowledged again.',
  AGENT_FAILED: 'See the cause; the member was charged a fault.',
  AGENT_TIMEOUT: 'Give the agent more time (`turnTimeout`) or a faster model.',
  AGENT_EMPTY: 'The agent must return text or a message.',
  AGENT_ANSWER_INVALID: 'Return text, a message {intent, content?, payload?}, or an array of messages.',
  ENDPOINT_FAILED: 'Check the address, the key and the model; the endpoint said what is quoted.',
  ENDPOINT_INVALID: 'Set the variables named in the environment.',
  DEPENDENCY_MISSING: 'Install the package named.',
  TASK_INVALID: 'Correct the file at the line named.',
  USAGE: 'Run the command with --help.',
  CANCELLED: 'The caller aborted; everything was stopped.',
  INTERNAL: 'This is a bug in colloquy: please report it with the record.',
} as const

export type ErrorCode = keyof typeof ERROR_CODES

/** One wrong field: where, what was expected, and (where we know it) what to write instead. */
export interface Issue {
  /** Path of the field, such as `policy.turnLimit.review`; empty for the whole value. */
  readonly path: string
  readonly message: string
}

/** The only error class that colloquy throws on purpose. */
export class ColloquyError extends Error {
  override readonly name = 'ColloquyError'
  readonly code: ErrorCode
  /** Each wrong field, when the input was at fault. */
  readonly issues: readonly Issue[]
  /** What to do about it. */
  readonly remedy: string

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; issues?: readonly Issue[]; remedy?: string } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.issues = options.issues ?? []
    this.remedy = options.remedy ?? ERROR_CODES[code]
  }
}

/** Any thrown value as one line of text. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)
