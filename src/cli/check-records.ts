/** The records of a check in a folder: conversations that reach its bounds, and what stands against its proof. */
import { closeSync, openSync, readdirSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openEvent } from '../schema/record.ts'
import { CHECKED_ID } from '../testing/inquiry.ts'
import type { CheckReport, RecordEntry } from '../testing/report.ts'
import { FileFailure, systemCode, systemWords } from './failure.ts'
import { makeFolder } from './folder.ts'
import { jsonText } from './text.ts'

/** The name of a record's file. */
export type RecordName = 'turns' | 'messages' | 'time' | 'counterexample' | `problem-${number}`

const OURS = /^(?:turns|messages|time|counterexample|problem-\d+)\.jsonl$/
/** Bytes in which the opening of a record of ours ends, whatever its policy. */
const LONGEST_OPENING = 1 << 16

/** The records that a report holds, by name. */
export const recordsOf = (
  report: CheckReport,
): readonly (readonly [RecordName, readonly RecordEntry[]])[] => {
  const { turns, messages, ms, counterexample, problems } = report
  const all: (readonly [RecordName, readonly RecordEntry[] | null])[] = [
    ['turns', turns.record],
    ['messages', messages.record],
    ['time', ms.record],
    ['counterexample', counterexample?.record ?? null],
    ...problems.map(({ record }, index) => [`problem-${index + 1}`, record] as const),
  ]
  return all.flatMap(([name, record]) => (record === null ? [] : [[name, record] as const]))
}

const REMEDY = 'Name another folder with --records.'

const failure = (message: string, cause: unknown): FileFailure =>
  new FileFailure('IO_FAILED', message, REMEDY, cause)

const attempt = <T>(path: string, what: () => T): T => {
  try {
    return what()
  } catch (error) {
    throw error instanceof FileFailure ? error : failure(`Cannot write: ${path} ${systemWords(error)}`, error)
  }
}

/**
 * Makes a folder for records, and sees that nothing of others is in their place: before the search, which may be long.
 * @throws FileFailure
 */
export const prepareFolder = (folder: string): void => {
  makeFolder(folder, REMEDY)
  ownFiles(folder)
}

/**
 * Writes the records into their folder; those of an earlier check go.
 * @throws FileFailure
 */
export const writeRecords = (folder: string, report: CheckReport): void => {
  // Again: the search may have been long, and what is taken away must be ours.
  for (const path of ownFiles(folder)) attempt(path, () => rmSync(path))
  for (const [name, record] of recordsOf(report)) {
    const path = fileOf(folder, name)
    const text = record.map((entry) => `${jsonText(entry)}\n`).join('')
    attempt(path, () => writeFileSync(path, text, { flag: 'wx' }))
  }
}

export const fileOf = (folder: string, name: RecordName): string => join(folder, `${name}.jsonl`)

/** The files in a folder that have the names of records and are such. */
const ownFiles = (folder: string): readonly string[] => {
  const names = attempt(folder, () => readdirSync(folder)).filter((name) => OURS.test(name))
  return names.map((name) => {
    const path = join(folder, name)
    if (attempt(path, () => isOfCheck(path))) return path
    throw failure(`Cannot write: ${path} is there, and is no record of a check`, null)
  })
}

/** Whether a file begins as a record of a check does. */
const isOfCheck = (path: string): boolean => {
  const bytes = Buffer.alloc(LONGEST_OPENING)
  let size: number
  const descriptor = openSync(path, 'r')
  try {
    size = readSync(descriptor, bytes)
  } catch (error) {
    if (systemCode(error) === 'EISDIR') return false
    throw error
  } finally {
    closeSync(descriptor)
  }
  const [opening = ''] = bytes.toString('utf8', 0, size).split('\n', 1)
  try {
    return openEvent.safeParse(JSON.parse(opening)).data?.id === CHECKED_ID
  } catch {
    return false
  }
}
