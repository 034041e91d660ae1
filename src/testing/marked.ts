/** A machine that tells which of its branches are taken: the same machine, with a note on every branch. */
import { type AnyStateMachine, createMachine } from 'xstate'

/** One branch of a machine's config. */
export interface BranchMark {
  /** The state's path; empty: the machine's own. */
  readonly state: string
  /** The event; null: of itself (`always`). */
  readonly on: string | null
  readonly guard: string | null
  readonly target: string | null
  /** Place among the branches of the same state and event. */
  readonly index: number
}

/** The name of the note. */
export const MARK = 'colloquy.branch'

interface Config {
  readonly [key: string]: unknown
}

const isConfig = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const nameOf = (reference: unknown): string | null => {
  if (reference === undefined) return null
  if (typeof reference === 'string') return reference
  if (typeof reference === 'function') return reference.name || '(inline)'
  const type: unknown = isConfig(reference) ? reference.type : undefined
  return typeof type === 'string' ? type : '(inline)'
}

const list = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value]

interface Marked {
  readonly machine: AnyStateMachine
  readonly marks: readonly BranchMark[]
}

/** One for each machine: compiled twice, the same code would be several times slower (see `choiceOf`). */
const known = new WeakMap<AnyStateMachine, Marked>()

/** The machine with its marks, and what each mark stands for. */
export const markedMachine = (machine: AnyStateMachine): Marked => {
  const marked = known.get(machine) ?? mark(machine)
  known.set(machine, marked)
  return marked
}

const mark = (machine: AnyStateMachine): Marked => {
  const marks: BranchMark[] = []
  const branches = (given: unknown, state: string, on: string | null): unknown[] =>
    list(given).map((each, index) => {
      const branch: Config = isConfig(each) ? each : { target: each }
      const target = list(branch.target)[0]
      marks.push({
        state,
        on,
        guard: nameOf(branch.guard),
        target: typeof target === 'string' ? target.replace(/^\./, '') : null,
        index,
      })
      const note = { type: MARK, params: marks.length - 1 }
      return { ...branch, actions: [note, ...list(branch.actions)] }
    })
  const marked = (config: Config, path: string): Config => {
    const own: Record<string, unknown> = { ...config }
    if (isConfig(config.on)) {
      own.on = Object.fromEntries(
        Object.entries(config.on).map(([type, given]) => [type, branches(given, path, type)]),
      )
    }
    if (config.always !== undefined) own.always = branches(config.always, path, null)
    if (isConfig(config.states)) {
      own.states = Object.fromEntries(
        Object.entries(config.states).map(([name, state]) => [
          name,
          isConfig(state) ? marked(state, path === '' ? name : `${path}.${name}`) : state,
        ]),
      )
    }
    return own
  }
  const config = marked(machine.config as Config, '')
  type Given = Parameters<typeof createMachine>
  return { machine: createMachine(config as Given[0], machine.implementations as Given[1]), marks }
}
