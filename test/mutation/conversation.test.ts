/** The parts of the conversation's machine one by one: what a run of the whole does not tell apart. */
import { describe, expect, it } from 'vitest'
import { actions } from '../../machines/conversation/actions.ts'
import {
  agreementsNeeded,
  type ConversationContext,
  chairOf,
  dueAt,
  opened,
  reviewersNow,
} from '../../machines/conversation/context.ts'
import { bestOf, guards } from '../../machines/conversation/guards.ts'
import { conversation } from '../../machines/conversation/index.ts'
import {
  type ConversationEvent,
  INTENTS,
  type Intent,
  type MessageEvent,
} from '../../machines/conversation/intents.ts'
import { outcomeOf } from '../../machines/conversation/outcome.ts'
import {
  type PolicyInput,
  policySchema,
  STATES,
  type State,
  shared,
} from '../../machines/conversation/policy.ts'
import { rank } from '../../machines/conversation/rank.ts'
import { work } from '../machines/conversation/table.ts'

const contextOf = (
  policy: PolicyInput = {},
  more: Partial<ConversationContext> = {},
): ConversationContext => ({
  ...opened({ members: ['a', 'b', 'c'], lead: 'a', policy: policySchema.parse(policy), at: 0 }),
  ...more,
})

const CONTROLS: readonly ConversationEvent[] = [
  { type: 'join', at: 1, member: 'd' },
  { type: 'leave', at: 1, member: 'b' },
  { type: 'fault', at: 1, member: 'b' },
  { type: 'deadline', at: 1 },
  { type: 'cancel', at: 1 },
]

/** Everything that a can send, with a payload that does for any intent, and what happens besides. */
const eventsOf = (replyTo: string | null): readonly ConversationEvent[] => [
  ...INTENTS.map(
    (type) =>
      ({
        type,
        at: 1,
        id: 'm2',
        from: 'a',
        content: 'x',
        payload: { subtask: 'own', owner: 'a', decisive: true },
        replyTo,
        tokens: 1,
      }) as ConversationEvent,
  ),
  ...CONTROLS,
]
const EVENTS = [...eventsOf(null), ...eventsOf('m1'), ...eventsOf('nobody’s')]

const proposal = (id: string) => ({ id, author: 'b', subtasks: [], agrees: [], objects: [] })

/** Work of every kind, all of it a's business: whatever can be allowed to a, is allowed in one of these. */
const CONTEXTS: readonly ConversationContext[] = [
  contextOf({}, { subtasks: [work('own', { owner: 'a' }), work('free')], reviewers: ['a'] }),
  contextOf({}, { subtasks: [work('own', { offered: 'b' })], proposals: [proposal('m1'), proposal('m3')] }),
]

describe('a guard', () => {
  const MEANT: Partial<Record<keyof typeof guards, readonly Intent[]>> = {
    unknownProposal: ['agree', 'object'],
    ambiguousVote: ['agree', 'object'],
    isDecisive: ['agree'],
    mayAssign: ['assign'],
    mayAccept: ['accept'],
    isTaken: ['accept'],
    mayGiveBack: ['object'],
    mayProgress: ['progress'],
    mayReport: ['result'],
    mayJudge: ['verdict', 'reject'],
  }

  it.each(Object.entries(MEANT))('%s holds for %j, and for no other event', (name, intents) => {
    const guard = guards[name as keyof typeof guards]
    const held = new Set<string>()
    for (const context of CONTEXTS)
      for (const event of EVENTS) if (guard({ context, event })) held.add(event.type)
    expect([...held].sort()).toEqual([...intents].sort())
  })

  it.each(Object.keys(guards))('%s answers whatever the event', (name) => {
    for (const context of CONTEXTS)
      for (const event of EVENTS)
        expect(guards[name as keyof typeof guards]({ context, event })).toBeTypeOf('boolean')
  })
})

