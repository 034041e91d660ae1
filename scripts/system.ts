/**
 * The programs that the tests use besides Node: found, or installed from Debian's packages when run as root. What
 * cannot be had is named, with the remedy.
 */
import { spawnSync } from 'node:child_process'

/** By program: the Debian package that brings it. */
const NEEDED: Readonly<Record<string, string>> = {
  git: 'git',
  python3: 'python3',
  script: 'bsdutils',
  setsid: 'util-linux',
}

const isThere = (program: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0

const missing = Object.keys(NEEDED).filter((program) => !isThere(program))
const packages = missing.map((program) => NEEDED[program] as string)

const install = (): boolean => {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...args: string[]): boolean =>
    spawnSync('apt-get', ['-q', ...args], { env, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0
  return apt('update') && apt('install', '-y', '--no-install-recommends', ...packages)
}

if (missing.length > 0) {
  const canInstall = process.getuid?.() === 0 && isThere('apt-get')
  if (canInstall) console.log(`Installing ${packages.join(', ')}`)
  if (!canInstall || !install()) {
    console.error(
      `The tests need ${missing.join(', ')}: install ${packages.join(', ')}, or run them as root on Debian.`,
    )
    console.error('What needs only Node: npm run test:core')
    process.exitCode = 1
  }
}
