/** The journal in SQLite over a database of better-sqlite3's interface; what it refuses, closes, and finds damaged. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { type SqliteDatabase, sqliteJournal } from '../../src/index.ts'
import type { Journal } from '../../src/journals/journal.ts'
import { cancel, closed, opened, opening, question, said, snapshot, standing } from './contract/samples.ts'
import { journalContract } from './contract.ts'

const root = mkdtempSync(join(tmpdir(), 'colloquy-sqlite-database-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let files = 0
const file = (): string => {
  const folder = join(root, `f${files++}`)
  mkdirSync(folder)
  return join(folder, 'journal.db')
}

/** What `better-sqlite3` gives where `libsql` differs: blobs as buffers, rows with nothing but their columns. */
const rowOf = (row: unknown): unknown => {
  if (typeof row !== 'object' || row === null) return row
  const columns = Object.entries(row).filter(([name]) => name !== '_metadata')
  return Object.fromEntries(
    columns.map(([name, value]) => [name, value instanceof ArrayBuffer ? Buffer.from(value) : value]),
  )
}

/** A database of better-sqlite3's interface, and nothing more than is asked for. */
const given = (path: string): SqliteDatabase => {
  const own = new Database(path)
  return {
    get inTransaction() {
      return own.inTransaction
    },
    exec: (sql) => own.exec(sql),
    prepare(sql) {
      const statement = own.prepare(sql)
      return {
        run: (...parameters) => statement.run(...parameters),
        get: (...parameters) => rowOf(statement.get(...parameters)),
        all: (...parameters) => statement.all(...parameters).map(rowOf),
      }
    },
  }
}

journalContract('sqlite over a database that was given', () => {
  const path = file()
  let time = 0
  return {
    open: () => sqliteJournal(given(path), { now: () => time }),
    pass: (ms) => {
      time += ms
    },
  }
})

const at = (path: string): Journal => opened({ open: () => sqliteJournal(path), pass: () => {} })

describe('what is asked for together', () => {
  it('is kept but for what is refused', async () => {
    const journal = at(file())
    const circle: Record<string, unknown> = {}
    circle.round = circle
    const results = await Promise.allSettled([
      journal.append('a', 0, [opening('a'), said('m1')]),
      journal.append('a', 2, [said('m1')]),
      journal.append('b', 7, [opening('b')]),
      journal.append('c', 0, [opening('c'), { type: 'message', at: 1, message: { id: 'm1', circle } }]),
      journal.append('d', 0, [opening('d')], { lease: 'nobody' }),
      journal.append('a', 2, [said('m2')]),
    ])
    expect(results.map((result) => (result.status === 'rejected' ? result.reason.code : 'kept'))).toEqual([
      'kept',
      'JOURNAL_CONFLICT',
      'JOURNAL_CONFLICT',
      'JOURNAL_FAILED',
      'LEASE_LOST',
      'kept',
    ])
    expect(await journal.list()).toMatchObject([{ id: 'a', length: 3 }])
  })
})

describe('a compact record', () => {
  it('stays compact when an append to it is refused', async () => {
    const journal = at(file())
    const events = [opening('c'), ...Array.from({ length: 50 }, (_, index) => said(`m${index}`))]
    await journal.append('c', 0, events, { standing: closed() })
    const { before, after } = await journal.compact('c')
    expect(after).toBeLessThan(before)
    await expect(journal.append('c', 51, [said('new'), said('m7')])).rejects.toMatchObject({
      code: 'JOURNAL_CONFLICT',
    })
    expect(await journal.compact('c')).toEqual({ before: after, after })
    expect((await journal.read('c')).events).toEqual(events)
  })
})

