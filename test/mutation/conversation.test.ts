/** The parts of the conversation's machine one by one: what a run of the whole does not tell apart. */
import { describe, expect, it } from 'vitest'
import { actions } from '../../machines/conversation/actions.ts'
import {
  agreementsNeeded,
  type ConversationContext,
  opened,
  type Subtask,
} from '../../machines/conversation/context.ts'
import { guards } from '../../machines/conversation/guards.ts'
import { type ConversationEvent, INTENTS, type Intent } from '../../machines/conversation/intents.ts'
import { type PolicyInput, policySchema } from '../../machines/conversation/policy.ts'
import { rank } from '../../machines/conversation/rank.ts'

const contextOf = (
  policy: PolicyInput = {},
  more: Partial<ConversationContext> = {},
): ConversationContext => ({
  ...opened({ members: ['a', 'b', 'c'], lead: 'a', policy: policySchema.parse(policy), at: 0 }),
  ...more,
})

const subtask = (id: string, more: Partial<Subtask> = {}): Subtask => ({
  id,
  title: null,
  requires: [],
  owner: null,
  offered: null,
  status: null,
  output: null,
  attempts: 0,
  byLimit: false,
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
  contextOf({}, { subtasks: [subtask('own', { owner: 'a' }), subtask('free')], reviewers: ['a'] }),
  contextOf(
    {},
    { subtasks: [subtask('own', { offered: 'b' })], proposals: [proposal('m1'), proposal('m3')] },
  ),
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
