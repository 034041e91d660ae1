/** What the Restate SDK logs, on stderr: warnings and failures; neither each call, nor what callers hear themselves. */
import { type LoggerTransport, TerminalError } from '@restatedev/restate-sdk'
import { toldBy } from './failure.ts'

const isToldToCaller = (part: unknown): boolean =>
  part instanceof TerminalError && toldBy(part.message)?.code !== 'INTERNAL' && toldBy(part.message) !== null

export const log: LoggerTransport = ({ level, context }, message, ...parts) => {
  if (level !== 'warn' && level !== 'error') return
  if ([message, ...parts].some(isToldToCaller)) return
  const call = context === undefined ? '' : ` ${context.invocationTarget} ${context.invocationId}`
  console.error(`[restate] ${level}${call}: ${message}`, ...parts)
}
