/** Starts a server's own program on a free port of 127.0.0.1, with a folder that goes when it stops. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command, Place, ServerKind } from './kind.ts'
import { atTheLatest } from './leftovers.ts'

export interface Running {
  readonly url: string
  /** Of its process; null: it runs elsewhere. */
  readonly pid: number | null
  /** Stops it; resolves when nothing of it is left. Safe to call twice. */
  stop(): Promise<void>
}

interface Account {
  readonly uid: number
  readonly gid: number
}

/** ms: most for a server to take connections, and to end in good order. */
const START = 60_000
const STOP = 15_000
const PAUSE = 50
/** Another process may take the port between its finding and its use. */
const ATTEMPTS = 3
/** Most characters of a server's own words in an error. */
const QUOTE = 2_000

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port)
        else reject(new Error('No free port was found'))
      })
    })
  })

/** Null: it runs as whoever runs this. */
const accountOf = ({ account, title }: ServerKind): Account | null => {
  if (account === null || process.getuid?.() !== 0) return null
  const [uid, gid] = ['-u', '-g'].map((option) => {
    const { stdout } = spawnSync('id', [option, account], { encoding: 'utf8' })
    return Number.parseInt(stdout, 10)
  })
  if (uid === undefined || gid === undefined || Number.isNaN(uid) || Number.isNaN(gid))
    throw new Error(`${title} must not run as root, and there is no account "${account}" to run it`)
  return { uid, gid }
}

const isOpenToAll = (folder: string): boolean =>
  (statSync(folder).mode & 0o001) !== 0 && (dirname(folder) === folder || isOpenToAll(dirname(folder)))

/** Where its folder goes: root's own place for such is of no use to an account that may not come through to it. */
const roomFor = (account: Account | null): string =>
  account === null || isOpenToAll(tmpdir()) ? tmpdir() : '/var/tmp'

/** Has the kernel end a server whose parent is killed without a word, where util-linux is there to ask for it. */
const watched = ({ program, args }: Command, { kill }: ServerKind): [program: string, args: string[]] =>
  existsSync('/usr/bin/setpriv')
    ? ['/usr/bin/setpriv', ['--pdeathsig', kill.slice('SIG'.length), program, ...args]]
    : [program, [...args]]

const prepare = (kind: ServerKind, place: Place, account: Account | null): void => {
  for (const { program, args, env } of kind.prepare(place)) {
    const { status, stderr, error } = spawnSync(program, args, {
      ...account,
      cwd: place.folder,
      env: { ...process.env, ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr.slice(-QUOTE)}`)
  }
}

const begin = (kind: ServerKind, place: Place, account: Account | null): ChildProcess => {
  const command = kind.start(place)
  const log = openSync(join(place.folder, 'log'), 'w')
  try {
    const [program, args] = watched(command, kind)
    return spawn(program, args, {
      ...account,
      cwd: place.folder,
      env: { ...process.env, ...command.env },
      stdio: ['ignore', log, log],
      // A group of its own: Ctrl-C is for this process, which stops it in good order.
      detached: true,
    })
  } finally {
    closeSync(log)
  }
}

/** Sends a signal to a server and what it started; one that has ended does not mind. */
const signalTo = ({ pid }: ChildProcess, signal: NodeJS.Signals): void => {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const remove = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })

const attempt = async (kind: ServerKind, programs: string): Promise<Running> => {
  const account = accountOf(kind)
  const folder = mkdtempSync(join(roomFor(account), `colloquy-${kind.name}-`))
  const place: Place = { programs, folder, port: await freePort() }
  let child: ChildProcess | null = null
  const calledOff = atTheLatest(() => {
    if (child !== null) signalTo(child, kind.kill)
    remove(folder)
  })
  let ended: Promise<void> = Promise.resolve()
  let hasEnded = true

  const end = async (): Promise<void> => {
    if (child !== null && !hasEnded) {
      const patience = new AbortController()
      signalTo(child, kind.stop)
      const late = sleep(STOP, 'late', { signal: patience.signal }).catch(() => null)
      if ((await Promise.race([ended, late])) === 'late') signalTo(child, 'SIGKILL')
      patience.abort()
      await ended
    }
    remove(folder)
    calledOff()
  }

  try {
    if (account !== null) chownSync(folder, account.uid, account.gid)
    prepare(kind, place, account)
    const started = begin(kind, place, account)
    child = started
    hasEnded = false
    let failure: Error | null = null
    ended = new Promise((resolve) => {
      started.once('error', (error) => {
        failure = error
        hasEnded = true
        resolve()
      })
      started.once('exit', () => {
        hasEnded = true
        resolve()
      })
    })
    const until = performance.now() + START
    while (!(await kind.isReady(place))) {
      if (hasEnded || performance.now() > until) {
        const log = readFileSync(join(folder, 'log'), 'utf8').slice(-QUOTE)
        throw failure ?? new Error(`${kind.title} did not start:\n${log}`)
      }
      await sleep(PAUSE)
    }
  } catch (error) {
    await end()
    throw error
  }
  let stopped: Promise<void> | null = null
  return {
    url: kind.url(place.port),
    pid: child.pid ?? null,
    stop: () => {
      stopped ??= end()
      return stopped
    },
  }
}

/** Starts it, once more where it did not come up. @throws Error with what the server said */
export const startNative = async (kind: ServerKind, programs: string): Promise<Running> => {
  for (let count = 1; ; count++) {
    try {
      return await attempt(kind, programs)
    } catch (error) {
      if (count === ATTEMPTS) throw error
    }
  }
}
