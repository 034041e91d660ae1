/** The journal in a database of better-sqlite3's interface that somebody else has opened. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, describe, expect, it } from 'vitest'
import { type SqliteDatabase, sqliteJournal } from '../../src/journals/sqlite.ts'
import { opening, said } from './contract/samples.ts'
import { journalContract } from './contract.ts'

const root = mkdtempSync(join(tmpdir(), 'colloquy-sqlite-given-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let files = 0

/** A database that refuses what `libsql` takes and better-sqlite3 refuses. */
const strict = (database: Database.Database): SqliteDatabase => ({
  get inTransaction() {
    return database.inTransaction
  },
  exec: (sql) => database.exec(sql),
  prepare(sql) {
    if (/\?\d/.test(sql)) throw new RangeError('Too many parameter values were provided')
    const statement = database.prepare(sql)
    const reads = (): void => {
      if (!statement.reader) throw new TypeError('This statement does not return data. Use run() instead')
    }
    return {
      run: (...parameters) => statement.run(...parameters),
      get(...parameters) {
        reads()
        return statement.get(...parameters)
      },
      all(...parameters) {
        reads()
        return statement.all(...parameters)
      },
    }
  },
})

journalContract('sqlite in a database that was given', () => {
  const database = strict(new Database(join(root, `f${files++}.db`)))
  let time = 0
  return {
    open: () => sqliteJournal(database, { now: () => time }),
    pass: (ms) => {
      time += ms
    },
  }
})

describe('a database that was given', () => {
  it("stays open, and all that is not the journal's stays as it is", async () => {
    const database = new Database(':memory:')
    database.exec("CREATE TABLE conversations (mine TEXT); INSERT INTO conversations VALUES ('text')")
    const journal = sqliteJournal(database)
    await journal.append('c', 0, [opening('c')])
    await journal.close()
    expect(database.prepare('SELECT mine FROM conversations').all([])).toMatchObject([{ mine: 'text' }])
    const others = database
      .prepare(
        "SELECT name FROM sqlite_master WHERE name NOT LIKE '%colloquy_%' AND name NOT LIKE 'sqlite_%'",
      )
      .all([])
    expect(others).toMatchObject([{ name: 'conversations' }])
    database.close()
  })

  it('is not written to while its owner has a transaction open, which goes on', async () => {
    const database = new Database(':memory:')
    const journal = sqliteJournal(database)
    await journal.append('c', 0, [opening('c')])
    database.exec('BEGIN')
    await expect(journal.append('c', 1, [said('m1')])).rejects.toMatchObject({ code: 'JOURNAL_FAILED' })
    expect(database.inTransaction).toBe(true)
    database.exec('COMMIT')
    await journal.append('c', 1, [said('m1')])
    expect((await journal.read('c')).events).toEqual([opening('c'), said('m1')])
    database.close()
  })
})
