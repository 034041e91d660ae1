/** The package as a user gets it: packed, installed into an empty project, type-checked and run on old and new Node. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { markedBlocks, printsOf } from '../../scripts/fenced.ts'
import { nodesOf, sources } from '../house/source.ts'
import { nodeOf } from './node-versions.ts'
import {
  compileSnippet,
  copyRepository,
  discard,
  type Packed,
  pack,
  root,
  run,
  scratchFolder,
  succeed,
} from './scratch.ts'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
  exports: Record<string, unknown>
  devDependencies: Record<string, string>
}
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { version?: string }>
}
const lockedVersion = (name: string): string => lock.packages[`node_modules/${name}`]?.version ?? 'latest'

const clone = scratchFolder()
const project = scratchFolder()
let packed: Packed

beforeAll(() => {
  copyRepository(clone)
  packed = pack(clone)
  writeFileSync(join(project, 'package.json'), '{"private": true, "type": "module"}')
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  const beside = ['@types/node', 'fast-check'].map((name) => `${name}@${lockedVersion(name)}`)
  succeed('npm', [...args, packed.tarball, ...beside], { cwd: project })
}, 600_000)

afterAll(() => {
  discard(clone)
  discard(project)
})

const embed = (): string => {
  const block = markedBlocks(readFileSync(join(root, 'README.md'), 'utf8')).find(
    ({ name }) => name === 'embed',
  )
  if (block === undefined) throw new Error('README.md has no block marked <!-- test: embed -->')
  return block.code
}

describe('the tarball', () => {
  it('holds what is run, the schemas and the papers, and nothing else', () => {
    const paths = packed.files.map(({ path }) => path)
    const expected =
      /^(?:dist\/(?:src|machines)\/[\w/.-]+\.(?:js|d\.ts)|dist\/src\/inspector\/page\/[\w/.-]+|schemas\/[\w.-]+\.schema\.json|README\.md|CHANGELOG\.md|LICENSE|package\.json)$/
    expect(paths.filter((path) => !expected.test(path))).toEqual([])
    for (const path of [
      'dist/src/index.js',
      'dist/src/index.d.ts',
      'dist/src/cli/main.js',
      'README.md',
      'LICENSE',
    ])
      expect(paths).toContain(path)
    expect(paths.filter((path) => path.startsWith('schemas/')).length).toBeGreaterThanOrEqual(4)
  })

  it('holds no test, no source map and no address of a registry', () => {
    for (const { path } of packed.files) {
      expect(path).not.toMatch(/\.test\.|\.map$|\.tsbuildinfo$/)
      const text = readFileSync(join(clone, path), 'utf8')
      expect(text, path).not.toMatch(/sourceMappingURL=/)
      expect(text, path).not.toMatch(/"resolved":/)
    }
  })

  it('is small', () => {
    expect(packed.size).toBeLessThan(450_000)
    expect(packed.unpackedSize).toBeLessThan(2_000_000)
  })

  it('has a program that the system can start', () => {
    const text = readFileSync(join(clone, 'dist/src/cli/main.js'), 'utf8')
    expect(text.startsWith('#!/usr/bin/env node\n')).toBe(true)
  })
})

describe('in an empty project', () => {
  it('the snippet of the README is well typed', () => {
    compileSnippet(project, 'embed', embed())
  })

  it('the types stand without anything else installed', () => {
    const code = `import { conversation } from 'colloquy/machines/conversation'\nexport * from 'colloquy'\nconsole.log(conversation.name)\n`
    compileSnippet(project, 'types', code, { module: 'esnext', moduleResolution: 'bundler' })
  })

  it.each([20, 24])('the snippet of the README runs on Node %i', { timeout: 300_000 }, (major) => {
    const node = nodeOf(major)
    expect(succeed(node, ['--version'], { cwd: project }).stdout).toMatch(new RegExp(`^v${major}\\.`))
    const { stdout } = succeed(node, [compileSnippet(project, `embed-${major}`, embed())], { cwd: project })
    for (const text of printsOf(embed())) expect(stdout.split('\n')).toContain(text)
    expect(stdout).toContain('accepted')
  })

  it('the snippet of the README runs where code from strings is forbidden', () => {
    const script = compileSnippet(project, 'embed-strict', embed())
    const args = ['--disallow-code-generation-from-strings', script]
    const { stdout } = succeed(process.execPath, args, { cwd: project })
    for (const text of printsOf(embed())) expect(stdout.split('\n')).toContain(text)
  })

  it.each([20, 24])('the program tells its version on Node %i', { timeout: 300_000 }, (major) => {
    const main = join(project, 'node_modules/colloquy/dist/src/cli/main.js')
    expect(succeed(nodeOf(major), [main, '--version'], { cwd: project }).stdout.trim()).toBe(manifest.version)
  })

  it('npx finds the program', () => {
    expect(succeed('npx', ['colloquy', '--version'], { cwd: project }).stdout.trim()).toBe(manifest.version)
  })

  it('the schemas are found by name', () => {
    const code = `import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
console.log(require('colloquy/schemas/conversation.message.schema.json').title)`
    writeFileSync(join(project, 'schemas.mjs'), code)
    expect(succeed(process.execPath, ['schemas.mjs'], { cwd: project }).stdout).toContain(
      'conversation protocol',
    )
  })

  it('nothing but what is exported can be reached', () => {
    writeFileSync(join(project, 'deep.mjs'), `await import('colloquy/dist/src/engine/step.js')\n`)
    const { code, stderr } = run(process.execPath, ['deep.mjs'], { cwd: project })
    expect(code).not.toBe(0)
    expect(stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED')
  })

  it('an agent of a chat model says which package is missing', () => {
    const code = `import { chat } from 'colloquy'
const say = chat({ model: 'x', baseURL: 'http://127.0.0.1:1', apiKeyEnv: null })
await say([{ role: 'user', content: 'x' }]).catch((error) => console.log(error.code, error.message, error.remedy))`
    writeFileSync(join(project, 'missing.mjs'), code)
    const { stdout } = succeed(process.execPath, ['missing.mjs'], { cwd: project, timeout: 60_000 })
    expect(stdout).toContain('DEPENDENCY_MISSING')
    expect(stdout).toContain('npm install openai')
  })

  it.each([
    ['sqliteJournal', "'talks.db'", 'libsql'],
    ['postgresJournal', "'postgres://127.0.0.1:1/x'", 'pg'],
  ])('a journal made by %s says which package is missing', (name, place, missing) => {
    const code = `import { ${name} } from 'colloquy'
await ${name}(${place}).list().catch((error) => console.log(error.code, error.message, error.remedy))`
    writeFileSync(join(project, 'unkept.mjs'), code)
    const { stdout } = succeed(process.execPath, ['unkept.mjs'], { cwd: project, timeout: 60_000 })
    expect(stdout).toContain('DEPENDENCY_MISSING')
    expect(stdout).toContain(`npm install ${missing}`)
  })

  it('an observer of OpenTelemetry says which package is missing', () => {
    const code = `import { openTelemetry } from 'colloquy'
await openTelemetry().catch((error) => console.log(error.code, error.message, error.remedy))`
    writeFileSync(join(project, 'untold.mjs'), code)
    const { stdout } = succeed(process.execPath, ['untold.mjs'], { cwd: project, timeout: 60_000 })
    expect(stdout).toContain('DEPENDENCY_MISSING')
    expect(stdout).toContain('npm install @opentelemetry/api')
  })
})

/** The names that a module exports; types are marked. */
const exportsOf = (file: string): string[] => {
  const [source] = sources(new RegExp(`^${file.replaceAll('.', '\\.')}$`))
  if (source === undefined) throw new Error(`there is no ${file}`)
  const names = new Set<string>()
  for (const node of nodesOf(source.tree)) {
    const named = node as Node & {
      readonly isTypeOnly?: boolean
      readonly name?: Node & { readonly text?: string }
    }
    const name = named.name?.text
    if (node.kind === SyntaxKind.ExportSpecifier && name !== undefined) {
      const whole = node.parent.parent as Node & { readonly isTypeOnly?: boolean }
      names.add(named.isTypeOnly === true || whole.isTypeOnly === true ? `type ${name}` : name)
    }
    const isTop = node.parent === source.tree || node.parent?.parent?.parent === source.tree
    const statement = node.parent === source.tree ? node : node.parent?.parent
    const isExported = (
      statement as (Node & { readonly modifiers?: readonly Node[] }) | undefined
    )?.modifiers?.some(({ kind }) => kind === SyntaxKind.ExportKeyword)
    if (!isTop || isExported !== true || name === undefined) continue
    const isType =
      node.kind === SyntaxKind.InterfaceDeclaration || node.kind === SyntaxKind.TypeAliasDeclaration
    names.add(isType ? `type ${name}` : name)
  }
  return [...names].sort()
}

