/** Servers for tests: they run, and nothing of them is left, however their user ends. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgres } from '../../scripts/servers/postgres.ts'
import { startServer } from '../../scripts/servers/start.ts'
import { isAlive, until } from '../cli/process.ts'
import { compiledScript } from './compiled.ts'

const scratch = mkdtempSync(join(tmpdir(), 'colloquy-test-servers-'))
chmodSync(scratch, 0o755)
let script = ''
beforeAll(() => {
  script = compiledScript(scratch)
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const one = async (url: string): Promise<unknown> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query('SELECT current_setting($1) AS fsync', ['fsync'])).rows
  } finally {
    await client.end()
  }
}

/** Processes that have a text in their command line. */
const processesOf = (text: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isAlive(Number(name)))
    .filter((name) => {
      try {
        return readFileSync(join('/proc', name, 'cmdline'), 'utf8').includes(text)
      } catch {
        return false
      }
    })
    .map(Number)

describe('a server', () => {
  it('takes connections, keeps what it acknowledges, and leaves no process when it is stopped', async () => {
    const server = await startServer(postgres)
    const { port } = new URL(server.url)
    expect(await one(server.url)).toEqual([{ fsync: 'on' }])
    await server.stop()
    await server.stop()
    await expect(one(server.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    expect(processesOf(`-p\0${port}\0`)).toEqual([])
    expect(server.pid === null || !isAlive(server.pid)).toBe(true)
  })

  it('does not mind another one of its kind', async () => {
    const servers = await Promise.all([startServer(postgres), startServer(postgres)])
    expect(new Set(servers.map(({ url }) => url)).size).toBe(2)
    for (const { url } of servers) expect(await one(url)).toHaveLength(1)
    await servers[0]?.stop()
    expect(await one(servers[1]?.url ?? '')).toHaveLength(1)
    await servers[1]?.stop()
  })
})

/** Runs a command beside a server, with its own folder for temporary files. */
const run = (folder: string, names: readonly string[], command: readonly string[]): ChildProcess =>
  spawn(process.execPath, [script, 'run', ...names, '--', ...command], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

const textOf = async (stream: NodeJS.ReadableStream | null): Promise<string> => {
  let text = ''
  for await (const chunk of stream ?? []) text += String(chunk)
  return text
}

/** A folder that any account may come through to its own. */
const temporary = (): string => {
  const folder = mkdtempSync(join(scratch, 'tmp-'))
  chmodSync(folder, 0o755)
  return folder
}

/** Waits for the first that it says. */
const first = async (child: ChildProcess): Promise<void> => {
  let isOver = false
  let said = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  child.once('exit', () => {
    isOver = true
  })
  await until(() => said !== '' || isOver, 'said something')
  expect(said).toBe('ready\n')
}

describe('a command beside a server', () => {
  it('is told where it is, and its end is the script’s, with nothing left', async () => {
    const folder = temporary()
    const child = run(folder, ['postgres'], ['sh', '-c', `echo "$COLLOQUY_POSTGRES_URL"; exit 3`])
    const [url, [code]] = await Promise.all([textOf(child.stdout), once(child, 'exit')])
    expect(url).toMatch(/^postgres:\/\/postgres@127\.0\.0\.1:\d+\/postgres\n$/)
    expect(code).toBe(3)
    expect(processesOf(folder)).toEqual([])
    expect(readdirSync(folder)).toEqual([])
  })

  it('finds room for it where temporary files are root’s alone', async () => {
    const folder = mkdtempSync(join(scratch, 'own-'))
    const child = run(folder, ['postgres'], ['true'])
    expect((await once(child, 'exit'))[0]).toBe(0)
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('leaves nothing after %s', async (signal) => {
    const folder = temporary()
    const child = run(folder, ['postgres'], ['sh', '-c', 'echo ready; exec sleep 60'])
    await first(child)
    expect(processesOf(folder).length).toBeGreaterThan(0)
    child.kill(signal)
    await once(child, 'exit')
    await until(() => processesOf(folder).length === 0, 'ended its server')
    expect(readdirSync(folder)).toEqual([])
  })

  it('leaves no process when the script is killed without a word', async () => {
    const folder = temporary()
    const child = run(folder, ['postgres'], ['sh', '-c', 'echo ready; read line'])
    await first(child)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await until(() => processesOf(folder).length === 0, 'ended its server')
    // Its folder is left, and the next one does not care.
    const next = run(folder, ['postgres'], ['true'])
    expect((await once(next, 'exit'))[0]).toBe(0)
  })

  it.each([
    [['no-such-server'], ['true']],
    [[], ['true']],
    [['postgres'], []],
  ])('needs servers that are known, and a command: %j %j', async (names, command) => {
    const child = run(scratch, names, command)
    const [said, [code]] = await Promise.all([textOf(child.stderr), once(child, 'exit')])
    expect(code).toBe(64)
    expect(said).toContain('Usage')
  })
})
