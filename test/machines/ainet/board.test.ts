/** What a member is shown and told when it is asked: the mailbox, what it may say, its turns, and why it is asked. */
import { describe, expect, it } from 'vitest'
import { allowed, board, turnsLeft } from '../../../machines/ainet/board.ts'
import { type AinetContext, dueAt, opened, type Request } from '../../../machines/ainet/context.ts'
import { floor } from '../../../machines/ainet/floor.ts'
import { payloads } from '../../../machines/ainet/intents.ts'
import { outcomeOf } from '../../../machines/ainet/outcome.ts'
import { type PolicyInput, policySchema, type State } from '../../../machines/ainet/policy.ts'
import { rank, visitOf } from '../../../machines/ainet/rank.ts'
import type { FloorOptions } from '../../../src/engine/protocol.ts'

type Given = Partial<AinetContext> & {
  readonly turnsOf?: Readonly<Record<string, number>>
  readonly gone?: readonly string[]
}

const contextIn = (
  state: State,
  { turnsOf = {}, gone = [], ...given }: Given = {},
  policy: PolicyInput = {},
): AinetContext => {
  const mode = state === 'talking' ? 'talk' : 'mailbox'
  const context = opened({
    members: ['a', 'b', 'c'],
    lead: 'a',
    policy: policySchema.parse({ mode, ...policy }),
    at: 0,
  })
  return {
    ...context,
    visit: { state, since: 0 },
    seats: context.seats.map((seat) => ({
      ...seat,
      turns: turnsOf[seat.id] ?? 0,
      active: !gone.includes(seat.id),
    })),
    ...given,
  }
}
const request = (more: Partial<Request> = {}): Request => ({
  id: 'm1',
  from: 'a',
  type: 'BROADCAST',
  to: null,
  claimant: null,
  replies: [],
  ending: null,
  ...more,
})
const READ = request({ id: 'm0', ending: 'read' })
const CLOSING = { status: 'cancelled', cause: null } as const
const TALK: PolicyInput = { mode: 'talk' }

describe('the board', () => {
  it('shows the request in the mailbox, who opened it, and how many more it takes', () => {
    const context = contextIn('pending', {
      requests: [READ, request({ replies: [{ from: 'b', id: 'm2' }] })],
    })
    expect(board(context, 'b')).toEqual({
      mode: 'mailbox',
      opener: 'a',
      request: {
        id: 'm1',
        from: 'a',
        type: 'BROADCAST',
        to: null,
        claimant: null,
        replies: [{ from: 'b', id: 'm2' }],
      },
      you: 'asked',
      roundsLeft: 9,
    })
    expect(board(contextIn('talking'), 'b')).toEqual({
      mode: 'talk',
      opener: 'a',
      request: null,
      you: null,
      roundsLeft: null,
    })
    expect(board(contextIn('idle', { requests: [READ] }), 'a')).toMatchObject({
      request: null,
      you: null,
      roundsLeft: 9,
    })
    expect(board(contextIn('idle', { gone: ['a'] }), 'b').opener).toBeNull()
  })

  it('tells a member what it is to the request', () => {
    const role = (more: Partial<Request>) =>
      ['a', 'b', 'c'].map((member) => board(contextIn('pending', { requests: [request(more)] }), member).you)
    expect(role({})).toEqual(['requester', 'asked', 'asked'])
    expect(role({ type: 'PRIVATE', to: 'c' })).toEqual(['requester', null, 'asked'])
    expect(role({ type: 'TASK', claimant: 'b' })).toEqual(['requester', 'asked', null])
  })
})

