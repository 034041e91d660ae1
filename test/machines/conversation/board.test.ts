/** What a member is told when it is asked: what lies on the table, what it may say, how many turns it has. */
import { describe, expect, it } from 'vitest'
import { allowed, board, turnsLeft } from '../../../machines/conversation/board.ts'
import type { ConversationContext } from '../../../machines/conversation/context.ts'
import type { PolicyInput } from '../../../machines/conversation/policy.ts'
import { contextIn, plan, work } from './table.ts'

const CLOSING = { status: 'cancelled', cause: null } as const
const intentsOf = (context: ConversationContext, member: string): string[] =>
  allowed(context, member).map(({ intent }) => intent)

describe('the board', () => {
  const context = contextIn(
    'review',
    {
      proposals: [plan('m1', 'a', ['b'], ['c'])],
      adopted: { id: 'm1', author: 'b' },
      subtasks: [
        work('x', { title: 'X', requires: ['print'], owner: 'b' }),
        work('y', { offered: 'c' }),
        work('z', { owner: 'b', status: 'partial', attempts: 2 }),
        work('w', { offered: 'c', status: 'failed' }),
      ],
      reviewers: ['c'],
      rejections: 1,
    },
    { maxReject: 4 },
  )

  it('shows proposals with their votes, work with its owners, and who reviews', () => {
    expect(board(context, 'b')).toEqual({
      chair: 'a',
      proposals: [
        {
          id: 'm1',
          author: 'a',
          subtasks: [{ id: 'x', title: 'X' }],
          agrees: ['b'],
          objects: ['c'],
          yourVote: 'agree',
        },
      ],
      adopted: 'm1',
      subtasks: [
        {
          id: 'x',
          title: 'X',
          requires: ['print'],
          owner: 'b',
          offered: null,
          status: null,
          attempts: 0,
        },
        { id: 'y', title: null, requires: [], owner: null, offered: 'c', status: null, attempts: 0 },
        { id: 'z', title: null, requires: [], owner: 'b', offered: null, status: 'partial', attempts: 2 },
        { id: 'w', title: null, requires: [], owner: null, offered: 'c', status: 'failed', attempts: 0 },
      ],
      yours: ['x'],
      offeredToYou: [],
      reviewers: ['c'],
      rejections: 1,
      maxReject: 4,
    })
  })

  it('tells each member its own vote and its own pending work', () => {
    expect(board(context, 'c')).toMatchObject({
      proposals: [{ yourVote: 'object' }],
      yours: [],
      offeredToYou: ['y'],
    })
    expect(board(context, 'a')).toMatchObject({
      proposals: [{ yourVote: null }],
      yours: [],
      offeredToYou: [],
    })
  })

  it('names reviewers in an open review only, and no plan before one is adopted', () => {
    expect(board({ ...context, closing: CLOSING }, 'a').reviewers).toEqual([])
    expect(board(contextIn('execution', { reviewers: ['c'] }), 'a').reviewers).toEqual([])
    expect(board(contextIn('execution', {}, { reviewers: 'any' }), 'a').reviewers).toEqual([])
    expect(board(contextIn('discussion'), 'a').adopted).toBeNull()
  })
})

