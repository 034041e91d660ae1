/** Other versions of Node, from packages that bring the binary; kept in the temporary folder from run to run. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { succeed } from './scratch.ts'

/** The newest Node of a major version: this one where it is, else installed. */
export const nodeOf = (major: number): string => {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = `node-${platform}-${process.arch}`
  const folder = join(tmpdir(), `colloquy-node-${major}`)
  const binary = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(binary)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"private": true}')
    const args = [
      'install',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--no-package-lock',
      `${name}@${major}`,
    ]
    succeed('npm', args, { cwd: folder })
  }
  return binary
}
