/** The one command that runs a cluster on one machine. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { clusterHost } from '../src/index.ts'

let scratch: string
let child: ChildProcess | undefined

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'colloquy-run-'))
})
afterEach(async () => {
  if (child !== undefined && child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  }
  rmSync(scratch, { recursive: true, force: true })
})

const freePorts = async (count: number): Promise<readonly number[]> => {
  const servers = Array.from({ length: count }, () => createServer())
  await Promise.all(servers.map((server) => new Promise<void>((done) => server.listen(0, '127.0.0.1', done))))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))))
  return ports
}

/** Runs the command; gives what it has printed when it prints a text, or has ended. */
const run = async (args: readonly string[], until: string): Promise<string> => {
  const started = spawn(process.execPath, [join(inject('build'), 'src/main.js'), ...args], {
    // What it leaves in the folder for temporary files is seen there.
    env: { ...process.env, TMPDIR: scratch },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child = started
  let printed = ''
  return new Promise((resolve) => {
    const read = (text: string): void => {
      printed += text
      if (printed.includes(until)) resolve(printed)
    }
    started.stdout.setEncoding('utf8').on('data', read)
    started.stderr.setEncoding('utf8').on('data', read)
    started.once('close', () => resolve(printed))
  })
}

it.each(['SIGINT', 'SIGTERM'] as const)(
  'runs until %s, then ends everything and leaves nothing',
  async (signal) => {
    const [ingress, admin, node, app] = await freePorts(4)
    const ports = { ingress, admin, node, app }
    const args = Object.entries(ports).flatMap(([name, port]) => [`--${name}`, String(port)])
    const printed = await run(args, 'It is forgotten')
    expect(printed).toContain(
      `clusterHost({ ingress: 'http://127.0.0.1:${ingress}', admin: 'http://127.0.0.1:${admin}' })`,
    )

    const host = clusterHost({ ingress: `http://127.0.0.1:${ingress}` })
    expect(await host.open({ members: ['ana'] })).toMatchObject({ protocol: 'conversation' })
    for (const protocol of ['ioa', 'contract-net', 'ainet'])
      expect(await host.open({ members: ['ana', 'ben'], lead: 'ana', protocol })).toMatchObject({ protocol })
    await host.close()

    const exited = once(child as ChildProcess, 'exit')
    child?.kill(signal)
    expect(await exited).toEqual([0, null])
    expect(readdirSync(scratch)).toEqual([])
    await expect(fetch(`http://127.0.0.1:${ingress}/restate/health`)).rejects.toThrow()
  },
)

it('says what is wrong with a port', async () => {
  expect(await run(['--ingress', 'many'], 'no port')).toContain('"many" is no port')
})
