/** The journal in SQLite and processes: several on one file, and some that are killed while they write. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'libsql'
import { afterAll, describe, expect, it } from 'vitest'
import { saidIn } from '../../src/journals/common/said.ts'
import type { Journal } from '../../src/journals/journal.ts'
import { sqliteJournal } from '../../src/journals/sqlite.ts'
import { built } from '../support/build.ts'

const root = mkdtempSync(join(tmpdir(), 'colloquy-sqlite-processes-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

interface Writer {
  readonly child: ChildProcess
  /** What it said that it has kept: conversation and message. */
  readonly acknowledged: readonly (readonly [conversation: string, message: string])[]
  /** Resolves to its exit code, null after a signal. */
  readonly ended: Promise<number | null>
}

/** Begins to write. @param heard called after each message that is acknowledged */
const writer = (
  file: string,
  name: string,
  most: number,
  conversations: readonly string[],
  heard: (acknowledged: number, child: ChildProcess) => void = () => {},
): Writer => {
  const module = pathToFileURL(join(built(), 'dist/src/journals/sqlite.js')).href
  const script = join(import.meta.dirname, 'sqlite-writer.mjs')
  const child = spawn(process.execPath, [script, module, file, name, String(most), ...conversations], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const acknowledged: [string, string][] = []
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [conversation = '', message = ''] = line.split('\t')
      acknowledged.push([conversation, message])
      heard(acknowledged.length, child)
    }
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { child, acknowledged, ended }
}

const idsIn = async (journal: Journal, conversation: string): Promise<string[]> =>
  (await journal.read(conversation)).events.flatMap((event) => saidIn(event)?.id ?? [])

describe('a file of SQLite', () => {
  it('takes what two processes write to the same conversations at once, each message once', async () => {
    const file = join(root, 'two.db')
    const conversations = ['c', 'd']
    const writers = ['one', 'other'].map((name) => writer(file, name, 100, conversations))
    expect(await Promise.all(writers.map(({ ended }) => ended))).toEqual([0, 0])
    const journal = sqliteJournal(file)
    for (const conversation of conversations) {
      const said = writers.flatMap(({ acknowledged }) =>
        acknowledged.flatMap(([place, id]) => (place === conversation ? [id] : [])),
      )
      expect(said).toHaveLength(200)
      expect([...(await idsIn(journal, conversation))].sort()).toEqual([...said].sort())
      expect(await journal.load(conversation)).toMatchObject({ length: 201 })
    }
    await journal.close()
  })

  it('has all that was acknowledged when the process that wrote it is killed, again and again', async () => {
    const file = join(root, 'killed.db')
    const conversations = Array.from({ length: 8 }, (_, index) => `c${index}`)
    const kept = new Map(conversations.map((id): [string, string[]] => [id, []]))
    for (let life = 0; life < 12; life++) {
      // At another moment each time, in the middle of its work.
      const { acknowledged, ended } = writer(
        file,
        `life ${life}`,
        1_000_000,
        conversations,
        (count, child) => {
          if (count === 5 + life * 7) child.kill('SIGKILL')
        },
      )
      expect(await ended).toBeNull()
      for (const [conversation, id] of acknowledged) kept.get(conversation)?.push(id)
      const journal = sqliteJournal(file)
      for (const [conversation, ids] of kept) {
        const found = await idsIn(journal, conversation)
        expect(found).toEqual(expect.arrayContaining(ids))
        expect(new Set(found).size).toBe(found.length)
      }
      await journal.close()
    }
    const database = new Database(file)
    expect(database.prepare('PRAGMA integrity_check').all()).toMatchObject([{ integrity_check: 'ok' }])
    database.close()
  })
})
