/**
 * Checks every package-lock.json: it fits its package.json, has an integrity for each package, and no address, so that
 * it installs from whatever registry npm is set to.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'

interface Locked {
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly inBundle?: boolean
}

const faults: string[] = []
const listed = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*package-lock.json'],
  {
    encoding: 'utf8',
  },
)
const locks = listed.split('\n').filter((line) => line !== '')
if (!locks.includes('package-lock.json')) faults.push('package-lock.json is missing')

for (const lock of locks) {
  const { packages } = JSON.parse(readFileSync(lock, 'utf8')) as { packages: Record<string, Locked> }
  for (const [path, { resolved, integrity, link, inBundle }] of Object.entries(packages)) {
    if (resolved !== undefined && link !== true) faults.push(`${lock}: ${path} has an address`)
    const isOurs = !path.includes('node_modules/') || link === true || inBundle === true
    if (!isOurs && integrity === undefined) faults.push(`${lock}: ${path} has no integrity`)
  }
  const dry = spawnSync('npm', ['ci', '--dry-run', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: dirname(lock),
    encoding: 'utf8',
  })
  if (dry.status !== 0) faults.push(`${lock} does not fit its package.json:\n${dry.stderr.trim()}`)
}

for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length > 0 ? 1 : 0
