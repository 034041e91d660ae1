/** PostgreSQL for tests: whoever reaches its port may do anything, and what it acknowledges is on the disk. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { ServerKind } from './kind.ts'

/** Where Debian puts the programs of each version. */
const DEBIAN = '/usr/lib/postgresql'

const USER = 'postgres'

/** Debian's, the newest version first, then those on the PATH. */
const folders = (): string[] => {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : []
  const newest = versions.sort((a, b) => Number.parseFloat(b) - Number.parseFloat(a))
  return [
    ...newest.map((version) => join(DEBIAN, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ]
}

const NEEDED = ['postgres', 'initdb', 'pg_isready']

export const postgres: ServerKind = {
  name: 'postgres',
  title: 'PostgreSQL',
  packages: ['postgresql'],
  account: 'postgres',
  find: () =>
    folders().find((folder) => NEEDED.every((program) => existsSync(join(folder, program)))) ?? null,
  prepare: ({ programs, folder }) => [
    {
      program: join(programs, 'initdb'),
      args: [
        '-D',
        join(folder, 'data'),
        '-U',
        USER,
        '--auth=trust',
        '--encoding=UTF8',
        '--no-locale',
        '--no-sync',
      ],
    },
  ],
  start: ({ programs, folder, port }) => ({
    program: join(programs, 'postgres'),
    args: [
      ...['-D', join(folder, 'data')],
      ...['-h', '127.0.0.1', '-p', String(port), '-k', ''],
      ...['-c', 'fsync=on', '-c', 'max_connections=200'],
    ],
  }),
  isReady: ({ programs, port }) =>
    new Promise((resolve, reject) => {
      const args = ['-q', '-h', '127.0.0.1', '-p', String(port), '-U', USER]
      spawn(join(programs, 'pg_isready'), args, { stdio: 'ignore' })
        .on('error', reject)
        .on('exit', (code) => resolve(code === 0))
    }),
  // A fast shutdown: it does not wait for whoever is connected.
  stop: 'SIGINT',
  // An immediate one, which leaves no shared memory behind as SIGKILL would.
  kill: 'SIGQUIT',
  url: (port) => `postgres://${USER}@127.0.0.1:${port}/postgres`,
  variable: 'COLLOQUY_POSTGRES_URL',
  containerPort: 5432,
}
