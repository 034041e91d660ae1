/**
 * How the checker explores this protocol: what the future depends on, and what an adversary may try. Why this covers
 * every conversation is argued in docs/decisions/0010 and tested in test/machines/conversation/checking.test.ts.
 */
import type { Checking, Saying, Scope, Sketch, Thing } from '../../src/engine/protocol.ts'
import { admits, admitting } from './admission.ts'
import {
  activeMembers,
  type ConversationContext,
  chairOf,
  dueAt,
  type Seat,
  seatOf,
  shareOf,
} from './context.ts'
import { INTENTS, type Intent } from './intents.ts'
import type { Policy } from './policy.ts'

const CLOSED: Sketch = { rest: [], members: [], things: [] }
/** Proposals that the adversary lets lie open at once: the one that will be adopted, and the first. */
const MOST_OPEN = 2

const flag = (holds: boolean): number => (holds ? 1 : 0)

/** Turns of a member that count towards its share; 0 where nothing limits them. */
const turnsOf = ({ policy }: ConversationContext, seat: Seat, share: number | null): number =>
  policy.turnUnit === 'message' || share === null ? 0 : Math.min(seat.turns, share)

/**
 * How many more violations a member can afford, as far as it matters: a fault costs both a violation and a turn, so
 * what is beyond the turns that are left can never be used up by faults.
 */
const reserveOf = (context: ConversationContext, seat: Seat, share: number | null): number => {
  const { policy, spoken, visit } = context
  if (policy.violationLimit === null) return 0
  const left = Math.max(0, policy.violationLimit - 1 - seat.violations)
  // What is against the rules counts tokens, so that it may matter without a turn.
  if (policy.tokenBudget !== null) return left
  const limit = policy.turnLimit[visit.state]
  if (policy.turnUnit === 'message')
    return limit === null ? left : Math.min(left, Math.max(0, limit - spoken))
  return share === null ? left : Math.min(left, Math.max(0, share - seat.turns))
}

const sketch = (context: ConversationContext, now: number, _state: string, scope: Scope): Sketch => {
  const { policy, visit, closing } = context
  if (closing !== null) return CLOSED
  const { state } = visit
  // Without joins nobody who left comes back; with them, their counts and everybody's order matter.
  const seats = scope.joins ? context.seats : context.seats.filter(({ active }) => active)
  const share = shareOf(context, false)
  const inReview = state === 'review'
  // Before a plan is adopted nobody but the lead is set apart.
  const chair = context.adopted === null ? context.lead : chairOf(context)
  const rest = [
    context.rejections,
    visit.bonus,
    policy.turnUnit === 'message' && policy.turnLimit[state] !== null ? context.spoken : 0,
    policy.maxTurns === null ? 0 : Math.min(context.turns, policy.maxTurns),
    flag(policy.tokenBudget !== null && context.tokens >= policy.tokenBudget),
    policy.deadline[state] === null ? 0 : now - visit.since,
    policy.idle[state] === null ? 0 : now - context.touched,
  ]
  const verdictOf = (id: string): number => {
    const verdict = context.verdicts.find(({ from }) => from === id)
    if (!inReview || verdict === undefined) return 0
    return verdict.pass ? 1 : verdict.subtasks === null ? 2 : 3
  }
  const members = seats.map((seat, index) => [
    flag(seat.active) + 2 * flag(seat.expelled),
    flag(seat.id === context.lead) + 2 * flag(seat.id === chair),
    turnsOf(context, seat, share),
    flag(inReview && context.reviewers.includes(seat.id)),
    verdictOf(seat.id),
    scope.joins ? index + 1 + 100 * flag(seat.id === context.adopted?.author) : 0,
  ])
  const reserves = seats.map((seat) => reserveOf(context, seat, share))
  return {
    rest,
    members,
    reserves,
    things: state === 'proposal' ? proposals(context, seats) : subtasks(context, seats),
  }
}

/** The open proposals, in their order: the earliest wins. */
const proposals = (context: ConversationContext, seats: readonly Seat[]): Thing[] =>
  context.proposals.map(({ author, subtasks: { length }, agrees, objects }, index) => ({
    row: [index, length],
    ties: seats.map(
      ({ id }) => flag(author === id) + 2 * flag(agrees.includes(id)) + 4 * flag(objects.includes(id)),
    ),
  }))

const subtasks = (context: ConversationContext, seats: readonly Seat[]): Thing[] => {
  const named = context.visit.state === 'review' ? context.verdicts : []
  return context.subtasks.map(({ id: subtask, owner, offered, status, byLimit }) => ({
    row: [flag(status !== null) + flag(byLimit)],
    ties: seats.map(({ id }) => {
      const isNamed = named.some(({ from, subtasks: ids }) => from === id && ids?.includes(subtask) === true)
      return flag(owner === id) + 2 * flag(offered === id) + 4 * flag(isNamed)
    }),
  }))
}