describe('an action', () => {
  const MEANT: Partial<Record<keyof typeof actions, readonly ConversationEvent['type'][]>> = {
    turn: INTENTS,
    violation: INTENTS,
    late: INTENTS,
    fault: ['fault'],
    join: ['join'],
    leave: ['leave'],
    propose: ['proposal'],
    vote: ['agree', 'object'],
    adoptNamed: ['agree'],
    assignSubtask: ['assign'],
    acceptSubtasks: ['accept'],
    giveBack: ['object'],
    report: ['result'],
    judge: ['verdict', 'reject'],
  }

  it.each(Object.entries(MEANT))('%s changes something with %j, and with no other event', (name, types) => {
    const changed = new Set<string>()
    for (const context of CONTEXTS)
      for (const event of EVENTS) {
        const args = { context, event }
        const patch =
          name === 'vote'
            ? actions.vote(args, { agree: true })
            : (actions[name as 'turn'] as typeof actions.turn)(args)
        if (Object.keys(patch).length > 0) changed.add(event.type)
      }
    expect([...changed].sort()).toEqual([...types].sort())
  })
})

describe('turns', () => {
  const spent = (policy: PolicyInput, turns: number, more: Partial<ConversationContext> = {}) =>
    contextOf(policy, { seats: contextOf().seats.map((seat) => ({ ...seat, turns })), ...more })
  const info: ConversationEvent = {
    type: 'info',
    at: 1,
    id: 'm2',
    from: 'a',
    content: 'x',
    payload: {},
    replyTo: null,
    tokens: 5,
  }

  it('are a member’s own only where the policy counts by rounds', () => {
    for (const guard of [guards.turnsSpent, guards.talkTurnsSpent, guards.talkSpent]) {
      expect(guard({ context: spent({ turnUnit: 'round' }, 9), event: info })).toBe(true)
      expect(guard({ context: spent({ turnUnit: 'message' }, 9), event: info })).toBe(false)
      expect(guard({ context: spent({ turnUnit: 'round' }, 9), event: { type: 'deadline', at: 1 } })).toBe(
        false,
      )
    }
  })

  it('for the work are not for talk', () => {
    const visit = { state: 'execution', since: 0, bonus: 4 } as const
    const policy: PolicyInput = { talk: ['execution'], turnLimit: { execution: 5 } }
    expect(guards.talkSpent({ context: spent(policy, 5, { visit }), event: info })).toBe(true)
    expect(guards.talkTurnsSpent({ context: spent(policy, 5, { visit }), event: info })).toBe(true)
    expect(guards.turnsSpent({ context: spent(policy, 5, { visit }), event: info })).toBe(false)
    expect(guards.turnsSpent({ context: spent(policy, 9, { visit }), event: info })).toBe(true)
  })

  it('are taken by a fault, whoever has taken them, where the policy counts messages', () => {
    const event: ConversationEvent = { type: 'fault', at: 7, member: 'a' }
    expect(actions.fault({ context: spent({ turnUnit: 'message' }, 9), event })).toMatchObject({ turns: 1 })
    expect(actions.fault({ context: spent({ turnUnit: 'round' }, 9), event })).toMatchObject({ turns: 0 })
    expect(actions.fault({ context: contextOf(), event: { ...event, member: 'nobody' } })).toEqual({})
  })

  it('that come late cost their tokens all the same', () => {
    expect(actions.late({ context: contextOf({}, { tokens: 2 }), event: info })).toMatchObject({ tokens: 7 })
  })

  it('for the work are given while it is shared out and done, and in no other state', () => {
    const context = contextOf({}, { subtasks: [work('x'), work('y')] })
    const bonusIn = (state: State) =>
      actions.enter({ context, event: { type: 'cancel', at: 1 } }, { state }).visit?.bonus
    expect(STATES.map(bonusIn)).toEqual([0, 0, 4, 4, 0])
  })
})

