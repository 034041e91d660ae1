/** The command line as a process of its own. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { built } from '../support/build.ts'

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<Ended>
  /** Resolves once stdout and stderr together hold a text. */
  says(text: string): Promise<void>
}

interface Options {
  readonly cwd?: string
  readonly input?: string | Buffer
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** ms: nothing here takes longer, or it hangs. */
const PATIENCE = 20_000

/** Starts `colloquy` with arguments. */
export const start = (args: readonly string[], { cwd, input, env }: Options = {}): Running => {
  const main = join(built(), 'dist/src/cli/main.js')
  const child = spawn(process.execPath, [main, ...args], {
    cwd: cwd ?? tmpdir(),
    env: { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined, ...env },
    timeout: PATIENCE,
    killSignal: 'SIGKILL',
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  child.stdin.on('error', () => {})
  if (input !== undefined) child.stdin.end(input)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
  return { child, ended, says: (text) => until(() => (stdout + stderr).includes(text), `said "${text}"`) }
}

/** Runs `colloquy` to its end, with nothing on stdin unless it is given. */
export const colloquy = (args: readonly string[], options: Options = {}): Promise<Ended> =>
  start(args, { input: '', ...options }).ended

/** Waits until something is so. */
export const until = async (isSo: () => boolean, what: string): Promise<void> => {
  const end = Date.now() + PATIENCE
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`It was not so in time that it ${what}`)
    await sleep(20)
  }
}

/** Whether a process is there, and no zombie. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    // Dead, but not reaped by an init that does not care.
    const stat = process.platform === 'linux' ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ''
    return !/^\d+ \(.*\) [ZX]/s.test(stat)
  } catch {
    return false
  }
}

export interface Folder {
  readonly path: string
  /** Writes a file; returns its path. */
  file(name: string, content: string | Buffer): string
  remove(): void
}

export const folder = (): Folder => {
  const path = mkdtempSync(join(tmpdir(), 'colloquy-cli-'))
  return {
    path,
    file(name, content) {
      writeFileSync(join(path, name), content)
      return join(path, name)
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
