/** A conversation by example: how it is opened and refused, spoken to, listened to, followed, stopped and taken up again. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { conversation, type PolicyInput } from '../../machines/conversation/index.ts'
import { simulatedClock } from '../../src/engine/clock.ts'
import type { ConversationEvent } from '../../src/engine/events.ts'
import { openConversation, restoreConversation } from '../../src/engine/opening.ts'
import type { Protocol } from '../../src/engine/protocol.ts'
import { resumeConversation } from '../../src/engine/replay.ts'
import type { Issue } from '../../src/errors.ts'
import type { MessageInput } from '../../src/schema/message.ts'
import type { Talk } from '../support/play.ts'
import { thrownBy } from '../support/thrown.ts'

interface Options {
  readonly members?: unknown
  readonly lead?: unknown
  readonly policy?: unknown
  readonly id?: unknown
  readonly goal?: unknown
  readonly at?: unknown
  readonly retain?: boolean
  readonly contentLimit?: number
  readonly clock?: unknown
}

const open = (options: Options = {}): Talk =>
  openConversation({
    protocol: conversation,
    id: 'c1',
    members: ['ann', 'ben', 'cy'],
    at: 0,
    ...options,
  } as Parameters<typeof openConversation>[0]) as Talk

let count = 0
const say = (from: string, intent: string, more: Partial<MessageInput> = {}): MessageInput => ({
  id: `m${++count}`,
  from,
  intent,
  ...more,
})

const pathsOf = (issues: readonly Issue[] | undefined): string[] => (issues ?? []).map(({ path }) => path)
const seqs = (events: readonly ConversationEvent[]): number[] => events.map(({ seq }) => seq)
const collect = async (from: AsyncIterable<ConversationEvent>): Promise<ConversationEvent[]> => {
  const events: ConversationEvent[] = []
  for await (const event of from) events.push(event)
  return events
}

describe('an opening', () => {
  it('completes the policy key by key, and records it complete', () => {
    const talk = open({ lead: 'ann', policy: { turnLimit: { review: 9 }, maxReject: 0 } })
    const [opening] = talk.record()
    expect(opening).toMatchObject({
      type: 'open',
      at: 0,
      id: 'c1',
      machine: 'conversation',
      version: 1,
      goal: '',
      members: ['ann', 'ben', 'cy'],
      lead: 'ann',
    })
    expect(opening).toMatchObject({
      policy: {
        agreeRatio: 'auto',
        maxReject: 0,
        turnLimit: { discussion: 6, proposal: 3, assign: 2, execution: 20, review: 9 },
      },
    })
  })

  it('makes an id of its own, a different one each time, and takes the clock’s time', () => {
    const clock = simulatedClock(77)
    const [one, two] = [1, 2].map(() => open({ id: undefined, at: undefined, clock }))
    expect(one?.id).toMatch(/^c_[\w-]{21}$/)
    expect(one?.id).not.toBe(two?.id)
    expect(one?.at).toBe(77)
  })

  it.each<[string, Options, string[]]>([
    ['no members', { members: [] }, ['members']],
    ['members that are no list', { members: 'ann' }, ['members']],
    ['a member twice', { members: ['ann', 'ben', 'ann', 'ben'] }, ['members[2]', 'members[3]']],
    ['a member twice, once in NFD', { members: ['\u00e9', 'e\u0301'] }, ['members[1]']],
    ['reserved names, in any case', { members: ['Task', 'ann', 'BROADCAST'] }, ['members[0]', 'members[2]']],
    [
      'ids that are none',
      { members: ['', ' a', 'a\n', 5, '\ud800'] },
      [0, 1, 2, 3, 4].map((n) => `members[${n}]`),
    ],
    ['a member of 129 characters', { members: ['🤖'.repeat(129)] }, ['members[0]']],
    ['a lead who is no member', { lead: 'zoe' }, ['lead']],
    ['a lead that is no id', { lead: 5 }, ['lead']],
    ['an empty id', { id: '' }, ['id']],
    ['an id of 129 characters', { id: 'x'.repeat(129) }, ['id']],
    ['a time before all times', { at: -1 }, ['at']],
    ['a time that no Date holds', { at: 8.64e15 + 2 }, ['at']],
    ['a time that is none', { at: Number.NaN }, ['at']],
    ['a goal that is no text', { goal: 5 }, ['goal']],
    [
      'all of these at once',
      { id: '', at: -1, goal: 5, members: [''], lead: 5 },
      ['at', 'id', 'goal', 'members[0]', 'lead'],
    ],
    ['a member twice and a strange lead', { members: ['ann', 'ann'], lead: 'zoe' }, ['members[1]', 'lead']],
  ])('is refused with every wrong field: %s', (_what, options, paths) => {
    const error = thrownBy(() => open(options))
    expect(error.code).toBe('OPEN_INVALID')
    expect(pathsOf(error.issues)).toEqual(paths)
    for (const { path, message } of error.issues) expect(error.message).toContain(`${path} ${message}`)
    expect(error.remedy).toContain('nothing was opened')
  })

  const all = (value: unknown): object =>
    Object.fromEntries(
      ['discussion', 'proposal', 'assign', 'execution', 'review'].map((state) => [state, value]),
    )

  it.each<[string, unknown, string[]]>([
    ['no object', 'strict', ['policy']],
    ['a list', [], ['policy']],
    ['a ratio of 0', { agreeRatio: 0 }, ['policy.agreeRatio']],
    ['a ratio above 1', { agreeRatio: 1.01 }, ['policy.agreeRatio']],
    ['a fraction above 1', { agreeRatio: '3/2' }, ['policy.agreeRatio']],
    ['a fraction of 0', { agreeRatio: '0/2' }, ['policy.agreeRatio']],
    ['a fraction by 0', { agreeRatio: '1/0' }, ['policy.agreeRatio']],
    ['no fraction', { agreeRatio: '1 / 2' }, ['policy.agreeRatio']],
    ['a ratio that is not even a number', { agreeRatio: Number.NaN }, ['policy.agreeRatio']],
    [
      'words for choices',
      { assigners: 'all', reviewers: 'none', turnUnit: 'day' },
      ['policy.assigners', 'policy.reviewers', 'policy.turnUnit'],
    ],
    ['a word for yes', { leadDecides: 'yes' }, ['policy.leadDecides']],
    [
      'counts of 0',
      { reviewQuorum: 0, minMembers: 0, maxTurns: 0, tokenBudget: 0, violationLimit: 0 },
      [
        'policy.reviewQuorum',
        'policy.maxTurns',
        'policy.tokenBudget',
        'policy.minMembers',
        'policy.violationLimit',
      ],
    ],
    [
      'fractions of turns',
      { maxTurns: 1.5, turnLimit: { review: 0.5 } },
      ['policy.turnLimit.review', 'policy.maxTurns'],
    ],
    ['rejections below 0', { maxReject: -1 }, ['policy.maxReject']],
    [
      'turn limits of 0',
      { turnLimit: all(0) },
      ['discussion', 'proposal', 'assign', 'execution', 'review'].map((state) => `policy.turnLimit.${state}`),
    ],
    [
      'deadlines of 0',
      { deadline: all(0) },
      ['discussion', 'proposal', 'assign', 'execution', 'review'].map((state) => `policy.deadline.${state}`),
    ],
    ['idle times that are none', { idle: { review: '5s' } }, ['policy.idle.review']],
    ['counts past the integers', { maxTurns: 2 ** 53 }, ['policy.maxTurns']],
    [
      'limits of a state that has none',
      { turnLimit: { closed: 1 }, deadline: { closed: 1 } },
      ['policy.turnLimit.closed', 'policy.deadline.closed'],
    ],
    ['talk in a state that is none', { talk: ['review', 'closed'] }, ['policy.talk[1]']],
    [
      'choices at the limit that are none',
      { onLimit: { proposal: 'review', execution: 'adopt', review: 'close' } },
      ['policy.onLimit.proposal', 'policy.onLimit.execution', 'policy.onLimit.review'],
    ],
    [
      'unknown keys, one of them inside',
      { turnlimit: {}, idle: { reviews: 5 }, maxReject: -1 },
      ['policy.idle.reviews', 'policy.maxReject', 'policy.turnlimit'],
    ],
    [
      'null where none is allowed',
      { minMembers: null, maxReject: null },
      ['policy.maxReject', 'policy.minMembers'],
    ],
    ['the key __proto__', JSON.parse('{"__proto__":{}}'), ['policy.__proto__']],
    ['silence without end', { deadline: { review: null } }, ['policy.deadline.review']],
    [
      'chatter without end',
      { deadline: { review: null }, idle: { review: 5 }, turnLimit: { review: null } },
      ['policy.deadline.review'],
    ],
    [
      'silence with a turn limit',
      { deadline: { discussion: null }, turnLimit: { discussion: 5 } },
      ['policy.deadline.discussion'],
    ],
    [
      'silence without end in all states',
      { deadline: all(null) },
      ['discussion', 'proposal', 'assign', 'execution', 'review'].map((state) => `policy.deadline.${state}`),
    ],
    ['more members than there are', { minMembers: 4 }, ['members']],
    [
      'a lead’s rights without a lead',
      { assigners: 'lead', reviewers: 'lead', minMembers: 9 },
      ['members', 'policy.assigners', 'policy.reviewers'],
    ],
  ])('is refused with every wrong field of the policy: %s', (_what, policy, paths) => {
    const error = thrownBy(() => open({ policy }))
    expect(error.code).toBe('POLICY_INVALID')
    expect(pathsOf(error.issues).sort()).toEqual([...paths].sort())
    for (const { message } of error.issues) expect(message.length).toBeGreaterThan(10)
  })

  it('is not refused where silence ends by idle time and turn limit together, or by the deadline alone', () => {
    const policies: PolicyInput[] = [
      { deadline: { review: null }, idle: { review: 5 } },
      { idle: { review: null }, turnLimit: { review: null } },
      { deadline: { review: 1 }, idle: { review: 1 }, turnLimit: { review: 1 } },
    ]
    for (const policy of policies) expect(open({ policy }).state).toBe('discussion')
  })

  it('names the nearest known key for an unknown one, also inside turnLimit', () => {
    const error = thrownBy(() =>
      open({
        policy: { turnLimits: {}, turnLimit: { reveiw: 3 }, onLimit: { Execution: 'close' }, colour: 'red' },
      }),
    )
    const said = Object.fromEntries(error.issues.map(({ path, message }) => [path, message]))
    expect(said['policy.turnLimits']).toContain('did you mean "turnLimit"?')
    expect(said['policy.turnLimit.reveiw']).toContain('did you mean "review"?')
    expect(said['policy.onLimit.Execution']).toContain('did you mean "execution"?')
    expect(said['policy.colour']).toContain('known are: agreeRatio, leadDecides')
  })

  it('says what a ratio may be', () => {
    for (const agreeRatio of [0, 2, '3/2', 'half', true])
      expect(thrownBy(() => open({ policy: { agreeRatio } })).message).toContain(
        'a fraction "p/q" of integers',
      )
  })
})

describe('what is sent', () => {
  it('is answered with its place, and numbered without gaps', () => {
    const talk = open()
    const first = talk.send(say('ann', 'info', { id: 'x' }), 5)
    expect(first).toEqual({
      effect: 'applied',
      reason: 'continue',
      from: 'discussion',
      to: 'discussion',
      transitions: [],
      seq: 1,
      id: 'x',
    })
    expect(talk.send(say('zoe', 'info'), 6)).toMatchObject({ effect: 'ignored', reason: 'not_member' })
    expect(talk.send(say('ben', 'proposal'), 7)).toMatchObject({
      effect: 'applied',
      reason: 'proposal_raised',
      from: 'discussion',
      to: 'proposal',
      transitions: [{ from: 'discussion', to: 'proposal', reason: 'proposal_raised' }],
      seq: 2,
    })
    expect([talk.seq, talk.at, talk.state]).toEqual([2, 7, 'proposal'])
  })

  it('is recorded complete: ids, times and defaults', () => {
    const talk = open({ at: 1_700_000_000_000 })
    talk.send({ id: 'x', from: 'ann', intent: 'info', payload: { mood: 'good' } }, 1_700_000_000_123)
    expect(talk.record()[1]).toEqual({
      type: 'message',
      at: 1_700_000_000_123,
      message: {
        id: 'x',
        conversation: 'c1',
        from: 'ann',
        to: 'broadcast',
        intent: 'info',
        content: '',
        payload: { mood: 'good' },
        replyTo: null,
        correlationId: null,
        sentAt: '2023-11-14T22:13:20.123Z',
        tokens: 0,
        schemaVersion: '1.0',
      },
    })
  })

  it('keeps the sender’s own time, which orders nothing', () => {
    const talk = open()
    const sentAt = '1999-12-31T23:59:59.999Z'
    talk.send(say('ann', 'info', { sentAt }), 5)
    expect(talk.record()[1]).toMatchObject({ at: 5, message: { sentAt } })
    expect(talk.send(say('ann', 'info', { sentAt: '1999-12-31' }), 5).issues).toMatchObject([
      { path: 'sentAt' },
    ])
  })

  it('cannot be changed afterwards by who sent it', () => {
    const talk = open()
    const inner = { id: 't', requires: ['x'], deep: { list: [1] } }
    const payload = { subtasks: [inner], more: { list: [1] } }
    talk.send(say('ann', 'proposal', { payload }), 1)
    const before = JSON.stringify([talk.record(), talk.snapshot()])
    inner.requires.push('y')
    inner.id = 'u'
    inner.deep.list.push(2)
    payload.more.list.push(2)
    payload.subtasks.push(inner)
    expect(JSON.stringify([talk.record(), talk.snapshot()])).toBe(before)
  })

  it('is for this conversation, or rejected', () => {
    const talk = open()
    const wrong = talk.send(say('ann', 'info', { conversation: 'c2' }), 1)
    expect(wrong).toMatchObject({ effect: 'rejected', reason: 'invalid', issues: [{ path: 'conversation' }] })
    expect(wrong.issues?.[0]?.message).toContain('"c2"')
    expect(talk.send(say('ann', 'info', { conversation: 'c1' }), 1).effect).toBe('applied')
    expect(talk.seq).toBe(1)
  })

  it('may say as many bytes as the limit allows, and not one more', () => {
    const talk = open({ contentLimit: 10 })
    for (const [content, effect] of [
      ['1234567890', 'applied'],
      ['12345678901', 'rejected'],
      ['ééééé', 'applied'],
      ['ééééé.', 'rejected'],
      ['智智智.', 'applied'],
      ['智智智é', 'rejected'],
      ['🤖🤖é', 'applied'],
      ['🤖🤖智', 'rejected'],
    ] as const)
      expect([content, talk.send(say('ann', 'info', { content }), 1).effect]).toEqual([content, effect])
    const usual = open()
    const mebibyte = 'x'.repeat(1 << 20)
    expect(usual.send(say('ann', 'info', { content: mebibyte }), 1).effect).toBe('applied')
    const more = usual.send(say('ann', 'info', { content: `${mebibyte}x` }), 1)
    expect(more).toMatchObject({ effect: 'rejected', issues: [{ path: 'content' }] })
  })

  it('may have ids of 128 code points, and not of 129, whatever their size', () => {
    const talk = open()
    for (const letter of ['x', 'é', '智', '🤖']) {
      expect(talk.send(say('ann', 'info', { id: letter.repeat(128) }), 1).effect).toBe('applied')
      const long = talk.send(say('ann', 'info', { id: letter.repeat(129) }), 1)
      expect(long).toMatchObject({ effect: 'rejected', reason: 'invalid', issues: [{ path: 'id' }] })
      expect(talk.join(letter.repeat(128), 1).effect).toBe('applied')
      expect(talk.join(letter.repeat(129), 1)).toMatchObject({
        effect: 'rejected',
        issues: [{ path: 'member' }],
      })
    }
  })

  it('is a duplicate from its sender, and an id taken from anybody else', () => {
    const talk = open()
    talk.send(say('ann', 'info', { id: 'x' }), 1)
    expect(talk.send(say('ann', 'proposal', { id: 'x' }), 2)).toMatchObject({
      effect: 'ignored',
      reason: 'duplicate',
      id: 'x',
    })
    for (const from of ['ben', 'stranger'])
      expect(talk.send(say(from, 'info', { id: 'x' }), 2)).toMatchObject({
        effect: 'rejected',
        reason: 'id_taken',
        id: 'x',
      })
    expect([talk.seq, talk.state, talk.context.turns]).toEqual([1, 'discussion', 1])
    // What was ignored or rejected has not made its id known.
    talk.send(say('stranger', 'info', { id: 'y' }), 2)
    talk.send(say('ann', 'info', { id: 'z', tokens: -1 }), 2)
    expect(talk.send(say('ben', 'info', { id: 'y' }), 3).effect).toBe('applied')
    expect(talk.send(say('ben', 'info', { id: 'z' }), 3).effect).toBe('applied')
    // A violation has.
    talk.send(say('ben', 'accept', { id: 'v' }), 3)
    expect(talk.send(say('ben', 'info', { id: 'v' }), 3).reason).toBe('duplicate')
  })

  it('is a fault in words, whatever was caught', () => {
    const talk = open()
    const caught: unknown = new Error('boom')
    expect(talk.fault('ann', caught as string, 1).effect).toBe('recorded')
    expect(talk.record().at(-1)).toMatchObject({ type: 'fault', error: 'boom' })
    expect(resumeConversation(talk.record(), { protocol: conversation }).seq).toBe(1)
  })

  it('is refused before it is looked at closely when it is too large', () => {
    const talk = open()
    const many = Array.from({ length: 1_000_000 }, () => 1)
    const sent = talk.receive({ id: 'm', from: 'ann', intent: 'proposal', payload: { subtasks: many } }, 1)
    expect(sent).toMatchObject({
      reason: 'invalid',
      issues: [{ path: 'payload', message: expect.stringContaining('20000 parts') }],
    })
    const title = 'x'.repeat(2 ** 20)
    expect(talk.receive({ id: 'm', from: 'ann', intent: 'info', payload: { title } }, 1).issues).toEqual([
      { path: 'payload', message: expect.stringContaining('characters besides the content') },
    ])
    // Each level refers twice to the next: 2 to the power of 40 parts for whoever copies it.
    let shared: object = {}
    for (let level = 0; level < 40; level++) shared = { a: shared, b: shared }
    expect(talk.receive({ id: 'm', from: 'ann', intent: 'info', payload: shared }, 1).reason).toBe('invalid')
  })

  it('cannot be changed afterwards: the record is what was decided on', () => {
    const talk = open()
    const payload = { list: [{ deep: 1 }] }
    talk.send(say('ann', 'info', { payload }), 1)
    payload.list.push({ deep: 2 })
    const [, event] = talk.record()
    const message =
      event?.type === 'message' ? (event.message as { content: string; payload: typeof payload }) : null
    expect(message?.payload).toEqual({ list: [{ deep: 1 }] })
    expect(() => message?.payload.list.push({ deep: 3 })).toThrow(TypeError)
    expect(() => Object.assign(message ?? {}, { content: 'forged' })).toThrow(TypeError)
    const { turnLimit } = talk.context.policy
    expect(() => Object.assign(turnLimit, { discussion: 99 })).toThrow(TypeError)
  })

  it('is recorded at a time that never goes back, also when a listener to an overdue deadline speaks later', () => {
    const talk = open({ at: 0, policy: { deadline: { discussion: 10 }, onLimit: { proposal: 'adopt' } } })
    talk.send(say('ann', 'proposal', { id: 'p' }), 1)
    talk.send(say('ben', 'agree', { id: 'v' }), 2)
    const clocked = open({ at: 0, policy: { deadline: { execution: 10 }, reviewers: 'any' } })
    clocked.send({ id: 'p', from: 'ann', intent: 'proposal', payload: { subtasks: [{ id: 'x' }] } }, 1)
    clocked.send({ id: 'a', from: 'ben', intent: 'agree' }, 1)
    clocked.send({ id: 'b', from: 'ben', intent: 'accept' }, 1)
    clocked.on('transition', ({ to }) => {
      if (to === 'review') clocked.send({ id: 'late', from: 'ann', intent: 'info' }, 500)
    })
    clocked.send({ id: 'r', from: 'cy', intent: 'verdict' }, 100)
    const times = clocked.record().map(({ at }) => at)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(times.at(-1)).toBe(500)
    expect(resumeConversation(clocked.record(), { protocol: conversation }).state).toBe(clocked.state)
  })

  it('is never thrown back, whatever it is', () => {
    const talk = open()
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown
    const circle: Record<string, unknown> = {}
    circle.circle = circle
    for (const raw of [undefined, null, 0, '', [], {}, () => 1, Symbol('x'), 1n, new Map(), deep, circle])
      expect(talk.send(raw as MessageInput, 1)).toMatchObject({ effect: 'rejected', reason: 'invalid' })
    for (const payload of [{ deep }, circle])
      expect(talk.send(say('ann', 'info', { payload }), 1)).toMatchObject({
        effect: 'rejected',
        reason: 'invalid',
        issues: [{ path: expect.stringMatching(/^payload\.(deep|circle)$/) }],
      })
    expect(talk.seq).toBe(0)
  })
})

describe('members', () => {
  it('join at the end, leave, and pass the lead on', () => {
    const talk = open({ lead: 'ann' })
    expect(talk.join('dee', 1)).toMatchObject({ effect: 'applied', reason: 'joined', seq: 1 })
    expect(talk.join('ann', 1)).toMatchObject({ effect: 'ignored', reason: 'already_member' })
    expect(talk.leave('ann', 2)).toMatchObject({ effect: 'applied', reason: 'left', seq: 2 })
    expect([talk.members, talk.lead]).toEqual([['ben', 'cy', 'dee'], 'ben'])
    expect(talk.leave('ann', 2)).toMatchObject({ effect: 'ignored', reason: 'not_member' })
    expect(talk.leave('', 2)).toMatchObject({ effect: 'ignored', reason: 'not_member' })
    expect(talk.join('ann', 3).reason).toBe('joined')
    expect([talk.members, talk.lead]).toEqual([['ben', 'cy', 'dee', 'ann'], 'ben'])
  })

  it('are one and the same in NFD and in NFC', () => {
    const talk = open({ members: ['e\u0301', 'ben'], lead: 'e\u0301' })
    expect([talk.members, talk.lead]).toEqual([['\u00e9', 'ben'], '\u00e9'])
    expect(talk.send(say('e\u0301', 'info'), 1).effect).toBe('applied')
    expect(talk.fault('e\u0301', 'no answer', 2).effect).toBe('recorded')
    expect(talk.join('e\u0301', 2).reason).toBe('already_member')
    expect(talk.leave('e\u0301', 3).reason).toBe('left')
    expect(talk.record().at(-1)).toMatchObject({ member: '\u00e9' })
  })

  it.each(['', ' ', 'a ', '\ta', 'a\u0007b', 'broadcast', 'Broadcast', 'task', 'TASK', '\udc00'])(
    'cannot be called %j',
    (name) => {
      const talk = open()
      expect(talk.join(name, 1)).toMatchObject({
        effect: 'rejected',
        reason: 'invalid',
        issues: [{ path: 'member' }],
      })
      expect(talk.send(say(name, 'info'), 1)).toMatchObject({
        effect: 'rejected',
        issues: [{ path: 'from' }],
      })
      expect(talk.seq).toBe(0)
    },
  )

  it('may be called what only looks reserved or odd', () => {
    const names = ['tasks', 'broad cast', '__proto__', 'constructor', 'a/b', 'a-b', 'a b', '智能体', '0']
    const talk = open({ members: names })
    for (const name of names) expect(talk.send(say(name, 'info'), 1).effect).toBe('applied')
    expect(talk.members).toEqual(names)
    expect(talk.context.turns).toBe(names.length)
  })

  it('who fail are charged a turn and a violation, and the record says how', () => {
    const talk = open({ policy: { violationLimit: 2 } })
    expect(talk.fault('ann', 'timed out', 1)).toMatchObject({ effect: 'recorded', reason: 'fault', seq: 1 })
    expect(talk.record().at(-1)).toEqual({ type: 'fault', at: 1, member: 'ann', error: 'timed out' })
    expect(talk.context.seats[0]).toMatchObject({ turns: 1, violations: 1 })
    expect(talk.fault('ann', undefined, 2)).toMatchObject({ reason: 'fault', expelled: 'ann' })
    expect(talk.record().at(-1)).toEqual({ type: 'fault', at: 2, member: 'ann' })
    expect(talk.join('ann', 3)).toMatchObject({ effect: 'ignored', reason: 'expelled' })
    expect(talk.fault('ann', undefined, 3)).toMatchObject({ effect: 'ignored', reason: 'not_member' })
  })
})

describe('time', () => {
  it('fires an overdue deadline before what is sent, joins, leaves, fails or cancels', () => {
    const acts: ((talk: Talk) => unknown)[] = [
      (talk) => talk.send(say('ann', 'info', { id: 'late' }), 700_000),
      (talk) => talk.join('dee', 700_000),
      (talk) => talk.leave('ann', 700_000),
      (talk) => talk.fault('ann', undefined, 700_000),
      (talk) => talk.cancel(700_000),
    ]
    for (const act of acts) {
      const talk = open()
      expect(act(talk)).toMatchObject({ effect: 'ignored', reason: 'closed' })
      expect(talk.record().map(({ type }) => type)).toEqual(['open', 'deadline'])
      expect(talk.outcome).toMatchObject({ status: 'timeout', cause: 'deadline', state: 'discussion' })
    }
  })

  it('comes exactly when it is due, and to the last millisecond before it does not', () => {
    const talk = open({ policy: { deadline: { discussion: 100 } } })
    expect(talk.dueAt).toBe(100)
    expect(talk.tick(99)).toMatchObject({ effect: 'ignored', reason: 'not_due' })
    expect(talk.send(say('ann', 'info'), 99).effect).toBe('applied')
    expect(talk.tick(100)).toMatchObject({ effect: 'applied', reason: 'timeout', to: 'closed' })
    expect(talk.dueAt).toBeNull()
    expect(talk.tick(101)).toMatchObject({ effect: 'ignored', reason: 'closed' })
  })

  it('is put off by every turn where it is idle time, not by what is no turn', () => {
    const talk = open({ policy: { idle: { discussion: 100 }, deadline: { discussion: 150 } } })
    talk.send(say('ann', 'info'), 40)
    expect(talk.dueAt).toBe(140)
    talk.send(say('ann', 'accept'), 60)
    talk.join('dee', 60)
    expect(talk.dueAt).toBe(140)
    talk.send(say('ben', 'info'), 60)
    expect(talk.dueAt).toBe(150)
    talk.tick(150)
    expect(talk.outcome?.cause).toBe('deadline')
  })

  it('never runs backwards: what is said to be earlier happened no earlier than the newest event', () => {
    const talk = open({ at: 1000 })
    for (const [at, then] of [
      [500, 1000],
      [1500, 1500],
      [0, 1500],
      [-5, 1500],
      [Number.NaN, 1500],
      [Number.NEGATIVE_INFINITY, 1500],
      [1600.9, 1600],
    ] as const) {
      talk.send(say('ann', 'accept'), at)
      expect([at, talk.at, talk.record().at(-1)?.at]).toEqual([at, then, then])
    }
  })

  it('never runs past the year 9999, the last that a message can name, and what it records replays', () => {
    const years = Date.parse('9999-12-31T23:59:59.999Z')
    for (const at of [1e17, Number.POSITIVE_INFINITY, Number.MAX_VALUE]) {
      const talk = open({ policy: { deadline: { discussion: 2 ** 53 - 1 } } })
      expect(talk.send(say('ann', 'info'), at).effect).toBe('applied')
      expect(talk.at).toBe(years)
      expect(talk.record().at(-1)).toMatchObject({
        at: years,
        message: { sentAt: '9999-12-31T23:59:59.999Z' },
      })
      const again = resumeConversation(talk.record(), { protocol: conversation })
      expect(again.seq).toBe(1)
    }
  })

  it('is the clock’s where none is given', () => {
    const clock = simulatedClock(10)
    const talk = open({ at: undefined, clock })
    clock.advance(5)
    talk.send(say('ann', 'info'))
    expect(talk.record().map(({ at }) => at)).toEqual([10, 15])
    clock.advance(600_000)
    expect(talk.tick().reason).toBe('timeout')
    expect(talk.at).toBe(600_015)
  })

  it('does not fire a deadline before what a record says as it stands', () => {
    const talk = open()
    const message = say('ann', 'info')
    expect(talk.apply({ type: 'message', at: 700_000, message }).effect).toBe('applied')
    expect(talk.state).toBe('discussion')
  })
})

describe('an end', () => {
  it('comes by cancelling, once', () => {
    const talk = open()
    expect(talk.cancel(5)).toMatchObject({ effect: 'applied', reason: 'cancelled', to: 'closed', seq: 1 })
    expect(talk.cancel(6)).toMatchObject({ effect: 'ignored', reason: 'closed' })
    expect(talk.isClosed).toBe(true)
    expect(talk.outcome).toEqual({
      status: 'cancelled',
      state: 'discussion',
      proposal: null,
      subtasks: [],
      rejections: 0,
      turns: 0,
      warnings: [],
    })
  })

  it('gives library users each subtask’s title and output', () => {
    const talk = open({ members: ['ann', 'ben'] })
    talk.send(say('ann', 'proposal', { payload: { subtasks: [{ title: 'Draw' }, { id: 'w' }] } }), 1)
    talk.send(say('ben', 'agree'), 2)
    talk.send(say('ann', 'accept', { payload: { subtask: 't1' } }), 3)
    talk.send(say('ben', 'accept', { payload: { subtask: 'w' } }), 4)
    talk.send(say('ann', 'result', { payload: { output: { svg: '<svg/>' } } }), 5)
    talk.send(say('ben', 'result', { content: 'written', payload: { status: 'partial' } }), 6)
    talk.send(say('ben', 'verdict'), 7)
    expect(talk.outcome?.subtasks).toEqual([
      { id: 't1', title: 'Draw', owner: 'ann', status: 'success', attempts: 1, output: { svg: '<svg/>' } },
      { id: 'w', title: null, owner: 'ben', status: 'partial', attempts: 1, output: 'written' },
    ])
    expect(talk.protocol.brief(talk.outcome!)).toMatchObject({
      subtasks: [
        { id: 't1', owner: 'ann', status: 'success', attempts: 1 },
        { id: 'w', owner: 'ben', status: 'partial', attempts: 1 },
      ],
    })
  })
})

describe('listeners', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('hear event, message, transitions and the end, in this order, each once', () => {
    const talk = open({ members: ['ann'] })
    const heard: string[] = []
    talk.on('closed', ({ seq, outcome }) =>
      heard.push(`closed ${seq} ${(outcome as { status: string }).status}`),
    )
    talk.on('transition', ({ seq, from, to, reason }) =>
      heard.push(`transition ${seq} ${from}→${to} ${reason}`),
    )
    talk.on('message', ({ seq, message }) => heard.push(`message ${seq} ${message.intent}`))
    talk.on('event', ({ seq, event }) => heard.push(`event ${seq} ${event.type}`))
    talk.on('refused', ({ event, decision }) => heard.push(`refused ${event.type} ${decision.reason}`))
    talk.send(say('ann', 'proposal'), 1)
    talk.send(say('zoe', 'info'), 1)
    talk.tick(2)
    talk.cancel(3)
    talk.cancel(3)
    expect(heard).toEqual([
      'event 1 message',
      'message 1 proposal',
      'transition 1 discussion→proposal proposal_raised',
      'transition 1 proposal→assign consensus',
      'refused message not_member',
      'refused deadline not_due',
      'event 2 cancel',
      'transition 2 assign→closed cancelled',
      'closed 2 cancelled',
      'refused cancel closed',
    ])
  })

  it('that send from within are heard after what they answer, in order', () => {
    const talk = open()
    const heard: string[] = []
    const answers: unknown[] = []
    talk.on('message', ({ seq, message }) => {
      heard.push(`first ${seq}`)
      if (message.content === 'ping') answers.push(talk.send(say('ben', 'info', { content: 'pong' }), 2).seq)
      if (message.content === 'pong') answers.push(talk.cancel(3).seq)
    })
    talk.on('message', ({ seq }) => heard.push(`second ${seq}`))
    talk.on('event', ({ seq }) => heard.push(`event ${seq}`))
    talk.on('closed', ({ seq }) => heard.push(`closed ${seq}`))
    expect(talk.send(say('ann', 'info', { content: 'ping' }), 1).seq).toBe(1)
    expect(answers).toEqual([2, 3])
    expect(heard).toEqual([
      'event 1',
      'first 1',
      'second 1',
      'event 2',
      'first 2',
      'second 2',
      'event 3',
      'closed 3',
    ])
  })

  it('that throw harm nobody, and are warned of', () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const talk = open()
    const heard: number[] = []
    talk.on('event', () => {
      throw new Error('boom')
    })
    talk.on('refused', () => {
      throw new Error('bang')
    })
    talk.on('event', ({ seq }) => heard.push(seq))
    expect(talk.send(say('ann', 'info'), 1).seq).toBe(1)
    expect(talk.send(say('ann', 'info'), 1).seq).toBe(2)
    expect(talk.send(say('zoe', 'info'), 1).reason).toBe('not_member')
    expect(heard).toEqual([1, 2])
    expect(warned.mock.calls.map(([text]) => text)).toEqual([
      'A listener to "event" of conversation c1 threw: boom',
      'A listener to "event" of conversation c1 threw: boom',
      'A listener to "refused" of conversation c1 threw: bang',
    ])
  })

  it('hear nothing once they stop, also when they stop or are added while being told', () => {
    const talk = open()
    const heard: string[] = []
    const stop = talk.on('event', ({ seq }) => {
      heard.push(`once ${seq}`)
      stop()
      talk.on('event', (later) => heard.push(`new ${later.seq}`))
    })
    talk.send(say('ann', 'info'), 1)
    talk.send(say('ann', 'info'), 1)
    expect(heard).toEqual(['once 1', 'new 2'])
  })

  it('hear the same whether or not the conversation keeps its record', () => {
    const told = (retain: boolean): number[] => {
      const talk = open({ retain })
      const heard: number[] = []
      talk.on('event', ({ seq }) => heard.push(seq))
      for (let n = 0; n < 5; n++) talk.send(say('ann', 'info'), 1)
      expect(talk.record()).toHaveLength(retain ? 6 : 0)
      return heard
    }
    expect(told(false)).toEqual(told(true))
  })
})

describe('following', () => {
  it('goes through what was, what comes, and ends after the end', async () => {
    const talk = open()
    talk.send(say('ann', 'info'), 1)
    const all = collect(talk)
    const later = collect(talk.follow(1))
    talk.send(say('ben', 'info'), 2)
    await Promise.resolve()
    talk.send(say('zoe', 'info'), 2)
    talk.cancel(3)
    expect(seqs(await all)).toEqual([0, 1, 2, 3])
    expect(seqs(await later)).toEqual([2, 3])
    expect((await all)[0]).toMatchObject({ event: { type: 'open' }, decision: null })
    expect(seqs(await collect(talk))).toEqual([0, 1, 2, 3])
    expect(seqs(await collect(talk.follow(3)))).toEqual([])
  })

  it('after a place that is still to come leaves out what comes before it', async () => {
    const talk = open()
    const later = collect(talk.follow(2))
    for (let n = 0; n < 3; n++) talk.send(say('ann', 'info'), 1)
    talk.cancel(1)
    expect(seqs(await later)).toEqual([3, 4])
  })

  it('gives overlapping calls different events, in order', async () => {
    const talk = open()
    const iterator = talk.follow(0)
    const asked = [1, 2, 3, 4].map(() => iterator.next())
    talk.send(say('ann', 'info'), 1)
    talk.send(say('ann', 'info'), 1)
    talk.cancel(1)
    const results = await Promise.all(asked)
    expect(results.map(({ done, value }) => (done ? 'done' : value.seq))).toEqual([1, 2, 3, 'done'])
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
  })

  it('stops where the consumer does, also one that waits', async () => {
    const talk = open()
    const seen: number[] = []
    for await (const { seq } of talk) {
      seen.push(seq)
      if (seq === 0) talk.send(say('ann', 'info'), 1)
      if (seq === 1) break
    }
    expect(seen).toEqual([0, 1])
    const waiting = talk.follow(1)
    const next = waiting.next()
    await waiting.return?.()
    expect(await next).toEqual({ done: true, value: undefined })
    talk.send(say('ann', 'info'), 2)
    expect(await waiting.next()).toEqual({ done: true, value: undefined })
  })

  it('loses nothing where the consumer is slow, also without a record', async () => {
    for (const retain of [true, false]) {
      const talk = open({ retain, policy: { turnLimit: { discussion: null } } })
      const seen: number[] = []
      const slow = (async () => {
        for await (const { seq } of talk) {
          seen.push(seq)
          for (let n = 0; n < seq % 7; n++) await Promise.resolve()
        }
      })()
      for (let n = 0; n < 50; n++) {
        talk.send(say('ann', 'info'), 1)
        if (n % 3 === 0) await Promise.resolve()
      }
      talk.cancel(2)
      await slow
      expect(seen).toEqual(Array.from({ length: retain ? 52 : 51 }, (_, n) => (retain ? n : n + 1)))
    }
  })

  it('from within a listener tells each event once', async () => {
    const talk = open()
    const followed: Promise<ConversationEvent[]>[] = []
    talk.on('event', ({ seq }) => {
      if (seq !== 1) return
      talk.send(say('ben', 'info'), 2)
      followed.push(collect(talk.follow()))
    })
    talk.send(say('ann', 'info'), 1)
    talk.cancel(3)
    expect(await Promise.all(followed.map(async (each) => seqs(await each)))).toEqual([[0, 1, 2, 3]])
  })

  it('a record of 100,000 messages takes no longer for each of them than a short one', async () => {
    const talk = open({ members: ['ann'], policy: { turnLimit: { discussion: null } } })
    for (let n = 0; n < 100_000; n++) talk.send({ id: `${n}`, from: 'ann', intent: 'info' }, 1)
    talk.cancel(2)
    expect(talk.record()).toHaveLength(100_002)
    expect(talk.snapshot().known).toHaveLength(100_000)
    expect(talk.outcome?.turns).toBe(100_000)
    // Were each step linear in what waits, this would take minutes and run out of time.
    const seen: number[] = []
    for await (const { seq } of talk) seen.push(seq)
    expect(seen).toHaveLength(100_002)
    expect(seen.every((seq, place) => seq === place)).toBe(true)
  })
})

describe('a snapshot', () => {
  const snapshot = () => open().snapshot()

  it('is plain JSON, and does not change with the conversation', () => {
    const talk = open({ lead: 'ann', goal: '目标' })
    talk.send(say('ann', 'proposal', { id: 'p' }), 1)
    const taken = talk.snapshot()
    const image = JSON.stringify(taken)
    expect(JSON.parse(image)).toEqual(taken)
    talk.send(say('ben', 'agree'), 2)
    talk.cancel(3)
    expect(JSON.stringify(taken)).toBe(image)
    expect(taken).toMatchObject({
      format: 1,
      machine: 'conversation',
      version: 1,
      id: 'c1',
      goal: '目标',
      seq: 1,
      known: [['p', 'ann']],
    })
  })

  it('of a closed conversation brings the outcome back', () => {
    const talk = open()
    talk.cancel(1)
    const again = restoreConversation(JSON.parse(JSON.stringify(talk.snapshot())), { protocol: conversation })
    expect([again.isClosed, again.outcome, again.dueAt]).toEqual([true, talk.outcome, null])
    expect(again.send(say('ann', 'info'), 2).reason).toBe('closed')
  })

  it('shares nothing with the conversation that it was taken of, nor with one that goes on from it', () => {
    const talk = open()
    talk.send(say('ann', 'proposal', { id: 'p' }), 1)
    const [context, state] = [JSON.stringify(talk.context), talk.state]
    const taken = talk.snapshot()
    const again = restoreConversation(taken, { protocol: conversation })
    const mine = taken.context as { turns: number; seats: { turns: number }[] }
    mine.turns = 99
    mine.seats.length = 0
    for (const each of [talk, again])
      expect([JSON.stringify(each.context), each.state]).toEqual([context, state])
  })

  it('is not changed by who goes on from it', () => {
    const taken = snapshot()
    const image = JSON.stringify(taken)
    const again = restoreConversation(taken, { protocol: conversation })
    again.send(say('ann', 'proposal'), 1)
    again.cancel(2)
    expect(JSON.stringify(taken)).toBe(image)
    expect(again.record().map(({ type }) => type)).toEqual(['message', 'cancel'])
  })

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'This is no snapshot'],
    ['null', null, 'This is no snapshot'],
    ['text', '{}', 'This is no snapshot'],
    ['an empty object', {}, 'format'],
    ['a list', [], 'This is no snapshot'],
    ['another format', { ...snapshot(), format: 2 }, 'format'],
    ['a context that is a list', { ...snapshot(), context: [] }, 'context'],
    ['a place below 0', { ...snapshot(), seq: -1 }, 'seq'],
    ['a time that is none', { ...snapshot(), at: null }, 'at'],
    ['ids without senders', { ...snapshot(), known: ['x'] }, 'known[0]'],
    [
      'another protocol',
      { ...snapshot(), machine: 'ainet' },
      'of the protocol "ainet", not of "conversation"',
    ],
    ['a later version', { ...snapshot(), version: 7 }, 'of version 7 of "conversation"; this is version 1'],
    ['an unknown state', { ...snapshot(), state: 'lunch' }, 'state is "lunch", which'],
    [
      'a state that every object has',
      { ...snapshot(), state: 'constructor' },
      'state is "constructor", which',
    ],
    [
      'an end without an outcome',
      { ...snapshot(), state: 'closed' },
      'outcome is missing: "closed" is the end',
    ],
    ['an outcome before the end', { ...snapshot(), outcome: {} }, 'outcome must not be there'],
    ['an empty context', { ...snapshot(), context: {} }, 'context.policy is missing'],
    [
      'a context with a wrong seat',
      { ...snapshot(), context: { ...snapshot().context, seats: [{ id: 'a' }] } },
      'context.seats[0].active is missing: must be true or false',
    ],
  ])('is refused by name when it is %s', (_what, value, text) => {
    const error = thrownBy(() => restoreConversation(value, { protocol: conversation }))
    expect(error.code).toBe('SNAPSHOT_INVALID')
    expect(error.message).toContain(text)
  })

  it('of an older version is brought forward step by step, or refused where a step is missing', () => {
    const newer = (migrations: Protocol['migrations']) =>
      ({ ...conversation, version: 3, ...(migrations === undefined ? {} : { migrations }) }) as Protocol
    const steps: number[] = []
    const step = (from: number) => (context: object) => {
      steps.push(from)
      return context
    }
    const talk = restoreConversation(snapshot(), { protocol: newer({ 1: step(1), 2: step(2) }) })
    expect(steps).toEqual([1, 2])
    expect(talk.snapshot().version).toBe(3)
    for (const [migrations, from] of [
      [{ 2: step(2) }, 1],
      [{ 1: step(1) }, 2],
      [undefined, 1],
    ] as const) {
      const error = thrownBy(() => restoreConversation(snapshot(), { protocol: newer(migrations) }))
      expect(error.message).toContain(`with no way from ${from} to it`)
    }
  })
})
