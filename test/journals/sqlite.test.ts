import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Database from 'libsql'
import { afterAll, describe, expect, it } from 'vitest'
import { MIGRATIONS } from '../../src/journals/sqlite/migrations.ts'
import { sqliteJournal } from '../../src/journals/sqlite.ts'
import type { RecordEvent } from '../../src/schema/record.ts'
import { journalContract } from './contract.ts'

const root = mkdtempSync(join(tmpdir(), 'colloquy-sqlite-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let files = 0
const file = (): string => join(root, `f${files++}`, 'journal.db')

for (const [name, sync] of [
  ['sqlite', true],
  ['sqlite without fsync', false],
] as const)
  journalContract(name, () => {
    const place = file()
    let time = 0
    return {
      open: () => sqliteJournal(place, { sync, now: () => time }),
      pass: (ms) => {
        time += ms
      },
    }
  })

const open: RecordEvent = {
  type: 'open',
  at: 0,
  id: 'c',
  machine: 'conversation',
  version: 1,
  goal: '',
  members: ['a'],
  lead: null,
  policy: {},
}
const leave = (at: number): RecordEvent => ({ type: 'leave', at, member: 'a' })
const fault = (bytes: number): RecordEvent => ({
  type: 'fault',
  at: 1,
  member: 'a',
  error: 'x'.repeat(bytes),
})

describe('a file of SQLite', () => {
  it('takes nothing of what does not fit on the disk, and goes on when there is room', async (context) => {
    const folder = join(root, 'small')
    try {
      execFileSync('sh', ['-c', `mkdir -p ${folder} && mount -t tmpfs -o size=1m tmpfs ${folder}`], {
        stdio: 'ignore',
      })
    } catch {
      context.skip('this system allows no tmpfs')
    }
    try {
      const journal = sqliteJournal(join(folder, 'journal.db'))
      await journal.append('c', 0, [open])
      const tries = await Promise.allSettled([
        journal.append('c', 1, [fault(100)]),
        journal.append('d', 0, [{ ...open, id: 'd' }, fault(2_000_000)]),
      ])
      // One transaction: what came with it is not kept either, and hears so.
      for (const result of tries)
        expect(result).toMatchObject({ status: 'rejected', reason: { code: 'JOURNAL_FAILED' } })
      expect((await journal.read('c')).events).toEqual([open])
      expect(await journal.load('d')).toBeNull()
      await journal.append('c', 1, [leave(1)])
      expect((await journal.read('c')).events).toHaveLength(2)
      await journal.close()
    } finally {
      // The library lets go of the file a little later.
      execFileSync('umount', ['-l', folder])
    }
  })

  it('waits for another process that writes, but not for ever', async () => {
    const place = file()
    const journal = sqliteJournal(place, { timeout: 50 })
    await journal.append('c', 0, [open])
    const other = new Database(place)
    other.exec('BEGIN IMMEDIATE')
    await expect(journal.append('c', 1, [leave(1)])).rejects.toMatchObject({
      code: 'JOURNAL_FAILED',
      message: expect.stringContaining('locked'),
    })
    expect((await journal.read('c')).events).toEqual([open])
    other.exec('COMMIT')
    other.close()
    await journal.append('c', 1, [leave(1)])
    await journal.close()
  })

  it.each([
    [
      'is no database',
      () => Buffer.from('a text that is longer than the header of a database would be '.repeat(20)),
    ],
    ['is spoilt', (bytes: Buffer) => bytes.fill(0xff, 4096, 12_288)],
  ])('says of a file that %s which one it is', async (_, spoil) => {
    const place = file()
    const journal = sqliteJournal(place)
    await journal.append('c', 0, [open, fault(20_000)])
    await journal.close()
    const bytes = readFileSync(place)
    rmSync(`${place}-wal`, { force: true })
    rmSync(`${place}-shm`, { force: true })
    const copy = file()
    mkdirSync(dirname(copy), { recursive: true })
    writeFileSync(copy, spoil(bytes))
    await expect(sqliteJournal(copy).read('c')).rejects.toMatchObject({
      code: 'JOURNAL_CORRUPT',
      message: expect.stringContaining(copy),
    })
  })

  it('lets a database that was given stay open, and keeps to its own tables', async () => {
    const database = new Database(':memory:')
    database.exec('CREATE TABLE conversations (mine TEXT)')
    const journal = sqliteJournal(database)
    await journal.append('c', 0, [open])
    await journal.close()
    expect(database.prepare('SELECT count(*) AS count FROM colloquy_events').get()).toMatchObject({
      count: 1,
    })
    expect((await sqliteJournal(database).read('c')).events).toEqual([open])
    database.close()
  })
})

describe('the tables of SQLite', () => {
  /** A file as an earlier version left it, with a conversation in it. */
  const ofVersion = (version: number): string => {
    const place = file()
    mkdirSync(dirname(place), { recursive: true })
    const database = new Database(place)
    database.exec(
      'CREATE TABLE colloquy_migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL)',
    )
    for (const [index, sql] of MIGRATIONS.slice(0, version).entries()) {
      database.exec(sql)
      database.prepare('INSERT INTO colloquy_migrations VALUES (?, 0)').run([index + 1])
    }
    database
      .prepare(
        "INSERT INTO colloquy_conversations (id, length, machine, version, goal, opened_at, at, state, due_at) VALUES ('c', 1, 'conversation', 1, '', 0, 0, 'discussion', 5)",
      )
      .run([])
    database
      .prepare('INSERT INTO colloquy_events (conversation, seq, body) VALUES (1, 0, ?)')
      .run([JSON.stringify(open)])
    database.close()
    return place
  }

  it.each(MIGRATIONS.map((_, index) => index + 1))(
    'of version %i are brought up to date with all that is in them',
    async (version) => {
      const journal = sqliteJournal(ofVersion(version), { now: () => 0 })
      expect((await journal.read('c')).events).toEqual([open])
      const lease = await journal.lease(1_000)
      expect(await lease.takeUrgent(10, 10)).toEqual(['c'])
      await journal.append('c', 1, [leave(1)], {
        lease: lease.id,
        standing: { state: 'discussion', dueAt: null, outcome: null, questions: [] },
      })
      expect(await journal.load('c')).toMatchObject({ length: 2 })
      await journal.close()
    },
  )

  it('of a later version than is known are left alone', async () => {
    const place = ofVersion(MIGRATIONS.length)
    const database = new Database(place)
    database.prepare('INSERT INTO colloquy_migrations VALUES (?, 0)').run([MIGRATIONS.length + 1])
    database.close()
    await expect(sqliteJournal(place).read('c')).rejects.toMatchObject({
      code: 'JOURNAL_VERSION',
      message: expect.stringContaining(`version ${MIGRATIONS.length + 1}`),
    })
  })
})

it('keeps nothing of a conversation that was taken, never opened, and given back', async () => {
  const place = file()
  const journal = sqliteJournal(place)
  const lease = await journal.lease(1_000)
  expect(await lease.take('c')).toBe(true)
  await lease.drop(['c'])
  await journal.close()
  const database = new Database(place)
  expect(database.prepare('SELECT id FROM colloquy_conversations').all()).toEqual([])
  database.close()
})
