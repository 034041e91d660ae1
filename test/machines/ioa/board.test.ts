/** What a member is shown and told when it is asked: the table, what it may say, its turns, and why it is asked. */
import { describe, expect, it } from 'vitest'
import { allowed, board, turnsLeft } from '../../../machines/ioa/board.ts'
import { dueAt, holderFrom, type IoaContext, opened, type Task } from '../../../machines/ioa/context.ts'
import { readContext } from '../../../machines/ioa/context-schema.ts'
import { floor } from '../../../machines/ioa/floor.ts'
import { type PolicyInput, policySchema, STATES, type State } from '../../../machines/ioa/policy.ts'

const contextIn = (state: State, given: Partial<IoaContext> = {}, policy: PolicyInput = {}): IoaContext => ({
  ...opened({ members: ['a', 'b', 'c'], lead: 'a', policy: policySchema.parse(policy), at: 0 }),
  visit: { state, since: 0 },
  ...given,
})
const seats = (more: Readonly<Record<string, Partial<IoaContext['seats'][number]>>>) =>
  contextIn('discussion').seats.map((seat) => ({ ...seat, ...more[seat.id] }))
const task = (id: string, owner: string, more: Partial<Task> = {}): Task => ({
  id,
  title: null,
  owner,
  status: null,
  output: null,
  due: null,
  overdue: false,
  ...more,
})
const intentsOf = (context: IoaContext, member: string): string[] =>
  allowed(context, member).map(({ intent }) => intent)
const CLOSING = { status: 'cancelled', cause: null } as const

describe('the board', () => {
  it('shows who has the floor, the tasks and what is owed, and how much talk is left', () => {
    const context = contextIn('pause', {
      tasks: [task('t1', 'b', { title: 'X' }), task('t2', 'b', { status: 'failed' }), task('t3', 'c')],
      awaited: ['t3'],
      spoken: 12,
      forced: 'turns',
    })
    expect(board(context, 'b')).toEqual({
      speaker: 'a',
      tasks: [
        { id: 't1', title: 'X', owner: 'b', status: null, awaited: false },
        { id: 't2', title: null, owner: 'b', status: 'failed', awaited: false },
        { id: 't3', title: null, owner: 'c', status: null, awaited: true },
      ],
      yours: ['t1'],
      talkLeft: 18,
      forced: 'turns',
    })
  })
})

