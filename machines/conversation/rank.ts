/**
 * Why it ends: what remains, most important first. Every event but a join that changes the conversation makes it fall,
 * lexicographically. Source: "Why it ends" of the specification.
 *
 * Visits: no way returns but rework, which uses up a rejection. Within a visit every turn takes from the turns left,
 * every violation from the violations left, every late message from what its sender has not heard, and every leaver
 * from the members; each message does one of these. Where the policy sets no turn limit, turns alone need not end the
 * visit and its time does: then turns and violations count upwards without bound, and the component stays out.
 */
import { type ConversationContext, shareOf } from './context.ts'
import { STATES } from './policy.ts'

/** Visits still to come, at most, the present one included. */
const visitsLeft = ({ policy, rejections, visit, closing }: ConversationContext): number => {
  if (closing !== null) return 0
  const stage = STATES.length - STATES.indexOf(visit.state)
  return stage + 2 * (policy.maxReject - rejections)
}

/** Turns left in this visit; 0 where the policy sets no limit. */
const turnsLeft = (context: ConversationContext): number => {
  if (context.policy.turnUnit === 'message') {
    const limit = context.policy.turnLimit[context.visit.state]
    return limit === null ? 0 : Math.max(0, limit - context.spoken)
  }
  const share = shareOf(context, false)
  if (share === null) return 0
  return context.seats.reduce((sum, seat) => (seat.active ? sum + Math.max(0, share - seat.turns) : sum), 0)
}

/** Violations left before nobody is: 0 where the policy expels nobody. */
const violationsLeft = ({ policy, seats }: ConversationContext): number => {
  const limit = policy.violationLimit
  if (limit === null) return 0
  return seats.reduce((sum, seat) => (seat.active ? sum + Math.max(0, limit - seat.violations) : sum), 0)
}

/** Members who may still be late once: they have not spoken since the last change of state. */
const lateLeft = ({ seats, moves }: ConversationContext): number =>
  seats.filter((seat) => seat.active && seat.heard < moves).length

/** `[visits, members + turns + violations + late messages left]`. */
export const rank = (context: ConversationContext): readonly number[] => {
  if (context.closing !== null) return [0, 0]
  const members = context.seats.filter((seat) => seat.active).length
  return [visitsLeft(context), members + turnsLeft(context) + violationsLeft(context) + lateLeft(context)]
}
