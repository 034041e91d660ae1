/** What the process ends with: failures after the BSD convention of sysexits, from 64 on. */
import type { ErrorCode } from '../errors.ts'

export const EXIT = {
  done: 0,
  /** What `check` found, which is no failure of the command. */
  refuted: 2,
  unproved: 3,
  usage: 64,
  badData: 65,
  noInput: 66,
  unavailable: 69,
  bug: 70,
  inputOutput: 74,
  interrupted: 130,
} as const

/** The exit code for each error. */
export const EXIT_OF: Readonly<Record<ErrorCode, number>> = {
  POLICY_INVALID: EXIT.badData,
  OPEN_INVALID: EXIT.badData,
  PROTOCOL_UNKNOWN: EXIT.usage,
  PROTOCOL_INVALID: EXIT.bug,
  MACHINE_UNSUPPORTED: EXIT.bug,
  SNAPSHOT_INVALID: EXIT.badData,
  RECORD_INVALID: EXIT.badData,
  JOURNAL_CORRUPT: EXIT.badData,
  JOURNAL_CONFLICT: EXIT.inputOutput,
  JOURNAL_LOCKED: EXIT.unavailable,
  JOURNAL_VERSION: EXIT.unavailable,
  JOURNAL_FAILED: EXIT.inputOutput,
  LEASE_LOST: EXIT.unavailable,
  CONVERSATION_UNKNOWN: EXIT.noInput,
  CONVERSATION_EXISTS: EXIT.badData,
  CONVERSATION_HELD: EXIT.unavailable,
  QUESTION_UNKNOWN: EXIT.noInput,
  QUESTION_ANSWERED: EXIT.badData,
  HOST_BUSY: EXIT.unavailable,
  HOST_CLOSED: EXIT.unavailable,
  TRANSPORT_CLOSED: EXIT.unavailable,
  AGENT_FAILED: EXIT.bug,
  AGENT_TIMEOUT: EXIT.bug,
  AGENT_EMPTY: EXIT.bug,
  AGENT_ANSWER_INVALID: EXIT.bug,
  ENDPOINT_FAILED: EXIT.unavailable,
  ENDPOINT_INVALID: EXIT.unavailable,
  DEPENDENCY_MISSING: EXIT.unavailable,
  TASK_INVALID: EXIT.badData,
  USAGE: EXIT.usage,
  CANCELLED: EXIT.interrupted,
  INTERNAL: EXIT.bug,
}
