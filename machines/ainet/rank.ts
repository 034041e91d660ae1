/**
 * Why it ends: what remains, most important first. Every event but a join that changes the context makes it fall,
 * lexicographically.
 *
 * Visits: a request goes from idle to pending, perhaps to done, and back to idle one round poorer; a talk never goes
 * back. Within a visit every turn takes from the turns left, every violation from the violations left, every late
 * message from those who have not heard, and every leaver from the members; each message does one of these. Where the
 * policy expels nobody, violations alone need not end the visit and its time does.
 */
import { type AinetContext, roundsOf } from './context.ts'

/** Visits of one round. */
const ROUND = { idle: 3, pending: 2, done: 1 } as const

/** Visits still to come, at most, the present one included. */
const visitsLeft = (context: AinetContext): number => {
  const { policy, visit } = context
  if (policy.mode === 'talk') return visit.state === 'talking' ? 1 : 2
  const stage = visit.state === 'talking' ? 0 : ROUND[visit.state]
  return ROUND.idle * (policy.rounds - roundsOf(context) - 1) + stage
}

/** Visits so far: it grows with each. */
export const visitOf = (context: AinetContext): number => {
  const { mode, rounds } = context.policy
  return (mode === 'talk' ? 2 : ROUND.idle * rounds) - visitsLeft(context)
}

/** `[visits, members + turns + violations + late messages left]`. */
export const rank = (context: AinetContext): readonly number[] => {
  const { policy, visit, seats, closing } = context
  if (closing !== null) return [0, 0]
  const turns = policy.turnLimit[visit.state]
  const violations = policy.violationLimit ?? 0
  const left = seats
    .filter(({ active }) => active)
    .map(
      (seat) =>
        1 +
        Math.max(0, turns - seat.turns) +
        Math.max(0, violations - seat.violations) +
        (seat.behind ? 1 : 0),
    )
  return [visitsLeft(context), left.reduce((sum, each) => sum + each, 0)]
}
