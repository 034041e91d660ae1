/** SQLite as this journal uses it: statements prepared once, rows as they are, errors as ours. */
import { dirname } from 'node:path'
import { ColloquyError, messageOf } from '../../errors.ts'
import { makeFolder } from '../common/folder.ts'

/** What a column takes. */
export type Value = string | number | null | Uint8Array

interface Statement {
  run(...parameters: unknown[]): { readonly changes: number }
  get(...parameters: unknown[]): unknown
  all(...parameters: unknown[]): unknown[]
}

/** What is needed of a database: `better-sqlite3` and whatever has its interface will do. */
export interface SqliteDatabase {
  readonly inTransaction: boolean
  exec(sql: string): unknown
  prepare(sql: string): Statement
}

export type Row = Readonly<Record<string, unknown>>

export interface Sqlite {
  /** For errors. */
  readonly name: string
  exec(sql: string): void
  run(sql: string, ...parameters: readonly Value[]): void
  /** The same, and tells how many rows it changed. */
  change(sql: string, ...parameters: readonly Value[]): number
  get(sql: string, ...parameters: readonly Value[]): Row | undefined
  all(sql: string, ...parameters: readonly Value[]): readonly Row[]
  /** Does it in one transaction that writes, and takes it all back when that throws. */
  transaction<Result>(act: () => Result): Result
  /** The same for what only reads, so that all of it is of one moment. */
  reading<Result>(act: () => Result): Result
  /** Nothing can be done with it any more. */
  close(): void
}

const wrapped = (name: string, database: SqliteDatabase, close: () => void): Sqlite => {
  const statements = new Map<string, Statement>()
  const prepared = (sql: string): Statement => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  const takeBack = (): void => {
    // SQLite has ended the transaction itself after some errors, such as a full disk.
    if (!database.inTransaction) return
    try {
      database.exec('ROLLBACK')
    } catch {
      // What went wrong first says more.
    }
  }
  const within = <Result>(begin: string, act: () => Result): Result => {
    database.exec(begin)
    try {
      const result = act()
      database.exec('COMMIT')
      return result
    } catch (error) {
      takeBack()
      throw error
    }
  }
  return {
    name,
    exec: (sql) => void database.exec(sql),
    // Parameters go as one array: `libsql` takes a lone null for an object.
    run: (sql, ...parameters) => void prepared(sql).run(parameters),
    change: (sql, ...parameters) => prepared(sql).run(parameters).changes,
    get: (sql, ...parameters) => prepared(sql).get(parameters) as Row | undefined,
    all: (sql, ...parameters) => prepared(sql).all(parameters) as readonly Row[],
    transaction: (act) => within('BEGIN IMMEDIATE', act),
    reading: (act) => within('BEGIN', act),
    close() {
      statements.clear()
      close()
    },
  }
}

const CORRUPT = /^SQLITE_(?:NOTADB|CORRUPT)/

/** Any error as one of ours; those that are ours stay. */
export const failureOf = (name: string, error: unknown): ColloquyError => {
  if (error instanceof ColloquyError) return error
  const code: unknown = (error as { readonly code?: unknown } | null)?.code
  const message = `${name}: ${messageOf(error)}`
  if (typeof code === 'string' && CORRUPT.test(code))
    return new ColloquyError('JOURNAL_CORRUPT', message, {
      cause: error,
      remedy: 'Name another file, or restore this one from a copy.',
    })
  return new ColloquyError('JOURNAL_FAILED', message, { cause: error })
}

/** Tells what cannot be read of a conversation. */
export const corrupt = (name: string, conversation: string, what: string, cause?: unknown): ColloquyError =>
  new ColloquyError('JOURNAL_CORRUPT', `${name}, conversation "${conversation}", ${what}`, { cause })

const loaded = async () => {
  try {
    return (await import('libsql')).default
  } catch (error) {
    throw new ColloquyError('DEPENDENCY_MISSING', 'Journals in SQLite need the package "libsql"', {
      cause: error,
      remedy: 'Run: npm install libsql',
    })
  }
}

export interface OpeningOptions {
  readonly sync: boolean
  /** ms to wait for another process that writes. */
  readonly timeout: number
}

/**
 * A file, opened; it is made, with its folder, when there is none. `libsql` 0.5 lets go of a closed one only when its
 * statements have been collected as garbage (tursodatabase/libsql-js#228): what can be done before is that none of them is
 * kept, and that the log is empty.
 */
const openedFile = async (path: string): Promise<Sqlite> => {
  const Database = await loaded()
  if (path !== ':memory:') await makeFolder(dirname(path))
  const file = new Database(path)
  return wrapped(path, file, () => {
    try {
      // A log that was not emptied stays beside the file. Others that use it go on with theirs: nobody is waited for.
      file.exec('PRAGMA busy_timeout = 0')
      file.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
    } catch {
      // What is in the log is as safe as in the file.
    }
    file.close()
  })
}

/** Opens a database, or takes one that is open, and sets how it keeps things. */
export const opened = async (
  place: string | SqliteDatabase,
  { sync, timeout }: OpeningOptions,
): Promise<Sqlite> => {
  const database =
    typeof place === 'string' ? await openedFile(place) : wrapped('The database', place, () => {})
  try {
    // First of all, so that everything after it waits for others.
    database.exec(`PRAGMA busy_timeout = ${Math.trunc(timeout)}`)
    // It lets the file shrink. One that has anything in it does not take it any more, but would be locked for it.
    if (database.get('PRAGMA page_count')?.page_count === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL')
    database.exec('PRAGMA journal_mode = WAL')
    // Pages that change again before they are moved into the file are moved once: 16 MiB of them, in place of 4.
    database.exec('PRAGMA wal_autocheckpoint = 4000')
    database.exec(`PRAGMA synchronous = ${sync ? 'FULL' : 'NORMAL'}`)
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

const decoder = new TextDecoder()

/**
 * The text in a column that was read as `CAST(… AS BLOB)`: `libsql` cuts other text at its first U+0000. A blob is an
 * ArrayBuffer there, and a Buffer elsewhere.
 */
export const textOf = (value: unknown): string => decoder.decode(bytesOf(value))

/** The bytes in a column of type BLOB. */
export const bytesOf = (value: unknown): Uint8Array =>
  value instanceof ArrayBuffer ? new Uint8Array(value) : (value as Uint8Array)