describe('what a member may say', () => {
  const TALK = [
    { intent: 'question', does: 'asks the others something' },
    { intent: 'info', does: 'tells the others something' },
  ]
  const PROPOSAL = {
    intent: 'proposal',
    does: 'proposes a plan; its subtasks are what will be worked on',
    form: '{subtasks?: [{id?, title?, requires?: [capability]}]}',
  }
  const ASSIGN = {
    intent: 'assign',
    does: 'offers a pending subtask to a member, or takes it oneself',
    form: '{subtask, owner, title?}',
  }
  const ACCEPT = {
    intent: 'accept',
    does: 'takes the subtask named, or what is offered, or the first free one',
    form: '{subtask?}',
  }
  const GIVE_BACK = { intent: 'object', does: 'gives back the subtask named, or all of one’s own' }

  it('is told with what each intent does and the form of its payload', () => {
    expect(allowed(contextIn('discussion'), 'b')).toEqual([...TALK, PROPOSAL])
    const voting = contextIn('proposal', { proposals: [plan('m1', 'b')] })
    const agree = { intent: 'agree', does: 'votes for the proposal that replyTo names' }
    const object = { intent: 'object', does: 'votes against the proposal that replyTo names' }
    expect(allowed(voting, 'b')).toEqual([PROPOSAL, agree, object])
    expect(allowed(voting, 'a')).toEqual([PROPOSAL, { ...agree, form: '{decisive?: true}' }, object])
    expect(allowed(contextIn('assign', { subtasks: [work('x', { owner: 'b' })] }), 'b')).toEqual([
      GIVE_BACK,
      ASSIGN,
      ACCEPT,
    ])
    expect(allowed(contextIn('execution', { subtasks: [work('x', { owner: 'b' })] }), 'b')).toEqual([
      GIVE_BACK,
      ASSIGN,
      ACCEPT,
      {
        intent: 'progress',
        does: 'tells how the work goes',
        form: '{subtask?, percent?, note?}',
      },
      {
        intent: 'result',
        does: 'reports the subtask named, or all of one’s own that are pending',
        form: '{subtask?, status?: "success" | "partial" | "failed", output?}',
      },
    ])
    const judging = '{subtasks?: [id], unsupported?: [sentence], reasons?: [text]}'
    expect(allowed(contextIn('review', { reviewers: ['b'] }), 'b')).toEqual([
      {
        intent: 'verdict',
        does: 'passes the results (or rejects them, with verdict "reject")',
        form: `{verdict?: "pass" | "reject", ${judging.slice(1)}`,
      },
      { intent: 'reject', does: 'sends the subtasks named, or all, back to work', form: judging },
    ])
  })

  it('is decisive for the lead only, and only where the lead decides', () => {
    const formIn = (context: ConversationContext, member: string) =>
      allowed(context, member).find(({ intent }) => intent === 'agree')?.form
    const proposals = [plan('m1', 'b')]
    expect(formIn(contextIn('proposal', { proposals }), 'c')).toBeUndefined()
    expect(formIn(contextIn('proposal', { proposals }, { leadDecides: false }), 'a')).toBeUndefined()
  })

  it('is nothing once it is closed, for somebody who is not there, and without turns', () => {
    expect(allowed(contextIn('discussion', { closing: CLOSING }), 'b')).toEqual([])
    expect(allowed(contextIn('discussion', { gone: ['b'] }), 'b')).toEqual([])
    expect(allowed(contextIn('discussion'), 'nobody')).toEqual([])
    expect(allowed(contextIn('discussion', { turnsOf: { b: 6 } }), 'b')).toEqual([])
  })

  it('is an assignment for the chair, who owns pending work, and anybody where work lies free', () => {
    const free = { subtasks: [work('x')] }
    const taken = { subtasks: [work('x', { owner: 'b' })] }
    const done = { subtasks: [work('x', { owner: 'b', status: 'success' })] }
    const LED: PolicyInput = { assigners: 'lead' }
    const mayAssign = (given: typeof free, policy: PolicyInput = {}) =>
      ['a', 'b', 'c'].filter((member) =>
        intentsOf(contextIn('execution', given, policy), member).includes('assign'),
      )
    expect(mayAssign(free)).toEqual(['a', 'b', 'c'])
    expect(mayAssign(free, LED)).toEqual(['a'])
    expect(mayAssign(taken)).toEqual(['a', 'b'])
    expect(mayAssign(done)).toEqual(['a'])
    expect(mayAssign({ subtasks: [work('x', { status: 'failed' })] })).toEqual(['a'])
  })

  it('is an acceptance while work is pending, or where a plan without work may be taken on', () => {
    const mayAccept = (subtasks: ConversationContext['subtasks'], policy: PolicyInput = {}) =>
      intentsOf(contextIn('assign', { subtasks }, policy), 'c').includes('accept')
    expect(mayAccept([])).toBe(true)
    expect(mayAccept([], { assigners: 'lead' })).toBe(false)
    expect(mayAccept([work('x')])).toBe(true)
    expect(mayAccept([work('x')], { assigners: 'lead' })).toBe(true)
    expect(mayAccept([work('x', { status: 'success' }), work('y')])).toBe(true)
    expect(mayAccept([work('x', { status: 'success' })])).toBe(false)
  })

  it('is giving back for who has or is offered something that is pending', () => {
    const mayObject = (more: object) =>
      intentsOf(contextIn('execution', { subtasks: [work('x', more)] }), 'b').includes('object')
    expect(mayObject({ owner: 'b' })).toBe(true)
    expect(mayObject({ offered: 'b' })).toBe(true)
    expect(mayObject({})).toBe(false)
    expect(mayObject({ owner: 'c' })).toBe(false)
    expect(mayObject({ owner: 'b', status: 'success' })).toBe(false)
    expect(mayObject({ offered: 'b', status: 'failed' })).toBe(false)
  })

  it('is progress and a result for who owns something, reported or not', () => {
    const told = (more: object, turnsOf = {}) =>
      intentsOf(
        contextIn('execution', {
          subtasks: [work('x', more)],
          turnsOf,
          visit: { state: 'execution', since: 0, bonus: 4 },
        }),
        'b',
      ).filter((intent) => intent === 'progress' || intent === 'result')
    expect(told({ owner: 'b' })).toEqual(['progress', 'result'])
    expect(told({ owner: 'b', status: 'failed' })).toEqual(['progress', 'result'])
    expect(told({ owner: 'c' })).toEqual([])
    // The turns beyond the turn limit are for the work, not for talk.
    expect(told({ owner: 'b' }, { b: 19 })).toEqual(['progress', 'result'])
    expect(told({ owner: 'b' }, { b: 20 })).toEqual(['result'])
  })

  it('is talk as long as turns for it are left, and without limit where the group shares them', () => {
    const policy: PolicyInput = { talk: ['execution'], turnLimit: { execution: 2 } }
    const visit = { state: 'execution', since: 0, bonus: 4 } as const
    const mayTalk = (turns: number, more: PolicyInput = {}) =>
      intentsOf(
        contextIn('execution', { turnsOf: { b: turns }, visit }, { ...policy, ...more }),
        'b',
      ).includes('info')
    expect([0, 1, 2, 3].map((turns) => mayTalk(turns))).toEqual([true, true, false, false])
    expect(mayTalk(3, { turnUnit: 'message' })).toBe(true)
    expect(mayTalk(99, { turnLimit: { execution: null } })).toBe(true)
  })

  it('is a verdict for reviewers only', () => {
    expect(intentsOf(contextIn('review', { reviewers: ['c'] }), 'b')).toEqual([])
    expect(intentsOf(contextIn('review', {}, { reviewers: 'lead' }), 'a')).toEqual(['verdict', 'reject'])
  })
})

