/** The journal in SQLite and its file: versions of the tables, disks that are full, files that are locked or spoilt. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { MIGRATIONS } from '../../src/journals/sqlite/migrations.ts'
import { type SqliteOptions, sqliteJournal } from '../../src/journals/sqlite.ts'
import { built } from '../support/build.ts'
import { closed, opening, question, said, snapshot, standing } from './contract/samples.ts'

const root = mkdtempSync(join(tmpdir(), 'colloquy-sqlite-file-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let files = 0
const fresh = (): string => join(root, `f${files++}.db`)

const journalIn = (file: string, options?: SqliteOptions) => {
  const journal = sqliteJournal(file, options)
  onTestFinished(() => journal.close())
  return journal
}

/** The database itself, for what no journal does. */
const bare = (file: string): Database.Database => {
  const database = new Database(file)
  onTestFinished(() => {
    if (database.open) database.close()
  })
  return database
}

describe('the tables', () => {
  /** What the first version of a journal wrote. */
  const FIRST = `
    CREATE TABLE colloquy_migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL);
    INSERT INTO colloquy_leases (id, until) VALUES ('gone', 5);
    INSERT INTO colloquy_conversations (num, id, length, machine, version, goal, opened_at, at, state, due_at, holder)
      VALUES (1, 'c', 3, 'conversation', 1, 'goal – 目标', 0, 1, 'discussion', 1000, 1);
    INSERT INTO colloquy_events (conversation, seq, body, message, sender) VALUES
      (1, 0, '${JSON.stringify(opening('c'))}', NULL, NULL),
      (1, 1, '${JSON.stringify(said('m1'))}', 'm1', 'a'),
      (1, 2, '${JSON.stringify(said('m2'))}', 'm2', 'a');
    INSERT INTO colloquy_snapshots (conversation, seq, body)
      VALUES (1, 1, '${JSON.stringify({ ...snapshot('c', 1), known: undefined })}');`

  it.each(MIGRATIONS.map((_, index) => index + 1))(
    'of version %i are brought to the newest',
    async (version) => {
      const file = fresh()
      const database = bare(file)
      for (const sql of MIGRATIONS.slice(0, version)) database.exec(sql)
      database.exec(FIRST)
      for (let applied = 1; applied <= version; applied++)
        database.exec(`INSERT INTO colloquy_migrations VALUES (${applied}, 0)`)

      const journal = journalIn(file)
      expect(await journal.load('c')).toEqual({
        snapshot: snapshot('c', 1, [['m1', 'a']]),
        events: [said('m2')],
        length: 3,
        questions: [],
        warnings: [],
      })
      expect(await (await journal.lease(1_000)).takeUrgent(0, 9)).toEqual(['c'])
      const lease = (await journal.list())[0]?.holder ?? ''
      await expect(journal.append('c', 3, [said('m1')], { lease })).rejects.toMatchObject({
        code: 'JOURNAL_CONFLICT',
      })
      await journal.append('c', 3, [said('m3')], {
        lease,
        standing: standing({ questions: [question('c', 'q')] }),
      })
      await journal.answer('q', 'yes')
      await journal.append('c', 4, [], { lease, standing: { ...closed(), questions: [] } })
      await journal.compact('c')
      expect((await journal.read('c')).events).toEqual([
        opening('c'),
        ...['m1', 'm2', 'm3'].map((id) => said(id)),
      ])
      expect(database.prepare('SELECT version FROM colloquy_migrations').all([])).toHaveLength(
        MIGRATIONS.length,
      )
    },
  )

  it('are made by SQL that never changes: files exist that were made by it', () => {
    const hashes = MIGRATIONS.map((sql) => createHash('sha256').update(sql).digest('hex').slice(0, 16))
    expect(hashes).toEqual(['5382f329ff009020', '1fe3f457e571056a'])
  })
})

describe('what is written together', () => {
  it('is written in one transaction', async () => {
    const database = bare(fresh())
    const begun: string[] = []
    const journal = sqliteJournal({
      get inTransaction() {
        return database.inTransaction
      },
      prepare: (sql) => database.prepare(sql),
      exec(sql) {
        begun.push(sql)
        return database.exec(sql)
      },
    })
    await journal.list()
    begun.length = 0
    const ids = Array.from({ length: 100 }, (_, index) => `c${index}`)
    const appended = ids.map((id) => journal.append(id, 0, [opening(id), said('m')]))
    // Whoever reads meanwhile sees what was asked for before.
    expect(await journal.list()).toHaveLength(100)
    await Promise.all(appended)
    expect(begun).toEqual(['BEGIN IMMEDIATE', 'COMMIT', 'BEGIN', 'COMMIT'])
  })

  it('is not harmed by what cannot be written as JSON', async () => {
    const journal = journalIn(fresh())
    const loop: Record<string, unknown> = {}
    loop.self = loop
    const [sound, spoilt] = await Promise.allSettled([
      journal.append('c', 0, [opening('c')]),
      journal.append('d', 0, [opening('d'), { type: 'message', at: 1, message: loop }]),
    ])
    expect([sound.status, spoilt.status]).toEqual(['fulfilled', 'rejected'])
    expect(await journal.list()).toMatchObject([{ id: 'c' }])
  })
})

