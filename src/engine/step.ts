/** One event, one decision. Pure: no clock, no randomness, no await. */
import type { AnyStateMachine } from 'xstate'
import { ColloquyError, messageOf } from '../errors.ts'
import { type Decision, type Effect, NONE, type Transition } from './decision.ts'
import type { MachineEvent, Position, Sink } from './runner.ts'
import { runnerOf } from './runners.ts'

/** Whom an event is about: a message's sender, or the member that joins, leaves or fails. */
const subjectOf = (event: MachineEvent): string | undefined => {
  const { from, member } = event as { from?: unknown; member?: unknown }
  const subject = from ?? member
  return typeof subject === 'string' ? subject : undefined
}

/** Collects a decision from the notes that the machine's actions leave: `decide`, `transition`, `expelled`. */
export class DecisionSink implements Sink {
  taken = false
  effect: Effect | null = null
  reason: string | null = null
  because: string | null = null
  transitions: Transition[] | null = null
  expelled = false

  took(): void {
    this.taken = true
  }

  note(type: string, params: unknown): void {
    if (type === 'decide') {
      const { effect, reason } = params as { effect: Effect; reason: string }
      this.effect = effect
      this.reason = reason
    } else if (type === 'transition') this.because = (params as { reason: string }).reason
    else if (type === 'expelled') this.expelled = true
  }

  moved(from: string, to: string): void {
    const transition = { from, to, reason: this.because ?? to }
    if (this.transitions === null) this.transitions = [transition]
    else this.transitions.push(transition)
    this.because = null
  }

  decision(event: MachineEvent, from: string, to: string): Decision {
    const transitions = this.transitions ?? NONE
    // A machine of a user's own need not say what it decides: what it handles is applied, what it does not is recorded.
    const effect = this.effect ?? (this.taken ? 'applied' : 'recorded')
    const said = this.reason ?? (this.taken ? 'continue' : 'intent_not_allowed')
    // Not by an index of -1, which V8 looks up like a name.
    const last =
      effect === 'applied' && transitions.length > 0 ? transitions[transitions.length - 1]?.reason : undefined
    const decision: Decision = { effect, reason: last ?? said, from, to, transitions }
    const subject = this.expelled ? subjectOf(event) : undefined
    return subject === undefined ? decision : { ...decision, expelled: subject }
  }
}

export interface Stepped {
  readonly position: Position
  readonly decision: Decision
}

/** The position at which a machine opens. @throws ColloquyError `INTERNAL` when the machine throws. */
export const start = (machine: AnyStateMachine, input: unknown): Position =>
  runnerOf(machine).start(input, new DecisionSink())

/**
 * What an event does at a position. The position given is never changed.
 * @throws ColloquyError `INTERNAL`, naming event and state, when a guard or an assignment throws; nothing has changed then.
 */
export const step = (machine: AnyStateMachine, position: Position, event: MachineEvent): Stepped => {
  const sink = new DecisionSink()
  try {
    const next = runnerOf(machine).next(position, event, sink)
    return { position: next, decision: sink.decision(event, position.state, next.state) }
  } catch (error) {
    if (error instanceof ColloquyError) throw error
    throw new ColloquyError(
      'INTERNAL',
      `The machine "${machine.id}" threw on "${event.type}" in state "${position.state}": ${messageOf(error)}`,
      { cause: error },
    )
  }
}
