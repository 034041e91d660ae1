/** What runs a machine one event at a time: the compiled table, or XState itself where a machine is more than a table can hold. */
import type { AnyStateMachine } from 'xstate'
import { ColloquyError } from '../errors.ts'
import { compile } from './compile.ts'
import { interpret } from './interpret.ts'
import type { Shape } from './shape.ts'

/** Anything with a type; what else it carries is the protocol's. */
export interface MachineEvent {
  readonly type: string
}

/** Where a machine stands: all that is needed to go on. */
export interface Position<Context extends object = object> {
  readonly state: string
  readonly context: Context
  readonly done: boolean
  /** The final output; undefined until done. */
  readonly output: unknown
  /** The runner's own note on how to copy the context; never needed to go on. */
  readonly shape?: Shape | null
}

/** Hears what happens during one event, in its order. */
export interface Sink {
  /** A branch was taken, by the event or afterwards. */
  took(): void
  /** An action other than an assignment; it is reported, not run. */
  note(type: string, params: unknown): void
  /** The state was left for another. */
  moved(from: string, to: string): void
}

/** Pure: no clock, no randomness, no await; the same arguments give the same result. */
export interface Runner {
  readonly kind: 'compiled' | 'interpreted'
  /** Whether a state is final; null when the machine has none of this name. */
  isFinal(state: string): boolean | null
  start(input: unknown, sink: Sink): Position
  next(position: Position, event: MachineEvent, sink: Sink): Position
}

const runners = new WeakMap<AnyStateMachine, Runner>()

/** The runner of a machine: compiled where every part of it can be, else interpreted by XState. */
export const runnerOf = (machine: AnyStateMachine): Runner => {
  const known = runners.get(machine)
  if (known !== undefined) return known
  const runner = compiledOr(machine)
  runners.set(machine, runner)
  return runner
}

const compiledOr = (machine: AnyStateMachine): Runner => {
  try {
    return compile(machine)
  } catch (error) {
    if (error instanceof ColloquyError && error.code === 'MACHINE_UNSUPPORTED') return interpret(machine)
    throw error
  }
}
