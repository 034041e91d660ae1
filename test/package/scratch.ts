/** A copy of the repository as a fresh clone of it would be, built, so that tests can pack it and run in it without touching this one. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export const root = join(import.meta.dirname, '../..')
const tsc = join(root, 'node_modules/typescript/bin/tsc')

export interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** npm must not inherit what the npm that runs these tests has set. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^npm_(?:config_(?:local_prefix|prefix)|package_|lifecycle_|command|execpath)/i.test(name),
    ),
  )

/** Runs a program to its end; `timeout` in ms. */
export const run = (
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly timeout?: number; readonly shell?: boolean },
): Run => {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: options.cwd,
    timeout: options.timeout ?? 300_000,
    shell: options.shell ?? false,
    encoding: 'utf8',
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (error !== undefined) throw error
  return { code: status, stdout, stderr }
}

/** As `run`, and throws with all that was said when the code is not 0. */
export const succeed: typeof run = (command, args, options) => {
  const result = run(command, args, options)
  if (result.code === 0) return result
  throw new Error(
    `${command} ${args.join(' ')} exited with ${result.code}\n${result.stdout}\n${result.stderr}`,
  )
}

export const scratchFolder = (): string => mkdtempSync(join(tmpdir(), 'colloquy-'))

export const discard = (folder: string): void => rmSync(folder, { recursive: true, force: true })

/** Copies every file that is or may be committed into `folder`, links `node_modules`, and builds. */
export const copyRepository = (folder: string): void => {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const name of listed.split('\0')) {
    const from = join(root, name)
    if (name === '' || !existsSync(from) || lstatSync(from).isDirectory()) continue
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    cpSync(from, join(folder, name))
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  compile(folder, 'tsconfig.build.json')
}

/** Type-checks and compiles by a tsconfig. */
const compile = (folder: string, config: string): void => {
  succeed(process.execPath, [tsc, '-p', config], { cwd: folder })
}

/** Type-checks one file as a user's strict project would, and compiles it; returns the path of the JavaScript. */
export const compileSnippet = (
  folder: string,
  name: string,
  code: string,
  options: Readonly<Record<string, unknown>> = {},
): string => {
  writeFileSync(join(folder, `${name}.ts`), code)
  const config = {
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      rootDir: '.',
      outDir: 'compiled',
      ...options,
    },
    files: [`${name}.ts`],
  }
  writeFileSync(join(folder, `tsconfig.${name}.json`), JSON.stringify(config))
  compile(folder, `tsconfig.${name}.json`)
  return join(folder, 'compiled', `${name}.js`)
}

export interface Packed {
  /** Path of the tarball. */
  readonly tarball: string
  /** Bytes of the tarball. */
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string; readonly size: number }[]
}

/** Packs a built copy of the repository. */
export const pack = (folder: string): Packed => {
  const { stdout } = succeed('npm', ['pack', '--ignore-scripts', '--json'], { cwd: folder })
  const [found] = JSON.parse(stdout) as (Omit<Packed, 'tarball'> & { filename: string })[]
  if (found === undefined) throw new Error('npm pack made no tarball')
  return { ...found, tarball: join(folder, found.filename) }
}