describe('what a member may say', () => {
  const TASK = '{to: [member], title?, next?: member}'
  const TALK = [
    {
      intent: 'discuss',
      does: 'says something; the floor passes to `next`, or else to the next member',
      form: '{next?: member}',
    },
    {
      intent: 'assign_sync',
      does: 'gives a task to members, and the chat waits for their results',
      form: TASK,
    },
    {
      intent: 'assign_async',
      does: 'gives a task to members, and the chat goes on meanwhile',
      form: TASK,
    },
  ]
  const PAUSE = {
    intent: 'pause',
    does: 'has the chat wait for the results of the tasks named, or of all',
    form: '{tasks?: [id], next?: member}',
  }
  const REPORT = {
    intent: 'report',
    does: 'reports the result of the task named, or of all that one owes',
    form: '{task?, status?: "success" | "partial" | "failed", output?}',
  }
  const CONCLUDE = {
    intent: 'conclude',
    does: 'ends the talk: `next`, or else the speaker itself, sums it up',
    form: '{next?: member}',
  }

  it('is for the speaker to talk, to assign, and to wait for what is owed', () => {
    for (const state of ['discussion', 'async_assignment'] as const) {
      expect(allowed(contextIn(state), 'a')).toEqual([...TALK, CONCLUDE])
      expect(allowed(contextIn(state), 'b')).toEqual([])
      expect(allowed(contextIn(state, { tasks: [task('t1', 'a')] }), 'a')).toEqual([
        ...TALK,
        PAUSE,
        REPORT,
        CONCLUDE,
      ])
      expect(intentsOf(contextIn(state, { tasks: [task('t1', 'b', { status: 'failed' })] }), 'a')).toEqual([
        'discuss',
        'assign_sync',
        'assign_async',
        'conclude',
      ])
    }
  })

  it('is a result for whoever owes one, or is late with it, in every state', () => {
    for (const state of STATES) {
      const may = (more: Partial<Task>) =>
        intentsOf(contextIn(state, { tasks: [task('t1', 'b', more)] }), 'b')
      expect(may({})).toEqual(['report'])
      expect(may({ status: 'failed', overdue: true })).toEqual(['report'])
      expect(may({ status: 'failed' })).toEqual([])
    }
  })

  it('is nothing for the speaker while the chat waits, and the conclusion at the end', () => {
    expect(allowed(contextIn('pause'), 'a')).toEqual([])
    expect(allowed(contextIn('sync_assignment'), 'a')).toEqual([])
    const sum = {
      intent: 'conclude',
      does: 'sums up the result, and ends the conversation',
      form: '{output?}',
    }
    expect(allowed(contextIn('conclusion'), 'a')).toEqual([sum])
    expect(allowed(contextIn('conclusion', { tasks: [task('t1', 'a')] }), 'a')).toEqual([REPORT, sum])
    expect(allowed(contextIn('conclusion'), 'b')).toEqual([])
  })

  it('is nothing once it is closed, nor for somebody who is not there', () => {
    const tasks = [task('t1', 'b')]
    expect(allowed(contextIn('discussion', { closing: CLOSING, tasks }), 'b')).toEqual([])
    expect(allowed(contextIn('discussion', { seats: seats({ b: { active: false } }), tasks }), 'b')).toEqual(
      [],
    )
    expect(allowed(contextIn('discussion', { speaker: 'x' }), 'x')).toEqual([])
  })
})

describe('the turns that are left', () => {
  it('are those of talk, as many as the group and the member have, and one for each result owed', () => {
    const tasks = [task('t1', 'b'), task('t2', 'b'), task('t3', 'b', { status: 'success' }), task('t4', 'c')]
    expect(turnsLeft(contextIn('discussion', { spoken: 10, tasks }), 'b')).toBe(22)
    expect(turnsLeft(contextIn('discussion', { spoken: 10, tasks }), 'a')).toBe(20)
    const own: PolicyInput = { memberTurns: 5 }
    expect(turnsLeft(contextIn('discussion', { seats: seats({ b: { turns: 2 } }) }, own), 'b')).toBe(3)
    expect(
      turnsLeft(contextIn('discussion', { spoken: 29, seats: seats({ b: { turns: 2 } }) }, own), 'b'),
    ).toBe(1)
    expect(turnsLeft(contextIn('discussion', { spoken: 31 }), 'b')).toBe(0)
  })

  it('are those of the conclusion at the end, and none once it is closed or for who is gone', () => {
    expect(turnsLeft(contextIn('conclusion', { spoken: 30, tries: 1 }), 'b')).toBe(2)
    expect(turnsLeft(contextIn('conclusion', { tries: 4 }), 'b')).toBe(0)
    expect(turnsLeft(contextIn('discussion', { closing: CLOSING }), 'b')).toBe(0)
    expect(turnsLeft(contextIn('discussion', { seats: seats({ b: { active: false } }) }), 'b')).toBe(0)
    expect(turnsLeft(contextIn('discussion'), 'nobody')).toBe(0)
  })
})

