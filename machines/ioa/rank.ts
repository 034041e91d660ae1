/**
 * Why it ends: what remains, most important first. Every event but a join that changes the conversation makes it fall,
 * lexicographically; where nobody is ever expelled a violation leaves it and the due time as they are.
 *
 * Talk comes before the conclusion, and no way leads back. While there is talk, whatever gives somebody the floor or
 * makes the chat wait costs one of the turns that are left for all. In conclusion, whatever is not the conclusion costs
 * its concluder one of the turns for it. Apart from these, an event can only take from what is counted last: a result
 * comes in or its time is up, somebody goes, breaks a rule, or is late, a pause is over.
 */
import { type IoaContext, isActive, isPending } from './context.ts'

/** Results that may still come: once for the clock and once for the owner, whichever is first. */
const resultsLeft = (context: IoaContext): number =>
  context.tasks.reduce((sum, task) => {
    if (!isActive(context, task.owner)) return sum
    return sum + (isPending(task) ? 2 : task.overdue ? 1 : 0)
  }, 0)

/** `[stage, turns left in it, members + violations left + late messages + results + pause]`. */
export const rank = (context: IoaContext): readonly number[] => {
  const { policy, visit, closing, seats, spoken, tries } = context
  if (closing !== null) return [0, 0, 0]
  const { violationLimit } = policy
  const rest = seats
    .filter(({ active }) => active)
    .map(
      ({ violations, overrun }) =>
        1 + (violationLimit === null ? 0 : violationLimit - violations) + (overrun ? 1 : 0),
    )
    .reduce((sum, each) => sum + each, resultsLeft(context) + (visit.state === 'pause' ? 1 : 0))
  return visit.state === 'conclusion'
    ? [1, policy.concludeTurns - tries, rest]
    : [2, policy.maxTurns - spoken, rest]
}
