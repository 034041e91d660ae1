/**
 * What broke in other systems of talking agents, and holds here. One test for each public report that the rules alone
 * can answer; what needs agents, journals or transports is tested with those.
 */
import { describe, expect, it } from 'vitest'
import { catalogue } from '../../machines/catalogue.ts'
import { conversation } from '../../machines/conversation/index.ts'
import { policySchema, STATES, type State } from '../../machines/conversation/policy.ts'
import { simulatedClock } from '../../src/engine/clock.ts'
import type { Sent } from '../../src/engine/events.ts'
import { openConversation, restoreConversation } from '../../src/engine/opening.ts'
import { readLines, replay } from '../../src/engine/replay.ts'
import type { MessageInput } from '../../src/schema/message.ts'
import type { Talk } from '../support/play.ts'

const open = (members: readonly string[], policy: object = {}, lead: string | null = null): Talk =>
  openConversation({
    protocol: conversation,
    id: 'c1',
    members,
    lead,
    policy,
    at: 0,
    clock: simulatedClock(),
  })

let count = 0
const say = (talk: Talk, from: string, intent: string, more: Partial<MessageInput> = {}, at?: number): Sent =>
  talk.send({ id: `m${++count}`, from, intent, ...more }, at ?? talk.at + 1)
const again = (talk: Talk): Talk =>
  restoreConversation(JSON.parse(JSON.stringify(talk.snapshot())), { protocol: conversation })
const replayed = (talk: Talk): Talk => {
  const text = talk
    .record()
    .map((event) => JSON.stringify(event))
    .join('\n')
  return replay(readLines(text).lines, catalogue).talk as Talk
}
const two = { payload: { subtasks: [{ id: 'x' }, { id: 'y' }] } }

/** Two members with one subtask each, in a state. */
const upTo = (state: State, policy: object = {}, members: readonly string[] = ['a', 'b', 'c']): Talk => {
  const talk = open(members, policy)
  const acts: readonly (() => unknown)[] = [
    () => say(talk, 'a', 'proposal', { id: 'p', ...two }),
    () => members.slice(1).map((member) => talk.state === 'proposal' && say(talk, member, 'agree')),
    () => ['a', 'b'].map((member) => say(talk, member, 'accept')),
    () => ['a', 'b'].map((member) => say(talk, member, 'result')),
  ]
  for (const act of acts) if (talk.state !== state) act()
  expect(talk.state).toBe(state)
  return talk
}
const rework = (talk: Talk): void => {
  say(talk, 'c', 'reject')
  if (!talk.isClosed) for (const member of ['a', 'b']) say(talk, member, 'result')
}

