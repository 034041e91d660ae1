/** Whatever ends a command early: what is said of it, and the exit code. */
import { plain } from '../agents/render.ts'
import { ColloquyError, ERROR_CODES, type Issue, messageOf } from '../errors.ts'
import { EXIT, EXIT_OF } from './exit-codes.ts'

/** A failure at the edge of the process, which the library has no code for: files. */
export class FileFailure extends Error {
  override readonly name = 'FileFailure'
  readonly code: 'INPUT_MISSING' | 'IO_FAILED'
  readonly remedy: string
  constructor(code: FileFailure['code'], message: string, remedy: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
    this.remedy = remedy
  }
}

/** The reader of our output has left (`| head`): nothing is wrong, and nothing is left to do. */
export class ReaderLeft extends Error {
  override readonly name = 'ReaderLeft'
}

const SYSTEM_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'leads through something that is no folder',
  EISDIR: 'is a folder, not a file',
  EACCES: 'may not be read or written by you',
  EPERM: 'may not be read or written by you',
  EROFS: 'is on a file system that is read-only',
  ENOSPC: 'does not fit: the disk is full',
  ENAMETOOLONG: 'has too long a name',
}

/** What the system says of a file, in words. */
export const systemWords = (error: unknown): string => {
  const code = systemCode(error)
  return (code === null ? undefined : SYSTEM_WORDS[code]) ?? messageOf(error)
}

/** The system's code of an error, such as `ENOENT`; null for any other. */
export const systemCode = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error
    ? error.code
    : null

/** A file that is to be read cannot be. */
export const missingInput = (path: string, error: unknown): FileFailure =>
  new FileFailure('INPUT_MISSING', `${path} ${systemWords(error)}`, 'Check the path.', error)

interface Failure {
  readonly code: string
  readonly exit: number
  readonly message: string
  readonly issues: readonly Issue[]
  readonly remedy: string
  /** A bug of ours: the stack is worth showing. */
  readonly isBug: boolean
}

const failureOf = (thrown: unknown): Failure => {
  if (thrown instanceof ColloquyError) {
    const { code, message, issues, remedy } = thrown
    return { code, exit: EXIT_OF[code], message, issues, remedy, isBug: code === 'INTERNAL' }
  }
  if (thrown instanceof FileFailure) {
    const exit = thrown.code === 'INPUT_MISSING' ? EXIT.noInput : EXIT.inputOutput
    const { code, message, remedy } = thrown
    return { code, exit, message, issues: [], remedy, isBug: false }
  }
  if (systemCode(thrown) !== null) {
    const remedy = 'Check the disk and the permissions, then run the command again.'
    const message = messageOf(thrown)
    return { code: 'IO_FAILED', exit: EXIT.inputOutput, message, issues: [], remedy, isBug: false }
  }
  const remedy = ERROR_CODES.INTERNAL
  return { code: 'INTERNAL', exit: EXIT.bug, message: messageOf(thrown), issues: [], remedy, isBug: true }
}

/** Of the message only what the issues under it do not say again. */
const headOf = (message: string, issues: readonly Issue[]): string => {
  const listed = issues.map(({ path, message: text }) => `${path} ${text}`).join('; ')
  return listed !== '' && message.endsWith(listed)
    ? message.slice(0, -listed.length).replace(/[:\s]+$/, '')
    : message
}

/**
 * A failure as text for stderr, with its exit code: what, each wrong field, what to do. A stack only for a bug of ours,
 * or when asked for.
 */
export const complaintOf = (thrown: unknown, debug = false): { text: string; exit: number } => {
  const { code, exit, message, issues, remedy, isBug } = failureOf(thrown)
  const [only, ...others] = issues
  // The message of a single fault usually is the fault.
  const isSaid = only !== undefined && others.length === 0 && message.includes(only.message)
  const lines = [
    `colloquy: ${code}: ${isSaid ? message : headOf(message, issues)}`,
    ...(isSaid ? [] : issues.map(({ path, message: text }) => `  ${path === '' ? '' : `${path}: `}${text}`)),
    `→ ${remedy}`,
    ...(isBug || debug ? [stackOf(thrown)] : []),
  ]
  return { text: `${plain(lines.join('\n'))}\n`, exit }
}

/** The stacks of an error and its causes. */
const stackOf = (thrown: unknown): string => {
  const stacks: string[] = []
  for (let at = thrown; at instanceof Error && stacks.length < 5; at = at.cause) {
    stacks.push(at.stack ?? messageOf(at))
  }
  return stacks.join('\ncaused by ')
}
