/**
 * Scenarios: a group with a policy, and a list of acts. An act tells what somebody tries (to say what is asked, to say
 * anything, to say it again, to send as another, to leave, …) and becomes an input only when its turn comes, by what
 * lies on the table then: so random acts reach every state of any protocol, and shrink well.
 */
import fc from 'fast-check'
import type { Protocol } from '../engine/protocol.ts'
import { choicesOf } from './draw.ts'
import { type Party, type PartyOptions, parties } from './groups.ts'

/** What somebody tries. */
export type ActKind =
  /** Says what the rules ask for, or would allow. */
  | 'help'
  /** Says anything of the protocol's. */
  | 'say'
  /** Sends a message once more. */
  | 'repeat'
  /** Sends a message of another id or sender than its own. */
  | 'forge'
  /** Sends what is no message. */
  | 'malformed'
  | 'join'
  | 'leave'
  | 'fault'
  | 'tick'
  | 'cancel'

/** When: so many ms after the newest event, or after the due time. What is no time counts as the newest event's. */
export interface When {
  readonly after: 'event' | 'due'
  readonly ms: number
}

export interface Act {
  readonly kind: ActKind
  readonly when: When
  /** Who, what, about what: each is chosen with the next of these numbers when it is needed. */
  readonly choices: readonly number[]
}

/** How a conversation opens. */
export interface Opening extends Party {
  /** ms. */
  readonly at: number
}

export interface Scenario extends Opening {
  readonly acts: readonly Act[]
}

export interface ActOptions {
  /** Most acts. Default: 60. */
  readonly acts?: number
  /** How often each kind of act is chosen, against the others; 0: never. */
  readonly weights?: Readonly<Partial<Record<ActKind, number>>>
}

const WEIGHTS: Readonly<Record<ActKind, number>> = {
  help: 400,
  say: 150,
  repeat: 30,
  forge: 30,
  malformed: 30,
  join: 30,
  leave: 25,
  fault: 30,
  tick: 15,
  cancel: 4,
}

const when: fc.Arbitrary<When> = fc.oneof(
  { withCrossShrink: true },
  { weight: 75, arbitrary: fc.record({ after: fc.constant('event'), ms: fc.integer({ min: 0, max: 9 }) }) },
  { weight: 3, arbitrary: fc.record({ after: fc.constant('due'), ms: fc.integer({ min: -1, max: 1 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ after: fc.constant('event'), ms: fc.constantFrom(-1, -1000, 0.5, Number.NaN) }),
  },
)

/** Choices that one act takes. */
const ACT_CHOICES = 16

/** Most acts of a scenario. */
export const ACTS = 60

/** One act. */
export const act = (weights: ActOptions['weights'] = {}): fc.Arbitrary<Act> => {
  const kinds = Object.entries({ ...WEIGHTS, ...weights }) as [ActKind, number][]
  return fc.record({
    kind: fc.oneof(
      { withCrossShrink: true },
      ...kinds.map(([kind, weight]) => ({ arbitrary: fc.constant(kind), weight })),
    ),
    when,
    choices: choicesOf(ACT_CHOICES),
  })
}

/** Openings of a protocol: who, and under which policy. */
export const openings = (protocol: Protocol, options: PartyOptions = {}): fc.Arbitrary<Opening> =>
  fc
    .tuple(parties(protocol, options), fc.constantFrom(0, 1, 1_700_000_000_000))
    .map(([party, at]) => ({ ...party, at }))

/** Conversations of a protocol from their opening on: anybody does anything, and helps it along about as often. */
export const scenarios = (
  protocol: Protocol,
  { acts = ACTS, weights, ...opening }: PartyOptions & ActOptions = {},
): fc.Arbitrary<Scenario> =>
  fc
    .tuple(openings(protocol, opening), fc.array(act(weights), { maxLength: acts, size: 'max' }))
    .map(([opens, tried]) => ({ ...opens, acts: tried }))
