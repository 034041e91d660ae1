/** The example of a user's own rules and agent, tested for real by both runners, with colloquy installed as a package. */
import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { built } from '../support/build.ts'

const root = join(import.meta.dirname, '../..')
const origin = join(root, 'examples/own-rules')
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'colloquy-own-rules-'))
const run = promisify(execFile)

/** What the example imports besides colloquy. */
const PACKAGES = ['fast-check', 'vitest', 'xstate', 'zod']
const LIMIT = 120_000

beforeAll(() => {
  cpSync(origin, folder, { recursive: true })
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  symlinkSync(built(), join(modules, 'colloquy'), 'junction')
  for (const name of PACKAGES) symlinkSync(join(root, 'node_modules', name), join(modules, name), 'junction')
}, LIMIT)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Ran {
  readonly code: number
  readonly output: string
}

const node = async (...args: string[]): Promise<Ran> => {
  // Neither runner is to know that another one is at work.
  const { NODE_TEST_CONTEXT: _, VITEST: __, ...env } = process.env
  try {
    const { stdout, stderr } = await run(process.execPath, args, { cwd: folder, env, timeout: LIMIT })
    return { code: 0, output: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as {
      readonly code: number
      readonly stdout: string
      readonly stderr: string
    }
    return { code, output: `${stdout}${stderr}` }
  }
}

const inNode = (): Promise<Ran> => node('--test', 'in-node.mjs')
const inVitest = (): Promise<Ran> =>
  node('node_modules/vitest/vitest.mjs', 'run', 'in-vitest', '--root', folder)

describe('own rules and an own agent', () => {
  it('are tested in 30 lines or so', () => {
    for (const name of ['in-node.mjs', 'in-vitest.test.mjs']) {
      const lines = readFileSync(join(origin, name), 'utf8').trim().split('\n')
      expect(lines.length, name).toBeLessThanOrEqual(40)
    }
  })

  it(
    'pass in vitest',
    async () => {
      const { code, output } = await inVitest()
      expect(code, output).toBe(0)
      expect(output).toMatch(/3 passed/)
    },
    LIMIT,
  )

  it(
    "pass in node's own runner",
    async () => {
      const { code, output } = await inNode()
      expect(code, output).toBe(0)
      expect(output).toMatch(/^# pass 3$/m)
    },
    LIMIT,
  )

  it(
    'fail in both when the rules never end, with a record',
    async () => {
      const rules = join(folder, 'rules.mjs')
      const whole = readFileSync(rules, 'utf8')
      // Whoever leads may raise again, and nothing counts how often.
      const endless = whole
        .replace('price === policy.limit ||', '')
        .replace('price: context.price + 1', 'price: 0')
      writeFileSync(rules, endless.replaceAll('payload.to === price + 1', 'payload.to > price'))
      try {
        for (const ran of [await inNode(), await inVitest()]) {
          expect(ran.code, ran.output).not.toBe(0)
          expect(ran.output).toContain('"auction" need not end')
          expect(ran.output).toContain('{"type":"open"')
        }
      } finally {
        writeFileSync(rules, whole)
      }
    },
    LIMIT,
  )
})
