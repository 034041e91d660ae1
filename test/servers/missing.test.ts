/** Servers that are not there: installed where that may be done, put into a container, or told by name with the remedy. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { canInstall, install } from '../../scripts/servers/debian.ts'
import type { ServerKind } from '../../scripts/servers/kind.ts'
import { postgres } from '../../scripts/servers/postgres.ts'
import { startServer } from '../../scripts/servers/start.ts'

let folder = ''
/** What the programs of the folder were called with, one call a line. */
const calls = (): string[] => readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n')

/** Puts a program on the PATH, which holds no others. */
const put = (name: string, script: string): void => {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\necho "$*" >>'${join(folder, 'calls')}'\n${script}\n`)
  chmodSync(path, 0o755)
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'colloquy-test-missing-'))
  writeFileSync(join(folder, 'calls'), '')
  vi.stubEnv('PATH', folder)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

/** PostgreSQL, as if it were not installed. */
const absent: ServerKind = { ...postgres, find: () => null }

describe('a server that cannot be had', () => {
  it('is told by name, with the remedy, and with what needs no server', async () => {
    await expect(startServer(absent)).rejects.toThrow(
      /^PostgreSQL is not there: install postgresql, .*Debian.*Docker.*npm run test:core/s,
    )
  })

  it('is told so too where Docker is installed, but does not run', async () => {
    put('docker', 'exit 1')
    await expect(startServer(absent)).rejects.toThrow('PostgreSQL is not there')
    expect(calls()).toEqual(['info'])
  })
})

describe('a server in a container', () => {
  it('is started by Docker Compose, told at its port, and taken down with all it had', async () => {
    put('docker', 'case "$*" in *" port "*) echo 127.0.0.1:4711;; esac')
    const server = await startServer(absent)
    expect(server.url).toBe('postgres://postgres@127.0.0.1:4711/postgres')
    await server.stop()
    await server.stop()
    const composed = calls().filter((call) => call.includes('--file'))
    const file = /--file (\S+)/.exec(composed[0] ?? '')?.[1] ?? ''
    expect(readFileSync(file, 'utf8')).toContain('postgres:')
    expect(composed.map((call) => call.replace(/^.*compose\.yaml /, ''))).toEqual([
      'up --detach --wait postgres',
      'port postgres 5432',
      'down --volumes --timeout 5',
    ])
  })

  it('that does not come up is taken down, and what Docker said is told', async () => {
    put('docker', 'case "$*" in *" up "*) echo "no such image" >&2; exit 1;; esac')
    await expect(startServer(absent)).rejects.toThrow('no such image')
    expect(calls().at(-1)).toContain('down --volumes')
  })
})

describe('Debian’s packages', () => {
  it('are installed by root alone', () => {
    put('apt-get', '')
    expect(canInstall()).toBe(process.getuid?.() === 0)
    rmSync(join(folder, 'apt-get'))
    expect(canInstall()).toBe(false)
  })

  it('are installed without asking, and start nothing by themselves', (context) => {
    if (process.getuid?.() !== 0) context.skip('only root installs packages')
    const policy = '/usr/sbin/policy-rc.d'
    const had = existsSync(policy)
    put('apt-get', `[ -x ${policy} ] || exit 1; [ "$DEBIAN_FRONTEND" = noninteractive ]`)
    expect(install(['one', 'two'])).toBe(true)
    expect(calls()).toEqual(['-q update', '-q install -y --no-install-recommends one two'])
    expect(existsSync(policy)).toBe(had)
  })

  it('that cannot be installed are told', (context) => {
    if (process.getuid?.() !== 0) context.skip('only root installs packages')
    put('apt-get', 'case "$*" in *install*) exit 100;; esac')
    expect(install(['one'])).toBe(false)
  })
})
