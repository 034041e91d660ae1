/** The journal in SQLite and its disk: one that fills up and has room again, what closing leaves, what somebody spoilt. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Database from 'libsql'
import { afterAll, describe, expect, it } from 'vitest'
import { sqliteJournal } from '../../src/journals/sqlite.ts'
import type { RecordEvent } from '../../src/schema/record.ts'
import { built } from '../support/build.ts'
import { closed, opening, said, snapshot, standing } from './contract/samples.ts'

const root = mkdtempSync(join(tmpdir(), 'colloquy-sqlite-disk-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let files = 0
const file = (): string => join(root, `f${files++}`, 'journal.db')

const fault = (bytes: number, at: number): RecordEvent => ({
  type: 'fault',
  at,
  member: 'a',
  error: 'x'.repeat(bytes),
})

describe('a journal in SQLite on a disk that fills up', () => {
  it('has all that it acknowledged and nothing else, and takes more when there is room', async (context) => {
    const folder = join(root, 'small')
    mkdirSync(folder, { recursive: true })
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' })
    } catch {
      context.skip('this system allows no tmpfs')
    }
    try {
      const place = join(folder, 'journal.db')
      const ballast = join(folder, 'ballast')
      writeFileSync(ballast, Buffer.alloc(400_000))
      const journal = sqliteJournal(place)
      const kept: RecordEvent[] = [opening('c')]
      await journal.append('c', 0, kept)
      let failure: unknown = null
      while (failure === null && kept.length < 1_000) {
        const event = fault(5_000, kept.length)
        await journal.append('c', kept.length, [event]).then(
          () => kept.push(event),
          (error: unknown) => {
            failure = error
          },
        )
      }
      expect(failure).toMatchObject({ code: 'JOURNAL_FAILED', message: expect.stringContaining(place) })
      expect((await journal.read('c')).events).toEqual(kept)
      rmSync(ballast)
      await journal.append('c', kept.length, [fault(5_000, kept.length)])
      expect((await journal.read('c')).events).toHaveLength(kept.length + 1)
      await journal.close()
      const database = new Database(place)
      expect(database.prepare('PRAGMA integrity_check').all([])).toMatchObject([{ integrity_check: 'ok' }])
      database.close()
    } finally {
      // The library lets go of the file a little later.
      execFileSync('umount', ['-l', folder])
    }
  })
})

describe('a journal in SQLite that was closed', () => {
  /** Writes, closes, and tells how many of the journal's files it has open before and after; it is killed then. */
  const CLOSING = `
    import { readdirSync, readlinkSync } from 'node:fs'
    const [module, place, folder] = process.argv.slice(1)
    const { sqliteJournal } = await import(module)
    const nameOf = (fd) => {
      try {
        return readlinkSync('/proc/self/fd/' + fd)
      } catch {
        return ''
      }
    }
    const openFiles = () => readdirSync('/proc/self/fd').filter((fd) => nameOf(fd).startsWith(folder)).length
    const journal = sqliteJournal(place)
    await journal.append('c', 0, [${JSON.stringify(opening('c'))}])
    const large = { type: 'fault', at: 1, member: 'a', error: 'x'.repeat(1_000_000) }
    for (const seq of [1, 2, 3]) await journal.append('c', seq, [large])
    const lease = await journal.lease(1_000)
    await lease.takeUrgent(1, 1)
    await journal.list()
    await journal.load('c')
    console.log('open', openFiles() > 0)
    await journal.close()
    for (let turn = 0; turn < 10 && openFiles() > 0; turn++) {
      gc()
      await new Promise((resolve) => setImmediate(resolve))
    }
    console.log('left', openFiles(), typeof journal.close, typeof lease.renew)
    process.kill(process.pid, 'SIGKILL')`

  it.skipIf(process.platform !== 'linux')('keeps nothing by which its file would stay open', async () => {
    const place = file()
    const module = join(built(), 'dist/src/journals/sqlite.js')
    const flags = ['--expose-gc', '--input-type=module', '-e', CLOSING]
    const child = spawn(process.execPath, [...flags, module, place, dirname(place)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let report = ''
    child.stdout.on('data', (data) => {
      report += String(data)
    })
    await once(child, 'close')
    expect(report).toBe('open true\nleft 0 function function\n')
    expect(statSync(`${place}-wal`, { throwIfNoEntry: false })).toBeUndefined()
  })

  it('leaves no log with anything in it, also while the library has the file open', async () => {
    const place = file()
    const journal = sqliteJournal(place)
    await journal.append('c', 0, [opening('c'), fault(1_000_000, 1)])
    await journal.close()
    expect(statSync(`${place}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
    expect(statSync(place).size).toBeGreaterThan(1_000_000)
  })

  it('has written what was asked for before, and does not wait for somebody who reads', async () => {
    const place = file()
    const journal = sqliteJournal(place)
    await journal.append('c', 0, [opening('c')])
    const reader = new Database(place)
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM colloquy_events').get([])
    const appended = journal.append('c', 1, [said('m1')])
    await journal.close()
    await appended
    reader.exec('COMMIT')
    reader.close()
    const again = sqliteJournal(place)
    expect((await again.read('c')).events).toEqual([opening('c'), said('m1')])
    await again.close()
  })
})

describe('a file of SQLite in which somebody spoilt', () => {
  it.each([
    ['a snapshot', "UPDATE colloquy_snapshots SET body = '{}'", 'load', 'its snapshot'],
    ['an outcome', "UPDATE colloquy_conversations SET outcome = '{'", 'list', 'its outcome'],
    [
      'a compact record',
      "DELETE FROM colloquy_events; INSERT INTO colloquy_archives VALUES (1, x'00')",
      'read',
      'its compact record',
    ],
  ] as const)('%s is refused with the conversation', async (_, sql, way, what) => {
    const place = file()
    const journal = sqliteJournal(place)
    await journal.append('c', 0, [opening('c')], { standing: standing({ snapshot: snapshot('c', 0) }) })
    await journal.append('c', 1, [said('m1')], { standing: closed() })
    const other = new Database(place)
    other.exec(sql)
    other.close()
    const asked = way === 'list' ? journal.list() : journal[way]('c')
    await expect(asked).rejects.toMatchObject({
      code: 'JOURNAL_CORRUPT',
      message: expect.stringMatching(`conversation "c", ${what}`),
    })
    await journal.close()
  })
})
