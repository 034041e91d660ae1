/** The sources as trees, so that the rules of the house are about code and not about text that looks like it. */
import { join } from 'node:path'
import {
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isStringLiteral,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'

export const root = join(import.meta.dirname, '../..')

export interface Source {
  /** Path in the repository, with slashes. */
  readonly name: string
  readonly tree: SourceFile
}

const parsed = (): readonly Source[] => {
  const api = new API({ cwd: root })
  try {
    const snapshot = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] })
    const program = snapshot.getProjects()[0]?.program
    if (program === undefined) throw new Error('tsconfig.json opened no project')
    const prefix = `${root.replaceAll('\\', '/')}/`
    const found = program.getSourceFileNames().flatMap((file): Source[] => {
      const name = file.startsWith(prefix) ? file.slice(prefix.length) : null
      if (name === null || name.includes('node_modules/')) return []
      const tree = program.getSourceFile(file)
      return tree === undefined ? [] : [{ name, tree }]
    })
    snapshot.dispose()
    return found
  } finally {
    api.close()
  }
}

let all: readonly Source[] | null = null

/** The sources whose path matches, in the order of their paths. */
export const sources = (matching: RegExp): readonly Source[] => {
  all ??= parsed()
  return all.filter(({ name }) => matching.test(name)).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Every node of a tree, each before those within it. */
export const nodesOf = (tree: Node): Node[] => {
  const found: Node[] = []
  const visit = (node: Node): void => {
    found.push(node)
    node.forEachChild(visit)
  }
  visit(tree)
  return found
}

/** The text of a string literal, as a value, a type or a key; null for anything else. */
export const stringOf = (node: Node): string | null =>
  isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) ? node.text : null

/** Where a node is: `src/a.ts:12`. */
export const placeOf = ({ name, tree }: Source, node: Node): string =>
  `${name}:${tree.text.slice(0, node.end).split('\n').length}`

/** Whether an identifier names a property, rather than a variable or a type. */
export const isPropertyName = (node: Node): boolean => {
  if (!isIdentifier(node)) return false
  const { parent } = node
  switch (parent.kind) {
    case SyntaxKind.PropertyAccessExpression:
    case SyntaxKind.PropertyAssignment:
    case SyntaxKind.PropertySignature:
    case SyntaxKind.PropertyDeclaration:
    case SyntaxKind.MethodSignature:
    case SyntaxKind.MethodDeclaration:
    case SyntaxKind.GetAccessor:
    case SyntaxKind.SetAccessor:
      return (parent as Node & { readonly name: Node }).name === node
    case SyntaxKind.ShorthandPropertyAssignment:
      return true
    case SyntaxKind.BindingElement: {
      const { propertyName, name } = parent as Node & { readonly propertyName?: Node; readonly name: Node }
      return propertyName === node || (propertyName === undefined && name === node)
    }
    default:
      return false
  }
}