/** Plans of every size; but beside an open proposal only such as have its size, since only the adopted one's counts. */
const planned = (context: ConversationContext, size: number): Saying[] => {
  const open = context.proposals[0]?.subtasks.length
  if (context.proposals.length >= MOST_OPEN) return []
  const sizes = open === undefined ? Array.from({ length: size + 1 }, (_, count) => count) : [open]
  return sizes.map((count) => ({
    intent: 'proposal',
    payload: { subtasks: Array.from({ length: count }, () => ({})) },
  }))
}

const votes = (context: ConversationContext, member: string): Saying[] => {
  const isDecisive = context.lead === member && context.policy.leadDecides
  const named = context.proposals.flatMap(({ id }): Saying[] => [
    { intent: 'agree', replyTo: id },
    { intent: 'object', replyTo: id },
    ...(isDecisive ? [{ intent: 'agree', replyTo: id, payload: { decisive: true } }] : []),
  ])
  const nameless: Saying[] = [{ intent: 'agree' }, { intent: 'object' }]
  const several = context.proposals.length > 1 ? nameless : []
  const unknown = context.spoken > 0 ? [] : nameless.map((vote) => ({ ...vote, replyTo: 'unknown' }))
  return [...named, ...several, ...unknown]
}

/**
 * Who shares out work, and who takes it. What names nothing does what some name does, unless there are several to name;
 * progress does what a result that replaces another does. They are said at first, to be seen once.
 */
const shared = (context: ConversationContext, member: string, { size }: Scope): Saying[] => {
  const isFirst = context.spoken === 0
  const pending = context.subtasks.filter(({ status }) => status === null)
  const offered = pending.filter((subtask) => subtask.offered === member)
  const mine = pending.filter((subtask) => subtask.owner === member || subtask.offered === member)
  // Of pieces of work that are alike only the first is named.
  const named = pending.filter(
    ({ owner, offered: to }, index) =>
      pending.findIndex((other) => other.owner === owner && other.offered === to) === index,
  )
  const members = activeMembers(context)
  const isOpen = context.subtasks.length < size
  const offers = named.flatMap(({ id }) => members.map((owner) => ({ subtask: id, owner })))
  const added = isOpen ? members.map((owner) => ({ subtask: fresh(context), owner })) : []
  const all: Saying[] = [...offers, ...added].map((payload) => ({ intent: 'assign', payload }))
  for (const { id } of named) all.push({ intent: 'accept', payload: { subtask: id } })
  for (const { id } of mine)
    if (named.some((subtask) => subtask.id === id)) all.push({ intent: 'object', payload: { subtask: id } })
  // Without a name it may begin the whole task as one piece of work.
  const begins = context.subtasks.length === 0 && isOpen
  // Where only the lead offers work, what is free cannot be taken by name, and without a name it was taken by others.
  const isInVain = context.policy.assigners === 'lead' && offered.length === 0 && pending.length > 0
  if (begins || isInVain || offered.length > 1 || (isFirst && context.subtasks.length > 0))
    all.push({ intent: 'accept' })
  if (isFirst || mine.length > 1) all.push({ intent: 'object' })
  if (isFirst)
    all.push({ intent: 'assign', payload: UNKNOWN }, { intent: 'accept', payload: { subtask: 'unknown' } })
  return all
}

/** An id that no subtask has. */
const fresh = ({ subtasks: { length } }: ConversationContext): string => `x${length}`

const worked = (context: ConversationContext, member: string): Saying[] => {
  const own = context.subtasks.filter(({ owner }) => owner === member)
  const all: Saying[] = own.map(({ id }) => ({ intent: 'result', payload: { subtask: id } }))
  if (own.filter(({ status }) => status === null).length > 1) all.push({ intent: 'result' })
  if (context.spoken < 2) all.push({ intent: 'result' })
  const isTalkSpent = seatOf(context, member)?.turns === context.policy.turnLimit.execution
  if (context.spoken < 2 || isTalkSpent) all.push({ intent: 'progress' })
  return all
}

const judged = (context: ConversationContext): Saying[] => [
  { intent: 'verdict' },
  { intent: 'reject' },
  ...context.subtasks.map(({ id }) => ({ intent: 'reject', payload: { subtasks: [id] } })),
]

/** What the state does not admit: before anybody has spoken all of it, then what is late once, and what is a violation once. */
const unadmitted = (context: ConversationContext, member: string): Saying[] => {
  const { policy, visit, spoken } = context
  const all = INTENTS.filter((intent) => !admits(policy, visit.state, intent)).map(
    (intent): Saying => (intent === 'assign' ? { intent, payload: UNKNOWN } : { intent }),
  )
  if (spoken === 0) return all
  const seat = seatOf(context, member)
  const isLate = ({ intent }: Saying): boolean =>
    seat !== undefined && mayBeLate(context, seat, intent as Intent)
  const late = all.find(isLate)
  const violation = all.find((saying) => !isLate(saying))
  return [late, violation].filter((saying) => saying !== undefined)
}

