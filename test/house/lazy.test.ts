/** Whoever imports colloquy loads only what it always needs: anything optional is imported when it is used. */
import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
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

const imports = sources(/^(?:src|machines)\//).flatMap((source) =>
  nodesOf(source.tree).flatMap((node): Import[] => {
    const isImport = node.kind === SyntaxKind.ImportDeclaration || node.kind === SyntaxKind.ExportDeclaration
    const { moduleSpecifier } = node as Node & { readonly moduleSpecifier?: Node }
    if (!isImport || moduleSpecifier === undefined || !isStringLiteral(moduleSpecifier)) return []
    const name = packageOf(moduleSpecifier.text)
    if (name === null) return []
    return [{ place: placeOf(source, node), file: source.name, name, isLoaded: !isTypeOnly(node) }]
  }),
)

describe('imports of packages', () => {
  it('are of dependencies, or types of optional ones', () => {
    const known = Object.keys(manifest.dependencies)
    const optional = Object.keys(manifest.peerDependencies)
    const wrong = imports
      .filter(({ name, isLoaded }) => !known.includes(name) && (isLoaded || !optional.includes(name)))
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