describe('a change of state', () => {
  it.each(STATES)('notes when %s was left, and appoints nobody yet', (state) => {
    const visit = { state, since: 0, bonus: 0 }
    const context = contextOf({}, { visit, moves: 6, reviewers: ['b'] })
    const patch = actions.enter({ context, event: { type: 'cancel', at: 1 } }, { state: 'review' })
    expect(patch).toMatchObject({ moves: 7, reviewers: [], left: { ...context.left, [state]: 7 } })
  })

  it('makes no happening but a message late', () => {
    const left = { discussion: 3, proposal: 3, assign: 3, execution: 3, review: 3 }
    for (const event of CONTROLS)
      expect(guards.isLate({ context: contextOf({}, { left, moves: 3 }), event })).toBe(false)
  })
})

describe('a member that leaves', () => {
  const leave: ConversationEvent = { type: 'leave', at: 1, member: 'b' }

  it('takes its objections and what it was offered with it', () => {
    const context = contextOf(
      {},
      {
        proposals: [{ ...proposal('m1'), agrees: ['b', 'a'], objects: ['b', 'c'] }],
        subtasks: [work('x', { offered: 'b' }), work('y', { owner: 'c' })],
      },
    )
    const patch = actions.leave({ context, event: leave })
    expect(patch.proposals).toMatchObject([{ agrees: ['a'], objects: ['c'] }])
    expect(patch.subtasks).toEqual([work('x'), work('y', { owner: 'c' })])
  })

  it('leaves its review to the others, and elsewhere appoints nobody', () => {
    const visit = { state: 'review', since: 0, bonus: 0 } as const
    const review = contextOf({}, { visit, reviewers: ['b'] })
    expect(actions.leave({ context: review, event: leave }).reviewers).toEqual(['a', 'c'])
    expect(actions.leave({ context: contextOf(), event: leave }).reviewers).toEqual([])
  })

  it('by force is somebody', () => {
    expect(actions.expel({ context: contextOf(), event: { type: 'cancel', at: 1 } })).toEqual({})
  })
})

describe('work', () => {
  const message = <Type extends Intent>(type: Type, payload: object = {}) =>
    ({
      type,
      at: 1,
      id: 'm2',
      from: 'a',
      content: 'x',
      payload,
      replyTo: null,
      tokens: 1,
    }) as ConversationEvent

  it('that is new has no owner, no result and no requirements that nobody named', () => {
    const raised = actions.propose({ context: contextOf(), event: message('proposal', { subtasks: [{}] }) })
    const context = contextOf(
      {},
      { proposals: (raised.proposals ?? []).map((each) => ({ ...each, agrees: ['b', 'c'] })) },
    )
    expect(actions.adoptCarried({ context, event: { type: 'cancel', at: 1 } }).subtasks).toEqual([work('t1')])
    expect(
      actions.assignSubtask({ context: contextOf(), event: message('assign', { subtask: 'x', owner: 'b' }) })
        .subtasks,
    ).toEqual([work('x', { offered: 'b' })])
    expect(actions.acceptSubtasks({ context: contextOf(), event: message('accept') }).subtasks).toEqual([
      work('task', { owner: 'a' }),
    ])
  })

  it('that was reported without an owner is not what an acceptance takes', () => {
    const failed = work('x', { status: 'failed', byLimit: true })
    const context = contextOf({}, { subtasks: [failed, work('y')] })
    expect(actions.acceptSubtasks({ context, event: message('accept') }).subtasks).toEqual([
      failed,
      work('y', { owner: 'a' }),
    ])
  })

  const reported = work('x', { owner: 'a', status: 'failed', attempts: 1 })
  const half = contextOf({}, { subtasks: [reported, work('y', { owner: 'a' })] })

  it('that is reported is not given back with the rest', () => {
    expect(actions.giveBack({ context: half, event: message('object') }).subtasks).toEqual([
      reported,
      work('y'),
    ])
  })

  it('that is reported is not reported anew by a result that names none', () => {
    expect(actions.report({ context: half, event: message('result') }).subtasks).toEqual([
      reported,
      work('y', { owner: 'a', status: 'success', output: 'x', attempts: 1 }),
    ])
  })

  it('that the limit reports twice is warned of once', () => {
    const event: ConversationEvent = { type: 'deadline', at: 1 }
    const { warnings = [] } = actions.reportFailed({ context: half, event })
    expect(warnings).toEqual(['partial'])
    expect(actions.reportFailed({ context: { ...half, warnings }, event }).warnings).toEqual(['partial'])
  })

  it('that nobody rejects by name is not done again because another passes all', () => {
    const done = [work('x', { owner: 'a', status: 'success' }), work('y', { owner: 'b', status: 'success' })]
    const verdicts = [
      { from: 'b', pass: true, subtasks: null },
      { from: 'c', pass: false, subtasks: ['y'] },
    ]
    const patch = actions.rework({
      context: contextOf({}, { subtasks: done, verdicts }),
      event: message('reject'),
    })
    expect(patch.subtasks).toEqual([done[0], work('y', { owner: 'b' })])
  })

  it('is all reported only where there is any', () => {
    const event = message('result')
    expect(guards.allReported({ context: contextOf(), event })).toBe(false)
    expect(guards.allReported({ context: half, event })).toBe(false)
    expect(guards.allReported({ context: contextOf({}, { subtasks: [reported] }), event })).toBe(true)
  })
})

