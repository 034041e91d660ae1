/**
 * What may be told of an error without telling what somebody said: its kind, the code of what lies behind it, and our
 * own standing advice. Texts of errors quote agents, endpoints and databases.
 */
import { ColloquyError, ERROR_CODES, messageOf } from '../../errors.ts'

export interface Failure {
  /** A code of ours, else the error's name; `_OTHER` where that is none. */
  readonly type: string
  /** The code of what lies behind it, such as `ENOSPC` or an SQLSTATE. */
  readonly cause?: string
  /** What to do, where we know it. */
  readonly remedy?: string
}

/** For what has no name of its own. Source: `error.type` of the semantic conventions. */
const OTHER = '_OTHER'
const NAME = /^[A-Za-z_][A-Za-z0-9_.]{0,63}$/
const CODE = /^[A-Z0-9_]{2,64}$/
/** Causes of causes that are looked at; they may go round in a circle. */
const DEPTH = 5

/** A property of what was thrown, which may be anything: a proxy, or an object whose getters throw. */
const read = (thrown: unknown, name: string): unknown => {
  if (typeof thrown !== 'object' || thrown === null) return undefined
  try {
    return Reflect.get(thrown, name)
  } catch {
    return undefined
  }
}

/** The first code of the error and its causes; ours is told already. */
const codeOf = (thrown: unknown): string | undefined => {
  let each = thrown
  for (let depth = 0; depth < DEPTH; depth++) {
    const code = read(each, 'code')
    if (typeof code === 'string' && CODE.test(code) && !(each instanceof ColloquyError)) return code
    each = read(each, 'cause')
  }
  return undefined
}

export const failureOf = (error: unknown): Failure => {
  const code = codeOf(error)
  const cause = code === undefined ? {} : { cause: code }
  if (error instanceof ColloquyError) return { type: error.code, ...cause, remedy: ERROR_CODES[error.code] }
  const name = read(error, 'name')
  return { type: typeof name === 'string' && NAME.test(name) ? name : OTHER, ...cause }
}

/** The code that a fault's text begins with, as the facilitator writes it; undefined: none of ours. */
export const faultCode = (text: unknown): string | undefined => {
  if (typeof text !== 'string') return undefined
  const code = /^[A-Z_]{1,64}(?=: )/.exec(text)?.[0]
  return code !== undefined && Object.hasOwn(ERROR_CODES, code) ? code : undefined
}

/** All that an error says, where content is wanted. */
export const wholeText = (error: unknown): string => {
  try {
    return messageOf(error)
  } catch {
    return OTHER
  }
}
