/** What a snapshot’s context must be to be taken up again: whole, of known values, and of the state that it is for. */
import { describe, expect, it } from 'vitest'
import { readContext } from '../../../machines/conversation/context-schema.ts'
import { contextIn, plan, work } from './table.ts'

const WARNINGS = ['adopted_without_quorum', 'partial', 'rejects_exhausted', 'unreviewed'] as const
const full = contextIn(
  'review',
  {
    proposals: [plan('m1', 'b', ['a'], ['c'])],
    adopted: { id: 'm1', author: 'b' },
    subtasks: [
      work('x', { title: 'X', requires: ['print'], owner: 'b', status: 'success', output: { n: [1] } }),
      work('y', { owner: 'b', status: 'partial' }),
      work('z', { offered: 'c', status: 'failed' }),
      work('w'),
    ],
    reviewers: ['c'],
    verdicts: [
      { from: 'c', pass: true, subtasks: null },
      { from: 'a', pass: false, subtasks: ['x'] },
    ],
    warnings: WARNINGS,
    offender: 'c',
  },
  { turnLimit: { discussion: 3 } },
)
const issuesOf = (given: unknown, state = 'review') => readContext(given, state).issues

describe('a context that comes back', () => {
  it('is taken as it is, also after JSON and whoever wrote the policy’s keys in which order', () => {
    expect(readContext(full, 'review').context).toEqual(full)
    expect(readContext(JSON.parse(JSON.stringify(full)), 'review').context).toEqual(full)
    const reversed = (value: object) => Object.fromEntries(Object.entries(value).reverse())
    const policy = reversed({ ...full.policy, turnLimit: reversed(full.policy.turnLimit) })
    expect(readContext({ ...full, policy }, 'review').context).toEqual(full)
  })

  it('may be closed for any reason that there is', () => {
    for (const status of ['accepted', 'rejects_exhausted', 'timeout', 'abandoned', 'cancelled'] as const)
      for (const cause of ['turns', 'deadline', 'idle', 'tokens', 'max_turns', null] as const)
        expect(issuesOf({ ...full, closing: { status, cause } }, 'closed')).toBeUndefined()
    expect(issuesOf({ ...full, closing: { status: 'bored', cause: null } }, 'closed')).toMatchObject([
      { path: 'context.closing.status' },
    ])
  })

  it('must be of the state that the snapshot names', () => {
    expect(issuesOf(full, 'assign')).toEqual([
      {
        path: 'context.visit.state',
        message: 'is of "review", but the snapshot\'s state is "assign"',
      },
    ])
    const closed = { ...full, closing: { status: 'timeout', cause: 'idle' } }
    expect(issuesOf(closed, 'review')).toEqual([
      { path: 'context.visit.state', message: 'is of "closed", but the snapshot\'s state is "review"' },
    ])
  })

  it('must have a whole policy, and a right one', () => {
    const { maxReject, ...lacking } = full.policy
    expect(maxReject).toBe(2)
    expect(issuesOf({ ...full, policy: lacking })).toEqual([
      { path: 'context.policy', message: 'must be complete' },
    ])
    const { review, ...someLimits } = full.policy.turnLimit
    expect(review).toBe(2)
    expect(issuesOf({ ...full, policy: { ...full.policy, turnLimit: someLimits } })).toEqual([
      { path: 'context.policy', message: 'must be complete' },
    ])
    expect(issuesOf({ ...full, policy: { ...full.policy, maxReject: -1, reviewQuorum: 0 } })).toEqual([
      { path: 'context.policy.reviewQuorum', message: 'must be an integer of at least 1' },
      { path: 'context.policy.maxReject', message: 'must be an integer of at least 0' },
    ])
    expect(issuesOf({ ...full, policy: null })).toMatchObject([{ path: 'context.policy' }])
    expect(issuesOf({ ...full, policy: 7 })).toMatchObject([{ path: 'context.policy' }])
  })

  it('must have nothing that is not known', () => {
    for (const [key, value] of Object.entries(full)) {
      const { [key as keyof typeof full]: left, ...lacking } = full
      expect(left).toBe(value)
      expect(issuesOf(lacking), `without ${key}`).toHaveLength(1)
    }
    expect(issuesOf({ ...full, more: 1 })).toHaveLength(1)
    const changed = <Key extends keyof typeof full>(key: Key, value: unknown) =>
      issuesOf({ ...full, [key]: value })
    expect(changed('seats', [{ ...full.seats[0], more: 1 }])).toHaveLength(1)
    expect(changed('seats', [{ ...full.seats[0], turns: -1 }])).toMatchObject([
      { path: 'context.seats[0].turns' },
    ])
    expect(changed('visit', { ...full.visit, more: 1 })).toHaveLength(1)
    expect(changed('left', { ...full.left, more: 1 })).toHaveLength(1)
    expect(changed('proposals', [{ ...full.proposals[0], more: 1 }])).toHaveLength(1)
    expect(changed('adopted', { ...full.adopted, more: 1 })).toHaveLength(1)
    expect(changed('subtasks', [{ ...full.subtasks[0], more: 1 }])).toHaveLength(1)
    expect(changed('subtasks', [{ ...full.subtasks[0], status: 'done' }])).toMatchObject([
      { path: 'context.subtasks[0].status' },
    ])
    expect(changed('verdicts', [{ ...full.verdicts[0], more: 1 }])).toHaveLength(1)
    expect(changed('warnings', ['late'])).toMatchObject([{ path: 'context.warnings[0]' }])
    expect(changed('closing', { status: 'timeout', cause: null, more: 1 })).toHaveLength(1)
  })
})
