import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { sqliteJournal } from '../../src/journals/sqlite.ts'
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
