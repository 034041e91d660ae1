/** How the checker explores this protocol: what the future depends on, and what an adversary may try. */
import type { Checking, Group, Saying, Scope, Sketch } from '../../src/engine/protocol.ts'
import {
  type AinetContext,
  activeMembers,
  isSpent,
  requestOf,
  roundsOf,
  type Seat,
  seatOf,
} from './context.ts'
import { TYPES } from './intents.ts'
import { type Policy, STATES } from './policy.ts'
import { visitOf } from './rank.ts'

const CLOSED: Sketch = { rest: [], members: [], things: [] }

const flag = (holds: boolean): number => (holds ? 1 : 0)

/**
 * How many more violations a member can afford, as far as it matters: a fault costs both a violation and a turn, so what
 * is beyond the turns that are left can never be used up by faults.
 */
const reserveOf = ({ policy, visit }: AinetContext, seat: Seat): number => {
  if (policy.violationLimit === null) return 0
  const turns = Math.max(0, policy.turnLimit[visit.state] - seat.turns)
  return Math.min(Math.max(0, policy.violationLimit - 1 - seat.violations), turns)
}

/** Who replied and what was asked before makes no difference, nor does anybody's place in the group. */
const sketch = (context: AinetContext, now: number, _state: string, { joins }: Scope): Sketch => {
  const { policy, visit, turns, opener, closing } = context
  if (closing !== null) return CLOSED
  const request = requestOf(context)
  const seats = joins ? context.seats : context.seats.filter(({ active }) => active)
  return {
    rest: [
      STATES.indexOf(visit.state),
      roundsOf(context),
      request === null ? 0 : 1 + TYPES.indexOf(request.type),
      policy.maxTurns === null ? 0 : turns,
      now - visit.since,
    ],
    members: seats.map((seat) => [
      flag(seat.active) + 2 * flag(seat.expelled),
      flag(seat.id === opener) +
        2 * flag(seat.id === request?.from) +
        4 * flag(seat.id === request?.to) +
        8 * flag(seat.id === request?.claimant),
      isSpent(context, seat) ? policy.turnLimit[visit.state] : seat.turns,
      flag(seat.active && seat.behind),
    ]),
    reserves: seats.map((seat) => reserveOf(context, seat)),
    things: [],
  }
}

/** Everything, everywhere; requests only where they differ: by type and recipient, oneself included, which is never permitted. */
const says = (context: AinetContext): readonly Saying[] => {
  const recipients = context.visit.state === 'idle' ? activeMembers(context) : []
  return [
    { intent: 'request', payload: { type: 'BROADCAST' } },
    { intent: 'request', payload: { type: 'TASK' } },
    ...recipients.map((to) => ({ intent: 'request', payload: { type: 'PRIVATE', to } })),
    { intent: 'claim' },
    { intent: 'reply' },
    { intent: 'read' },
    { intent: 'say' },
    { intent: 'done' },
  ]
}

const spare = (context: AinetContext, member: string): number | null => {
  const seat = seatOf(context, member)
  if (seat === undefined || !seat.active || context.closing !== null) return 0
  const { violationLimit } = context.policy
  if (violationLimit === null) return null
  return Math.max(0, violationLimit - 1 - seat.violations)
}

/**
 * Most turns without joins: of each member its limit in every visit. A talk is opened by somebody who has a turn left
 * while it is idle, and whose word counts in the talk.
 */
const bound = (given: object, { members }: Group): number => {
  const { mode, rounds, turnLimit, maxTurns } = given as Policy
  const { idle, pending, done, talking } = turnLimit
  const n = members.length
  const turns = mode === 'talk' ? n * (idle + talking) - 1 : n * rounds * (idle + pending + done)
  return Math.min(turns, maxTurns ?? Number.POSITIVE_INFINITY)
}

export const checking: Checking<AinetContext> = {
  sketch,
  says,
  spare,
  visit: visitOf,
  turns: ({ turns }) => turns,
  bound,
}
