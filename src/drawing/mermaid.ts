/** A graph as a Mermaid state diagram. */
import { arrowsOf, type Graph, grouped, labelOf } from './graph.ts'

/** Characters that Mermaid has no other meaning for, anywhere in a label. */
const PLAIN = /[\p{L}\p{M}\p{N} .,()[\]/_-]/u

/** A label as it is shown: every character that might mean something to Mermaid, Markdown or HTML by its number. */
const escaped = (text: string): string => {
  const shown = text.replace(/\s+/g, ' ').replace(/\p{C}/gu, '\ufffd')
  // Mermaid has no empty labels.
  if (shown === '') return '(empty)'
  return Array.from(shown, (character) =>
    PLAIN.test(character) ? character : `#${character.codePointAt(0)};`,
  ).join('')
}

/** Words that begin something else in a state diagram. */
const KEYWORDS =
  /^(?:state|note|end|direction|class|style|click|href|default|title|acc|hide|scale|as$|fork|join|choice|root|left|right|divider)/i

/** A name as it stands where Mermaid takes it so; else one made from its place, which no name that stands can be. */
const idOf = (name: string, index: number): string =>
  /^[a-z][a-z0-9_]*$/i.test(name) && !KEYWORDS.test(name) ? name : `_${index}`

/** Draws a graph as `stateDiagram-v2`: the open states stand in one composite state, from which the shared edges go out. */
export const mermaidOf = (graph: Graph): string => {
  const ids = new Map(graph.states.map(({ name }, index) => [name, idOf(name, index)]))
  const id = (name: string): string => ids.get(name) ?? '_'
  const isOpen = new Set(graph.states.filter(({ isFinal }) => !isFinal).map(({ name }) => name))
  const arrow = (from: string, to: string, labels: readonly string[]): string =>
    `${from} --> ${to}${labels.length === 0 ? '' : ` : ${labels.map(escaped).join('<br/>')}`}`
  const declared = ({ name }: Graph['states'][number]): string => `state "${escaped(name)}" as ${id(name)}`
  const arrows = arrowsOf(graph.edges)
  return [
    'stateDiagram-v2',
    '  state "any open state" as _open {',
    ...graph.states.filter(({ isFinal }) => !isFinal).map((state) => `    ${declared(state)}`),
    `    [*] --> ${id(graph.initial)}`,
    ...arrows
      .filter(({ from, to }) => isOpen.has(from) && isOpen.has(to))
      .map(({ from, to, labels }) => `    ${arrow(id(from), id(to), labels)}`),
    '  }',
    ...graph.states.filter(({ isFinal }) => isFinal).map((state) => `  ${declared(state)}`),
    ...arrows
      .filter(({ from, to }) => !isOpen.has(from) || !isOpen.has(to))
      .map(({ from, to, labels }) => `  ${arrow(id(from), id(to), labels)}`),
    ...[...grouped(graph.shared, ({ to }) => to)].map(
      ([to, edges]) => `  ${arrow('_open', id(to), edges.map(labelOf))}`,
    ),
    ...graph.states.filter(({ isFinal }) => isFinal).map(({ name }) => `  ${id(name)} --> [*]`),
    '',
  ].join('\n')
}
