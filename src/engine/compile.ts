/**
 * A flat XState machine as a table: for each state and event the branches in their order, their guards and assignments
 * already looked up. It models states, guarded branches, `always`, entry and exit actions, named or inline guards and
 * assignments with their parameters, and the final output, exactly as XState does; anything else it refuses by name.
 */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate'
import { ColloquyError } from '../errors.ts'
import {
  type Action,
  type Args,
  type Assign,
  type Branch,
  type Choice,
  choiceOf,
  type Guard,
  type Params,
} from './branches.ts'
import type { Position, Runner, Sink } from './runner.ts'
import { hasKeys, type Shape, shapeOf } from './shape.ts'

interface State {
  readonly name: string
  readonly isFinal: boolean
  readonly output: unknown
  readonly id: string
  on: ReadonlyMap<string, Choice<State>>
  always: Choice<State>
}

/** More eventless steps after one event than this are taken for a loop that never ends. */
const MAX_EVENTLESS = 10_000

const refuse = (machine: AnyStateMachine, what: string): never => {
  throw new ColloquyError(
    'MACHINE_UNSUPPORTED',
    `The machine "${machine.id}" has ${what}, which the compiler does not model`,
  )
}

const hasParts = (value: unknown): value is Record<string, unknown> =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

const paramsOf = (reference: unknown): Params => {
  const value = hasParts(reference) && typeof reference !== 'function' ? reference.params : undefined
  return typeof value === 'function'
    ? { of: value as (args: Args) => unknown, value: undefined }
    : { of: null, value }
}

const nameOf = (reference: unknown): string =>
  typeof reference === 'string' ? reference : String((reference as { type: unknown }).type)

/** Compiles a machine. @throws ColloquyError `MACHINE_UNSUPPORTED`, naming what it does not model. */
export const compile = (machine: AnyStateMachine): Runner => {
  const { root } = machine
  if (root.type !== 'compound') refuse(machine, `a root of type "${root.type}"`)
  checkNode(machine, root, 'the root')
  if (root.entry.length > 0 || root.exit.length > 0) refuse(machine, 'entry or exit actions on the root')

  const nodes = Object.values(root.states) as AnyStateNode[]
  const states = new Map<AnyStateNode, State>()
  for (const node of nodes) {
    if (node.type !== 'atomic' && node.type !== 'final')
      refuse(machine, `a state "${node.key}" of type "${node.type}"`)
    checkNode(machine, node, `the state "${node.key}"`)
    if (node.type === 'final' && node.exit.length > 0)
      refuse(machine, `exit actions on the final state "${node.key}"`)
    const isFinal = node.type === 'final'
    states.set(node, {
      name: node.key,
      id: node.id,
      isFinal,
      output: node.output,
      on: new Map(),
      always: () => null,
    })
  }
  for (const [node, state] of states) {
    if (state.isFinal) continue
    const types = new Set([...node.transitions.keys(), ...root.transitions.keys()])
    state.on = new Map(
      [...types].map((type) => {
        const own = [...(node.transitions.get(type) ?? []), ...(root.transitions.get(type) ?? [])]
        const branches = own.map((transition) => branchOf(machine, states, node, transition))
        return [type, choiceOf(branches, `${machine.id} ${state.name} on ${type}`)]
      }),
    )
    const always = [...(node.always ?? []), ...(root.always ?? [])]
    state.always = choiceOf(
      always.map((transition) => branchOf(machine, states, node, transition)),
      `${machine.id} ${state.name} always`,
    )
  }

  const byName = new Map([...states.values()].map((state) => [state.name, state]))
  const first = root.initial
  const initial =
    states.get(first.target[0] as AnyStateNode) ??
    refuse(machine, 'an initial state that is no child of the root')
  const actions = [
    ...first.actions.map((action: unknown) => actionOf(machine, action)),
    ...(first.target[0] as AnyStateNode).entry.map((action) => actionOf(machine, action)),
  ]

  const entry = choiceOf<State>(
    [{ guard: null, guardParams: paramsOf(undefined), actions, target: initial, assigns: true }],
    `${machine.id} entry`,
  )

  const finish = (state: State, args: Args): Position => {
    const output = state.isFinal ? outputOf(root, state, args) : undefined
    return { state: state.name, context: args.context, done: state.isFinal, output, shape: args.shape }
  }

  /** The shape of the contexts at the start: one and the same for most machines. */
  let opening: Shape | null = null

  return {
    kind: 'compiled',
    isFinal: (state) => byName.get(state)?.isFinal ?? null,
    start(input, sink) {
      const given: unknown = machine.config.context
      const context: unknown =
        typeof given === 'function' ? given({ input, spawn: noActors, self: undefined }) : (given ?? {})
      const event = { type: 'xstate.init', input }
      const args: Args = { context: { ...(context as object) }, event, shape: null }
      if (opening === null || !hasKeys(args.context, opening.keys)) opening = shapeOf(args.context)
      args.shape = opening
      entry(args, sink)
      return finish(settle(machine, initial, args, sink), args)
    },
    next(position, event, sink) {
      const state = byName.get(position.state)
      if (state === undefined) throw unknownState(machine, position.state, [...byName.keys()])
      if (state.isFinal) return position
      const args: Args = { context: position.context, event, shape: position.shape ?? null }
      const branch = state.on.get(event.type)?.(args, sink) ?? null
      const reached = branch === null ? state : moved(state, branch, sink)
      return finish(settle(machine, reached, args, sink), args)
    },
  }
}

