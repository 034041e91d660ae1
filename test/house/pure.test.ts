/** What decides is pure: no clock, no randomness, no timer, no await, nothing from outside. So the same record always means the same. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isIdentifier, type Node, SyntaxKind } from 'typescript/unstable/ast'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { catalogue } from '../../machines/catalogue.ts'
import { readLines, replay } from '../../src/engine/replay.ts'
import { isPropertyName, nodesOf, placeOf, root, sources } from './source.ts'

const PURE =
  /^(?:machines\/|src\/schema\/|src\/engine\/(?:branches|compile|decision|interpret|replay|runner|shape|step)\.ts$)/

/** Globals that bring in time, chance or the world. `Promise` is here because nothing may be awaited. */
const WORLD = new Set([
  'Date',
  'Promise',
  'console',
  'crypto',
  'fetch',
  'globalThis',
  'performance',
  'process',
  'queueMicrotask',
  'require',
  'setImmediate',
  'setInterval',
  'setTimeout',
])

const SYNTAX = new Map<SyntaxKind, string>([
  [SyntaxKind.AsyncKeyword, 'async'],
  [SyntaxKind.AwaitExpression, 'await'],
  [SyntaxKind.AwaitKeyword, 'await'],
  [SyntaxKind.ImportKeyword, 'import()'],
])

const isRandom = (node: Node): boolean => isIdentifier(node) && node.text === 'random' && isPropertyName(node)

/** What is impure about a node, or null. */
const faultOf = (node: Node): string | null => {
  if (isIdentifier(node) && WORLD.has(node.text) && !isPropertyName(node)) return node.text
  if (isRandom(node)) return 'random'
  return SYNTAX.get(node.kind) ?? null
}

describe('the source of what decides', () => {
  it.each(sources(PURE))('$name', (source) => {
    const faults = nodesOf(source.tree).flatMap((node) => {
      const fault = faultOf(node)
      return fault === null ? [] : [`${placeOf(source, node)} uses ${fault}`]
    })
    expect(faults).toEqual([])
  })

  it('is looked through: the same search finds clock, timer and await elsewhere', () => {
    const faults = new Set(
      sources(/^src\/engine\/(?:clock|facilitator)\.ts$/).flatMap(({ tree }) => nodesOf(tree).map(faultOf)),
    )
    for (const fault of ['Date', 'setTimeout', 'Promise', 'async', 'await']) expect(faults).toContain(fault)
  })
})

describe('a replay', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('asks neither clock nor chance', () => {
    const folder = join(root, 'test/vectors')
    const records = readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl') && !name.endsWith('.expected.jsonl'))
      .map((name) => readLines(readFileSync(join(folder, name), 'utf8')).lines)
    const asked: string[] = []
    const watch = (object: object, name: string): void => {
      const own = Reflect.get(object, name) as (...args: unknown[]) => unknown
      vi.spyOn(object as Record<string, (...args: unknown[]) => unknown>, name).mockImplementation(
        (...args) => {
          asked.push(name)
          return own.apply(object, args)
        },
      )
    }
    watch(Date, 'now')
    watch(Math, 'random')
    watch(globalThis, 'setTimeout')
    watch(globalThis, 'setImmediate')
    watch(globalThis, 'queueMicrotask')
    watch(crypto, 'getRandomValues')
    watch(crypto, 'randomUUID')
    for (const lines of records) replay(lines, catalogue)
    const heard = [...asked]
    vi.restoreAllMocks()
    expect(records.length).toBeGreaterThan(50)
    expect(heard).toEqual([])
  })
})