const UNKNOWN = { subtask: 'unknown', owner: 'nobody' }

const says = (
  context: ConversationContext,
  member: string,
  _state: string,
  scope: Scope,
): readonly Saying[] => {
  const { policy, visit } = context
  const { state } = visit
  const talk: Saying[] = policy.talk.includes(state) ? [{ intent: 'question' }, { intent: 'info' }] : []
  const meant = {
    discussion: () => planned(context, scope.size),
    proposal: () => [...planned(context, scope.size), ...votes(context, member)],
    assign: () => shared(context, member, scope),
    execution: () => [...shared(context, member, scope), ...worked(context, member)],
    review: () => judged(context),
  }[state]()
  const all = heeded(context, member, [...talk, ...meant, ...unadmitted(context, member)])
  if (policy.tokenBudget === null || context.tokens >= policy.tokenBudget) return all
  // What a message costs matters only where it spends the budget.
  const tokens = policy.tokenBudget - context.tokens
  return [...all, ...all.map((saying) => ({ ...saying, tokens }))]
}

/** Of a member without turns nothing is heeded, whatever it names: each intent is said once. */
const heeded = (context: ConversationContext, member: string, all: readonly Saying[]): readonly Saying[] => {
  const share = shareOf(context, false)
  const isSpent =
    context.policy.turnUnit === 'round' && share !== null && (seatOf(context, member)?.turns ?? 0) >= share
  if (!isSpent) return all
  return all.filter(({ intent }, index) => all.findIndex((other) => other.intent === intent) === index)
}

/** Whether an intent of a member's would be late: admitted by a state that was left since it was last heard, but not now. */
const mayBeLate = (
  { policy, visit, left, moves }: ConversationContext,
  seat: Seat,
  intent: Intent,
): boolean => {
  // Nothing was left since: looking further is only slower.
  if (seat.heard >= moves) return false
  return (
    !admits(policy, visit.state, intent) &&
    admitting(policy, intent).some((state) => left[state] > seat.heard)
  )
}

const spare = (context: ConversationContext, member: string): number | null => {
  const seat = seatOf(context, member)
  if (seat === undefined || !seat.active || context.closing !== null) return 0
  const { violationLimit } = context.policy
  if (violationLimit === null) return null
  return Math.max(0, violationLimit - 1 - seat.violations) + fleeting(context, member)
}

/** One message that is late. */
const fleeting = (context: ConversationContext, member: string): number => {
  const seat = seatOf(context, member)
  if (seat === undefined || !seat.active || context.closing !== null) return 0
  return flag(INTENTS.some((intent) => mayBeLate(context, seat, intent)))
}

/** As after `spare` messages that are late or against the rules. */
const spent = (context: ConversationContext, member: string): ConversationContext => {
  const { violationLimit } = context.policy
  if (violationLimit === null) return context
  const seats = context.seats.map((seat) =>
    seat.id === member
      ? {
          id: seat.id,
          active: seat.active,
          expelled: seat.expelled,
          turns: seat.turns,
          violations: violationLimit - 1,
          heard: context.moves,
        }
      : seat,
  )
  return { ...context, seats }
}

/** The same group, joined in another order: when who leads goes, each of the others is the next once. */
const twins = (context: ConversationContext, member: string): readonly ConversationContext[] => {
  const { adopted, seats } = context
  // Before a plan is adopted nobody but the lead is set apart.
  if ((adopted === null ? context.lead : chairOf(context)) !== member) return []
  const others = seats.filter(({ active, id }) => active && id !== member)
  const chair = seats.filter(({ id }) => id === member)
  return others.slice(1).map((next) => {
    const before = [...chair, next]
    return { ...context, seats: [...before, ...seats.filter((seat) => !before.includes(seat))] }
  })
}

/** Most turns without joins. Source: "Why it ends" of the specification, with no more subtasks than `size` at any time. */
const bound = (
  given: object,
  group: { readonly members: readonly string[] },
  size: number,
): number | null => {
  const { turnLimit, turnUnit, maxReject } = given as Policy
  const { discussion, proposal, assign, execution, review } = turnLimit
  if (discussion === null || proposal === null || assign === null || execution === null || review === null)
    return null
  if (turnUnit === 'message') return discussion + proposal + assign + (maxReject + 1) * (execution + review)
  const work = 2 * size
  const each = discussion + proposal + assign + work + (maxReject + 1) * (execution + work + review)
  return group.members.length * each
}

export const checking: Checking<ConversationContext> = {
  sketch,
  says,
  spare,
  fleeting,
  spent,
  visit: ({ moves }) => moves,
  // Without a deadline only turns move the idle time on, and these are limited.
  endsAt: (context) => {
    const deadline = context.policy.deadline[context.visit.state]
    return deadline === null ? dueAt(context) : context.visit.since + deadline
  },
  twins,
  turns: ({ turns }) => turns,
  bound,
}