describe('never ends', () => {
  it('a counter of 0 is not taken for none: no limit may be 0, and maxReject 0 means the first rejection ends it', () => {
    for (const key of ['maxTurns', 'tokenBudget', 'violationLimit', 'reviewQuorum', 'minMembers'])
      expect(policySchema.safeParse({ [key]: 0 }).success).toBe(false)
    const talk = upTo('review', { maxReject: 0 })
    expect(say(talk, 'c', 'reject').reason).toBe('rejects_exhausted')
    expect(talk.outcome).toMatchObject({
      status: 'rejects_exhausted',
      rejections: 1,
      warnings: ['rejects_exhausted'],
    })
  })

  it('counters begin at 0 and only grow, also over a message of 0 tokens and a member who comes back', () => {
    const talk = open(['a', 'b'])
    for (const turns of [1, 2, 3]) {
      say(talk, 'a', 'info', { tokens: 0 })
      expect(talk.context.turns).toBe(turns)
      talk.leave('a')
      talk.join('a')
      expect(talk.context.seats.find(({ id }) => id === 'a')?.turns).toBe(turns)
    }
  })

  it('the transition at the limit is final: what is said later does not undo it', () => {
    const talk = open(['a'], { turnLimit: { discussion: 1 } })
    expect(say(talk, 'a', 'info').reason).toBe('timeout')
    const outcome = JSON.stringify(talk.outcome)
    say(talk, 'a', 'proposal')
    talk.join('b')
    talk.tick()
    expect([talk.state, JSON.stringify(talk.outcome)]).toEqual(['closed', outcome])
  })

  it('whoever is asked and fails, every time, spends its turns and then its seat', () => {
    const talk = open(['a'], { violationLimit: 100 })
    let faults = 0
    while (!talk.isClosed && faults < 1000) {
      talk.fault('a', 'nothing came back', talk.at + 1)
      faults++
    }
    expect([faults, talk.outcome]).toMatchObject([6, { status: 'timeout', cause: 'turns', turns: 6 }])
    const barred = open(['a'], { violationLimit: 3, turnLimit: { discussion: 50 } })
    for (let n = 0; n < 3; n++) barred.fault('a', 'nothing came back', barred.at + 1)
    expect(barred.outcome).toMatchObject({ status: 'abandoned' })
  })

  it('empty messages go round only as often as full ones', () => {
    const turnsOf = (content: string): number => {
      const talk = open(['a', 'b'])
      while (!talk.isClosed) for (const member of ['a', 'b']) say(talk, member, 'info', { content })
      return talk.outcome?.turns ?? 0
    }
    expect(turnsOf('')).toBe(turnsOf('something'))
    expect(turnsOf('')).toBe(12)
  })

  it('no word of a member closes it: only the rules do', () => {
    const talk = open(['a', 'b'])
    for (const content of ['TERMINATE', 'DONE', '[closed]'])
      say(talk, 'a', 'info', {
        content,
        payload: { state: 'closed', type: 'cancel', closing: { status: 'accepted' } },
      })
    expect(say(talk, 'a', 'cancel').reason).toBe('invalid')
    expect(talk.state).toBe('discussion')
  })

  it('where nobody may act any more it is over by its time, and says so', () => {
    const talk = upTo('assign', { assigners: 'any', deadline: { assign: 50 } }, ['a', 'b', 'c'])
    const due = talk.dueAt ?? 0
    talk.tick(due)
    expect(talk.outcome).toMatchObject({ status: 'timeout', state: 'assign', cause: 'deadline' })
  })

  it('nothing is told after the end, not even what answers it', () => {
    const talk = open(['a', 'b'])
    const heard: string[] = []
    talk.on('closed', () => {
      heard.push('closed')
      say(talk, 'a', 'info')
      talk.cancel()
      talk.join('c')
    })
    talk.on('event', ({ event }) => heard.push(event.type))
    talk.cancel()
    expect(heard).toEqual(['cancel', 'closed'])
  })

  it('every kind of message counts: no intent escapes the limit', () => {
    for (const intent of [
      'question',
      'info',
      'proposal',
      'agree',
      'object',
      'accept',
      'progress',
      'result',
      'verdict',
      'reject',
    ]) {
      const talk = open(['a', 'b', 'c'], { talk: [...STATES], maxReject: 0 })
      let events = 0
      while (!talk.isClosed && events < 5_000) {
        for (const member of ['a', 'b', 'c']) say(talk, member, intent, { payload: {} }, talk.at)
        events++
      }
      expect([intent, talk.isClosed]).toEqual([intent, true])
    }
  })

  it('there is one budget for all: passing the work on renews nothing', () => {
    const talk = upTo('assign', { maxTurns: 20, turnLimit: { assign: 500 } })
    for (let n = 0; !talk.isClosed && n < 100; n++) {
      const [from, owner] = n % 2 === 0 ? (['a', 'b'] as const) : (['b', 'a'] as const)
      say(talk, from, 'assign', { payload: { subtask: 'x', owner } })
    }
    expect(talk.outcome).toMatchObject({ status: 'timeout', cause: 'max_turns', turns: 20 })
  })

  it('no state can be left without a bound: such a policy is refused', () => {
    for (const state of STATES) {
      const unbounded = { deadline: { [state]: null } }
      for (const more of [
        {},
        { idle: { [state]: 5 }, turnLimit: { [state]: null } },
        { turnLimit: { [state]: 5 } },
      ])
        expect(() => open(['a'], { ...unbounded, ...more })).toThrow(`policy.deadline.${state}`)
    }
  })
})