describe('the turns that are left', () => {
  it('are a member’s share of the visit, with what the work adds to it', () => {
    const visit = { state: 'execution', since: 0, bonus: 4 } as const
    const policy: PolicyInput = { turnLimit: { execution: 5 } }
    expect(turnsLeft(contextIn('execution', { visit, turnsOf: { b: 2 } }, policy), 'b')).toBe(7)
    expect(turnsLeft(contextIn('execution', { visit, turnsOf: { b: 2 } }, policy), 'c')).toBe(9)
    expect(turnsLeft(contextIn('execution', { visit }, policy), 'nobody')).toBe(9)
  })

  it('are the group’s where the policy counts messages', () => {
    const policy: PolicyInput = { turnUnit: 'message', turnLimit: { discussion: 5 } }
    expect(turnsLeft(contextIn('discussion', { spoken: 3, turnsOf: { b: 3 } }, policy), 'b')).toBe(2)
    expect(turnsLeft(contextIn('discussion', { spoken: 9 }, policy), 'b')).toBe(0)
    const without: PolicyInput = { turnUnit: 'message', turnLimit: { discussion: null } }
    expect(turnsLeft(contextIn('discussion', { spoken: 3 }, without), 'b')).toBeNull()
  })

  it('are never more than those of all states together', () => {
    const policy: PolicyInput = { turnLimit: { discussion: 5 }, maxTurns: 10 }
    expect(turnsLeft(contextIn('discussion', { turns: 7 }, policy), 'b')).toBe(3)
    expect(turnsLeft(contextIn('discussion', { turns: 2 }, policy), 'b')).toBe(5)
    expect(turnsLeft(contextIn('discussion', { turns: 11 }, policy), 'b')).toBe(0)
    const unlimited: PolicyInput = { turnLimit: { discussion: null } }
    expect(turnsLeft(contextIn('discussion', { turns: 7 }, { ...unlimited, maxTurns: 10 }), 'b')).toBe(3)
    expect(turnsLeft(contextIn('discussion', { turns: 7 }, unlimited), 'b')).toBeNull()
  })
})
