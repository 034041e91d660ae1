/** The parts of the durable benchmark, with tiny sizes: they run, they measure what they name, and nothing of them is left. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { jsonlAppends, postgresAppends, sqliteAppends } from '../../bench/durable/appends.ts'
import { postgresHosts } from '../../bench/durable/hosts.ts'
import { memoryMany, sqliteMany } from '../../bench/durable/many.ts'
import { figuresIn } from '../../bench/durable/restate.ts'
import { resume } from '../../bench/durable/resume.ts'
import type { Figure } from '../../bench/measure.ts'

const root = join(import.meta.dirname, '../..')
const caches = join(root, 'node_modules/.cache')
mkdirSync(caches, { recursive: true })
/** Among the dependencies, where what is compiled finds them. */
const folder = mkdtempSync(join(caches, 'colloquy-bench-'))
const script = join(folder, 'js/bench/durable/hosted.js')
beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  const config = {
    extends: join(root, 'tsconfig.build.json'),
    files: [join(root, 'bench/durable/hosted.ts')],
    include: [],
    compilerOptions: { rootDir: root, outDir: join(folder, 'js'), noCheck: true, declaration: false },
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', join(folder, 'tsconfig.json')], { cwd: root, stdio: 'inherit' })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let temporary = ''
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'colloquy-test-bench-'))
  vi.stubEnv('TMPDIR', temporary)
})
afterEach(() => {
  vi.unstubAllEnvs()
  expect(readdirSync(temporary)).toEqual([])
  rmSync(temporary, { recursive: true })
})

/** Every figure has a name of its own, and numbers that somebody measured. */
const expectMeasured = (figures: readonly Figure[]): void => {
  const names = figures.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const { name, unit, values } of figures) {
    expect(values.length, name).toBeGreaterThan(0)
    // What is let go of meanwhile may be more than what is taken.
    for (const value of values) {
      expect(value, name).not.toBeNaN()
      if (unit !== 'bytes') expect(value, name).toBeGreaterThan(0)
    }
  }
}

const wantedIn = (figures: readonly Figure[]): string[] =>
  figures.filter(({ wanted }) => wanted !== null).map(({ name }) => name)

const rounds = { rounds: 2, warmUps: 0, ms: 20 }

describe('appends', () => {
  const sizes = { ...rounds, conversations: 5 }

  it.each([
    ['jsonl', jsonlAppends, 2],
    ['sqlite', sqliteAppends, 3],
    ['postgres', postgresAppends, 3],
  ] as const)(
    'to %s are set against its driver alone, with sync on and off',
    async (name, appends, ratios) => {
      const figures = await appends(sizes)
      expectMeasured(figures)
      for (const sync of ['on', 'off'])
        expect(
          wantedIn(figures).filter((each) => each.startsWith(`append, ${name}, sync ${sync}`)),
        ).toHaveLength(ratios)
    },
  )
})

it('a conversation is resumed from each journal, by its snapshot and from its whole record', async () => {
  const figures = await resume({ events: 60, every: 20, conversations: 3, rounds: 2 })
  expectMeasured(figures)
  expect(wantedIn(figures)).toHaveLength(4)
  expect(figures).toHaveLength(8)
})

describe('a host of many conversations', () => {
  const sizes = { ...rounds, few: 10, more: 20, most: 600, resident: 10, loops: 4 }

  it.each([
    ['memory', memoryMany],
    ['sqlite', sqliteMany],
  ] as const)(
    'with a journal in %s tells what each takes, how it starts, and how it grows',
    async (_, many) => {
      const figures = await many({ sizes, script })
      expectMeasured(figures)
      expect(wantedIn(figures)).toHaveLength(2)
      expect(figures.filter(({ name }) => name.endsWith('all looked after, after'))).toHaveLength(2)
    },
  )
})

it('hosts on one PostgreSQL are set against one alone, and against inserts', async () => {
  const figures = await postgresHosts({ ...rounds, conversations: 8, loops: 4 }, script)
  const processorTime = figures.filter(({ name }) => name.includes('processor time'))
  // So little work may take no tick of the kernel's accounts.
  expectMeasured(figures.filter((figure) => !processorTime.includes(figure)))
  expect(processorTime).toHaveLength(6)
})

it('the report of the cluster’s benchmark is read: rates, latencies, and how they stand to the counter', () => {
  const figures = figuresIn(`
32 at once:
  counter: 1234/s, 1.00 × the counter, p50 9.87 ms, p99 34 ms; CPU ms each: server 0.50, app 0.40
  counter with the time: 1100/s, 0.89 × the counter, p50 11 ms, p99 35 ms; CPU ms each: server 0.50, app 0.40
  conversation: 1000/s, 0.81 × the counter, p50 12 ms, p99 40 ms; CPU ms each: server 0.70, app 0.60

one at a time:
  counter: 300/s, 1.00 × the counter, p50 3.10 ms, p99 5.00 ms; CPU ms each: server 0.50, app 0.40
  conversation: 250/s, 0.83 × the counter, p50 3.90 ms, p99 6.00 ms; CPU ms each: server 0.50, app 0.40

One conversation, one message at a time:
  messages 0–500: p50 3.00 ms`)
  const told = new Map(figures.map(({ name, values }) => [name, values]))
  expect(told.get('Restate, 32 at once, conversation / bare counter')).toEqual([0.81])
  expect(told.get('Restate, one at a time, conversation / bare counter')).toEqual([0.83])
  expect(told.get('Restate, 32 at once, counter: calls')).toEqual([1234])
  expect(told.get('Restate, one at a time, conversation: p50')).toEqual([3.9])
  expect(wantedIn(figures)).toHaveLength(2)
})
