/** Starts a server by Docker Compose, for whoever has Docker but neither the server nor the right to install it. */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ServerKind } from './kind.ts'
import { atTheLatest } from './leftovers.ts'
import type { Running } from './native.ts'

/** The repository's folder: this file is in it, or in what was built there. */
const root = (folder: string): string =>
  existsSync(join(folder, 'package.json')) ? folder : root(dirname(folder))

const succeeds = (...args: readonly string[]): boolean =>
  spawnSync('docker', args, { stdio: 'ignore' }).status === 0

/** Whether Docker really runs, and has Compose: the program alone does nothing. */
export const hasDocker = (): boolean => succeeds('info') && succeeds('compose', 'version')

/** @throws Error with what Docker said */
export const startInDocker = (kind: ServerKind): Running => {
  const file = join(root(import.meta.dirname), 'scripts/servers/compose.yaml')
  const project = `colloquy-${randomUUID()}`
  const compose = (...args: readonly string[]): string => {
    const command = ['compose', '--project-name', project, '--file', file, ...args]
    const { status, stdout, stderr } = spawnSync('docker', command, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`docker compose ${args.join(' ')} failed: ${stderr}`)
    return stdout
  }
  const end = (): void => {
    compose('down', '--volumes', '--timeout', '5')
  }
  const calledOff = atTheLatest(end)
  let hasEnded = false
  const stop = async (): Promise<void> => {
    if (hasEnded) return
    hasEnded = true
    calledOff()
    end()
  }
  try {
    compose('up', '--detach', '--wait', kind.name)
    const address = compose('port', kind.name, String(kind.containerPort)).trim()
    return { url: kind.url(Number(address.split(':').at(-1))), pid: null, stop }
  } catch (error) {
    calledOff()
    end()
    throw error
  }
}
