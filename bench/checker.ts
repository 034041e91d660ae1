/** The checker on three members, two pieces of work and limits of three turns, by the command, with its two threads. */
import { strictEqual } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { machine } from '../machines/conversation/machine.ts'
import { start, step } from '../src/engine/step.ts'
import type { CheckReport } from '../src/testing/report.ts'
import { type Figure, time } from './measure.ts'
import { randomMix } from './scripts.ts'

const POLICY = { turnLimit: { discussion: 3, proposal: 3, assign: 3, execution: 3, review: 3 } }
const SECONDS = 30
const THREADS = 2

const explored = async (): Promise<CheckReport> => {
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-bench-'))
  try {
    const policy = join(folder, 'policy.json')
    writeFileSync(policy, JSON.stringify(POLICY))
    const main = new URL('../src/cli/main.js', import.meta.url).pathname
    const args = ['check', '--policy', policy, '--members', '3', '--subtasks', '2', '--json']
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...args], { maxBuffer: 2 ** 26 })
    return JSON.parse(stdout) as CheckReport
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** ms of one step, over all states and intents. */
const bare = (): number => {
  const scripts = randomMix(500)
  const opened = scripts.map(({ events: _, ...opening }) => start(machine, opening))
  const count = scripts.reduce((sum, { events }) => sum + events.length, 0)
  const walk = (): number => {
    let events = 0
    for (const [index, script] of scripts.entries()) {
      let position = opened[index] as (typeof opened)[number]
      for (const event of script.events) {
        position = step(machine, position, event).position
        events++
      }
    }
    return events
  }
  for (let warmUps = 0; warmUps < 5; warmUps++) time(walk, count)
  return time(walk, count) / count
}

export const checker = async (): Promise<Figure[]> => {
  const report = await explored()
  strictEqual(report.verdict, 'proved')
  const { ms, steps } = report.explored
  return [
    {
      name: `the checker, 3 members and 2 pieces of work, ${report.explored.states} states`,
      unit: 'µs',
      wanted: { atMost: SECONDS * 1e6 },
      values: [ms * 1_000],
    },
    {
      name: 'a step of the checker, with its keys / a bare step',
      unit: '×',
      wanted: null,
      values: [(ms * THREADS) / steps / bare()],
    },
  ]
}