describe('ends too early', () => {
  it('a second conversation starts anew, whatever became of the first', () => {
    const first = open(['a', 'b'])
    first.cancel()
    const second = open(['a', 'b'])
    expect([second.state, second.context.turns, second.outcome]).toEqual(['discussion', 0, null])
    expect(say(second, 'a', 'info').effect).toBe('applied')
  })

  it('a member’s failure is an event, charged to it alone', () => {
    const talk = open(['a', 'b'])
    expect(talk.fault('a', 'threw', 1)).toMatchObject({ effect: 'recorded', reason: 'fault' })
    expect(talk.context.seats.map(({ turns, violations }) => [turns, violations])).toEqual([
      [1, 1],
      [0, 0],
    ])
    expect(talk.state).toBe('discussion')
  })

  it('where nobody spoke, the reason is its own', () => {
    const silent = open(['a'], { idle: { discussion: 10 } })
    silent.tick(10)
    expect(silent.outcome).toMatchObject({ status: 'timeout', cause: 'idle', turns: 0 })
    const left = open(['a'])
    left.leave('a')
    expect(left.outcome).toMatchObject({ status: 'abandoned', turns: 0 })
  })

  it('rework is no stall: it begins a visit of its own, with its own turns and time', () => {
    const talk = upTo('review', { idle: { execution: 1000 }, deadline: { review: 100_000 } })
    say(talk, 'c', 'reject', {}, 50_000)
    expect([talk.state, talk.dueAt]).toEqual(['execution', 51_000])
    expect(talk.context.seats.every(({ turns }) => turns === 0)).toBe(true)
  })
})

describe('limits', () => {
  it.each([1, 2, 5])('%i turns for each member are exactly that many', (limit) => {
    const talk = open(['a', 'b'], { turnLimit: { discussion: limit } })
    for (let n = 1; n < limit; n++) expect([n, say(talk, 'a', 'info').effect]).toEqual([n, 'applied'])
    expect(talk.context.seats[0]?.turns).toBe(limit - 1)
    expect(say(talk, 'a', 'info')).toMatchObject({ effect: 'applied', to: 'discussion' })
    expect(say(talk, 'a', 'info')).toMatchObject({ effect: 'recorded', reason: 'turns_spent' })
    for (let n = 1; n < limit; n++) expect(say(talk, 'b', 'info').to).toBe('discussion')
    expect(say(talk, 'b', 'info')).toMatchObject({ effect: 'applied', reason: 'timeout', to: 'closed' })
    expect(talk.outcome).toMatchObject({ cause: 'turns', turns: 2 * limit })
  })

  it.each([1, 2, 5])('%i turns for all together are exactly that many', (limit) => {
    const talk = open(['a', 'b'], { turnUnit: 'message', turnLimit: { discussion: limit } })
    for (let n = 1; n < limit; n++) expect(say(talk, n % 2 === 0 ? 'a' : 'b', 'info').to).toBe('discussion')
    expect(say(talk, 'a', 'info').to).toBe('closed')
    expect(say(talk, 'b', 'info')).toMatchObject({ effect: 'ignored', reason: 'closed' })
    expect(talk.outcome).toMatchObject({ cause: 'turns', turns: limit })
  })

  it.each([1, 2, 5])('%i turns in all states are exactly that many', (limit) => {
    const talk = open(['a', 'b'], { maxTurns: limit })
    for (let n = 1; n < limit; n++) expect(say(talk, 'a', 'info').to).toBe('discussion')
    expect(say(talk, 'b', 'info').reason).toBe('timeout')
    expect(talk.outcome).toMatchObject({ cause: 'max_turns', turns: limit })
  })

  it.each([1, 9, 10, 11])('a token budget of 10 is spent at 10, not before: %i tokens', (tokens) => {
    const talk = open(['a', 'b'], { tokenBudget: 10 })
    say(talk, 'a', 'info', { tokens })
    expect(talk.outcome?.cause).toBe(tokens >= 10 ? 'tokens' : undefined)
  })

  it('the order is fixed where a message both completes a state and spends the last turn: it completes it', () => {
    const talk = open(['a', 'b'], {
      turnUnit: 'message',
      turnLimit: { discussion: 1, proposal: 1 },
      maxTurns: 3,
    })
    expect(say(talk, 'a', 'proposal', two).reason).toBe('proposal_raised')
    expect(say(talk, 'b', 'agree').reason).toBe('consensus')
    expect(say(talk, 'a', 'accept').reason).toBe('timeout')
    expect(talk.outcome?.cause).toBe('max_turns')
  })

  it('where several limits come at once the cause is the first: tokens, then all turns, then the state’s', () => {
    const all = { tokenBudget: 1, maxTurns: 1, turnLimit: { discussion: 1 } }
    const causeOf = (policy: object): string | undefined => {
      const talk = open(['a'], policy)
      say(talk, 'a', 'info', { tokens: 1 })
      return talk.outcome?.cause
    }
    expect(causeOf(all)).toBe('tokens')
    expect(causeOf({ ...all, tokenBudget: null })).toBe('max_turns')
    expect(causeOf({ ...all, tokenBudget: null, maxTurns: null })).toBe('turns')
  })

  it('what was not admitted spends no turn', () => {
    const talk = open(['a', 'b'], { turnLimit: { discussion: 3 } })
    say(talk, 'z', 'info')
    say(talk, 'a', 'verdict')
    say(talk, 'a', 'info', { tokens: -1 })
    say(talk, 'a', 'info', { id: 'same' })
    say(talk, 'a', 'info', { id: 'same' })
    say(talk, 'b', 'info', { id: 'same' })
    talk.tick()
    expect([talk.context.turns, talk.context.seats.map(({ turns }) => turns)]).toEqual([1, [1, 0]])
  })

  it('limits are the same everywhere, and no member can change them', () => {
    const talk = open(['a', 'b'], { turnLimit: { discussion: 2 }, maxTurns: 9 })
    const before = JSON.stringify(talk.context.policy)
    say(talk, 'a', 'info', { payload: { policy: { maxTurns: 99 }, turnLimit: { discussion: 99 } } })
    expect(JSON.stringify(talk.context.policy)).toBe(before)
    expect(talk.record()[0]).toMatchObject({ policy: JSON.parse(before) as object })
    expect(conversation.turnsLeft(talk.context, 'a', talk.state)).toBe(1)
    expect(conversation.turnsLeft(talk.context, 'b', talk.state)).toBe(2)
    say(talk, 'a', 'info')
    expect(conversation.turnsLeft(talk.context, 'a', talk.state)).toBe(0)
    expect(conversation.allowed(talk.context, 'a', talk.state)).toEqual([])
  })
})

