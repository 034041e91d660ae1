/** Installs Debian's packages, and keeps them from starting anything by themselves. */
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'

/** Debian asks this program whether a package may start its server; 101: it may not. */
const POLICY = '/usr/sbin/policy-rc.d'

/** Whether packages can be installed here: as root, where there is apt-get. */
export const canInstall = (): boolean =>
  process.getuid?.() === 0 && spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0

const apt = (...args: readonly string[]): boolean => {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  // What it says goes to standard error: standard output is the command's that needs the server.
  return spawnSync('apt-get', ['-q', ...args], { env, stdio: ['ignore', 2, 2] }).status === 0
}

/** Installs packages. False: it could not; apt-get has said why. */
export const install = (packages: readonly string[]): boolean => {
  const isOurs = !existsSync(POLICY)
  if (isOurs) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    return apt('update') && apt('install', '-y', '--no-install-recommends', ...packages)
  } finally {
    if (isOurs) rmSync(POLICY, { force: true })
  }
}
