/** What the guards need to know of a conversation; never the transcript. All ids are opaque: looked up by value, never used as keys. */
import type { Json } from '../../src/schema/json.ts'
import type { Policy, State } from './policy.ts'

/** One member's place, kept after it leaves so that coming back launders nothing. */
export interface Seat {
  readonly id: string
  readonly active: boolean
  readonly expelled: boolean
  /** Turns of talk. */
  readonly turns: number
  readonly violations: number
  /** The clock took the floor from it: one message that comes after that is late, and no violation. */
  readonly overrun: boolean
}

export type ResultStatus = 'success' | 'partial' | 'failed'

export interface Task {
  /** t1, t2, … in the order of assignment. */
  readonly id: string
  readonly title: string | null
  readonly owner: string
  /** Null while its result is owed. */
  readonly status: ResultStatus | null
  readonly output: Json
  /** ms: when it counts as failed; null: never. */
  readonly due: number | null
  /** It failed by the clock: its owner may still report it. */
  readonly overdue: boolean
}

export type Status = 'concluded' | 'forced' | 'timeout' | 'abandoned' | 'cancelled'
export type Cause = 'turns' | 'deadline'

export interface IoaContext {
  readonly policy: Policy
  /** Active members in joining order, and those who left. */
  readonly seats: readonly Seat[]
  readonly lead: string | null
  /** Who has the floor, or gets it when the chat goes on; always an active member while there is one. */
  readonly speaker: string
  /** When the floor was given. */
  readonly given: number
  /** When the conversation opened. */
  readonly opened: number
  /** The present state, and when it was entered. */
  readonly visit: { readonly state: State; readonly since: number }
  /** Turns of talk. */
  readonly spoken: number
  /** Turns in the state conclusion. */
  readonly tries: number
  /** Turns of talk, results and turns in conclusion. */
  readonly turns: number
  readonly tasks: readonly Task[]
  /** The tasks that the chat waits for; empty while it goes on. */
  readonly awaited: readonly string[]
  /** What forced the conclusion; null: nothing yet. */
  readonly forced: Cause | null
  readonly conclusion: Json
  /** Who has reached the violation limit and is about to be expelled. */
  readonly offender: string | null
  readonly closing: { readonly status: Status; readonly cause: Cause | null } | null
}

export interface Opening {
  readonly members: readonly string[]
  readonly lead: string | null
  readonly policy: Policy
  /** ms. */
  readonly at: number
}

/** The context of a conversation that opens: the lead begins, or else the first member. */
export const opened = ({ members, lead, policy, at }: Opening): IoaContext => ({
  policy,
  seats: members.map((id) => ({
    id,
    active: true,
    expelled: false,
    turns: 0,
    violations: 0,
    overrun: false,
  })),
  lead,
  speaker: lead ?? members[0] ?? '',
  given: at,
  opened: at,
  visit: { state: 'discussion', since: at },
  spoken: 0,
  tries: 0,
  turns: 0,
  tasks: [],
  awaited: [],
  forced: null,
  conclusion: null,
  offender: null,
  closing: null,
})

export const seatOf = ({ seats }: IoaContext, id: string): Seat | undefined =>
  seats.find((seat) => seat.id === id)

export const isActive = (context: IoaContext, id: string): boolean => seatOf(context, id)?.active === true

export const activeMembers = ({ seats }: IoaContext): string[] =>
  seats.filter(({ active }) => active).map(({ id }) => id)

/** Whether members speak in turns now, and the chat does not wait for results. */
export const isTalk = (state: State): boolean => state === 'discussion' || state === 'async_assignment'

export const isPending = ({ status }: Task): boolean => status === null

/** Whether a result may still come: it is owed, or only late. */
export const isOpen = (task: Task): boolean => isPending(task) || task.overdue

/** A member's tasks whose results it owes. */
export const owedBy = ({ tasks }: IoaContext, member: string): Task[] =>
  tasks.filter((task) => task.owner === member && isPending(task))

/** Whether a member has had all its own turns of talk. */
export const isSpent = ({ policy: { memberTurns } }: IoaContext, seat: Seat): boolean =>
  memberTurns !== null && seat.turns >= memberTurns

/** Whether a member has a turn of talk left. */
export const hasTurn = (context: IoaContext, seat: Seat): boolean =>
  context.spoken < context.policy.maxTurns && !isSpent(context, seat)

/**
 * Who gets the floor: the first active member with turns left, in joining order and round again, from a member on or
 * after it. Where nobody has turns left, and where they do not count, the first active one; where nobody is there, `id`.
 */
export const holderFrom = (context: IoaContext, id: string, from: 'it' | 'the next'): string => {
  const { seats, visit } = context
  const start = seats.findIndex((seat) => seat.id === id) + (from === 'it' ? 0 : 1)
  const round = [...seats.slice(start), ...seats.slice(0, start)].filter(({ active }) => active)
  const able = visit.state === 'conclusion' ? round[0] : round.find((seat) => !isSpent(context, seat))
  return able?.id ?? round[0]?.id ?? id
}

/** When something is due next, in ms; null: nothing is. */
export const dueAt = (context: IoaContext): number | null => {
  const { policy, visit, closing } = context
  if (closing !== null) return null
  const times: (number | null)[] = []
  const after = (start: number, ms: number | null): void => void times.push(ms === null ? null : start + ms)
  if (visit.state === 'conclusion') after(visit.since, policy.concludeDeadline)
  else {
    after(context.opened, policy.chatDeadline)
    for (const task of context.tasks) if (isPending(task)) times.push(task.due)
  }
  if (visit.state === 'pause') after(visit.since, policy.pauseDeadline)
  if (visit.state === 'conclusion' || isTalk(visit.state)) after(context.given, policy.turnDeadline)
  const set = times.filter((time) => time !== null)
  return set.length === 0 ? null : Math.min(...set)
}
