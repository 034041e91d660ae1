/**
 * Nothing outside `machines/` names a state, an intent or a policy key of a protocol: the engine, the adapters and the
 * command line must do for the next protocol what they do for this one.
 */
import { isIdentifier, type Node, SyntaxKind } from 'typescript/unstable/ast'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../../machines/catalogue.ts'
import { type JsonSchema, jsonSchemas } from '../../scripts/json-schemas.ts'
import { isPropertyName, nodesOf, placeOf, sources, stringOf } from './source.ts'

/** The keys of an object schema, those of the objects within it included. */
const keysOf = (schema: JsonSchema): string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([key, value]) => [
    key,
    ...(typeof value === 'object' ? keysOf(value) : []),
  ])

/** Words of which any program is full; a leak of the protocols that have them would show by their other words. */
const EVERYDAY = [
  'done',
  'failure',
  'idle',
  'pause',
  'pending',
  'progress',
  'read',
  'refuse',
  'report',
  'result',
  'say',
]

const vocabulary = new Set(
  Object.values(catalogue)
    .flatMap(({ name, machine, payloads }) => [
      ...Object.keys(machine.config.states ?? {}),
      ...Object.keys(payloads),
      ...keysOf(jsonSchemas().get(`${name}.policy.schema.json`) ?? {}),
    ])
    .filter((word) => !EVERYDAY.includes(word)),
)

/** Words of a protocol that mean something else in some place, and why they may stand there. */
const HOMONYMS: readonly (readonly [word: string, where: RegExp, reason: string])[] = [
  [
    'closed',
    /^src\/(?:cli|host|journals|observers)\//,
    'that a conversation has ended, under whatever rules',
  ],
  ['question', /^src\/(?:cli|host|journals|observers)\//, 'what a person is asked by the host'],
  ['talk', /^src\/host\//, 'what a conversation is called in code'],
  ['reject', /^src\/journals\//, 'what a promise does that fails'],
  ['request', /^src\/(?:host|transports)\//, 'what is asked of a host from outside'],
  ['assign', /^src\/engine\/(?:branches|compile)\.ts$/, "XState's action that changes the context"],
  ['info', /^src\/observers\/log\.ts$/, 'a level of logs'],
  ['deadline', /^src\/schema\/record\.ts$/, 'the event of every record that time is up'],
  ['deadline', /^src\/engine\/conversation\.ts$/, 'the event of every record that time is up'],
  [
    'closed',
    /^src\/engine\/(?:conversation|listeners)\.ts$/,
    'that a conversation has ended, under whatever rules',
  ],
  ['deadline', /^src\/engine\/define\.ts$/, 'the event of every machine that time is up'],
  ['deadline', /^src\/testing\//, 'the event of every machine that time is up'],
  ['verdict', /^src\/(?:testing|cli)\//, 'what the checker finds'],
  ['talk', /^src\/testing\//, 'what a conversation is called in code'],
  ['closed', /^src\/testing\//, 'that a conversation has ended, under whatever rules'],
  ['object', /^src\/testing\//, 'what zod calls a kind of value'],
  ['object', /^src\/schema\/wording\.ts$/, 'what zod calls a kind of value'],
  ['closed', /^src\/engine\/convene\.ts$/, 'the listener to the end, under whatever rules'],
  [
    'talk',
    /^src\/engine\/(?:facilitator|protocol)\.ts$/,
    'who is asked where the rules ask nobody: an option of the floor',
  ],
  ['talk', /^src\/engine\/replay\.ts$/, 'what a conversation is called in code'],
  ['talk', /^src\/cli\//, 'what a conversation is called in code, and the option of the floor'],
]

/** `typeof x === 'object'`, `z.object(…)` and `Object.assign(…)` are the language's and zod's. */
const isLanguage = (node: Node): boolean => {
  const { parent } = node
  if (parent.kind === SyntaxKind.BinaryExpression) {
    let isCompared = false
    parent.forEachChild((side) => {
      if (side.kind === SyntaxKind.TypeOfExpression) isCompared = true
    })
    return isCompared
  }
  if (parent.kind !== SyntaxKind.PropertyAccessExpression) return false
  const { expression } = parent as Node & { readonly expression: Node }
  return isIdentifier(expression) && ['z', 'Object'].includes(expression.text)
}

/** Every word of a protocol that stands in a source as a string or a property's name. */
const uses = sources(/^src\//).flatMap((source) =>
  nodesOf(source.tree).flatMap((node) => {
    const word = stringOf(node) ?? (isIdentifier(node) && isPropertyName(node) ? node.text : null)
    if (word === null || !vocabulary.has(word) || isLanguage(node)) return []
    return [{ word, file: source.name, place: placeOf(source, node) }]
  }),
)

describe('the vocabulary of the protocols', () => {
  it('is known', () => {
    for (const word of [
      'proposal',
      'closed',
      'verdict',
      'maxReject',
      'turnLimit',
      'cfp',
      'sync_assignment',
      'claim',
    ])
      expect(vocabulary).toContain(word)
  })

  it('stays in machines/', () => {
    const wrong = uses
      .filter(({ word, file }) => !HOMONYMS.some(([known, where]) => known === word && where.test(file)))
      .map(({ word, place }) => `${place} names "${word}"`)
    expect(wrong).toEqual([])
  })

  it.each(HOMONYMS)('%s in %s is still needed: %s', (word, where) => {
    expect(uses.some((use) => use.word === word && where.test(use.file))).toBe(true)
  })
})