describe('what a member may say', () => {
  const REQUEST = {
    intent: 'request',
    does: 'asks all, one member, or whoever claims it as a task',
    form: '{type?: "BROADCAST" | "PRIVATE" | "TASK", to?: member}',
  }
  const CLAIM = { intent: 'claim', does: 'takes the task; nobody else may reply to it then' }
  const REPLY = {
    intent: 'reply',
    does: 'answers the request; of several replies of yours the last counts',
  }
  const DONE = { intent: 'done', does: 'closes everything: nothing more is wanted' }
  const SAY = { intent: 'say', does: 'says something to the others' }

  it('is a request while the mailbox is idle, and for the opener that it is done', () => {
    expect(allowed(contextIn('idle'), 'a')).toEqual([REQUEST, DONE])
    expect(allowed(contextIn('idle'), 'b')).toEqual([REQUEST])
    expect(allowed(contextIn('idle', { gone: ['b', 'c'] }), 'a')).toEqual([DONE])
    expect(allowed(contextIn('idle', { opener: null, gone: ['a', 'c'] }), 'b')).toEqual([])
  })

  it('is a reply for whoever is asked, and a claim where nobody has claimed the task', () => {
    const may = (more: Partial<Request>, member: string) =>
      allowed(contextIn('pending', { requests: [request(more)] }), member)
    expect(may({}, 'b')).toEqual([REPLY])
    expect(may({}, 'a')).toEqual([])
    expect(may({ type: 'PRIVATE', to: 'c' }, 'b')).toEqual([])
    expect(may({ type: 'TASK' }, 'b')).toEqual([CLAIM, REPLY])
    expect(may({ type: 'TASK', claimant: 'b' }, 'b')).toEqual([REPLY])
    expect(may({ type: 'TASK', claimant: 'c' }, 'b')).toEqual([])
  })

  it('is reading for the requester once it is answered', () => {
    const requests = [request({ replies: [{ from: 'b', id: 'm2' }] })]
    expect(allowed(contextIn('done', { requests }), 'a')).toEqual([
      { intent: 'read', does: 'takes note of the replies and frees the mailbox' },
    ])
    expect(allowed(contextIn('done', { requests }), 'b')).toEqual([REPLY])
  })

  it('is talk for all, and for the opener closing it', () => {
    expect(allowed(contextIn('talking'), 'a')).toEqual([SAY, DONE])
    expect(allowed(contextIn('talking'), 'b')).toEqual([
      SAY,
      { intent: 'done', does: 'says that your part is done; the talk goes on' },
    ])
    expect(allowed(contextIn('idle', {}, TALK), 'b')).toEqual([SAY])
    expect(allowed(contextIn('idle', {}, TALK), 'a')).toEqual([SAY, DONE])
  })

  it('is nothing without turns, once it is closed, and for somebody who is not there', () => {
    expect(allowed(contextIn('idle', { turnsOf: { b: 3 } }), 'b')).toEqual([])
    expect(allowed(contextIn('idle', { closing: CLOSING }), 'b')).toEqual([])
    expect(allowed(contextIn('idle', { gone: ['b'] }), 'b')).toEqual([])
    expect(allowed(contextIn('idle'), 'nobody')).toEqual([])
  })
})

describe('the turns that are left', () => {
  it('are a member’s in the state, and never more than those of all states together', () => {
    expect(turnsLeft(contextIn('pending', { turnsOf: { b: 2 } }), 'b')).toBe(3)
    expect(turnsLeft(contextIn('pending', { turnsOf: { b: 6 } }), 'b')).toBe(0)
    expect(turnsLeft(contextIn('pending', { turns: 7 }, { maxTurns: 8 }), 'b')).toBe(1)
    expect(turnsLeft(contextIn('pending', { turns: 1, turnsOf: { b: 2 } }, { maxTurns: 8 }), 'b')).toBe(3)
    expect(turnsLeft(contextIn('pending', { turns: 9 }, { maxTurns: 8 }), 'b')).toBe(0)
    expect(turnsLeft(contextIn('pending', { closing: CLOSING }), 'b')).toBe(0)
    expect(turnsLeft(contextIn('pending', { gone: ['b'] }), 'b')).toBe(0)
    expect(turnsLeft(contextIn('pending'), 'nobody')).toBe(0)
  })
})