describe('counters across re-entry and resume', () => {
  it('a resumed conversation has spent what it had spent', () => {
    const talk = open(['a', 'b'], { turnLimit: { discussion: 2 }, tokenBudget: 100, violationLimit: 2 })
    say(talk, 'a', 'info', { tokens: 30 })
    say(talk, 'a', 'info', { tokens: 30 })
    say(talk, 'b', 'verdict', { tokens: 30 })
    for (const resumed of [again(talk), replayed(talk)]) {
      expect(say(resumed, 'a', 'info').reason).toBe('turns_spent')
      expect(say(resumed, 'b', 'verdict')).toMatchObject({ expelled: 'b' })
      expect(resumed.context.tokens).toBe(90)
    }
  })

  it('a snapshot of another version is refused, not read with its counts lost', () => {
    const snapshot = { ...open(['a']).snapshot(), version: 99 }
    expect(() => restoreConversation(snapshot, { protocol: conversation })).toThrow('version 99')
  })

  it.each([0, 1, 3])(
    'rejections are counted over all reworks: %i send work back, the next ends it',
    (maxReject) => {
      const talk = upTo('review', { maxReject, turnLimit: { review: 50 } })
      for (let n = 1; n <= maxReject; n++) {
        rework(talk)
        expect([talk.state, talk.context.rejections]).toEqual(['review', n])
        expect(again(talk).context.rejections).toBe(n)
      }
      rework(talk)
      expect(talk.outcome).toMatchObject({ status: 'rejects_exhausted', rejections: maxReject + 1 })
    },
  )

  it('a reviewer who never answers, or fails in silence, does not hold the review open', () => {
    const talk = upTo('review')
    expect(talk.dueAt).toBe(talk.at + 600_000)
    talk.tick(talk.dueAt ?? 0)
    expect(talk.outcome).toMatchObject({ status: 'timeout', state: 'review', warnings: ['unreviewed'] })
  })

  it('a turn limit is for each visit, maxTurns for all', () => {
    const talk = upTo('review', { turnLimit: { review: 1, execution: 1 }, maxTurns: 12 })
    rework(talk)
    expect([talk.state, talk.context.turns]).toEqual(['review', 9])
    rework(talk)
    expect([talk.outcome?.cause, talk.outcome?.turns]).toEqual(['max_turns', 12])
  })
})

