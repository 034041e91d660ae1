/**
 * Errors on their way through Restate. What colloquy throws becomes a `TerminalError`, which Restate neither retries nor
 * stores as a success, and comes back to the caller as the same `ColloquyError`. It travels as JSON in the error's text:
 * of all that an error has, the ingress hands only that on.
 */
import { TerminalError } from '@restatedev/restate-sdk'
import { ColloquyError, ERROR_CODES, type ErrorCode, type Issue } from 'colloquy'

interface Told {
  readonly colloquy: ErrorCode
  readonly message: string
  readonly issues: readonly Issue[]
  readonly remedy: string
}

/** HTTP status, as the ingress answers it. What is not here is the caller's fault: 400. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  CONVERSATION_UNKNOWN: 404,
  QUESTION_UNKNOWN: 404,
  CONVERSATION_EXISTS: 409,
  QUESTION_ANSWERED: 409,
  INTERNAL: 500,
}

/** An error that Restate hands to the caller at once. What colloquy did not throw is a bug: `INTERNAL`. */
export const terminalOf = (thrown: unknown): TerminalError => {
  const error =
    thrown instanceof ColloquyError
      ? thrown
      : new ColloquyError('INTERNAL', thrown instanceof Error ? thrown.message : String(thrown))
  const { code, message, issues, remedy } = error
  const told: Told = { colloquy: code, message, issues, remedy }
  return new TerminalError(JSON.stringify(told), { errorCode: STATUS[code] ?? 400 })
}

/** Does what is pure; what it throws ends the invocation, and nothing that it did is kept. @throws TerminalError */
export const decided = <Result>(act: () => Result): Result => {
  try {
    return act()
  } catch (error) {
    throw terminalOf(error)
  }
}

/**
 * The same for what nobody expected: a bug is no better when it is tried again, and would hold up its conversation.
 * What Restate itself throws to end or repeat a call is left alone.
 */
export const terminalBug = (thrown: unknown): TerminalError | undefined =>
  thrown instanceof ColloquyError || thrown instanceof TypeError || thrown instanceof RangeError
    ? terminalOf(thrown)
    : undefined

/** The error that a text tells; null: it tells none. */
export const toldBy = (text: string): ColloquyError | null => {
  const told = parsed(text)
  if (told === null || typeof told.colloquy !== 'string' || !Object.hasOwn(ERROR_CODES, told.colloquy))
    return null
  const { colloquy, message, issues, remedy } = told as Told
  return new ColloquyError(colloquy, message, { issues, remedy })
}

const parsed = (text: string): Partial<Told> | null => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}