describe('whom the floor asks', () => {
  const HAVE = 'You have the floor: discuss, assign a task, or conclude.'

  it('is the speaker while there is talk', () => {
    expect(floor(contextIn('discussion'))).toEqual([
      { member: 'a', task: HAVE, expected: 'discuss', replyTo: null },
    ])
    expect(floor(contextIn('async_assignment', { spoken: 29 }))).toEqual([
      {
        member: 'a',
        task: 'You have the floor, and this is the last turn: conclude, or a conclusion is forced.',
        expected: 'discuss',
        replyTo: null,
      },
    ])
    expect(floor(contextIn('discussion', { closing: CLOSING }))).toEqual([])
  })

  it('is whoever owes a result too, for the first of its tasks', () => {
    const tasks = [
      task('t1', 'b', { title: 'X' }),
      task('t2', 'b'),
      task('t3', 'c', { status: 'success' }),
      task('t4', 'c'),
    ]
    const working = [
      {
        member: 'b',
        task: 'Do the task t1 ("X") and report its result.',
        expected: 'report',
        replyTo: null,
        defaults: { task: 't1' },
      },
      {
        member: 'c',
        task: 'Do the task t4 and report its result.',
        expected: 'report',
        replyTo: null,
        defaults: { task: 't4' },
      },
    ]
    expect(floor(contextIn('async_assignment', { tasks }))).toEqual([
      {
        member: 'a',
        task: `${HAVE} Still owed: t1 ("X"), t2, t4; pause to wait for it.`,
        expected: 'discuss',
        replyTo: null,
      },
      ...working,
    ])
    expect(floor(contextIn('pause', { tasks }))).toEqual(working)
    // Who has the floor and owes a result reports first.
    expect(floor(contextIn('async_assignment', { tasks, speaker: 'b' }))).toEqual(working)
    expect(
      floor(contextIn('pause', { tasks, seats: seats({ b: { active: false } }) })).map(
        ({ member }) => member,
      ),
    ).toEqual(['c'])
  })

  it('is the speaker alone at the end', () => {
    const SUM = 'Sum up what the group has come to; the conversation ends with it.'
    const call = { member: 'a', expected: 'conclude', replyTo: null }
    expect(floor(contextIn('conclusion'))).toEqual([{ ...call, task: SUM }])
    const tasks = [task('t1', 'b', { title: 'X' }), task('t2', 'c'), task('t3', 'c', { status: 'failed' })]
    expect(floor(contextIn('conclusion', { tasks, forced: 'deadline' }))).toEqual([
      {
        ...call,
        task: `${SUM} The talk has come to its limit. Without a result so far: t1 ("X"), t2.`,
      },
    ])
  })

  it('is told long titles as cut texts', () => {
    const asked = (title: string) =>
      floor(contextIn('pause', { tasks: [task('t1', 'b', { title })] }))[0]?.task
    expect(asked('x'.repeat(80))).toContain(`("${'x'.repeat(80)}")`)
    expect(asked('x'.repeat(81))).toContain(`("${'x'.repeat(80)}…")`)
    expect(asked(`${'x'.repeat(79)}😀`)).toContain(`("${'x'.repeat(79)}\ufffd…")`)
  })
})

describe('who gets the floor', () => {
  const spent = { turns: 2 }
  const policy: PolicyInput = { memberTurns: 2 }
  const holder = (more: Parameters<typeof seats>[0], id: string, from: 'it' | 'the next', state: State) =>
    holderFrom(contextIn(state, { seats: seats(more) }, policy), id, from)

  it('is the next in the round who is there and has turns', () => {
    expect(holder({}, 'a', 'it', 'discussion')).toBe('a')
    expect(holder({}, 'a', 'the next', 'discussion')).toBe('b')
    expect(holder({}, 'c', 'the next', 'discussion')).toBe('a')
    expect(holder({ b: { active: false } }, 'a', 'the next', 'discussion')).toBe('c')
    expect(holder({ b: spent }, 'a', 'the next', 'discussion')).toBe('c')
    expect(holder({ b: spent, c: spent }, 'a', 'the next', 'discussion')).toBe('a')
    expect(holder({ a: { turns: 1 } }, 'a', 'it', 'discussion')).toBe('a')
  })

  it('is the first one there where nobody has turns or they do not count', () => {
    expect(holder({ a: spent, b: spent, c: spent }, 'a', 'the next', 'discussion')).toBe('b')
    expect(holder({ b: spent }, 'a', 'the next', 'conclusion')).toBe('b')
    const gone = { active: false }
    expect(holder({ a: gone, b: gone, c: gone }, 'b', 'it', 'discussion')).toBe('b')
  })
})