describe('a judgement', () => {
  const judged = (
    payload: MessageEvent<'verdict'>['payload'],
    type: 'verdict' | 'reject' = 'verdict',
  ): boolean =>
    guards.mayJudge({
      context: contextOf({}, { reviewers: ['a'], subtasks: [work('x')] }),
      event: { type, at: 1, id: 'm2', from: 'a', content: '', payload, replyTo: null, tokens: 0 },
    })

  it('that rejects names what there is; one that passes may name anything', () => {
    for (const payload of [{ verdict: 'pass' as const, subtasks: ['nothing'] }, { subtasks: ['nothing'] }])
      expect(judged(payload)).toBe(true)
    expect(judged({ verdict: 'reject', subtasks: ['nothing'] })).toBe(false)
    expect(judged({ verdict: 'reject', subtasks: ['x'] })).toBe(true)
    expect(judged({ subtasks: ['nothing'] }, 'reject')).toBe(false)
  })

  it('is nobody’s where the lead reviews and there is none', () => {
    expect(reviewersNow(contextOf({ reviewers: 'lead' }, { lead: null }))).toEqual([])
    expect(reviewersNow(contextOf({ reviewers: 'lead' }))).toEqual(['a'])
  })
})

describe('a vote', () => {
  const vote = (replyTo: string | null): ConversationEvent => ({
    type: 'agree',
    at: 1,
    id: 'm2',
    from: 'a',
    content: '',
    payload: {},
    replyTo,
    tokens: 0,
  })
  const two = contextOf({}, { proposals: [proposal('m1'), proposal('m3')] })

  it('is in doubt when it names none of several, and unknown when it names another', () => {
    const answers = (replyTo: string | null): readonly boolean[] =>
      [guards.ambiguousVote, guards.unknownProposal].map((guard) =>
        guard({ context: two, event: vote(replyTo) }),
      )
    expect(answers(null)).toEqual([true, false])
    expect(answers('m9')).toEqual([false, true])
    expect(answers('m3')).toEqual([false, false])
  })
})

describe('the best proposal', () => {
  const best = (...votes: (readonly [id: string, agrees: number, objects: number])[]): string | undefined => {
    const voters = (count: number): string[] => Array.from({ length: count }, (_, index) => `v${index}`)
    const proposals = votes.map(([id, agrees, objects]) => ({
      ...proposal(id),
      agrees: voters(agrees),
      objects: voters(objects),
    }))
    return bestOf(contextOf({}, { proposals }))?.id
  }

  it('has most agreements, the earliest of equals', () => {
    expect(best(['m1', 1, 0], ['m2', 3, 0], ['m3', 2, 0])).toBe('m2')
    expect(best(['m1', 2, 0], ['m2', 2, 0])).toBe('m1')
  })

  it('has at least one, and no more objections than agreements', () => {
    expect(best(['m1', 0, 0])).toBeUndefined()
    expect(best(['m1', 1, 2])).toBeUndefined()
    expect(best(['m1', 2, 2])).toBe('m1')
    expect(best(['m1', 4, 5], ['m2', 1, 0])).toBe('m2')
  })
})

