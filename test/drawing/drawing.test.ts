import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMachine } from 'xstate'
import { catalogue } from '../../machines/catalogue.ts'
import { dotOf } from '../../src/drawing/dot.ts'
import { arrowsOf, type Graph, graphOf, labelOf } from '../../src/drawing/graph.ts'
import { mermaidOf } from '../../src/drawing/mermaid.ts'
import { parameters } from '../support/property.ts'

describe('the graph of a machine', () => {
  const graph = graphOf(
    createMachine({
      id: 'door',
      initial: 'open',
      states: {
        open: {
          description: 'Anybody may pass.',
          on: {
            push: [
              {
                guard: 'isFree',
                target: 'shut',
                actions: [{ type: 'transition', params: { reason: 'pushed' } }],
              },
              { actions: ['note'] },
            ],
          },
          always: { guard: 'isRotten', target: 'gone' },
        },
        shut: { on: { pull: 'open' }, always: { guard: 'isRotten', target: 'gone' } },
        ajar: { always: [{ guard: { type: 'isRotten' }, target: 'gone' }, { target: 'open' }] },
        stuck: {},
        gone: { type: 'final' },
      },
      on: { burn: '.gone', look: { actions: ['note'] } },
    }),
  )

  it('has states with what is said of them', () => {
    expect(graph).toMatchObject({ name: 'door', initial: 'open' })
    expect(graph.states.map(({ name, isFinal }) => [name, isFinal])).toEqual([
      ['open', false],
      ['shut', false],
      ['ajar', false],
      ['stuck', false],
      ['gone', true],
    ])
    expect(graph.states[0]?.description).toBe('Anybody may pass.')
  })

  it('has the edges of one state only where the state changes, with event, guard and reason', () => {
    expect(graph.edges).toEqual([
      { from: 'open', to: 'shut', event: 'push', guard: 'isFree', reason: 'pushed' },
      { from: 'shut', to: 'open', event: 'pull', guard: null, reason: null },
      { from: 'ajar', to: 'open', event: null, guard: null, reason: null },
    ])
  })

  it('has what the root and nearly every open state share once, with the exceptions', () => {
    expect(graph.shared).toEqual([
      { to: 'gone', event: null, guard: 'isRotten', reason: null, except: ['stuck'] },
      { to: 'gone', event: 'burn', guard: null, reason: null, except: [] },
    ])
  })

  it('labels edges as UML does', () => {
    const edge = { to: 'b', event: 'push', guard: 'isFree', reason: 'pushed' }
    expect(labelOf(edge)).toBe('push [isFree] / pushed')
    expect(labelOf({ ...edge, event: null, except: ['c', 'd'] })).toBe('[isFree] / pushed (not in c, d)')
  })

  it('draws one arrow between two states, with each label once', () => {
    const edge = { from: 'a', to: 'b', event: 'x', guard: null, reason: null }
    expect(arrowsOf([edge, { ...edge, event: 'y' }, edge])).toEqual([
      { from: 'a', to: 'b', labels: ['x', 'y'] },
    ])
  })
})

describe.each(Object.values(catalogue))('the picture of $name', ({ machine }) => {
  const graph = graphOf(machine)

  it('holds every change of state that the machine knows', () => {
    const drawn = new Set([
      ...graph.edges.map(({ from, to, guard }) => `${from} ${to} ${guard}`),
      ...graph.shared.flatMap(({ to, guard, except }) =>
        graph.states
          .filter(({ name, isFinal }) => !isFinal && !except.includes(name))
          .map(({ name }) => `${name} ${to} ${guard}`),
      ),
    ])
    let count = 0
    for (const node of Object.values(machine.root.states)) {
      const transitions = [...node.transitions.values()].flat().concat(node.always ?? [])
      for (const { target, guard } of transitions) {
        for (const { key } of target ?? []) {
          expect(drawn).toContain(`${node.key} ${key} ${guard ?? null}`)
          count++
        }
      }
    }
    expect(count).toBeGreaterThan(10)
  })

  it('is not crowded: few arrows, each with few labels', () => {
    expect(arrowsOf(graph.edges).length).toBeLessThanOrEqual(graph.states.length * 2.5)
  })

  it('names every state in both formats', () => {
    for (const { name } of graph.states) {
      expect(mermaidOf(graph)).toContain(`state "${name}" as `)
      expect(dotOf(graph)).toContain(`[label="${name}"`)
    }
  })
})