const unknownState = (machine: AnyStateMachine, state: string, known: readonly string[]): ColloquyError =>
  new ColloquyError(
    'SNAPSHOT_INVALID',
    `The machine "${machine.id}" has no state "${state}"; it has: ${known.join(', ')}`,
  )

const noActors = (): never => {
  throw new ColloquyError('MACHINE_UNSUPPORTED', 'A context that spawns actors cannot be compiled')
}

/** The state after a branch was taken. */
const moved = (state: State, { target }: Branch<State>, sink: Sink): State => {
  if (target === null) return state
  if (target !== state) sink.moved(state.name, target.name)
  return target
}

/** Takes eventless branches until none is enabled, or one changes nothing (XState stops there too). */
const settle = (machine: AnyStateMachine, from: State, args: Args, sink: Sink): State => {
  let state = from
  for (let round = 0; !state.isFinal; round++) {
    const branch = state.always(args, sink)
    if (branch === null) return state
    if (round >= MAX_EVENTLESS) {
      throw new ColloquyError(
        'PROTOCOL_INVALID',
        `The machine "${machine.id}" took ${MAX_EVENTLESS} eventless transitions in state "${state.name}" after "${args.event.type}" without coming to rest`,
      )
    }
    const next = moved(state, branch, sink)
    if (next === state && !branch.assigns) return state
    state = next
  }
  return state
}

const outputOf = (root: AnyStateNode, state: State, args: Args): unknown => {
  if (root.output === undefined) return undefined
  const own = state.output === undefined ? undefined : mapped(state.output, args.context, args.event)
  return mapped(root.output, args.context, { type: `xstate.done.state.${state.id}`, output: own })
}

const mapped = (mapper: unknown, context: object, event: unknown): unknown =>
  typeof mapper === 'function' ? mapper({ context, event }) : mapper

const checkNode = (machine: AnyStateMachine, node: AnyStateNode, where: string): void => {
  if (node.invoke.length > 0) refuse(machine, `an invoked actor in ${where}`)
  if (node.after.length > 0) refuse(machine, `a delayed transition in ${where}`)
  if (node.config.onDone !== undefined) refuse(machine, `onDone in ${where}`)
  for (const type of node.transitions.keys()) {
    if (type.includes('*')) refuse(machine, `a wildcard transition "${type}" in ${where}`)
    if (type.startsWith('xstate.'))
      refuse(machine, `a transition on XState's own event "${type}" in ${where}`)
  }
}

const branchOf = (
  machine: AnyStateMachine,
  states: ReadonlyMap<AnyStateNode, State>,
  node: AnyStateNode,
  transition: AnyTransitionDefinition,
): Branch<State> => {
  const targets = transition.target ?? []
  if (targets.length > 1) refuse(machine, `a transition with several targets in "${node.key}"`)
  const targetNode = targets[0] as AnyStateNode | undefined
  const target = targetNode === undefined ? null : states.get(targetNode)
  if (target === undefined)
    refuse(machine, `a transition to "${targetNode?.id}", which is no child of the root`)
  // A state's transition to itself neither leaves nor enters it, unless it says so; one of the root's does both.
  const stays = targetNode === node && transition.source === node && !transition.reenter
  const enters = targetNode !== undefined && !stays
  const actions = [
    ...(enters ? node.exit : []),
    ...transition.actions,
    ...(enters ? targetNode.entry : []),
  ].map((action) => actionOf(machine, action))
  return {
    guard: transition.guard === undefined ? null : guardOf(machine, transition.guard),
    guardParams: paramsOf(transition.guard),
    actions,
    target: enters ? (target ?? null) : null,
    assigns: actions.some((action) => action.assign !== null),
  }
}

/** Follows names to the function behind them, as XState does; null where nothing is behind a name. */
const implementationOf = (reference: unknown, known: Readonly<Record<string, unknown>>): unknown => {
  let found = reference
  for (let hops = 0; typeof found !== 'function' && hops < 100; hops++) {
    if (found === undefined || found === null) return null
    found = known[nameOf(found)]
  }
  return found
}

const guardOf = (machine: AnyStateMachine, reference: unknown): Guard => {
  const found = implementationOf(reference, machine.implementations.guards)
  if (typeof found !== 'function') {
    const name = typeof reference === 'function' ? '(inline)' : nameOf(reference)
    throw new ColloquyError(
      'PROTOCOL_INVALID',
      `The machine "${machine.id}" names a guard "${name}" that is not implemented`,
    )
  }
  if ('check' in found) refuse(machine, 'a combined guard (and, or, not, stateIn)')
  return found as Guard
}

const actionOf = (machine: AnyStateMachine, reference: unknown): Action => {
  const isInline = typeof reference === 'function'
  const found: unknown = isInline ? reference : machine.implementations.actions[nameOf(reference)]
  const params = isInline ? { of: null, value: undefined } : paramsOf(reference)
  if (!hasParts(found) || !('resolve' in found)) {
    if (found !== undefined && typeof found !== 'function')
      refuse(machine, `an action "${nameOf(reference)}" that names another`)
    const type = isInline ? (reference as { name: string }).name || '(anonymous)' : nameOf(reference)
    return { assign: null, type, params }
  }
  if (found.type !== 'xstate.assign')
    refuse(machine, `a built-in action "${String(found.type).replace('xstate.', '')}"`)
  return { assign: assignerOf(found.assignment), params }
}

const assignerOf = (assignment: unknown): Assign => {
  if (typeof assignment === 'function') return assignment as Assign
  const fields = Object.entries(assignment as object)
  return (args, params) =>
    Object.fromEntries(
      fields.map(([key, value]) => [key, typeof value === 'function' ? value(args, params) : value]),
    )
}