describe('the chair', () => {
  it('is the lead, else the plan’s author while it is there, else the first member', () => {
    const adopted = { id: 'm1', author: 'c' }
    const gone = contextOf().seats.map((seat) => ({ ...seat, active: seat.id === 'b' }))
    expect(chairOf(contextOf({}, { adopted }))).toBe('a')
    expect(chairOf(contextOf({}, { lead: null, adopted }))).toBe('c')
    expect(chairOf(contextOf({}, { lead: null, adopted: { id: 'm1', author: 'd' } }))).toBe('a')
    expect(chairOf(contextOf({}, { lead: null, adopted, seats: gone }))).toBe('b')
    expect(chairOf(contextOf({}, { lead: null }))).toBe('a')
    expect(chairOf(contextOf({}, { lead: null, seats: [] }))).toBeNull()
  })
})

describe('the end', () => {
  it('is due at no time when it has come, nor where no time is set', () => {
    const closing = { status: 'cancelled', cause: null } as const
    const policy = { ...contextOf().policy, deadline: { ...contextOf().policy.deadline, discussion: null } }
    expect(dueAt(contextOf())).toBe(600_000)
    expect(dueAt(contextOf({}, { closing }))).toBeNull()
    expect(dueAt(contextOf({}, { policy }))).toBeNull()
  })

  it('has no outcome before it has come', () => {
    expect(outcomeOf(contextOf())).toBeNull()
  })
})

describe('a policy', () => {
  const group = { members: ['a', 'b'], lead: 'a' }
  const issues = (policy: unknown): readonly string[] =>
    (conversation.completePolicy(policy, group).issues ?? []).map(({ path, message }) => `${path} ${message}`)

  it.each([
    [{ maxTurns: 0 }, 'policy.maxTurns must be an integer of at least 1'],
    [{ maxTurns: 'many' }, 'policy.maxTurns must be an integer of at least 1, or null'],
    [{ reviewQuorum: 0 }, 'policy.reviewQuorum must be an integer of at least 1'],
    [{ reviewQuorum: 1.5 }, 'policy.reviewQuorum must be an integer of at least 1'],
    [{ maxReject: -1 }, 'policy.maxReject must be an integer of at least 0'],
    [{ maxReject: 0.5 }, 'policy.maxReject must be an integer of at least 0'],
    [{ deadline: { review: null } }, 'policy.deadline.review must not be null: silence'],
    [
      { deadline: { review: null }, turnLimit: { review: null }, idle: { review: 5 } },
      'policy.deadline.review must not be null without a turn limit: chatter',
    ],
  ])('%j is refused with what would do', (policy, words) => {
    expect(issues(policy)).toEqual([expect.stringContaining(words)])
  })

  it.each(['1/2x', 'x1/2', '1/2/3', '0/2', '3/2', '1/0', 'half'])('has no ratio %s', (agreeRatio) => {
    expect(issues({ agreeRatio })).toHaveLength(1)
  })

  it('without a value of its own is the same object for all, which nobody can change', () => {
    const of = (policy: unknown): unknown => {
      const completed = conversation.completePolicy(policy, group)
      return completed.issues ?? completed.policy
    }
    expect(of({})).toBe(of({}))
    expect(of({ maxTurns: undefined })).toBe(of({}))
    expect(shared(policySchema.parse({}))).toBe(of({}))
    expect(shared(policySchema.parse({ maxTurns: 4 }))).not.toBe(of({}))
    const isFrozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every((inner) => isFrozen(inner)))
    for (const policy of [of({}), of({ talk: ['review'] }), shared(policySchema.parse({ maxTurns: 4 }))])
      expect(isFrozen(policy)).toBe(true)
  })
})