/** A graph in which a text stands at every place. */
const graphAround = (text: string): Graph => ({
  name: text,
  initial: text,
  states: [
    { name: text, description: text, isFinal: false },
    { name: 'other', description: null, isFinal: false },
    { name: `${text} over`, description: text, isFinal: true },
  ],
  edges: [
    { from: text, to: 'other', event: text, guard: text, reason: text },
    { from: 'other', to: `${text} over`, event: null, guard: text, reason: null },
  ],
  shared: [{ to: `${text} over`, event: text, guard: null, reason: text, except: ['other'] }],
})

const NASTY = [
  '"',
  '\\',
  '\\N',
  '\n',
  '\r\n',
  ';',
  ':',
  '#',
  '%%',
  '-->',
  '->',
  '[*]',
  '{',
  '}',
  '<b>',
  '&amp;',
  '`',
  '**',
  '::: x',
  'end',
  'note',
  'state',
  'graph',
  'node',
  'subgraph',
  '_0',
  '__start',
  '_open',
  '$$',
  '|',
  '',
]
const texts = fc.oneof(
  fc.constantFrom(...NASTY),
  fc
    .array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'binary', maxLength: 3 })))
    .map((parts) => parts.join('')),
)

/** Tokens of DOT by its grammar: quoted strings (in which only a quote is escaped), names, and single characters. */
const dotTokens = (text: string): string[] =>
  [...text.matchAll(/"(?:\\[\s\S]|[^"\\])*"|[A-Za-z_][A-Za-z0-9_]*|\d+|->|\s+|[\s\S]/g)]
    .map(([token]) => token)
    .filter((token) => !/^\s+$/.test(token))

/** What Graphviz shows of a label, lines aside. */
const shownByDot = (token: string): string =>
  token
    .slice(1, -1)
    .replace(/\\([\s\S])/g, (_, character: string) =>
      character === 'n' || character === 'l' ? '\n' : character,
    )
    .replaceAll('&amp;', '&')

const visible = (text: string): string =>
  text.replace(/(?![\t\r\n])\p{C}/gu, '\ufffd').replace(/\r\n?/g, '\n')

describe('any text', () => {
  it('is shown by DOT as it stands, and changes nothing but what is shown', () => {
    const shape = (text: string): string[] =>
      dotTokens(text).map((token) => (/^["A-Za-z_]/.test(token) ? 'x' : token))
    const expected = shape(dotOf(graphAround('plain')))
    fc.assert(
      fc.property(texts, (text) => {
        const dot = dotOf(graphAround(text))
        expect(shape(dot)).toEqual(expected)
        const labels = dotTokens(dot)
          .filter((token) => token.startsWith('"'))
          .map(shownByDot)
        expect(labels).toContain(visible(text))
        expect(labels).toContain(visible(`${text} [${text}] / ${text}`))
      }),
      parameters(500),
    )
  })

  it('is shown by Mermaid as it stands but for white space, and changes nothing but what is shown', () => {
    const shown = (label: string): string =>
      label.replace(/#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    const lines = (text: string): string[] => mermaidOf(graphAround(text)).split('\n')
    const expected = lines('plain')
    fc.assert(
      fc.property(texts, (text) => {
        const got = lines(text)
        expect(got).toHaveLength(expected.length)
        const label = /^ {4}state "([^"]*)" as [A-Za-z0-9_]+$/.exec(got[2] ?? '')?.[1]
        const seen = text.replace(/\s+/g, ' ').replace(/\p{C}/gu, '\ufffd')
        expect(shown(label ?? '')).toBe(seen === '' ? '(empty)' : seen)
        for (const line of got) {
          // No character in a label means anything to Mermaid but the number signs of its own escapes.
          const said = /^ *(?:state "(.*)" as \w+(?: \{)?|\S+ --> \S+ : (.*))$/.exec(line)
          expect((said?.[1] ?? said?.[2] ?? '').replaceAll('<br/>', '').replace(/#\d+;/g, '')).not.toMatch(
            /["#;:<>{}%&`*$|~\\]/,
          )
        }
      }),
      parameters(500),
    )
  })

  it('never makes two states one', () => {
    const names = fc.uniqueArray(texts, { minLength: 2, maxLength: 5 })
    fc.assert(
      fc.property(names, (all) => {
        const graph: Graph = {
          ...graphAround('x'),
          initial: all[0] ?? '',
          states: all.map((name) => ({ name, description: null, isFinal: false })),
          edges: [],
          shared: [],
        }
        const idsIn = (text: string, pattern: RegExp): string[] =>
          [...text.matchAll(pattern)].map(([, id]) => id ?? '')
        const mermaid = idsIn(mermaidOf(graph), /^ {4}state ".*" as (\w+)$/gm)
        const dot = idsIn(dotOf(graph), /^ {4}(\w+) \[label=/gm)
        for (const ids of [mermaid, dot]) expect(new Set(ids).size).toBe(all.length)
      }),
      parameters(300),
    )
  })
})