describe('what is due', () => {
  const policy: PolicyInput = {
    chatDeadline: 1000,
    turnDeadline: 100,
    taskDeadline: 500,
    pauseDeadline: 50,
    concludeDeadline: 300,
  }
  const due = (state: State, given: Partial<IoaContext> = {}, more: PolicyInput = {}) =>
    dueAt(contextIn(state, { visit: { state, since: 7 }, given: 20, ...given }, { ...policy, ...more }))

  it('is the earliest of what the state is limited by', () => {
    expect(due('discussion')).toBe(120)
    expect(due('async_assignment')).toBe(120)
    expect(due('pause')).toBe(57)
    expect(due('sync_assignment')).toBe(1000)
    expect(due('conclusion')).toBe(120)
    expect(due('conclusion', {}, { turnDeadline: null })).toBe(307)
    expect(due('sync_assignment', { opened: 5 })).toBe(1005)
    expect(due('discussion', { closing: CLOSING })).toBeNull()
  })

  it('is the deadline of a task that is owed, except at the end', () => {
    const tasks = [task('t1', 'b', { due: 30 }), task('t2', 'b', { due: 10, status: 'failed' })]
    expect(due('discussion', { tasks })).toBe(30)
    expect(due('conclusion', { tasks })).toBe(120)
    expect(due('discussion', { tasks: [task('t1', 'b')] })).toBe(120)
  })

  it('is nothing where nothing is limited', () => {
    const open = contextIn('sync_assignment')
    expect(dueAt({ ...open, policy: { ...open.policy, chatDeadline: null } })).toBeNull()
  })
})

describe('a context that comes back', () => {
  const full = contextIn('pause', {
    tasks: (['success', 'partial', 'failed', null] as const).map((status, index) =>
      task(`t${index}`, 'b', { status, title: 'X', due: 9, output: { n: [1] } }),
    ),
    awaited: ['t3'],
    offender: 'b',
  })

  it('is taken as it is, closed for any reason that there is', () => {
    expect(readContext(JSON.parse(JSON.stringify(full)), 'pause').context).toEqual(full)
    for (const status of ['concluded', 'forced', 'timeout', 'abandoned', 'cancelled'] as const)
      for (const cause of ['turns', 'deadline', null] as const)
        expect(
          readContext({ ...full, forced: cause, closing: { status, cause } }, 'closed').issues,
        ).toBeUndefined()
  })

  it('is refused where it is of another state, or nobody there has the floor', () => {
    expect(readContext(full, 'discussion').issues).toEqual([
      { path: 'context.visit.state', message: 'is of "pause", but the snapshot\'s state is "discussion"' },
    ])
    expect(readContext({ ...full, closing: CLOSING }, 'pause').issues).toEqual([
      { path: 'context.visit.state', message: 'is of "closed", but the snapshot\'s state is "pause"' },
    ])
    const speechless = [{ path: 'context.speaker', message: 'must be an active member' }]
    expect(readContext({ ...full, speaker: 'nobody' }, 'pause').issues).toEqual(speechless)
    expect(readContext({ ...full, seats: seats({ a: { active: false } }) }, 'pause').issues).toEqual(
      speechless,
    )
    expect(readContext({ ...full, speaker: 'nobody', closing: CLOSING }, 'closed').issues).toBeUndefined()
  })

  it('is refused where anything is missing or unknown', () => {
    for (const key of Object.keys(full)) {
      const lacking = Object.fromEntries(Object.entries(full).filter(([each]) => each !== key))
      expect(readContext(lacking, 'pause').issues, key).not.toBeUndefined()
    }
    const refused = (more: object) =>
      expect(readContext({ ...full, ...more }, 'pause').issues?.length).toBeGreaterThan(0)
    refused({ more: 1 })
    refused({ seats: full.seats.map((seat) => ({ ...seat, more: 1 })) })
    refused({ visit: { ...full.visit, more: 1 } })
    refused({ tasks: full.tasks.map((each) => ({ ...each, more: 1 })) })
    refused({ closing: { ...CLOSING, more: 1 } })
    refused({ spoken: -1 })
  })
})