describe('whom the floor asks', () => {
  const asked = (context: AinetContext, options: Partial<FloorOptions> = {}) =>
    floor(context, { capabilities: new Map(), talk: 'round_robin', ...options })
  const whom = (context: AinetContext, options: Partial<FloorOptions> = {}) =>
    asked(context, options).map(({ member }) => member)
  const ALL = { talk: 'all_at_once' } as const
  const FIRST = 'Ask for what you need: all of them, one of them, or as a task that one of them claims.'

  it('is the opener while the mailbox is idle', () => {
    expect(asked(contextIn('idle'))).toEqual([
      { member: 'a', task: FIRST, expected: 'request', replyTo: null },
    ])
    expect(asked(contextIn('idle', { requests: [READ] }))).toEqual([
      {
        member: 'a',
        task: `${FIRST} When you need nothing more, say that you are done.`,
        expected: 'request',
        replyTo: null,
      },
    ])
    expect(whom(contextIn('idle'), ALL)).toEqual(['a'])
    expect(whom(contextIn('idle', { gone: ['b', 'c'] }))).toEqual([])
    expect(whom(contextIn('idle', { gone: ['b'] }))).toEqual(['a'])
  })

  it('is without an opener who can speak whoever has asked least, or all at once', () => {
    const requests = [READ, request({ from: 'b', ending: 'read' })]
    expect(whom(contextIn('idle', { opener: null }))).toEqual(['a'])
    expect(whom(contextIn('idle', { opener: null, requests }))).toEqual(['c'])
    expect(whom(contextIn('idle', { opener: null, requests }), ALL)).toEqual(['a', 'b', 'c'])
    expect(asked(contextIn('idle', { requests, turnsOf: { a: 3 } }))).toEqual([
      { member: 'c', task: FIRST, expected: 'request', replyTo: null },
    ])
  })

  it('is everybody who is asked and silent, and for a task who has claimed least', () => {
    const replies = [{ from: 'b', id: 'm2' }]
    const open = (more: Partial<Request>, before: readonly Request[] = []) =>
      contextIn('pending', { requests: [...before, request(more)] })
    const reply = { expected: 'reply', replyTo: 'm1' }
    expect(asked(open({}))).toEqual([
      { ...reply, member: 'b', task: 'Reply to what "a" asks all.' },
      { ...reply, member: 'c', task: 'Reply to what "a" asks all.' },
    ])
    expect(whom(open({ replies }))).toEqual(['c'])
    expect(asked(open({ type: 'PRIVATE', to: 'c' }))).toEqual([
      { ...reply, member: 'c', task: 'Reply to what "a" asks you.' },
    ])
    expect(asked(open({ type: 'TASK' }))).toEqual([
      {
        ...reply,
        member: 'b',
        task: 'Do the task of "a" and reply with the result, or claim it first.',
      },
    ])
    expect(whom(open({ type: 'TASK' }, [request({ claimant: 'b', ending: 'read' })]))).toEqual(['c'])
    expect(whom(open({ type: 'TASK', claimant: 'c' }))).toEqual(['c'])
    expect(asked(open({ type: 'TASK' }), ALL)).toHaveLength(2)
  })

  it('is the requester once all have replied, unless the mailbox is still pending', () => {
    const requests = [
      request({
        replies: [
          { from: 'b', id: 'm2' },
          { from: 'c', id: 'm3' },
        ],
      }),
    ]
    expect(asked(contextIn('done', { requests }))).toEqual([
      {
        member: 'a',
        task: 'Read the replies and say what you take from them.',
        expected: 'read',
        replyTo: null,
      },
    ])
    expect(whom(contextIn('pending', { requests }))).toEqual([])
    expect(whom(contextIn('done', { requests, turnsOf: { a: 3 } }))).toEqual([])
    expect(whom(contextIn('done', { requests: [request({ replies: [{ from: 'b', id: 'm2' }] })] }))).toEqual([
      'c',
    ])
    expect(whom(contextIn('pending'))).toEqual([])
  })

  it('is in a talk who has spoken least, or all at once', () => {
    const say = { expected: 'say', replyTo: null }
    expect(asked(contextIn('talking'))).toEqual([
      {
        ...say,
        member: 'a',
        task: 'Go on, or say that you are done when you have what you need: that closes the talk.',
      },
    ])
    expect(asked(contextIn('talking', { turnsOf: { a: 2, b: 1, c: 1 } }))).toEqual([
      { ...say, member: 'b', task: 'Say what helps the one who opened the talk.' },
    ])
    expect(whom(contextIn('talking', { turnsOf: { a: 2, b: 1 } }), ALL)).toEqual(['a', 'b', 'c'])
    expect(asked(contextIn('talking', { turnsOf: { a: 9, b: 10, c: 10 } }))).toEqual([
      {
        member: 'a',
        task: 'Close the talk: sum up what it has come to.',
        expected: 'done',
        replyTo: null,
      },
    ])
    expect(asked(contextIn('idle', {}, TALK))).toEqual([
      {
        member: 'a',
        task: 'Open the talk: say what you need, and from whom.',
        expected: 'say',
        replyTo: null,
      },
    ])
  })
})

