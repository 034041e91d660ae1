/** A graph in Graphviz's DOT. */
import { arrowsOf, type Graph, grouped, labelOf } from './graph.ts'

/**
 * Any text as a quoted string that is shown as it stands. A backslash is doubled, since labels know escapes such as
 * `\N`; so is an ampersand spelled out, since they know HTML's entities too. What no picture can show (NUL and other
 * control characters) becomes the replacement character.
 */
const quoted = (text: string): string =>
  `"${text
    .replace(/(?![\t\r\n])\p{C}/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replace(/\r\n?|\n/g, '\\n')}"`

/** Lines put together to one label, each aligned left. */
const lines = (labels: readonly string[]): string =>
  `"${labels.map((label) => quoted(label).slice(1, -1)).join('\\l')}${labels.length > 1 ? '\\l' : ''}"`

/** Draws a graph as a digraph: the open states stand in a cluster, from whose border the shared edges go out. */
export const dotOf = (graph: Graph): string => {
  const ids = new Map(graph.states.map(({ name }, index) => [name, idOf(name, index)]))
  const id = (name: string): string => ids.get(name) ?? quoted(name)
  const node = ({ name, description, isFinal }: Graph['states'][number]): string => {
    const about = description === null ? '' : `, tooltip=${quoted(description)}`
    return `${id(name)} [label=${quoted(name)}${isFinal ? ', peripheries=2' : ''}${about}]`
  }
  const open = graph.states.filter(({ isFinal }) => !isFinal)
  const anchor = open.at(-1)
  return [
    `digraph ${quoted(graph.name)} {`,
    '  rankdir=TB',
    '  compound=true',
    '  node [shape=box, style=rounded, fontname="sans-serif"]',
    '  edge [fontname="sans-serif", fontsize=10]',
    '  __start [label="", shape=point]',
    '  subgraph cluster_open {',
    '    label="any open state"',
    '    style=dashed',
    ...open.map((state) => `    ${node(state)}`),
    '  }',
    ...graph.states.filter(({ isFinal }) => isFinal).map((state) => `  ${node(state)}`),
    `  __start -> ${id(graph.initial)}`,
    ...arrowsOf(graph.edges).map(
      ({ from, to, labels }) => `  ${id(from)} -> ${id(to)} [label=${lines(labels)}]`,
    ),
    // Graphviz has no edges from clusters: the edge starts at a state and is cut off at the cluster's border.
    ...(anchor === undefined
      ? []
      : [...grouped(graph.shared, ({ to }) => to)].map(
          ([to, edges]) =>
            `  ${id(anchor.name)} -> ${id(to)} [ltail=cluster_open, style=dashed, label=${lines(edges.map(labelOf))}]`,
        )),
    '}',
    '',
  ].join('\n')
}

const KEYWORDS = /^(?:node|edge|graph|digraph|subgraph|strict)$/i

/** A name as it stands where DOT takes it so; else one made from its place, which no name that stands can be. */
const idOf = (name: string, index: number): string =>
  /^[a-z][a-z0-9_]*$/i.test(name) && !KEYWORDS.test(name) ? name : `_${index}`