describe('a file that is closed', () => {
  it('has an empty log beside it, also while another has it open', async () => {
    const path = file()
    const [journal, other] = [sqliteJournal(path), at(path)]
    await other.list()
    await journal.append('c', 0, [opening('c'), said('m1', 'x'.repeat(1_000_000))])
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(1_000_000)
    await journal.close()
    expect(statSync(`${path}-wal`).size).toBe(0)
    expect((await other.read('c')).events).toHaveLength(2)
  })

  it('waits for nobody who reads, and loses nothing', async () => {
    const path = file()
    const journal = sqliteJournal(path, { timeout: 60_000 })
    await journal.append('c', 0, [opening('c')])
    const reader = new Database(path)
    onTestFinished(() => {
      reader.close()
    })
    reader.exec('BEGIN')
    expect(reader.prepare('SELECT COUNT(*) AS events FROM colloquy_events').get()).toMatchObject({
      events: 1,
    })
    await journal.append('c', 1, [said('m1')])
    // Within the time of a test, which is less than the journal waits for others.
    await journal.close()
    reader.exec('COMMIT')
    expect((await at(path).read('c')).events).toHaveLength(2)
  })

  it('has all that was asked for before', async () => {
    const path = file()
    const journal = sqliteJournal(path)
    const appends = [journal.append('c', 0, [opening('c')]), journal.append('c', 1, [said('m1')])]
    await journal.close()
    await Promise.all(appends)
    expect((await at(path).read('c')).events).toHaveLength(2)
  })

  it('takes nothing from a lease of before', async () => {
    const path = file()
    const journal = sqliteJournal(path)
    const lease = await journal.lease(60_000)
    await journal.close()
    await expect(lease.take('c')).rejects.toMatchObject({ code: 'JOURNAL_FAILED' })
    await journal.close()
  })
})

describe('a record that somebody has damaged', () => {
  /** A journal with the conversations `c`, closed, and `d`, open, after this was done to its tables. */
  const damaged = async (sql: string, isCompact = false): Promise<Journal> => {
    const path = file()
    const journal = sqliteJournal(path)
    const events = [opening('c'), ...Array.from({ length: 20 }, (_, index) => said(`m${index}`))]
    await journal.append('d', 0, [opening('d')], { standing: standing() })
    await journal.append('c', 0, events, {
      standing: { ...closed(), snapshot: snapshot('c', 1), questions: [question('c', 'q')] },
    })
    if (isCompact) await journal.compact('c')
    await journal.close()
    const database = new Database(path)
    database.exec(sql)
    database.close()
    return at(path)
  }
  const refused = (place: string) => ({
    code: 'JOURNAL_CORRUPT',
    message: expect.stringContaining(place),
  })

  it.each([
    ['DELETE FROM colloquy_events WHERE seq = 5', 'has 18 of 19 events'],
    ["UPDATE colloquy_snapshots SET body = '{}'", 'its snapshot'],
    ["UPDATE colloquy_questions SET body = '{}'", 'one of its questions'],
    ["UPDATE colloquy_questions SET answer = '{'", 'an answer that is no JSON'],
  ])('is refused with its place: %s', async (sql, place) => {
    const journal = await damaged(sql)
    await expect(journal.load('c')).rejects.toMatchObject(refused(place))
    expect(await journal.load('d')).toMatchObject({ length: 1 })
  })

  it.each([
    ["UPDATE colloquy_archives SET body = x'00'", 'cannot be unpacked'],
    // What gzip makes of the text "{}".
    ["UPDATE colloquy_archives SET body = x'1f8b0800000000000003abae050043bfa6a302000000'", 'event 0'],
  ])('is refused when it is compact, and harms no other: %s', async (sql, place) => {
    const journal = await damaged(sql, true)
    const [bad, good] = await Promise.allSettled([
      journal.append('c', 21, [cancel(1)]),
      journal.append('d', 1, [cancel(1)]),
    ])
    expect(bad).toMatchObject({ status: 'rejected', reason: refused(place) })
    expect(good).toMatchObject({ status: 'fulfilled' })
    expect((await journal.read('d')).events).toEqual([opening('d'), cancel(1)])
    await expect(journal.read('c')).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' })
  })

  it('is left as it is by whoever looks', async () => {
    const path = file()
    const text = 'This is a text and no database. '.repeat(200)
    writeFileSync(path, text)
    const journal = at(path)
    for (const act of [journal.list(), journal.append('c', 0, [opening('c')])])
      await expect(act).rejects.toMatchObject(refused(path))
    expect(readFileSync(path, 'utf8')).toBe(text)
  })
})