describe('resume replays or loses', () => {
  it('nothing is doubled: what was heard before a restart is a duplicate after it', () => {
    const talk = open(['a', 'b'])
    say(talk, 'a', 'info', { id: 'once' })
    for (const resumed of [again(talk), replayed(talk), again(again(talk))]) {
      expect(say(resumed, 'a', 'info', { id: 'once' })).toMatchObject({
        effect: 'ignored',
        reason: 'duplicate',
      })
      expect(say(resumed, 'b', 'info', { id: 'once' })).toMatchObject({
        effect: 'rejected',
        reason: 'id_taken',
      })
      expect([resumed.seq, resumed.context.turns]).toEqual([1, 1])
    }
  })

  it('to restore does nothing: no visit begins anew, no place is given twice', () => {
    const talk = upTo('execution')
    const resumed = again(talk)
    expect(resumed.snapshot()).toEqual(talk.snapshot())
    expect(say(resumed, 'a', 'progress').seq).toBe(talk.seq + 1)
  })

  it('overdue times fire, and are due when they always were', () => {
    const talk = open(['a'], { deadline: { discussion: 100 } })
    const resumed = again(talk)
    expect(resumed.dueAt).toBe(100)
    expect(resumed.tick(5_000).reason).toBe('timeout')
  })
})

describe('votes', () => {
  it('of one member count once, however often it votes', () => {
    const talk = open(['a', 'b', 'c', 'd', 'e'], { turnLimit: { proposal: 50 } })
    say(talk, 'a', 'proposal', { id: 'p' })
    for (let n = 0; n < 10; n++) expect(say(talk, 'b', 'agree').to).toBe('proposal')
    expect(talk.context.proposals[0]?.agrees).toEqual(['b'])
    say(talk, 'b', 'object')
    expect(talk.context.proposals[0]).toMatchObject({ agrees: [], objects: ['b'] })
    for (const voter of ['c', 'd']) say(talk, voter, 'agree')
    expect(talk.state).toBe('proposal')
    expect(say(talk, 'e', 'agree').reason).toBe('consensus')
  })

  it('of the author never count, not even those of a lead that is no more', () => {
    const talk = open(['a', 'b', 'c', 'd'])
    say(talk, 'a', 'proposal', { id: 'p' })
    for (let n = 0; n < 2; n++) say(talk, 'a', 'agree', { payload: { decisive: true } })
    expect([talk.state, talk.context.proposals[0]?.agrees]).toEqual(['proposal', []])
  })

  /** Voters, agreements that carry by half. */
  it.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 2],
    [5, 3],
  ])('by half of %i voters take %i', (voters, needed) => {
    const names = Array.from({ length: voters }, (_, n) => `v${n}`)
    const talk = open(['author', ...names], { agreeRatio: 0.5 })
    say(talk, 'author', 'proposal', { id: 'p' })
    names.slice(0, needed).forEach((name, n) => {
      expect(say(talk, name, 'agree').to).toBe(n + 1 < needed ? 'proposal' : 'assign')
    })
  })

  it.each([
    ['auto', 1, 1],
    ['auto', 2, 1],
    ['auto', 3, 2],
    ['auto', 4, 3],
    ['auto', 5, 3],
    ['auto', 6, 5],
    ['auto', 10, 7],
    ['2/3', 3, 2],
    ['1/3', 3, 1],
    [1 / 3, 3, 1],
    [0.7, 10, 7],
    [0.6, 5, 3],
    [0.28, 25, 7], // 0.28 × 25 is a little more than 7 in a double
    [1, 4, 4],
    ['1/1', 4, 4],
    [Number.MIN_VALUE, 4, 1],
  ] as const)('by %s of %i voters take %i, to the vote', (agreeRatio, voters, needed) => {
    const names = Array.from({ length: voters }, (_, n) => `v${n}`)
    const talk = open(['author', ...names], { agreeRatio })
    say(talk, 'author', 'proposal', { id: 'p' })
    for (let n = 0; n < needed - 1; n++) say(talk, `v${n}`, 'agree')
    expect(talk.state).toBe('proposal')
    expect(say(talk, `v${needed - 1}`, 'agree').reason).toBe('consensus')
  })

  it('one of two wins against one only where the author is for it; two against one stop it', () => {
    const tie = open(['a', 'b', 'c'])
    say(tie, 'a', 'proposal', { id: 'p' })
    say(tie, 'b', 'object')
    expect(say(tie, 'c', 'agree').reason).toBe('consensus')
    const outvoted = open(['a', 'b', 'c', 'd'], { agreeRatio: 0.1 })
    say(outvoted, 'a', 'proposal', { id: 'p' })
    say(outvoted, 'b', 'object')
    say(outvoted, 'c', 'object')
    expect(say(outvoted, 'd', 'agree').to).toBe('proposal')
  })

  it('of a member who leaves in mid-vote vanish, and its leaving can carry the proposal', () => {
    const talk = open(['a', 'b', 'c', 'd', 'e'], { agreeRatio: 0.5 })
    say(talk, 'a', 'proposal', { id: 'p' })
    say(talk, 'b', 'agree')
    expect(talk.leave('c', 3)).toMatchObject({ effect: 'applied', reason: 'left' })
    expect(talk.leave('d', 4)).toMatchObject({ effect: 'applied', reason: 'consensus', to: 'assign' })
    const gone = open(['a', 'b', 'c', 'd'], { agreeRatio: 1 })
    say(gone, 'a', 'proposal', { id: 'p' })
    say(gone, 'b', 'agree')
    gone.leave('b', 3)
    gone.join('b', 4)
    expect(gone.context.proposals[0]?.agrees).toEqual([])
  })

  it('that carry a proposal go straight through what follows: none is stuck after its quorum', () => {
    const talk = open(['a'])
    expect(say(talk, 'a', 'proposal').transitions.map(({ reason }) => reason)).toEqual([
      'proposal_raised',
      'consensus',
    ])
    expect(say(talk, 'a', 'accept').reason).toBe('all_assigned')
  })
})