describe('the public surface', () => {
  const pinned = JSON.parse(readFileSync(join(import.meta.dirname, 'surface.json'), 'utf8')) as Record<
    string,
    string[]
  >

  it('has the entries that are pinned', () => {
    expect(Object.keys(manifest.exports).sort()).toEqual(Object.keys(pinned).sort())
  })

  // A name is added to surface.json on purpose, and taken from it only with a major version.
  it.each(Object.entries(pinned).filter(([, names]) => names.length > 0))(
    '%s exports what is pinned',
    (entry, names) => {
      const { default: built } = manifest.exports[entry] as { readonly default: string }
      expect(exportsOf(built.replace(/^\.\/dist\/(.*)\.js$/, '$1.ts'))).toEqual(names)
    },
  )

  it.each(Object.entries(pinned).filter(([, names]) => names.length > 0))(
    '%s has its values at run time',
    (entry) => {
      const specifier = posix.join('colloquy', entry)
      const script = `console.log(JSON.stringify(Object.keys(await import('${specifier}')).sort()))`
      const { stdout } = succeed(process.execPath, ['--input-type=module', '-e', script], { cwd: project })
      expect(JSON.parse(stdout)).toEqual(pinned[entry]?.filter((name) => !name.startsWith('type ')))
    },
  )
})
