/** Any machine, run by XState itself: slower than the compiled table, and knows everything. */
import { type AnyMachineSnapshot, type AnyStateMachine, getInitialMicrosteps, getMicrosteps } from 'xstate'
import { ColloquyError } from '../errors.ts'
import type { Position, Runner, Sink } from './runner.ts'

type Microsteps = readonly [
  AnyMachineSnapshot,
  readonly { readonly type: string; readonly params: unknown }[],
][]

/** The state's name: XState's value where it is a name, else the value as JSON. */
const stateOf = (snapshot: AnyMachineSnapshot): string =>
  typeof snapshot.value === 'string' ? snapshot.value : JSON.stringify(snapshot.value)

const positionOf = (snapshot: AnyMachineSnapshot): Position => ({
  state: stateOf(snapshot),
  context: snapshot.context,
  done: snapshot.status === 'done',
  output: snapshot.output,
})

/** @param isHandled whether a branch was taken by an event that changed nothing; the steps after the event's own are always branches */
const tell = (
  microsteps: Microsteps,
  before: AnyMachineSnapshot | null,
  sink: Sink,
  isHandled: () => boolean,
): void => {
  let state = before === null ? null : stateOf(before)
  for (const [index, [snapshot, actions]] of microsteps.entries()) {
    const reached = stateOf(snapshot)
    if (index > 0 || actions.length > 0 || snapshot !== before || isHandled()) sink.took()
    for (const { type, params } of actions) sink.note(type, params)
    if (state !== null && reached !== state) sink.moved(state, reached)
    state = reached
  }
}

/** More steps after one event than this are taken for a loop that never ends; XState itself would go on for ever. */
const MAX_STEPS = 10_000

/** The same machine, with a bound where it has none. */
const bounded = (machine: AnyStateMachine): AnyStateMachine => {
  const copy = machine.provide({})
  // XState's own default is Infinity.
  const own = machine.options?.maxIterations ?? Number.POSITIVE_INFINITY
  copy.options = { ...machine.options, maxIterations: Math.min(own, MAX_STEPS) }
  return copy
}

/** Runs a machine by XState's own transition functions. Actions are reported, not run. */
export const interpret = (given: AnyStateMachine): Runner => {
  const machine = bounded(given)
  const revive = ({ state, context }: Pick<Position, 'state' | 'context'>): AnyMachineSnapshot => {
    const value: unknown = state.startsWith('{') ? JSON.parse(state) : state
    return machine.resolveState({ value: value as string, context })
  }
  return {
    kind: 'interpreted',
    isFinal(state) {
      if (!state.startsWith('{') && !Object.hasOwn(machine.root.states, state)) return null
      try {
        return revive({ state, context: {} }).status === 'done'
      } catch {
        return null
      }
    },
    start(input, sink) {
      const steps = getInitialMicrosteps(machine, input) as Microsteps
      tell(steps, null, sink, () => false)
      return positionOf(lastOf(machine, steps, null))
    },
    next(position, event, sink) {
      if (position.done) return position
      const before = revive(position)
      const steps = getMicrosteps(machine, before, event) as Microsteps
      tell(steps, before, sink, () => machine.getTransitionData(before, event).length > 0)
      const after = lastOf(machine, steps, before)
      return after === before ? position : positionOf(after)
    },
  }
}

const lastOf = (
  machine: AnyStateMachine,
  steps: Microsteps,
  otherwise: AnyMachineSnapshot | null,
): AnyMachineSnapshot => {
  const last = steps.at(-1)?.[0] ?? otherwise
  if (last === null)
    throw new ColloquyError('PROTOCOL_INVALID', `The machine "${machine.id}" has no initial state`)
  if (last.status === 'error') {
    throw new ColloquyError('PROTOCOL_INVALID', `The machine "${machine.id}" failed`, { cause: last.error })
  }
  return last
}