describe('members and names', () => {
  it('a name given twice is refused, and so is an empty group, by field', () => {
    expect(() => open(['a', 'b', 'a'])).toThrow('members[2] repeats "a"')
    expect(() => open([])).toThrow('members must name at least one member')
  })

  it('names of any script, with spaces and slashes, are as many members as there are names', () => {
    const names = [
      '智能体',
      '智能体A',
      'a b',
      'a_b',
      'a/b',
      'a-b',
      '__proto__',
      'constructor',
      'hasOwnProperty',
    ]
    const talk = open(names, { turnLimit: { discussion: 1 } })
    for (const name of names.slice(1)) expect(say(talk, name, 'info').effect).toBe('applied')
    expect(talk.context.seats.map(({ turns }) => turns)).toEqual([0, ...names.slice(1).map(() => 1)])
    expect(say(talk, '智能体', 'proposal').reason).toBe('proposal_raised')
    for (const name of ['__proto__', 'constructor']) {
      expect(talk.leave(name).reason).toBe('left')
      expect(say(talk, name, 'agree').reason).toBe('not_member')
    }
  })

  it('one who is no member is ignored, and nothing is lost', () => {
    const talk = open(['a', 'b'])
    const before = JSON.stringify(talk.snapshot())
    expect(say(talk, 'z', 'proposal').reason).toBe('not_member')
    expect(talk.fault('z', 'threw').reason).toBe('not_member')
    expect(talk.leave('z').reason).toBe('not_member')
    expect(JSON.stringify({ ...talk.snapshot(), at: 0 })).toBe(before)
  })

  it('one who leaves and comes back in the same visit has spent what it had spent, and is charged on', () => {
    const talk = open(['a', 'b'], { violationLimit: 3, turnLimit: { discussion: 2 } })
    for (const intent of ['info', 'info', 'verdict', 'verdict']) say(talk, 'a', intent)
    talk.leave('a')
    talk.join('a')
    expect(talk.context.seats.find(({ id }) => id === 'a')).toMatchObject({ turns: 2, violations: 2 })
    expect(say(talk, 'a', 'info')).toMatchObject({ reason: 'turns_spent', expelled: 'a' })
    expect(talk.join('a').reason).toBe('expelled')
  })

  it('when the last reviewer leaves those who are there review, and one who comes back does not', () => {
    const talk = upTo('review')
    expect(talk.context.reviewers).toEqual(['c'])
    talk.leave('c')
    talk.join('c')
    expect(talk.context.reviewers).toEqual(['a', 'b'])
    expect(say(talk, 'c', 'verdict').reason).toBe('not_permitted')
    expect(say(talk, 'a', 'verdict').reason).toBe('accepted')
  })

  it('an owner may hand its own work on, nobody else’s', () => {
    const talk = upTo('execution', {}, ['c', 'a', 'b'])
    expect(say(talk, 'b', 'assign', { payload: { subtask: 'x', owner: 'c' } }).reason).toBe('not_permitted')
    expect(say(talk, 'a', 'assign', { payload: { subtask: 'x', owner: 'c' } }).effect).toBe('applied')
    expect(talk.context.subtasks[0]).toMatchObject({ owner: null, offered: 'c' })
  })

  it('one who is stale can be removed, and its work and votes with it', () => {
    const talk = upTo('execution')
    expect(talk.leave('a', talk.at).effect).toBe('applied')
    expect(talk.context.subtasks.map(({ owner, status }) => [owner, status])).toEqual([
      [null, null],
      ['b', null],
    ])
    expect(say(talk, 'c', 'accept', { payload: { subtask: 'x' } }).effect).toBe('applied')
  })
})

