/** Whoever imports colloquy loads only what it always needs: anything optional is imported when it is used. */
import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join, posix } from 'node:path'
import { isStringLiteral, type Node, SyntaxKind } from 'typescript/unstable/ast'
import { describe, expect, it } from 'vitest'
import { nodesOf, placeOf, root, sources } from './source.ts'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>
  peerDependencies: Record<string, string>
  peerDependenciesMeta: Record<string, { optional?: boolean }>
}

/** A package's name in a specifier; null for a file of ours and for what Node brings. */
const packageOf = (specifier: string): string | null => {
  if (specifier.startsWith('.') || specifier.startsWith('node:') || builtinModules.includes(specifier))
    return null
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

interface Import {
  readonly place: string
  readonly file: string
  readonly name: string
  readonly isLoaded: boolean
}

const isTypeOnly = (declaration: Node): boolean => {
  const clause = (
    declaration as Node & { readonly importClause?: Node & { readonly phaseModifier?: SyntaxKind } }
  ).importClause
  return (
    (declaration as Node & { readonly isTypeOnly?: boolean }).isTypeOnly === true ||
    clause?.phaseModifier === SyntaxKind.TypeKeyword
  )
}

const imported = sources(/^(?:src|machines)\//).flatMap((source) =>
  nodesOf(source.tree).flatMap((node) => {
    const isImport = node.kind === SyntaxKind.ImportDeclaration || node.kind === SyntaxKind.ExportDeclaration
    const { moduleSpecifier } = node as Node & { readonly moduleSpecifier?: Node }
    if (!isImport || moduleSpecifier === undefined || !isStringLiteral(moduleSpecifier)) return []
    const { text: specifier } = moduleSpecifier
    return [{ place: placeOf(source, node), file: source.name, specifier, isLoaded: !isTypeOnly(node) }]
  }),
)
const imports = imported.flatMap(({ specifier, ...others }): Import[] => {
  const name = packageOf(specifier)
  return name === null ? [] : [{ ...others, name }]
})

/** What may be loaded although it is optional, and by whom: who imports that part of colloquy has it. */
const LOADED: Readonly<Record<string, RegExp>> = { 'fast-check': /^src\/testing\// }

/** The files that are loaded with another. */
const loadedWith = (entry: string, found = new Set<string>()): ReadonlySet<string> => {
  if (found.has(entry)) return found
  found.add(entry)
  for (const { file, specifier, isLoaded } of imported)
    if (file === entry && isLoaded && specifier.startsWith('.'))
      loadedWith(posix.join(posix.dirname(file), specifier), found)
  return found
}

describe('imports of packages', () => {
  it.each(['src/index.ts', 'src/cli/main.ts', 'machines/catalogue.ts'])(
    'load nothing optional with %s',
    (entry) => {
      const files = loadedWith(entry)
      expect(files.size).toBeGreaterThan(5)
      const optional = Object.keys(manifest.peerDependencies)
      expect(
        imports.filter(({ file, name, isLoaded }) => isLoaded && files.has(file) && optional.includes(name)),
      ).toEqual([])
    },
  )

  it('are of dependencies, or types of optional ones', () => {
    const known = Object.keys(manifest.dependencies)
    const optional = Object.keys(manifest.peerDependencies)
    const wrong = imports
      .filter(
        ({ name, file, isLoaded }) =>
          !known.includes(name) &&
          (isLoaded || !optional.includes(name)) &&
          LOADED[name]?.test(file) !== true,
      )
      .map(({ place, name }) => `${place} loads ${name}`)
    expect(wrong).toEqual([])
  })

  it('leave those of the command line to the command line', () => {
    const wrong = imports.filter(
      ({ name, file }) => ['commander', 'yaml'].includes(name) && !file.startsWith('src/cli/'),
    )
    expect(wrong).toEqual([])
  })

  it('tell types from values', () => {
    expect(imports).toContainEqual(expect.objectContaining({ file: 'src/agents/openai.ts', isLoaded: false }))
    expect(imports).toContainEqual(expect.objectContaining({ name: 'nanoid', isLoaded: true }))
  })
})

describe('optional peer dependencies', () => {
  it('are all marked as optional', () => {
    for (const name of Object.keys(manifest.peerDependencies))
      expect(manifest.peerDependenciesMeta[name]?.optional, name).toBe(true)
  })
})
