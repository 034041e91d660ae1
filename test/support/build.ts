/**
 * The package as it is installed, for tests of whole processes: compiled into a folder among its dependencies, so that
 * it lives and dies with them. Built once for each state of the sources, whoever asks first; without checking types,
 * which is another command's work.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const PARTS = ['src', 'machines']
const builds = join(root, 'node_modules/.cache/colloquy')
/** ms after which another build is nobody's any more. */
const STALE = 60 * 60 * 1000

const hashOfSources = (): string => {
  const hash = createHash('sha256')
  for (const part of ['package.json', 'tsconfig.json', 'tsconfig.build.json'])
    hash.update(readFileSync(join(root, part)))
  for (const part of PARTS) {
    for (const name of readdirSync(join(root, part), { recursive: true, encoding: 'utf8' }).sort()) {
      const path = join(root, part, name)
      if (statSync(path).isFile()) hash.update(name).update(readFileSync(path))
    }
  }
  return hash.digest('hex').slice(0, 16)
}

/** Compiles the sources; returns the folder that holds `dist`. */
export const built = (): string => {
  const hash = hashOfSources()
  const folder = join(builds, hash)
  if (existsSync(folder)) return folder
  removeStale()
  const draft = compile()
  // Somebody saved a file meanwhile: what was compiled is of no state that there ever was.
  if (hashOfSources() !== hash) {
    rmSync(draft, { recursive: true, force: true })
    return built()
  }
  try {
    renameSync(draft, folder)
  } catch (error) {
    // Another worker was first; its build is of the same sources.
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}

const compile = (): string => {
  const draft = mkdtempSync(join(builds, 'draft-'))
  cpSync(join(root, 'package.json'), join(draft, 'package.json'))
  const config = {
    extends: join(root, 'tsconfig.build.json'),
    include: PARTS.map((part) => join(root, part)),
    compilerOptions: { rootDir: root, outDir: join(draft, 'dist'), noCheck: true, declaration: false },
  }
  const path = join(draft, 'tsconfig.json')
  writeFileSync(path, JSON.stringify(config))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', path], { cwd: root, stdio: 'inherit' })
  return draft
}

const removeStale = (): void => {
  mkdirSync(builds, { recursive: true })
  for (const name of readdirSync(builds)) {
    const path = join(builds, name)
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > STALE) rmSync(path, { recursive: true, force: true })
  }
}
