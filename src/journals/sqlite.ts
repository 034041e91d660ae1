/**
 * A journal in one SQLite file, for any number of processes of one machine. What is asked for together is written in one
 * transaction. A process that waits for another to finish writing does nothing else meanwhile: SQLite has one writer.
 */

import { answeredQuestion, unknownQuestion } from './common/conflict.ts'
import type { Journal } from './journal.ts'
import { append } from './sqlite/append.ts'
import { compacted } from './sqlite/archive.ts'
import { type Batches, batches } from './sqlite/batches.ts'
import { failureOf, opened, type Sqlite, type SqliteDatabase } from './sqlite/database.ts'
import { type LeaseTable, leaseTable } from './sqlite/leases.ts'
import { listed } from './sqlite/listing.ts'
import { migrate } from './sqlite/migrations.ts'
import { readingOf } from './sqlite/reading.ts'
import { appendOf } from './sqlite/texts.ts'

export type { SqliteDatabase } from './sqlite/database.ts'

export interface SqliteOptions {
  /** Whether each append waits until the disk has it. Without, a power failure may lose the last ones, and no more. Default: true. */
  readonly sync?: boolean
  /** ms to wait for another process that writes. Default: 5000. */
  readonly timeout?: number
  /** ms, for the leases of hosts. Default: the system's clock. */
  readonly now?: () => number
}

interface Open {
  readonly database: Sqlite
  readonly batches: Batches
  readonly leases: LeaseTable
  readonly reading: ReturnType<typeof readingOf>
}

/**
 * A journal in SQLite, by the package `libsql`; it is opened when it is first used.
 * @param place a file, made with its folder when there is none; or a database of better-sqlite3's interface, which stays
 * open; that is set to WAL, and to wait as the options say. Tables whose names do not begin with `colloquy_` are left alone.
 * @throws ColloquyError from its methods: `DEPENDENCY_MISSING`, `JOURNAL_VERSION`, `JOURNAL_CORRUPT`, `JOURNAL_FAILED`
 */
export const sqliteJournal = (
  place: string | SqliteDatabase,
  { sync = true, timeout = 5_000, now = Date.now }: SqliteOptions = {},
): Journal => {
  const failure = (error: unknown) => failureOf(typeof place === 'string' ? place : 'The database', error)
  let opening: Promise<Open> | null = null

  const begin = async (): Promise<Open> => {
    const database = await opened(place, { sync, timeout })
    try {
      migrate(database)
    } catch (error) {
      database.close()
      throw error
    }
    return {
      database,
      batches: batches(database, failure),
      leases: leaseTable(database, now),
      reading: readingOf(database),
    }
  }
  const open = (): Promise<Open> => {
    opening ??= begin().catch((error: unknown) => {
      opening = null
      throw failure(error)
    })
    return opening
  }
  /** What fails before the database is asked fails for itself alone. */
  const made = <Made>(make: () => Made): Made => {
    try {
      return make()
    } catch (error) {
      throw failure(error)
    }
  }
  /** Reads what is as of now, all that was asked for before included. */
  const read = async <Result>(act: (open: Open) => Result): Promise<Result> => {
    const now = await open()
    now.batches.flush()
    try {
      return now.database.reading(() => act(now))
    } catch (error) {
      throw failure(error)
    }
  }
  const write = async <Result>(act: (open: Open) => Result): Promise<Result> => {
    const now = await open()
    return now.batches.write(() => act(now))
  }

  return {
    capabilities: { durable: true, shared: true },
    async append(conversation, seq, events, options) {
      const entry = made(() => appendOf(conversation, seq, events, options))
      await write(({ database }) => append(database, now(), entry))
    },
    read: (conversation) => read(({ reading }) => ({ events: reading.read(conversation), warnings: [] })),
    load: (conversation) => read(({ reading }) => reading.load(conversation)),
    list: (filter = {}) => read(({ database }) => listed(database, filter, now())),
    questions: (conversation) => read(({ reading }) => reading.questions(conversation)),
    async answer(question, answer) {
      const text = made(() => JSON.stringify(answer))
      await write(({ database }) => {
        const row = database.get('SELECT answer FROM colloquy_questions WHERE id = ?', question)
        if (row === undefined) throw unknownQuestion(question)
        if (row.answer !== null) throw answeredQuestion(question)
        database.run('UPDATE colloquy_questions SET answer = ? WHERE id = ?', text, question)
      })
    },
    async lease(ttl, name) {
      const { leases, batches } = await open()
      return leases.begin(batches, ttl, name)
    },
    async compact(conversation) {
      const { database, batches } = await open()
      batches.flush()
      try {
        return await compacted(database, batches, conversation)
      } catch (error) {
        throw failure(error)
      }
    },
    async close() {
      const mine = opening
      // What could not be opened needs no closing; whoever wanted it has heard.
      const last = await mine?.catch(() => null)
      if (last == null || opening !== mine) return
      last.batches.flush()
      opening = null
      last.database.close()
    },
  }
}
