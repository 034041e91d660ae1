/** The rivals of the journals: their drivers alone, which keep the same rows of events and look at nothing before. */
import { mkdirSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'libsql'
import pg from 'pg'
import type { RecordEvent } from '../../src/schema/record.ts'

/** An event of a conversation, which the rivals know by its number. */
export interface Row {
  readonly conversation: number
  readonly seq: number
  readonly event: RecordEvent
}

export interface Bare {
  /** Keeps one, in a transaction of its own. */
  insert(row: Row): Promise<void>
  /** Keeps many in one transaction. Null: there is nothing in which they could go together. */
  readonly insertAll: ((rows: readonly Row[]) => Promise<void>) | null
  close(): Promise<void>
}

const saidIn = ({ event }: Row): readonly [id: string | null, from: string | null] => {
  if (event.type !== 'message') return [null, null]
  const { id, from } = event.message as { readonly id: string; readonly from: string }
  return [id, from]
}

/** Lines of files, one for each conversation, that stay open. */
export const bareFiles = (folder: string, sync: boolean): Bare => {
  mkdirSync(folder, { recursive: true })
  const files = new Map<number, Promise<FileHandle>>()
  return {
    async insert({ conversation, event }) {
      const opening = files.get(conversation) ?? open(join(folder, `${conversation}.jsonl`), 'a')
      files.set(conversation, opening)
      const file = await opening
      await file.appendFile(`${JSON.stringify(event)}\n`)
      if (sync) await file.datasync()
    },
    insertAll: null,
    async close() {
      for (const file of files.values()) await (await file).close()
    },
  }
}

export const bareSqlite = (file: string, sync: boolean): Bare => {
  const database = new Database(file)
  database.exec('PRAGMA journal_mode = WAL')
  database.exec(`PRAGMA synchronous = ${sync ? 'FULL' : 'NORMAL'}`)
  database.exec(`
    CREATE TABLE events (conversation INTEGER NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL, message TEXT,
      sender TEXT, PRIMARY KEY (conversation, seq)) WITHOUT ROWID;
    CREATE UNIQUE INDEX events_by_message ON events (conversation, message) WHERE message IS NOT NULL;`)
  const statement = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?)')
  const insert = (row: Row): void => {
    statement.run([row.conversation, row.seq, JSON.stringify(row.event), ...saidIn(row)])
  }
  return {
    async insert(row) {
      insert(row)
    },
    async insertAll(rows) {
      database.exec('BEGIN IMMEDIATE')
      for (const row of rows) insert(row)
      database.exec('COMMIT')
    },
    async close() {
      database.close()
    },
  }
}

/** Connections of the rival: as many as a pool of pg has by itself. */
const CONNECTIONS = 10

export const barePostgres = async (url: string, schema: string, sync: boolean): Promise<Bare> => {
  const options = `-c synchronous_commit=${sync ? 'on' : 'off'} -c search_path=${schema}`
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS, options })
  // A pool has ended before its connections have: the server's end is none of their business.
  pool.on('error', () => {})
  await pool.query(`
    CREATE SCHEMA ${schema};
    CREATE TABLE ${schema}.events (conversation text COLLATE "C" NOT NULL, seq integer NOT NULL,
      message text COLLATE "C", sender text COLLATE "C", body json NOT NULL, PRIMARY KEY (conversation, seq));
    CREATE UNIQUE INDEX ON ${schema}.events (conversation, message) WHERE message IS NOT NULL;`)
  const valuesOf = (row: Row) => [`c${row.conversation}`, row.seq, ...saidIn(row), JSON.stringify(row.event)]
  return {
    async insert(row) {
      await pool.query({
        name: 'insert',
        text: 'INSERT INTO events VALUES ($1, $2, $3, $4, $5)',
        values: valuesOf(row),
      })
    },
    async insertAll(rows) {
      const columns = [0, 1, 2, 3, 4].map((column) => rows.map((row) => valuesOf(row)[column]))
      await pool.query({
        name: 'insert all',
        text: 'INSERT INTO events SELECT * FROM unnest($1::text[], $2::integer[], $3::text[], $4::text[], $5::json[])',
        values: columns,
      })
    },
    close: () => pool.end(),
  }
}
