/**
 * A machine as a picture of few lines. Only what changes the state is drawn. An edge that nearly every open state has
 * (the root's, and those that each state repeats because it must try them first) is drawn once, from all open states
 * together, with the exceptions named.
 */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate'

export interface GraphState {
  readonly name: string
  readonly description: string | null
  readonly isFinal: boolean
}

export interface Edge {
  readonly to: string
  /** The event; null: taken as soon as the guard holds. */
  readonly event: string | null
  readonly guard: string | null
  /** The reason that a decision gives for it; null where the machine gives none. */
  readonly reason: string | null
}

/** An edge of one state. */
export interface OwnEdge extends Edge {
  readonly from: string
}

/** An edge of all open states. */
export interface SharedEdge extends Edge {
  /** Open states that do not have it. */
  readonly except: readonly string[]
}

export interface Graph {
  readonly name: string
  readonly initial: string
  readonly states: readonly GraphState[]
  readonly edges: readonly OwnEdge[]
  readonly shared: readonly SharedEdge[]
}

/** The action whose parameter is the reason of a transition, as the engine reads it. */
const REASON_ACTION = 'transition'

/** Reads the picture off a machine whose states are all children of its root. */
export const graphOf = (machine: AnyStateMachine): Graph => {
  const { root } = machine
  const nodes = Object.values(root.states) as AnyStateNode[]
  const open = nodes.filter(({ type }) => type !== 'final').map(({ key }) => key)
  const own = nodes.flatMap((node) =>
    [...edgesOf(node), ...(node.type === 'final' ? [] : edgesOf(root))].map((edge) => ({
      from: node.key,
      ...edge,
    })),
  )
  const byLook = grouped(own, ({ to, event, guard, reason }) => JSON.stringify([to, event, guard, reason]))
  const edges: OwnEdge[] = []
  const shared: SharedEdge[] = []
  for (const alike of byLook.values()) {
    const [first] = alike
    const except = open.filter((name) => alike.every(({ from }) => from !== name))
    // An edge into an open state is no common way out of all of them.
    const isShared = first !== undefined && !open.includes(first.to) && except.length * 2 < open.length - 1
    if (!isShared) edges.push(...alike)
    else {
      const { from: _, ...edge } = first
      shared.push({ ...edge, except })
    }
  }
  return {
    name: machine.id,
    initial: root.initial.target[0]?.key ?? '',
    states: nodes.map(({ key, description, type }) => ({
      name: key,
      description: description ?? null,
      isFinal: type === 'final',
    })),
    edges,
    shared,
  }
}

const edgesOf = (node: AnyStateNode): Edge[] => [
  ...[...node.transitions].flatMap(([event, transitions]) =>
    transitions.flatMap((each) => edgeOf(event, each)),
  ),
  ...(node.always ?? []).flatMap((each) => edgeOf(null, each)),
]

const edgeOf = (event: string | null, transition: AnyTransitionDefinition): Edge[] =>
  (transition.target ?? []).map((target) => ({
    to: target.key,
    event,
    guard: transition.guard === undefined ? null : nameOf(transition.guard),
    reason: reasonOf(transition.actions),
  }))

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const nameOf = (reference: unknown): string => {
  if (typeof reference === 'string') return reference
  if (isRecord(reference)) return String(reference.type)
  return typeof reference === 'function' && reference.name !== '' ? reference.name : 'inline'
}

const reasonOf = (actions: readonly unknown[]): string | null => {
  for (const action of actions) {
    if (!isRecord(action) || action.type !== REASON_ACTION || !isRecord(action.params)) continue
    return String(action.params.reason)
  }
  return null
}

/** Items by a key, each group in the order of its first item. */
export const grouped = <Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> => {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}

/** An edge's label on one line, as UML writes it: `event [guard] / reason`. */
export const labelOf = (edge: Edge & { readonly except?: readonly string[] }): string => {
  const { event, guard, reason, except = [] } = edge
  return [
    ...(event === null ? [] : [event]),
    ...(guard === null ? [] : [`[${guard}]`]),
    ...(reason === null ? [] : [`/ ${reason}`]),
    ...(except.length > 0 ? [`(not in ${except.join(', ')})`] : []),
  ].join(' ')
}

/** The edges between the same two states together, so that an emitter can draw one arrow with all their labels. */
export const arrowsOf = (
  edges: readonly OwnEdge[],
): readonly { readonly from: string; readonly to: string; readonly labels: readonly string[] }[] => {
  const byEnds = grouped(edges, ({ from, to }) => JSON.stringify([from, to]))
  return [...byEnds.values()].flatMap((arrow) => {
    const [first] = arrow
    if (first === undefined) return []
    return [{ from: first.from, to: first.to, labels: [...new Set(arrow.map(labelOf))] }]
  })
}
