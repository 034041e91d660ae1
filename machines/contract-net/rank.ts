/**
 * Why it ends: what remains, most important first. Every event but a join that changes the contract net makes it fall,
 * lexicographically.
 *
 * Visits: a round goes through its states in one direction, and each call uses up a round. Within a visit every turn
 * takes from the turns left, every violation from the violations left, every late message from what its sender has not
 * heard, and every leaver from the members. Where the policy expels nobody, violations may go on until the due time,
 * which only a new visit moves.
 */
import { type ContractNetContext, turnsLeft } from './context.ts'
import { STATES } from './policy.ts'

/** Visits still to come, at most, the present one included. */
const visitsLeft = ({ policy, round, visit, closing }: ContractNetContext): number => {
  if (closing !== null) return 0
  const later = STATES.length * (policy.rounds - round)
  // A call is counted when it is made: while it is waited for, its round is among the later ones.
  return visit.state === 'calling' ? later : later + STATES.length - STATES.indexOf(visit.state)
}

/** `[visits, members + turns + violations + late messages left]`. */
export const rank = (context: ContractNetContext): readonly number[] => {
  if (context.closing !== null) return [0, 0]
  const { seats, moves, policy } = context
  let left = 0
  for (const { id, active, violations, heard } of seats) {
    if (!active) continue
    left += 1 + turnsLeft(context, id) + (heard < moves ? 1 : 0)
    if (policy.violationLimit !== null) left += Math.max(0, policy.violationLimit - violations)
  }
  return [visitsLeft(context), left]
}
