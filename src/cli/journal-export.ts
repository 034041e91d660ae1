/** `colloquy journal export`: records out of a journal, as files of JSON Lines or on stdout. */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ColloquyError } from '../errors.ts'
import { fileNameOf } from '../file-name.ts'
import type { RecordEvent } from '../schema/record.ts'
import { EXIT } from './exit-codes.ts'
import { FileFailure, systemWords } from './failure.ts'
import { makeFolder } from './folder.ts'
import { type Desk, eventsOf, forEach, idsOf, withJournal } from './journal-desk.ts'
import { counted, jsonText } from './text.ts'

export interface JournalExportOptions {
  /** A folder, or `-` for stdout. */
  readonly output?: string
}

/**
 * Writes the records of conversations, one file each, named as a journal in a folder names it; a single one to stdout
 * unless a folder is named. All conversations when none is named.
 * @throws ColloquyError `USAGE`, `CONVERSATION_UNKNOWN`, `JOURNAL_CORRUPT`; FileFailure
 */
export const journalExport = (
  place: string,
  ids: readonly string[],
  { output: folder = '-' }: JournalExportOptions,
  desk: Desk,
): Promise<number> => {
  if (folder !== '-') return toFolder(place, ids, folder, desk)
  const [id, ...others] = ids
  if (id !== undefined && others.length === 0) return toOutput(place, id, desk)
  throw new ColloquyError('USAGE', 'Only one record goes to stdout', {
    remedy: 'Name one conversation, or a folder with -o.',
  })
}

const REMEDY = 'Name another folder with -o.'

const toOutput = (place: string, id: string, desk: Desk): Promise<number> =>
  withJournal(place, desk, async (named) => {
    // On a terminal what a text could do to it must stay without effect; the JSON is the same.
    for (const event of await eventsOf(named, id, desk.warn)) desk.output.write(`${jsonText(event)}\n`)
    return EXIT.done
  })

const toFolder = (place: string, ids: readonly string[], folder: string, desk: Desk): Promise<number> =>
  withJournal(place, desk, async (named) => {
    makeFolder(folder, REMEDY)
    let count = 0
    const code = await forEach(idsOf(named.journal, ids), desk, async (id) => {
      writeRecord(join(folder, `${fileNameOf(id)}.jsonl`), await eventsOf(named, id, desk.warn))
      count++
    })
    desk.output.write(`${counted(count, 'record')} in ${folder}\n`)
    return code
  })

/** Puts a record in its place when it is whole, so that whatever stops us leaves no half of one. */
const writeRecord = (path: string, events: readonly RecordEvent[]): void => {
  const draft = `${path}.${process.pid}.new`
  attempt(path, () => {
    try {
      writeFileSync(draft, events.map((event) => `${JSON.stringify(event)}\n`).join(''))
      renameSync(draft, path)
    } finally {
      rmSync(draft, { force: true })
    }
  })
}

const attempt = (path: string, act: () => void): void => {
  try {
    act()
  } catch (error) {
    const message = `Cannot write: ${path} ${systemWords(error)}`
    throw new FileFailure('IO_FAILED', message, REMEDY, error)
  }
}