describe('late, duplicate, racing', () => {
  it('a message to a finished conversation is refused', () => {
    const talk = upTo('review')
    expect(say(talk, 'c', 'verdict').reason).toBe('accepted')
    expect(say(talk, 'a', 'result')).toMatchObject({ effect: 'ignored', reason: 'closed' })
  })

  it('to cancel twice is to cancel once', () => {
    const talk = open(['a'])
    expect([talk.cancel(1).reason, talk.cancel(2).reason, talk.seq]).toEqual(['cancelled', 'closed', 1])
  })

  it('what was said before a change was heard is late, not wrong, once for each change', () => {
    const talk = open(['a', 'b', 'c'])
    say(talk, 'a', 'proposal')
    expect(say(talk, 'b', 'info')).toMatchObject({ effect: 'recorded', reason: 'late' })
    expect(say(talk, 'b', 'info')).toMatchObject({ effect: 'recorded', reason: 'intent_not_allowed' })
    expect(talk.context.seats.map(({ violations }) => violations)).toEqual([0, 1, 0])
    talk.join('d', talk.at)
    expect(say(talk, 'd', 'info').reason).toBe('intent_not_allowed')
  })

  it('a late reply to another conversation lands nowhere', () => {
    const talk = open(['a'])
    expect(say(talk, 'a', 'info', { conversation: 'c0' })).toMatchObject({
      effect: 'rejected',
      reason: 'invalid',
    })
  })

  it('of two who take the same subtask one has it, and the other only spent a turn', () => {
    const talk = upTo('assign')
    expect(say(talk, 'a', 'accept', { payload: { subtask: 'x' } }).effect).toBe('applied')
    expect(say(talk, 'b', 'accept', { payload: { subtask: 'x' } })).toMatchObject({
      effect: 'recorded',
      reason: 'taken',
    })
    expect(talk.context.subtasks[0]?.owner).toBe('a')
    expect(talk.context.seats[1]).toMatchObject({ turns: 1, violations: 0 })
  })

  it('who sends from within a listener waits for its place: one event is decided after the other', () => {
    const talk = open(['a', 'b'])
    const seen: number[] = []
    talk.on('event', ({ seq }) => {
      seen.push(seq)
      if (seq < 5) say(talk, 'b', 'info')
    })
    say(talk, 'a', 'info')
    expect(seen).toEqual([1, 2, 3, 4, 5])
  })
})

