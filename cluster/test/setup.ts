/**
 * Set-up of these tests: installs the package's dependencies where they are not, and compiles it beside a build of
 * colloquy, for the processes that tests start and kill.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { built } from '../../test/support/build.ts'

const root = join(import.meta.dirname, '../..')
const cluster = join(root, 'cluster')

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the compiled package. */
    readonly build: string
  }
}

const isInstalled = (): boolean => {
  const done = join(cluster, 'node_modules/.package-lock.json')
  if (!existsSync(done)) return false
  return statSync(done).mtimeMs >= statSync(join(cluster, 'package-lock.json')).mtimeMs
}

const compile = (): string => {
  const cache = join(cluster, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'build-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(built(), join(folder, 'node_modules/colloquy'), 'junction')
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  const config = {
    extends: join(cluster, 'tsconfig.json'),
    include: ['src', 'test/*app*.ts', 'test/polls.ts'].map((part) => join(cluster, part)),
    compilerOptions: { rootDir: cluster, outDir: folder, noCheck: true, declaration: false },
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', join(folder, 'tsconfig.json')], { cwd: root, stdio: 'inherit' })
  return folder
}

export const setup = (project: TestProject): (() => void) => {
  if (!isInstalled()) {
    const options = { cwd: cluster, stdio: 'inherit', shell: process.platform === 'win32' } as const
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], options)
  }
  const folder = compile()
  project.provide('build', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
