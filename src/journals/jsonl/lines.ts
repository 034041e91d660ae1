/** The lines of a record file. */
import { ColloquyError } from '../../errors.ts'
import type { OpenEvent, RecordEvent } from '../../schema/record.ts'
import { eventOf } from '../common/stored.ts'

const NEWLINE = 0x0a

export interface Lines {
  readonly events: RecordEvent[]
  readonly warnings: string[]
  /** Of the whole lines. */
  readonly bytes: number
  /** Whether the last line is whole, and lacks only its end. */
  readonly isUnended: boolean
}

/**
 * The events of a record file. A last line that was cut short is dropped with a warning.
 * @throws ColloquyError `JOURNAL_CORRUPT` with the line
 */
export const linesOf = (path: string, conversation: string, content: Buffer): Lines => {
  const events: RecordEvent[] = []
  const corrupt = (message: string): ColloquyError =>
    new ColloquyError('JOURNAL_CORRUPT', `${path}, line ${events.length + 1}: ${message}`)
  let start = 0
  for (let end = content.indexOf(NEWLINE); end !== -1; end = content.indexOf(NEWLINE, start)) {
    const event = eventIn(content.subarray(start, end), events.length)
    if (typeof event === 'string') throw corrupt(event)
    if (event.type === 'open' && event.id !== conversation) {
      throw corrupt(`opens the conversation "${event.id}", but the file is for "${conversation}"`)
    }
    events.push(event)
    start = end + 1
  }
  const left = content.length - start
  if (left === 0) return { events, warnings: [], bytes: start, isUnended: false }
  // A last line that lacks only its end is whole.
  const last = eventIn(content.subarray(start), events.length)
  if (typeof last !== 'string' && (last.type !== 'open' || last.id === conversation))
    return { events: [...events, last], warnings: [], bytes: content.length, isUnended: true }
  const warnings = [`${path}: the last line was cut short (${left} bytes) and is dropped`]
  return { events, warnings, bytes: start, isUnended: false }
}

/** The event in a line, or what is wrong with it. */
const eventIn = (line: Buffer, place: number): RecordEvent | string => {
  try {
    return eventOf(new TextDecoder('utf-8', { fatal: true }).decode(line), place)
  } catch {
    return 'is no JSON'
  }
}

export interface Outline {
  readonly first: OpenEvent
  readonly last: RecordEvent
  readonly length: number
}

/**
 * How a record begins and ends, for a list: what is between is not looked at, so that one spoilt line hides no
 * conversation. Null when not even its beginning is there.
 */
export const outlineOf = (content: Buffer): Outline | null => {
  const ends: number[] = []
  for (let end = content.indexOf(NEWLINE); end !== -1; end = content.indexOf(NEWLINE, end + 1)) ends.push(end)
  // A last line that lacks only its end is whole, be it the first.
  const first = eventIn(content.subarray(0, ends[0]), 0)
  if (typeof first === 'string' || first.type !== 'open') return null
  if (ends.length === 0) return { first, last: first, length: 1 }
  const rest = eventIn(content.subarray((ends.at(-1) ?? 0) + 1), ends.length)
  if (typeof rest !== 'string') return { first, last: rest, length: ends.length + 1 }
  const last =
    ends.length === 1
      ? first
      : eventIn(content.subarray((ends.at(-2) ?? 0) + 1, ends.at(-1)), ends.length - 1)
  return { first, last: typeof last === 'string' ? first : last, length: ends.length }
}
