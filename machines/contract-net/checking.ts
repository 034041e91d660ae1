/** How the checker explores this protocol: what the future depends on, and what an adversary may try. */
import type { Checking, Group, Saying, Scope, Sketch } from '../../src/engine/protocol.ts'
import { admitting } from './admission.ts'
import { awardsNow, type ContractNetContext, type Seat, type Status, standing, turnsLeft } from './context.ts'
import { INTENTS, type Intent } from './intents.ts'
import { type Policy, STATES } from './policy.ts'

const CLOSED: Sketch = { rest: [], members: [], things: [] }

const flag = (holds: boolean): number => (holds ? 1 : 0)

/** Violations that a member can still afford. */
const violationsLeft = ({ policy }: ContractNetContext, { violations }: Seat): number | null =>
  policy.violationLimit === null ? null : Math.max(0, policy.violationLimit - 1 - violations)

/** How many of them matter: a fault costs both a violation and a turn, so more than the turns that are left can never be used up by faults. */
const reserveOf = (context: ContractNetContext, seat: Seat): number => {
  const left = violationsLeft(context, seat)
  return left === null ? 0 : Math.min(left, turnsLeft(context, seat.id))
}

const BIDS = { open: 2, accepted: 3, rejected: 4, withdrawn: 5 } as const
/** Accepted from somebody who went and has come back since. */
const LOST = 6

/** What a member has said in this round, as far as its state goes by it. */
const replyOf = (context: ContractNetContext, id: string): number => {
  const { bids, refusals, visit } = context
  switch (visit.state) {
    case 'calling':
      return 0
    case 'bidding':
    case 'awarding': {
      const bid = bids.find(({ bidder }) => bidder === id)
      const isLost = awardsNow(context).some(({ bidder, status }) => bidder === id && status !== null)
      if (bid !== undefined) return isLost ? LOST : BIDS[bid.status]
      return flag(visit.state === 'bidding' && refusals.includes(id))
    }
    case 'performing': {
      const award = awardsNow(context).find(({ bidder }) => bidder === id)
      if (award === undefined) return 0
      return award.status === null ? 1 : award.status === 'done' ? 2 : 3
    }
  }
}

const HOW: readonly Status[] = ['timeout', 'no_bids', 'not_awarded', 'failed', 'partial']

/** How it stands without the present round; with it while nothing is under way. */
const before = (context: ContractNetContext): number => {
  const { awards, round, visit } = context
  if (visit.state === 'calling') return HOW.indexOf(standing(context))
  const earlier = awards.filter((award) => award.round < round)
  return earlier.length === 0 ? 0 : 1 + flag(earlier.some(({ status }) => status === 'done'))
}

/** What those who are left out of the sketch have left behind. */
const leftBehind = (context: ContractNetContext, seats: readonly Seat[]): readonly number[] => {
  const isOut = ({ bidder }: { readonly bidder: string }): boolean => !seats.some(({ id }) => id === bidder)
  const { state } = context.visit
  const awards = awardsNow(context).filter(isOut)
  if (state === 'awarding') return [awards.length, flag(context.bids.some(isOut))]
  if (state !== 'performing') return [0, 0]
  return [
    flag(awards.some(({ status }) => status === 'done')),
    flag(awards.some(({ status }) => status !== 'done')),
  ]
}

const sketch = (context: ContractNetContext, now: number, _state: string, { joins }: Scope): Sketch => {
  const { visit, round, initiator, closing } = context
  if (closing !== null) return CLOSED
  // Without joins nobody who left comes back.
  const seats = joins ? context.seats : context.seats.filter(({ active }) => active)
  return {
    rest: [
      STATES.indexOf(visit.state),
      round,
      Math.max(0, visit.due - now),
      before(context),
      ...leftBehind(context, seats),
    ],
    members: seats.map(({ id, active, expelled }) => [
      flag(active) + 2 * flag(expelled),
      flag(id === initiator),
      turnsLeft(context, id),
      replyOf(context, id),
    ]),
    reserves: seats.map((seat) => reserveOf(context, seat)),
    things: [],
  }
}

/** The ways to name a proposal: each that there is, none, and one that there is not. */
const choices = ({ bids }: ContractNetContext, intent: Intent): Saying[] => [
  ...bids.map(({ bidder }) => ({ intent, payload: { bidder } })),
  { intent },
  { intent, replyTo: 'unknown' },
]

const says = (context: ContractNetContext, member: string): readonly Saying[] =>
  INTENTS.flatMap((intent): Saying[] => {
    const { visit, initiator } = context
    // Payloads matter to what the initiator says alone.
    if (member !== initiator || !admitting(intent).includes(visit.state)) return [{ intent }]
    // A shorter time to reply is all that the call can change of what comes after it.
    if (intent === 'cfp') return [{ intent }, { intent, payload: { replyWithin: 1 } }]
    return visit.state === 'awarding' && intent !== 'call_off' ? choices(context, intent) : [{ intent }]
  })

/** Whether a member can still say something late: what a state admits that was left since it was last heard. */
const mayBeLate = ({ visit, left }: ContractNetContext, { heard }: Seat): boolean =>
  INTENTS.some((intent) => {
    const states = admitting(intent)
    return !states.includes(visit.state) && states.some((state) => left[state] > heard)
  })

const spare = (context: ContractNetContext, member: string): number | null => {
  const seat = context.seats.find(({ id }) => id === member)
  if (seat === undefined || !seat.active || context.closing !== null) return 0
  const left = violationsLeft(context, seat)
  return left === null ? null : left + fleeting(context, member)
}

/** One message that is late. */
const fleeting = (context: ContractNetContext, member: string): number => {
  const seat = context.seats.find(({ id }) => id === member)
  return flag(seat?.active === true && context.closing === null && mayBeLate(context, seat))
}

/** Most turns without joins: each round visits each state once at most, and every proposal gives the initiator one more. */
const bound = (given: object, { members }: Group): number => {
  const { turnLimit, rounds } = given as Policy
  const each = STATES.reduce((sum, state) => sum + turnLimit[state], 0)
  return rounds * (members.length * each + members.length - 1)
}

export const checking: Checking<ContractNetContext> = {
  sketch,
  says,
  spare,
  fleeting,
  visit: ({ moves }) => moves,
  turns: ({ turns }) => turns,
  bound,
}
