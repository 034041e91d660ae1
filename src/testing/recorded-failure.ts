/** A failure that shows how to see it again: what went wrong, and the record of the conversation in which it did. */
import { messageOf } from '../errors.ts'

/** One line of a record, as it is written. */
interface Line {
  readonly type: string
  readonly at: number
}

/** A record in lines of JSON, as a journal writes it and `colloquy replay` and `readLines` read it. */
export const recordText = (record: readonly Line[]): string =>
  record.map((event) => `${JSON.stringify(event)}\n`).join('')

/** So many lines of a record are shown; what is left out can be taken from `record`. */
const SHOWN = 300

const shown = (record: readonly Line[]): string => {
  const cut = record.length > SHOWN ? `, the first ${SHOWN} of ${record.length} lines` : ''
  return `The record, to be replayed${cut}:\n${recordText(record.slice(0, SHOWN))}`
}

/** What a check found; its message ends with the record, its `cause` is what the check threw. */
export class RecordedFailure extends Error {
  override readonly name = 'RecordedFailure'
  /** What was found, without the record. */
  readonly found: string
  readonly record: readonly Line[]

  constructor(found: string, record: readonly Line[], options: { cause?: unknown } = {}) {
    super(record.length === 0 ? found : `${found}\n\n${shown(record)}`, options)
    this.found = found
    this.record = record
  }
}

/** A conversation, or what came of one. */
interface Recorded {
  readonly record: readonly Line[] | (() => readonly Line[])
}

/**
 * Runs a check of a conversation; what it throws is thrown on with the record so far.
 * @throws RecordedFailure
 */
export const withRecord = <T>(source: Recorded, check: () => T): T => {
  try {
    return check()
  } catch (error) {
    if (error instanceof RecordedFailure) throw error
    const record = typeof source.record === 'function' ? source.record() : source.record
    throw new RecordedFailure(messageOf(error), record, { cause: error })
  }
}