describe('hang, cancel, people', () => {
  it('the deadline needs nobody’s help, and what comes after it is refused', () => {
    const talk = open(['a'], { deadline: { discussion: 100 } })
    expect(say(talk, 'a', 'proposal', {}, 100)).toMatchObject({ effect: 'ignored', reason: 'closed' })
    expect(talk.outcome).toMatchObject({ status: 'timeout', cause: 'deadline' })
  })

  it('hard and idle time are apart, and the cause is the true one', () => {
    const policy = { deadline: { discussion: 100 }, idle: { discussion: 40 } }
    const idle = open(['a'], policy)
    say(idle, 'a', 'info', {}, 30)
    expect(idle.tick(69).reason).toBe('not_due')
    idle.tick(70)
    expect(idle.outcome?.cause).toBe('idle')
    const busy = open(['a'], policy)
    for (const at of [30, 60, 90]) say(busy, 'a', 'info', {}, at)
    busy.tick(100)
    expect(busy.outcome?.cause).toBe('deadline')
    const both = open(['a'], policy)
    both.tick(100)
    expect(both.outcome?.cause).toBe('deadline')
  })

  it('nothing is delivered after it was cancelled', () => {
    const talk = upTo('execution')
    talk.cancel(talk.at)
    for (const intent of ['result', 'progress', 'accept', 'info'])
      expect(say(talk, 'a', intent)).toMatchObject({ effect: 'ignored', reason: 'closed' })
    expect(talk.outcome?.subtasks.map(({ status }) => status)).toEqual([null, null])
  })

  it('a person may answer a day later, where the policy lets it', () => {
    const day = 86_400_000
    const talk = open(['a', 'b'], { deadline: { proposal: 2 * day } })
    say(talk, 'a', 'proposal')
    expect(say(again(talk), 'b', 'agree', {}, day).reason).toBe('consensus')
  })
})

describe('snapshots, memory, order', () => {
  it('to save, restore and save again gives the same, as often as one likes', () => {
    let talk = upTo('review')
    const first = JSON.stringify(talk.snapshot())
    for (let n = 0; n < 5; n++) talk = again(talk)
    expect(JSON.stringify(talk.snapshot())).toBe(first)
  })

  it('a snapshot’s context does not grow with the talk', () => {
    const talk = open(['a'], { turnLimit: { discussion: null } })
    const sizeAfter = (messages: number): number => {
      for (let n = 0; n < messages; n++) say(talk, 'a', 'info', { content: 'x'.repeat(1000) })
      return JSON.stringify(talk.snapshot().context).length
    }
    const early = sizeAfter(10)
    expect(sizeAfter(1000) - early).toBeLessThan(20)
  })

  it('an empty or half result is no success unless it says so, and work cut off by the limit is failed', () => {
    const talk = upTo('execution')
    say(talk, 'a', 'result', { payload: { status: 'partial' } })
    expect(say(talk, 'b', 'result', { payload: { status: 'done' } }).reason).toBe('invalid')
    talk.tick(talk.dueAt ?? 0)
    expect(talk.state).toBe('review')
    say(talk, 'c', 'verdict')
    expect(talk.outcome?.subtasks.map(({ status }) => status)).toEqual(['partial', 'failed'])
    expect(talk.outcome?.warnings).toEqual(['partial'])
  })
})

describe('what people ask for', () => {
  it('a member knows when its turn is the last', () => {
    const talk = open(['a', 'b'], { turnLimit: { discussion: 2 } })
    say(talk, 'a', 'info')
    expect(conversation.turnsLeft(talk.context, 'a', talk.state)).toBe(1)
    const options = { capabilities: new Map(), talk: 'all_at_once' } as const
    const asked = conversation.floor(talk.context, options, talk.state)
    expect(asked.map(({ member, expected }) => [member, expected])).toEqual([
      ['a', 'proposal'],
      ['b', 'info'],
    ])
  })

  it('it says why it stopped, in one word and with its cause', () => {
    const ends: [Talk, string][] = [
      [open(['a']), 'cancelled'],
      [open(['a', 'b'], { minMembers: 2 }), 'abandoned'],
      [open(['a'], { deadline: { discussion: 5 } }), 'timeout'],
    ]
    ends[0]?.[0].cancel(1)
    ends[1]?.[0].leave('a', 1)
    ends[2]?.[0].tick(5)
    for (const [talk, status] of ends) expect(talk.outcome?.status).toBe(status)
  })
})