describe('what is due', () => {
  it('is each state’s own deadline since it was entered, and nothing once it is closed', () => {
    const deadline = { idle: 10, pending: 20, done: 30, talking: 40 }
    const due = (state: State, closing: AinetContext['closing'] = null) =>
      dueAt(contextIn(state, { visit: { state, since: 5 }, closing }, { deadline }))
    expect((['idle', 'pending', 'done', 'talking'] as const).map((state) => due(state))).toEqual([
      15, 25, 35, 45,
    ])
    expect(due('idle', CLOSING)).toBeNull()
  })
})

describe('what remains', () => {
  const visits = (context: AinetContext) => [rank(context)[0], visitOf(context)]

  it('is the visits to come: three for each round, and two of a talk', () => {
    const policy: PolicyInput = { rounds: 4 }
    expect(visits(contextIn('idle', {}, policy))).toEqual([12, 0])
    expect(visits(contextIn('pending', { requests: [request()] }, policy))).toEqual([11, 1])
    expect(visits(contextIn('done', { requests: [request()] }, policy))).toEqual([10, 2])
    expect(visits(contextIn('idle', { requests: [READ] }, policy))).toEqual([9, 3])
    expect(visits(contextIn('idle', {}, TALK))).toEqual([2, 0])
    expect(visits(contextIn('talking'))).toEqual([1, 1])
  })

  it('and within a visit the members, with their turns and violations left and what they have not heard', () => {
    const policy: PolicyInput = { violationLimit: 2 }
    const left = (given: Given, more: PolicyInput = {}) =>
      rank(contextIn('idle', given, { ...policy, ...more }))[1]
    expect(left({})).toBe(18)
    expect(left({ turnsOf: { a: 1, b: 9 } })).toBe(14)
    expect(left({ gone: ['a'] })).toBe(12)
    expect(left({}, { violationLimit: null })).toBe(12)
    const seats = contextIn('idle').seats.map((seat) => ({ ...seat, violations: 1, behind: true }))
    expect(left({ seats })).toBe(18)
    expect(left({ seats: seats.map((seat) => ({ ...seat, violations: 5, behind: false })) })).toBe(12)
    expect(rank(contextIn('idle', { closing: CLOSING }))).toEqual([0, 0])
  })
})

describe('the outcome', () => {
  it('is none while it is open, and then says how and in which state it ended', () => {
    const requests = [READ, request()]
    expect(outcomeOf(contextIn('pending', { requests }))).toBeNull()
    const closed = { status: 'timeout', cause: 'deadline' } as const
    expect(outcomeOf(contextIn('pending', { requests, turns: 5, closing: closed }))).toEqual({
      ...closed,
      state: 'pending',
      opener: 'a',
      rounds: 1,
      requests,
      turns: 5,
    })
    expect(outcomeOf(contextIn('pending', { closing: CLOSING }))).not.toHaveProperty('cause')
  })
})

describe('a request', () => {
  const wrong = (payload: object) =>
    payloads.request.safeParse(payload).error?.issues.map(({ path, message }) => [path, message])

  it('names a recipient if it is PRIVATE, and else none', () => {
    expect(wrong({ type: 'PRIVATE' })).toEqual([
      [['to'], 'is missing: a PRIVATE request names its recipient'],
    ])
    for (const type of ['BROADCAST', 'TASK'])
      expect(wrong({ type, to: 'b' })).toEqual([
        [['to'], `must be left out: only a PRIVATE request has a recipient, and this one is ${type}`],
      ])
    for (const payload of [{}, { to: 'b' }, { type: 'PRIVATE', to: 'b' }, { type: 'TASK' }])
      expect(wrong(payload)).toBeUndefined()
  })
})
