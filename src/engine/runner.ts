/** What runs a machine one event at a time. */
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
