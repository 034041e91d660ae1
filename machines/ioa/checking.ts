/** How the checker explores this protocol: what the future depends on, and what an adversary may try. */
import type { Checking, Saying, Scope, Sketch } from '../../src/engine/protocol.ts'
import { ColloquyError } from '../../src/errors.ts'
import { activeMembers, type IoaContext, isActive, isOpen, isPending, isTalk, seatOf } from './context.ts'
import { policySchema, STATES } from './policy.ts'

const CLOSED: Sketch = { rest: [], members: [], things: [] }

const flag = (holds: boolean): number => (holds ? 1 : 0)

/**
 * The order of the members is told by how far each is from the speaker: who comes next depends on nothing else. Tasks
 * that are reported, or whose owner is gone, are past.
 */
const sketch = (context: IoaContext, now: number, _state: string, { joins }: Scope): Sketch => {
  const { policy, visit, closing } = context
  if (closing !== null) return CLOSED
  const isEnd = visit.state === 'conclusion'
  // Who left may come back to its counts; then it also matters where the end of the line is.
  const seats = joins ? context.seats : context.seats.filter(({ active }) => active)
  const speaker = seats.findIndex(({ id }) => id === context.speaker)
  const since = (start: number, ms: number | null): number => (ms === null ? 0 : now - start)
  const rest = [
    STATES.indexOf(visit.state),
    isEnd ? context.tries : context.spoken,
    flag(isEnd && context.forced !== null),
    isEnd ? now - visit.since : since(context.opened, policy.chatDeadline),
    isEnd || isTalk(visit.state) ? since(context.given, policy.turnDeadline) : 0,
    visit.state === 'pause' ? since(visit.since, policy.pauseDeadline) : 0,
  ]
  const members = seats.map((seat, index) => [
    (index - speaker + seats.length) % seats.length,
    policy.memberTurns === null || isEnd ? 0 : Math.min(seat.turns, policy.memberTurns),
    flag(seat.overrun),
    flag(!isEnd && seat.id === context.lead),
    joins ? 4 * index + 2 * flag(seat.expelled) + flag(seat.active) : 0,
  ])
  const left = policy.violationLimit === null ? 1 : policy.violationLimit
  const reserves = seats.map(({ violations }) => Math.max(0, left - 1 - violations))
  const open = context.tasks.filter((task) => isOpen(task) && isActive(context, task.owner))
  const things = open.map((task) => ({
    row: [
      flag(task.overdue),
      isEnd || task.overdue || task.due === null ? 0 : task.due - now,
      flag(context.awaited.includes(task.id)),
    ],
    ties: seats.map(({ id }) => flag(id === task.owner)),
  }))
  return { rest, members, reserves, things }
}

/** More choices at one point than this leave nothing to be explored in any time. */
const MOST_CHOICES = 10_000

/** All of the choices of at least one and at most `most` of the items. */
const choicesOf = <Item>(items: readonly Item[], most: number): Item[][] => {
  const choices: Item[][] = [[]]
  for (const item of items) {
    for (const choice of [...choices]) if (choice.length < most) choices.push([...choice, item])
    if (choices.length > MOST_CHOICES) {
      throw new ColloquyError(
        'USAGE',
        `There are more than ${MOST_CHOICES} ways to choose up to ${most} of ${items.length} members or tasks`,
        {
          remedy:
            'Check fewer members, or fewer pieces of work: more ways than these are never gone through.',
        },
      )
    }
  }
  return choices.slice(1)
}

/** Against the rules, whoever says it and in whatever state; but in conclusion its speaker may say the last as it stands. */
const WRONG: readonly Saying[] = [
  { intent: 'discuss', payload: { next: 'nobody' } },
  { intent: 'assign_sync', payload: { to: ['nobody'] } },
  { intent: 'assign_async', payload: { to: ['nobody'] } },
  { intent: 'pause', payload: { tasks: ['nothing'] } },
  { intent: 'report', payload: { task: 'nothing' } },
  { intent: 'conclude', payload: { next: 'nobody' } },
]

/** What whoever has the floor may say. A name that is left out stands for one that is there. */
const spoken = (context: IoaContext, size: number): Saying[] => {
  const members = activeMembers(context)
  const open = context.tasks.filter((task) => isOpen(task) && isActive(context, task.owner))
  const pending = context.tasks.filter(isPending).map(({ id }) => id)
  return members.flatMap((next) => [
    { intent: 'discuss', payload: { next } },
    { intent: 'conclude', payload: { next } },
    ...choicesOf(members, size - open.length).flatMap((to) => [
      { intent: 'assign_sync', payload: { to, next } },
      { intent: 'assign_async', payload: { to, next } },
    ]),
    ...choicesOf(pending, size).map((tasks) => ({ intent: 'pause', payload: { tasks, next } })),
  ])
}

const says = (context: IoaContext, member: string, _state: string, { size }: Scope): readonly Saying[] => {
  const own = context.tasks.filter((task) => task.owner === member && isOpen(task))
  const talks = context.speaker === member && isTalk(context.visit.state)
  return [
    ...(talks ? spoken(context, size) : []),
    ...own.map(({ id }) => ({ intent: 'report', payload: { task: id } })),
    ...(own.length > 1 ? [{ intent: 'report' }] : []),
    ...WRONG,
  ]
}

export const checking: Checking<IoaContext> = {
  sketch,
  says,
  /** Violations count for the whole conversation. */
  spare(context, member) {
    const { violationLimit } = context.policy
    const seat = seatOf(context, member)
    if (seat === undefined || !seat.active || context.closing !== null) return 0
    return violationLimit === null ? null : Math.max(0, violationLimit - 1 - seat.violations)
  },
  visit: () => 0,
  turns: ({ turns }) => turns,
  /** Every turn of talk may assign work to as many as there are, each of whom reports; then there are the turns for the conclusion. */
  bound(policy, { members: { length } }, size) {
    const { maxTurns, memberTurns, concludeTurns } = policySchema.parse(policy)
    const talk = memberTurns === null ? maxTurns : Math.min(maxTurns, length * memberTurns)
    return talk * (1 + Math.min(length, size)) + concludeTurns
  },
}
