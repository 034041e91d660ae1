/** A Restate server of one node, as a child process on loopback: for trying it, for tests, and for one machine. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ColloquyError } from 'colloquy'

export interface RestateOptions {
  /** Where it keeps everything. Default: a new one that `stop` removes. */
  readonly folder?: string
  /** Default: any that are free. */
  readonly ports?: RestatePorts
  /** How many parts conversations are spread over; can be set once, for a new folder. Default: 4. */
  readonly partitions?: number
}

export interface RestatePorts {
  readonly ingress: number
  readonly admin: number
  /** Among servers. */
  readonly node: number
}

export interface Restate {
  /** Addresses. */
  readonly ingress: string
  readonly admin: string
  readonly ports: RestatePorts
  readonly folder: string
  readonly pid: number
  /** Resolves when it has ended, for whatever reason. */
  readonly ended: Promise<void>
  /** Ends it: at its leisure (SIGTERM), or at once (SIGKILL); a folder of its own is removed. Safe to call twice. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/** ms that it may take to be ready. */
const READY_LIMIT = 120_000
/** ms that it may take to end at its leisure. */
const END_LIMIT = 20_000
const PARTITIONS = 4

const configOf = ({ ingress, admin, node }: RestatePorts, partitions: number): string => `
disable-telemetry = true
cluster-name = "colloquy"
node-name = "one"
listen-mode = "tcp"
bind-ip = "127.0.0.1"
bind-port = ${node}
advertised-address = "http://127.0.0.1:${node}"
default-num-partitions = ${partitions}
shutdown-timeout = "10s"
rocksdb-total-memory-size = "512 MiB"
log-filter = "warn"
log-disable-ansi-codes = true

[ingress]
bind-port = ${ingress}
advertised-address = "http://127.0.0.1:${ingress}"

[admin]
bind-port = ${admin}
advertised-address = "http://127.0.0.1:${admin}"
disable-web-ui = true
`

/** The binary, which npm installs for the platform. */
const binary = (): string => {
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`
  try {
    return join(createRequire(import.meta.url).resolve(`${name}/package.json`), '../bin/restate-server')
  } catch (error) {
    throw new ColloquyError('DEPENDENCY_MISSING', `The Restate server needs the package ${name}`, {
      cause: error,
      remedy: `Run "npm install ${name}" where there is one, or use a server that runs elsewhere.`,
    })
  }
}

/** Ports that were free a moment ago. */
const freePorts = async (): Promise<RestatePorts> => {
  const servers = [createServer(), createServer(), createServer()]
  await Promise.all(servers.map((server) => new Promise<void>((done) => server.listen(0, '127.0.0.1', done))))
  const [ingress = 0, admin = 0, node = 0] = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))))
  return { ingress, admin, node }
}

/**
 * Starts a server and waits until it is ready.
 * @throws ColloquyError `DEPENDENCY_MISSING`; `JOURNAL_FAILED` when it ended or was not ready within two minutes, with what it printed last
 */
export const startRestate = async (options: RestateOptions = {}): Promise<Restate> => {
  const program = binary()
  const isOwn = options.folder === undefined
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'colloquy-restate-'))
  mkdirSync(folder, { recursive: true })
  const ports = options.ports ?? (await freePorts())
  const config = join(folder, 'restate.toml')
  const log = join(folder, 'restate.log')
  writeFileSync(config, configOf(ports, options.partitions ?? PARTITIONS))
  // It leaves folders behind in the one for temporary files.
  const scratch = join(folder, 'tmp')
  mkdirSync(scratch, { recursive: true })
  const output = openSync(log, 'a')
  const child = spawn(program, ['--no-logo', '-c', config, '--base-dir', join(folder, 'data')], {
    stdio: ['ignore', output, output],
    // Its own group, so that Ctrl-C reaches us first.
    detached: true,
    env: { ...process.env, TMPDIR: scratch },
  })
  closeSync(output)
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const stop = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> => {
    await end(child, ended, signal)
    if (isOwn) rmSync(folder, { recursive: true, force: true })
  }
  const ingress = `http://127.0.0.1:${ports.ingress}`
  const admin = `http://127.0.0.1:${ports.admin}`
  if (!(await isReady([`${ingress}/restate/health`, `${admin}/health`], child, ended))) {
    await end(child, ended, 'SIGKILL')
    const last = readFileSync(log, 'utf8').slice(-2_000)
    if (isOwn) rmSync(folder, { recursive: true, force: true })
    throw new ColloquyError('JOURNAL_FAILED', `The Restate server did not start: ${last}`, {
      remedy: `Free the ports and the folder; its log is ${log}.`,
    })
  }
  return { ingress, admin, ports, folder, pid: child.pid ?? 0, ended, stop }
}

const hasEnded = (child: ChildProcess): boolean =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null

const end = async (child: ChildProcess, ended: Promise<void>, signal: NodeJS.Signals): Promise<void> => {
  if (hasEnded(child)) return
  child.kill(signal)
  const patience = new AbortController()
  await Promise.race([ended, sleep(END_LIMIT, undefined, { signal: patience.signal }).catch(() => {})])
  patience.abort()
  if (!hasEnded(child)) child.kill('SIGKILL')
  await ended
}

const isReady = async (
  urls: readonly string[],
  child: ChildProcess,
  ended: Promise<void>,
): Promise<boolean> => {
  const limit = performance.now() + READY_LIMIT
  while (performance.now() < limit && !hasEnded(child)) {
    const answers = await Promise.all(urls.map(isHealthy))
    if (answers.every((ok) => ok)) return true
    await Promise.race([ended, sleep(100)])
  }
  return false
}

const isHealthy = async (url: string): Promise<boolean> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

/**
 * Tells Restate of an app: new calls go to the app that was registered last, calls under way stay where they began.
 * @param admin address of the admin API
 * @param app address of the app
 * @throws ColloquyError `JOURNAL_FAILED` when Restate does not reach the app, or refuses it
 */
export const register = async (admin: string, app: string): Promise<void> => {
  const response = await fetch(`${admin.replace(/\/+$/, '')}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: app, force: true }),
  })
  const text = await response.text()
  if (response.ok) return
  throw new ColloquyError('JOURNAL_FAILED', `Restate did not register ${app}: ${text.slice(0, 500)}`, {
    remedy: 'See that the app runs and that Restate reaches its address.',
  })
}
