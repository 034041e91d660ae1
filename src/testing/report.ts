/** What the checker reports. */

/** The most that there can be of something. */
export interface Bound {
  /** Null: there is no bound, or none is known. */
  readonly most: number | null
  /** The record of a conversation that has as much or, where there is no bound, of how it comes; null: none is known. */
  readonly record: readonly RecordEntry[] | null
  /** Where there is no bound, the places in the record between which it can be repeated. */
  readonly loop: Loop | null
}

/** Places in a record: the first entry of what can be repeated, and the first after it. */
export type Loop = readonly [from: number, to: number]

/** Something that stands against the proof, and what to do. */
export interface Problem {
  readonly message: string
  /** What led there; null: it concerns all. */
  readonly record: readonly RecordEntry[] | null
}

/** A line of a record. */
export type RecordEntry = Readonly<Record<string, unknown>> & { readonly type: string; readonly at: number }

export interface Counterexample {
  /** Why this never ends, in a sentence. */
  readonly why: string
  /** What leads there and, where something goes round, what can be repeated. */
  readonly record: readonly RecordEntry[]
  /** Null: nothing is said any more. */
  readonly loop: Loop | null
}

export interface CheckReport {
  readonly protocol: string
  readonly members: readonly string[]
  /** Completed. */
  readonly policy: object
  readonly size: number
  readonly joins: boolean
  /** `proved`: every conversation closes. `refuted`: one need not. `unproved`: not known. */
  readonly verdict: 'proved' | 'refuted' | 'unproved'
  /**
   * Whether messages were made from the payload schemas, because the protocol does not tell what may be said
   * (`checking.says`): then all of this is about payloads with a few texts and numbers, those of the context among them,
   * without unknown keys; about messages with and without content, tokens and `replyTo`; and about a few instants.
   */
  readonly sampled: boolean
  /** Why it is not proved, and what to do. */
  readonly problems: readonly Problem[]
  readonly counterexample: Counterexample | null
  readonly turns: Bound
  /** Messages that are recorded, those against the rules included. */
  readonly messages: Bound
  readonly ms: Bound
  /** Most turns by the protocol's own formula; null: none. */
  readonly formula: number | null
  readonly unreachableStates: readonly string[]
  /** Branches that are never taken under this policy. */
  readonly unreachableTransitions: readonly string[]
  /** Intents that never have an effect under this policy. */
  readonly unusedIntents: readonly string[]
  readonly statesWithoutDueTime: readonly string[]
  /** What the rank says: on how many events it was looked at, and whether it fell on all of them. */
  readonly rank: { readonly events: number; readonly holds: boolean; readonly opening: readonly number[] }
  readonly explored: { readonly states: number; readonly steps: number; readonly ms: number }
}
