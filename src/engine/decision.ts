/** What the rules made of one event. Source: "Records" of the specification. */

export type Effect = 'applied' | 'recorded' | 'ignored' | 'rejected'

export interface Transition {
  readonly from: string
  readonly to: string
  readonly reason: string
}

export interface Decision {
  readonly effect: Effect
  /** Of an applied event its last transition's reason, else what the rules say. */
  readonly reason: string
  readonly from: string
  readonly to: string
  readonly transitions: readonly Transition[]
  /** The member whom the event cost its seat. */
  readonly expelled?: string
}

/** A decision that changes nothing. */
export const unchanged = (effect: Effect, reason: string, state: string): Decision => ({
  effect,
  reason,
  from: state,
  to: state,
  transitions: NONE,
})

export const NONE: readonly Transition[] = Object.freeze([])
