/** What the suite of journals appends: events, standings, snapshots and questions, made short. */
import { onTestFinished } from 'vitest'
import type { Journal, Lease, Standing } from '../../../src/journals/journal.ts'
import type { Question } from '../../../src/schema/question.ts'
import type { RecordEvent } from '../../../src/schema/record.ts'
import type { Snapshot } from '../../../src/schema/snapshot.ts'

export interface Bench {
  /** Opens the same journal again, as another process would after this one has ended, or beside it where it is `shared`. */
  open(): Journal
  /**
   * Lets time pass for the leases of all journals that were opened here. A journal whose clock is a server's moves the
   * ends of its leases instead; the suite allows for the time that it takes itself.
   * @param ms
   */
  pass(ms: number): void | Promise<void>
}

/** A journal that is closed when the test is over. */
export const opened = (bench: Bench): Journal => {
  const journal = bench.open()
  onTestFinished(() => journal.close())
  return journal
}

export const opening = (id: string, machine = 'conversation'): RecordEvent => ({
  type: 'open',
  at: 0,
  id,
  machine,
  version: 1,
  goal: 'goal – 目标',
  members: ['a'],
  lead: null,
  policy: {},
})

export const cancel = (at: number): RecordEvent => ({ type: 'cancel', at })

export const said = (id: string, content = 'hello', from = 'a'): RecordEvent => ({
  type: 'message',
  at: 1,
  message: { id, from, intent: 'info', content, payload: { nested: [1, null, { deep: true }] } },
})

export const standing = (changes: Partial<Standing> = {}): Standing => ({
  state: 'discussion',
  dueAt: 1_000,
  outcome: null,
  ...changes,
})

export const closed = (status = 'completed'): Standing => ({
  state: 'closed',
  dueAt: null,
  outcome: { status, reason: 'because – 因为' },
})

export const snapshot = (id: string, seq: number, known: Snapshot['known'] = []): Snapshot => ({
  format: 1,
  machine: 'conversation',
  version: 1,
  id,
  goal: 'goal – 目标',
  state: 'discussion',
  context: { turns: seq, nested: { members: ['a', '智能体'] } },
  seq,
  at: 1,
  known,
})

export const question = (conversation: string, id: string, at = 1): Question => ({
  id,
  conversation,
  member: 'a',
  state: 'discussion',
  task: 'say – 说',
  goal: 'goal',
  seq: 0,
  at,
  dueAt: null,
  allowed: [{ intent: 'info', does: 'tells' }],
  expected: null,
  notice: null,
})

/** ms: long enough that no lease ends by the time that the suite takes. */
export const TTL = 100_000

/** Opens a conversation under a lease that takes it. */
export const taken = async (journal: Journal, id: string, dueAt: number | null = 1_000): Promise<Lease> => {
  const lease = await journal.lease(TTL)
  await lease.take(id)
  await journal.append(id, 0, [opening(id)], { lease: lease.id, standing: standing({ dueAt }) })
  return lease
}
