/** The real process, really killed. `npm run soak` does it for longer. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { jsonlJournal, sqliteJournal } from '../../src/index.ts'
import { killAgainAndAgain } from './kills.ts'

const root = mkdtempSync(join(tmpdir(), 'colloquy-kills-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const times = Number(process.env.COLLOQUY_KILLS ?? 100) / 2

describe(`a host that is killed ${times} times while it works`, () => {
  it.each([
    ['jsonl', join(root, 'jsonl'), jsonlJournal],
    ['sqlite', join(root, 'journal.db'), sqliteJournal],
  ] as const)(
    'over %s has every message that it acknowledged, none twice, and fires each deadline once',
    async (kind, place, open) => {
      const killed = await killAgainAndAgain({
        kind,
        place,
        asked: join(root, `${kind}.asked`),
        times,
        random: Math.random,
        journal: () => open(place),
      })
      // It did something between its deaths.
      expect(killed.acknowledged).toBeGreaterThan(10)
      expect(killed.deadlines).toBeGreaterThan(0)
      expect(killed.asked).toBeGreaterThan(0)
    },
    times * 5_000,
  )
})
