/** The runner of a machine: the compiled table, or XState itself where a machine is more than a table can hold. */
import type { AnyStateMachine } from 'xstate'
import { ColloquyError } from '../errors.ts'
import { compile } from './compile.ts'
import { interpret } from './interpret.ts'
import type { Runner } from './runner.ts'

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