describe('the agreements that are needed', () => {
  const needed = (agreeRatio: PolicyInput['agreeRatio'], voters: number, members = voters): number =>
    agreementsNeeded(contextOf({ agreeRatio }), voters, members)

  it('are the exact ceiling of a fraction, of any length', () => {
    expect(needed('1/3', 3)).toBe(1)
    expect(needed('1/3', 4)).toBe(2)
    expect(needed('2/2', 3)).toBe(3)
    // In doubles these products are rounded.
    expect(needed('1/99999999999999999999', 3)).toBe(1)
    expect(needed('99999999999999999998/99999999999999999999', 3)).toBe(3)
    expect(needed('33333333333333333333/99999999999999999999', 3)).toBe(1)
    expect(needed('33333333333333333334/99999999999999999999', 3)).toBe(2)
  })

  it('are a half of up to three members’ voters, 0.6 of up to six’s, and 0.7 of more', () => {
    expect([1, 2, 3].map((members) => needed('auto', 20, members))).toEqual([10, 10, 10])
    expect([4, 5, 6].map((members) => needed('auto', 20, members))).toEqual([12, 12, 12])
    expect([7, 8].map((members) => needed('auto', 20, members))).toEqual([14, 14])
  })
})

describe('the rank', () => {
  const at = (state: ConversationContext['visit']['state'], bonus = 0): Partial<ConversationContext> => ({
    visit: { state, since: 0, bonus },
  })
  const seats = (...list: Partial<ConversationContext['seats'][number]>[]): ConversationContext['seats'] =>
    list.map((seat, index) => ({
      id: `s${index}`,
      active: true,
      expelled: false,
      turns: 0,
      violations: 0,
      heard: 0,
      ...seat,
    }))

  it('counts the visits to come, two for each rejection left', () => {
    expect(rank(contextOf({ maxReject: 2 }))[0]).toBe(9)
    expect(rank(contextOf({ maxReject: 2 }, at('review')))[0]).toBe(5)
    expect(rank(contextOf({ maxReject: 2 }, { ...at('execution'), rejections: 1 }))[0]).toBe(4)
    expect(rank(contextOf({ maxReject: 0 }, at('proposal')))[0]).toBe(4)
  })

  it('adds members, turns, violations and late messages left, of active members only', () => {
    const policy: PolicyInput = { turnLimit: { execution: 5 }, violationLimit: 4 }
    const given = seats({ turns: 2 }, { violations: 3, heard: 1 }, { active: false, turns: 1 })
    // Two members; 7 − 2 and 7 turns; 4 and 1 violations; one that has not heard the last change.
    expect(rank(contextOf(policy, { ...at('execution', 2), seats: given, moves: 1 }))[1]).toBe(
      2 + 5 + 7 + 4 + 1 + 1,
    )
  })

  it('never takes from the rest what one member has had too much of', () => {
    const policy: PolicyInput = { turnLimit: { discussion: 2 }, violationLimit: 2 }
    expect(rank(contextOf(policy, { seats: seats({ turns: 5, violations: 5 }, {}) }))[1]).toBe(2 + 2 + 2)
  })

  it('takes the turns of all together where the policy counts messages', () => {
    const policy: PolicyInput = { turnUnit: 'message', turnLimit: { discussion: 6 }, violationLimit: null }
    expect(rank(contextOf(policy, { spoken: 2 }))[1]).toBe(3 + 4)
    expect(rank(contextOf(policy, { spoken: 9 }))[1]).toBe(3)
  })

  it('leaves out what has no limit', () => {
    const round: PolicyInput = { turnLimit: { discussion: null }, violationLimit: null }
    expect(rank(contextOf(round))[1]).toBe(3)
    expect(rank(contextOf({ ...round, turnUnit: 'message' }))[1]).toBe(3)
  })

  it('is nothing once it is closed', () => {
    expect(rank(contextOf({}, { closing: { status: 'cancelled', cause: null } }))).toEqual([0, 0])
  })
})
