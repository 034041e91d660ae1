/** The sides of the comparison with other libraries, and how to have them run. */
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where the other libraries' sides are, seen from the compiled benchmark. */
export const rivals = new URL('../../bench/rivals/', import.meta.url)

export type ContestantName =
  | 'colloquy'
  | 'colloquy, text'
  | 'strands'
  | 'strands, fastest'
  | 'langgraph'
  | 'langgraph, fastest'
export type Contestants<Each> = Readonly<Record<ContestantName, Each>>

/** Installs the other libraries from their lock file, unless they are. Null: they are there; else why not. */
export const install = (): string | null => {
  if (existsSync(new URL('node_modules/', rivals))) return null
  const { status, error } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: fileURLToPath(rivals),
    stdio: ['ignore', process.stderr, process.stderr],
    shell: process.platform === 'win32',
  })
  return status === 0 ? null : `npm ci in bench/rivals failed: ${error?.message ?? `status ${status}`}`
}

/** What a contestant's process is told: to run so many turns, or to warm up for so long. */
export interface Order {
  readonly turns?: number
  readonly warmUpMs?: number
}

export interface Contestant {
  warmUp(): Promise<void>
  /** Runs a conversation of so many turns; how many ms it took. */
  run(turns: number): Promise<number>
  stop(): void
}

const WARM_UP_MS = 3_000

/** Starts a contestant's process. */
export const contestant = async (name: ContestantName): Promise<Contestant> => {
  const child = fork(fileURLToPath(new URL('contestant.js', import.meta.url)), [name])
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`The contestant "${name}" ended with ${code}`)
  })
  failed.catch(() => {})
  const answer = async (): Promise<unknown> => {
    const [value] = (await Promise.race([once(child, 'message'), failed])) as [unknown]
    return value
  }
  await answer()
  const tell = async (order: Order): Promise<number> => {
    const answered = answer()
    child.send(order)
    return Number(await answered)
  }
  return {
    warmUp: async () => {
      await tell({ warmUpMs: WARM_UP_MS })
    },
    run: (turns) => tell({ turns }),
    stop: () => child.disconnect(),
  }
}