describe('a database that somebody else has locked', () => {
  it('can be opened and read by others', async () => {
    const file = fresh()
    await journalIn(file).append('c', 0, [opening('c')])
    bare(file).exec('BEGIN IMMEDIATE')
    const journal = journalIn(file, { timeout: 20 })
    expect((await journal.read('c')).events).toEqual([opening('c')])
  })

  it('is opened when it is free, where its tables have yet to be made', async () => {
    const file = fresh()
    const other = bare(file)
    other.exec('PRAGMA journal_mode = WAL')
    other.exec('BEGIN IMMEDIATE')
    const journal = journalIn(file, { timeout: 20 })
    await expect(journal.read('c')).rejects.toMatchObject({ code: 'JOURNAL_FAILED' })
    other.exec('ROLLBACK')
    await journal.append('c', 0, [opening('c')])
    expect((await journal.read('c')).events).toEqual([opening('c')])
  })
})

describe('a file that is spoilt', () => {
  it('fails by name where no file can be', async () => {
    const file = fresh()
    writeFileSync(file, '')
    const journal = journalIn(join(file, 'journal.db'))
    await expect(journal.append('c', 0, [opening('c')])).rejects.toMatchObject({
      code: 'JOURNAL_FAILED',
      message: expect.stringContaining(file),
    })
  })

  it('that is no database is left as it is, and it is said what helps', async () => {
    const file = fresh()
    writeFileSync(file, 'dear diary\n'.repeat(100))
    await expect(journalIn(file).list()).rejects.toMatchObject({
      code: 'JOURNAL_CORRUPT',
      message: `${file}: file is not a database`,
      remedy: 'Name another file, or restore this one from a copy.',
    })
    expect(readFileSync(file, 'utf8')).toBe('dear diary\n'.repeat(100))
  })

  it.each([
    ['cut', `UPDATE colloquy_events SET body = '{"type":"op' WHERE seq = 0`, 'event 0: is no JSON'],
    ['no event', `UPDATE colloquy_events SET body = '{}' WHERE seq = 1`, 'event 1: is no event'],
    ['lost', 'DELETE FROM colloquy_events WHERE seq = 1', 'has 2 of 3 events'],
  ])('names the conversation and the place of what is %s', async (_, spoil, expected) => {
    const file = fresh()
    const journal = journalIn(file)
    await journal.append('c', 0, [opening('c'), said('m1'), said('m2')])
    await journal.append('d', 0, [opening('d')])
    bare(file).exec(`${spoil} AND conversation = (SELECT num FROM colloquy_conversations WHERE id = 'c')`)
    const refused = {
      code: 'JOURNAL_CORRUPT',
      message: expect.stringMatching(`conversation "c", .*${expected}`),
    }
    await expect(journal.read('c')).rejects.toMatchObject(refused)
    await expect(journal.load('c')).rejects.toMatchObject(refused)
    expect((await journal.read('d')).events).toEqual([opening('d')])
    expect(await journal.list()).toHaveLength(2)
  })
})

describe('a compact record', () => {
  it('makes the file smaller', async () => {
    const file = fresh()
    const journal = journalIn(file)
    const messages = Array.from({ length: 300 }, (_, index) =>
      said(`m${index}`, 'the same again '.repeat(100)),
    )
    await journal.append('c', 0, [opening('c'), ...messages], { standing: closed() })
    const database = bare(file)
    const pages = (): number =>
      (database.prepare('PRAGMA page_count').get([]) as { readonly page_count: number }).page_count
    const had = pages()
    const { before, after } = await journal.compact('c')
    expect(after).toBeLessThan(before / 10)
    expect(pages()).toBeLessThan(had / 4)
  })

  it('is not made of a conversation that was opened again while it was packed', async () => {
    const journal = journalIn(fresh())
    const messages = Array.from({ length: 100 }, (_, index) => said(`m${index}`, 'x'.repeat(1_000)))
    await journal.append('c', 0, [opening('c'), ...messages], { standing: closed() })
    const packing = journal.compact('c')
    await journal.append('c', 101, [], { standing: standing() })
    const { before, after } = await packing
    expect(after).toBe(before)
    await journal.append('c', 101, [said('next')])
    expect((await journal.read('c')).events).toEqual([opening('c'), ...messages, said('next')])
  })
})

it('says what is missing without the package libsql, and how to install it', () => {
  const folder = join(root, 'without')
  cpSync(join(built(), 'dist'), join(folder, 'dist'), { recursive: true })
  cpSync(join(built(), 'package.json'), join(folder, 'package.json'))
  mkdirSync(join(folder, 'node_modules'))
  for (const name of ['nanoid', 'zod'])
    symlinkSync(join(import.meta.dirname, '../../node_modules', name), join(folder, 'node_modules', name))
  const script = `
    import { sqliteJournal } from ${JSON.stringify(join(folder, 'dist/src/journals/sqlite.js'))}
    sqliteJournal(${JSON.stringify(fresh())}).list().catch(({ code, message, remedy }) =>
      console.log(JSON.stringify({ code, message, remedy })))`
  writeFileSync(join(folder, 'main.mjs'), script)
  const said = execFileSync(process.execPath, [join(folder, 'main.mjs')], { encoding: 'utf8' })
  expect(JSON.parse(said)).toEqual({
    code: 'DEPENDENCY_MISSING',
    message: expect.stringContaining('"libsql"'),
    remedy: 'Run: npm install libsql',
  })
})

it('makes no file before it is used', async () => {
  const file = fresh()
  const journal = journalIn(file)
  await journal.close()
  expect(existsSync(file)).toBe(false)
})
