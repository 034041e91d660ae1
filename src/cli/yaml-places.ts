/** A YAML text with the place of each of its values, so that whatever is wrong can be said with line and column. */
import { isMap, isScalar, isSeq, Lexer, LineCounter, type Pair, parseDocument, visit } from 'yaml'
import { pathText } from '../schema/issues.ts'

/** Counted from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

export interface Fault {
  readonly place: Place
  /** Path of the field; empty for the text itself. */
  readonly path: string
  readonly message: string
}

export interface PlacedYaml {
  readonly value: unknown
  /** The place of a field, or of the nearest that holds it. `key` is the place of its name, not of its value. */
  placeOf(path: string, part?: 'key' | 'value'): Place
}

/** Most times that aliases may repeat values before they are taken for an attack on memory. */
const MOST_ALIASES = 100

/** Words for what the parser says least about. */
const WORDS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'is given twice; remove one',
  TAB_AS_INDENT: 'is indented with a tab; indent with spaces',
  MULTIPLE_DOCS: 'begins a second document; a task is one',
  BLOCK_AS_IMPLICIT_KEY: 'has a colon or an indentation too many; put text that holds ": " in quotes',
  BAD_ALIAS: 'names an anchor that is not set before it',
}

type Parsed = PlacedYaml | { readonly faults: readonly Fault[] }

/** Levels of nesting, and columns of indentation: no task has more. */
const DEEPEST = 100
const WIDEST_INDENT = 200

/**
 * Whether a text is nested deeper than anybody means it. The parser is recursive; a text that overflows its stack is no
 * mere error, since V8 ends the whole process when that happens while it compiles a regular expression. So this is
 * found out before, on the tokens, where each level of nesting has its bracket, its indicator or its indentation.
 */
const isTooDeep = (text: string): boolean => {
  let brackets = 0
  let indicators = 0
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') brackets++
    else if (token === ']' || token === '}') brackets--
    // Within brackets, which JSON is, a line may hold any number of pairs side by side.
    else if (brackets === 0 && (token === '-' || token === '?' || token === ':')) indicators++
    else if (token === '\n' || token === '\r\n') indicators = 0
    else if (token.length > WIDEST_INDENT && /^ *$/.test(token)) return true
    if (brackets + indicators > DEEPEST) return true
  }
  return false
}

/** Parses a text, or says what is no YAML in it. */
export const placedYaml = (text: string): Parsed => {
  if (isTooDeep(text))
    return { faults: [{ place: { line: 1, column: 1 }, path: '', message: 'is nested too deeply' }] }
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false })
  const at = (offset: number): Place => {
    const { line, col } = counter.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  const faults: Fault[] = [...document.errors, ...document.warnings].map(({ code, message, pos }) => ({
    place: at(pos[0]),
    path: code === 'DUPLICATE_KEY' ? keyIn(text, pos[0]) : '',
    message: WORDS[code] ?? `is no valid YAML: ${message}`,
  }))

  const starts = new Map<string, { readonly key: number; readonly value: number }>()
  const known = new Set<object>()
  const walk = (node: unknown, path: readonly PropertyKey[]): void => {
    if (typeof node !== 'object' || node === null || known.has(node)) return
    known.add(node)
    if (isMap(node)) for (const pair of node.items) walkPair(pair, path)
    else if (isSeq(node)) {
      for (const [index, item] of node.items.entries()) {
        const start = startOf(item)
        if (start !== null) starts.set(pathText([...path, index]), { key: start, value: start })
        walk(item, [...path, index])
      }
    }
  }
  const walkPair = ({ key, value }: Pair, path: readonly PropertyKey[]): void => {
    const start = startOf(key)
    if (start === null) return
    const name = isScalar(key) ? String(key.value ?? '') : null
    // Set as a key it would not be seen by those who look for keys.
    if (name === null || name === '__proto__' || name === '<<') {
      const message =
        name === null
          ? 'must be plain text: a list or mapping is no name'
          : `"${name}" cannot be used as a name here`
      faults.push({ place: at(start), path: pathText(path), message })
      return
    }
    const below = [...path, name]
    const isEmpty = isScalar(value) && value.value === null && (value.source ?? '') === ''
    starts.set(pathText(below), { key: start, value: isEmpty ? start : (startOf(value) ?? start) })
    walk(value, below)
  }
  walk(document.contents, [])
  visit(document, {
    Alias(_, alias) {
      const start = startOf(alias)
      if (alias.resolve(document) === undefined && start !== null)
        faults.push({ place: at(start), path: '', message: `*${alias.source} ${WORDS.BAD_ALIAS}` })
    },
  })
  if (faults.length > 0) return { faults }

  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: MOST_ALIASES })
  } catch {
    return { faults: [{ place: at(0), path: '', message: 'repeats values by aliases too often' }] }
  }
  return {
    value,
    placeOf: (path, part = 'value') => {
      // An unknown or missing field is at the nearest one that holds it.
      for (let rest = path; rest !== ''; rest = rest.replace(/(?:\.?[^.[\]]*|\[[^\]]*\])$/, '')) {
        const found = starts.get(rest)
        if (found !== undefined) return at(rest === path ? found[part] : found.key)
        if (!/[.[\]]/.test(rest)) break
      }
      return at(startOf(document.contents) ?? 0)
    },
  }
}

const startOf = (node: unknown): number | null => {
  if (typeof node !== 'object' || node === null || !('range' in node)) return null
  const { range } = node
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : null
}

/** The name that begins at an offset. */
const keyIn = (text: string, offset: number): string => /^[^\s:,{}[\]]*/.exec(text.slice(offset))?.[0] ?? ''
