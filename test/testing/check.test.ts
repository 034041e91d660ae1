/** The checker: what it proves, that what it shows is so, and that it catches rules which do not end. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assign, setup } from 'xstate'
import { z } from 'zod'
import { conversation, type PolicyInput } from '../../machines/conversation/index.ts'
import { STATES } from '../../machines/conversation/policy.ts'
import { defineProtocol } from '../../src/engine/define.ts'
import type { Protocol } from '../../src/engine/protocol.ts'
import { check } from '../../src/testing/check.ts'
import { confirm, replayed } from '../support/bounds.ts'
import { parameters } from '../support/property.ts'
import { thrownBy } from '../support/thrown.ts'

const protocol = conversation as Protocol

/** The same number of turns everywhere. */
const limits = (turns: number | null) => ({
  discussion: turns,
  proposal: turns,
  assign: turns,
  execution: turns,
  review: turns,
})

describe('the conversation protocol', () => {
  const small: readonly (readonly [string, number, number, PolicyInput])[] = [
    ['alone', 1, 1, { turnLimit: limits(2) }],
    ['two members, one piece of work', 2, 1, { turnLimit: limits(1) }],
    ['two members, two pieces of work', 2, 2, { turnLimit: limits(1), maxReject: 1 }],
    ['three members', 3, 1, { turnLimit: limits(1), maxReject: 0 }],
    ['turns counted for all together', 2, 1, { turnLimit: limits(3), turnUnit: 'message' }],
    ['what is open at the limit is adopted', 2, 1, { turnLimit: limits(1), onLimit: { proposal: 'adopt' } }],
    ['a limit closes execution', 2, 1, { turnLimit: limits(1), onLimit: { execution: 'close' } }],
    ['two reviewers must agree', 2, 1, { turnLimit: limits(2), reviewQuorum: 2, maxReject: 0 }],
    ['only the lead assigns', 2, 1, { turnLimit: limits(1), assigners: 'lead' }],
    [
      'only the lead assigns, alone, and what is taken in vain costs turns',
      1,
      1,
      { turnLimit: { ...limits(1), assign: 9 }, assigners: 'lead', violationLimit: 2, maxReject: 0 },
    ],
    ['only the lead reviews', 2, 1, { turnLimit: limits(1), reviewers: 'lead' }],
    ['two violations cost the seat', 2, 1, { turnLimit: limits(2), violationLimit: 2, maxReject: 0 }],
    ['one violation costs the seat', 2, 1, { turnLimit: limits(2), violationLimit: 1, maxReject: 0 }],
    ['a budget of tokens', 2, 1, { turnLimit: limits(1), tokenBudget: 100, maxReject: 0 }],
    ['a limit to all turns', 2, 1, { turnLimit: limits(2), maxTurns: 5 }],
    [
      'talk everywhere',
      2,
      1,
      { turnLimit: limits(1), talk: ['discussion', 'proposal', 'assign', 'execution', 'review'] },
    ],
    [
      'idle times',
      2,
      0,
      { turnLimit: limits(1), idle: { discussion: 1000, proposal: 500 }, deadline: { discussion: null } },
    ],
  ]
  it.each(small)(
    'closes, %s, and the longest conversations are as long as it says',
    (_, members, size, policy) => {
      const report = check({ protocol, members, size, policy })
      expect(report.verdict).toBe('proved')
      expect(report.problems).toEqual([])
      confirm(protocol, report)
      expect(report.turns.most).toBeLessThanOrEqual(report.formula ?? Number.POSITIVE_INFINITY)
      expect(report.rank.holds).toBe(true)
    },
  )

  // Accepted policies of every kind, small enough to be explored whole.
  const state = <T>(value: fc.Arbitrary<T>) =>
    fc.record({ discussion: value, proposal: value, assign: value, execution: value, review: value })
  const optional = <T>(value: fc.Arbitrary<T>, weight = 4) =>
    fc.oneof({ arbitrary: fc.constant(null), weight }, { arbitrary: value, weight: 1 })
  const anyPolicy: fc.Arbitrary<PolicyInput> = fc.record(
    {
      turnLimit: state(
        fc.oneof({ arbitrary: fc.constant(1), weight: 12 }, fc.constant(2), fc.constant(null)),
      ),
      deadline: state(fc.integer({ min: 2, max: 9 })),
      idle: state(optional(fc.integer({ min: 2, max: 9 }))),
      turnUnit: fc.constantFrom('round', 'message'),
      violationLimit: fc.constantFrom(1, 2, 3, null),
      maxReject: fc.constantFrom(0, 1),
      agreeRatio: fc.constantFrom('auto', '1/2', 1),
      leadDecides: fc.boolean(),
      assigners: fc.constantFrom('any', 'lead'),
      reviewers: fc.constantFrom('independent', 'any', 'lead'),
      reviewQuorum: fc.constantFrom(1, 2),
      maxTurns: optional(fc.integer({ min: 1, max: 12 })),
      tokenBudget: optional(fc.constant(10)),
      minMembers: fc.constantFrom(1, 2),
      onLimit: fc.record({
        proposal: fc.constantFrom('close', 'adopt'),
        execution: fc.constantFrom('review', 'close'),
      }),
      talk: fc.subarray([...STATES]),
    },
    { requiredKeys: ['turnLimit', 'deadline', 'maxReject'] },
  )

  it('closes under every policy that is taken, and what it shows as the longest has just as much', () => {
    fc.assert(
      fc.property(
        anyPolicy,
        fc.integer({ min: 1, max: 2 }),
        fc.integer({ min: 0, max: 1 }),
        fc.constantFrom('a', null),
        (policy, members, size, lead) => {
          const { issues } = conversation.completePolicy(policy, {
            members: ['a', 'b'].slice(0, members),
            lead,
          })
          fc.pre(issues === undefined)
          const report = check({ protocol, members, size, lead, policy })
          expect(report.verdict).toBe('proved')
          expect(report.problems).toEqual([])
          confirm(protocol, report)
        },
      ),
      {
        ...parameters(20),
        examples: [
          // Where turns have no limit, one that is in vain leaves all as it is, and is no waste all the same.
          [
            {
              turnLimit: { ...limits(1), execution: null },
              deadline: { discussion: 2, proposal: 2, assign: 2, execution: 4, review: 3 },
              idle: { proposal: 2, execution: 3, review: 2 },
              violationLimit: 1,
              maxReject: 1,
              talk: [...STATES],
            },
            2,
            1,
            null,
          ],
          // What is against the rules spends the budget without a turn.
          [
            {
              turnLimit: limits(1),
              deadline: { discussion: 10, proposal: 10, assign: 3, execution: 10, review: 8 },
              agreeRatio: 1,
              leadDecides: false,
              maxReject: 0,
              tokenBudget: 15,
              violationLimit: 2,
              onLimit: { proposal: 'close', execution: 'close' },
              talk: ['review'],
            },
            2,
            1,
            'a',
          ],
        ],
      },
    )
  }, 120_000)

  it.each([
    ['no members', { members: [] }, 'OPEN_INVALID', 'members must name at least one member'],
    ['a member twice', { members: ['a', 'a'] }, 'OPEN_INVALID', 'members[1] repeats "a"'],
    ['an id that is none', { members: ['', 'b'] }, 'OPEN_INVALID', 'members[0] '],
    ['a lead who is no member', { lead: 'zz' }, 'OPEN_INVALID', 'lead names "zz", who is no member'],
    ['half a member', { members: 1.5 }, 'USAGE', 'members must be a whole number from 1 to 100, not 1.5'],
    ['a crowd', { members: 1e9 }, 'USAGE', 'members must be a whole number from 1 to 100'],
    ['less than no work', { size: -1 }, 'USAGE', 'size must be a whole number of at least 0, not -1'],
    ['no limit that is one', { maxStates: Number.NaN }, 'USAGE', 'maxStates must be a whole number'],
  ])('is not looked at with %s', (_, options, code, words) => {
    const { code: found, message } = thrownBy(() => check({ protocol, ...options }))
    expect(found).toBe(code)
    expect(message).toContain(words)
  })

  it('has no bound on turns where the policy sets none, and closes all the same', () => {
    const policy: PolicyInput = { turnLimit: limits(null), maxReject: 0 }
    const report = check({ protocol, members: 2, size: 1, policy })
    expect(report.verdict).toBe('proved')
    expect(report.turns.most).toBeNull()
    expect(report.ms.most).toBe(600_000 * 4 + 3_600_000 - 3)
    const { record, loop } = report.turns
    if (record === null || loop === null) throw new Error('It shows no way round')
    const { talk } = replayed(protocol, record)
    expect(talk.isClosed).toBe(false)
    expect(loop[1] - loop[0]).toBeGreaterThan(0)
    expect(record.slice(loop[0], loop[1]).map(({ type }) => type)).toContain('message')
  })

  it('reaches every state and uses every intent', () => {
    const report = check({ protocol, members: 2, size: 1, policy: { turnLimit: limits(1) } })
    expect(report.unreachableStates).toEqual([])
    expect(report.unusedIntents).toEqual([])
    expect(report.statesWithoutDueTime).toEqual([])
  })

  it('says which transitions a policy never takes', () => {
    const policy: PolicyInput = { turnLimit: limits(1), agreeRatio: 1, maxReject: 0 }
    const closing = check({ protocol, members: 3, size: 0, policy })
    expect(closing.unreachableTransitions).toContain('proposal, of itself if limitAdopts → assign (6)')
    const adopting = check({
      protocol,
      members: 3,
      size: 0,
      policy: { ...policy, onLimit: { proposal: 'adopt' } },
    })
    expect(adopting.unreachableTransitions).not.toContain('proposal, of itself if limitAdopts → assign (6)')
    expect(adopting.unreachableTransitions).not.toContain('proposal, on agree if isDecisive → assign (4)')
  })

  it('closes also when members leave and come back', () => {
    const policy: PolicyInput = { turnLimit: limits(1), maxReject: 0, violationLimit: 2 }
    const report = check({ protocol, members: 2, size: 1, policy, joins: true })
    expect(report.verdict).toBe('proved')
    const without = check({ protocol, members: 2, size: 1, policy })
    expect(report.ms.most).toBe(without.ms.most)
    expect(report.explored.states).toBeGreaterThan(without.explored.states)
  })

  it('says so when there is too much to explore, and what to lower, and does not call it proved', () => {
    const report = check({ protocol, members: 3, size: 2, maxStates: 500 })
    expect(report.verdict).toBe('unproved')
    expect(report.turns).toEqual({ most: null, record: null, loop: null })
    expect(report.unreachableStates).toEqual([])
    expect(report.problems[0]?.message).toMatch(
      /given up after 500 states\. Lower the number of members \(3\), the size \(2\)/,
    )
    expect(report.problems[0]?.message).toContain('The rank of "conversation" fell on every event')
    expect(report.explored.states).toBeLessThanOrEqual(2 * 501)
  })

  it('tells its progress', () => {
    const told: number[] = []
    check({
      protocol,
      members: 3,
      size: 1,
      policy: { turnLimit: limits(3), maxReject: 0 },
      onProgress: ({ states }) => told.push(states),
    })
    expect(told.length).toBeGreaterThan(0)
  })

  it('refuses a policy that the protocol refuses', () => {
    expect(() => check({ protocol, policy: { deadline: { review: null } } })).toThrow(
      expect.objectContaining({ code: 'POLICY_INVALID' }),
    )
    expect(() => check({ protocol, members: 0 })).toThrow(expect.objectContaining({ code: 'USAGE' }))
  })
})

/** The conversation protocol with other guards or actions of the same names. */
const altered = (name: string, parts: Parameters<typeof conversation.machine.provide>[0]): Protocol => ({
  ...protocol,
  name,
  machine: conversation.machine.provide(parts),
})

describe('rules that need not end', () => {
  it('are caught when they have no limit and only an idle time', () => {
    interface Chat {
      readonly members: readonly string[]
      readonly heard: number
    }
    const machine = setup({
      types: {
        context: {} as Chat,
        events: {} as { type: string; at: number },
        input: {} as Chat & { at: number },
      },
      guards: { isIdle: ({ context, event }) => event.at >= context.heard + 1000 },
      actions: { hear: assign({ heard: ({ event }) => event.at }) },
    }).createMachine({
      id: 'chat',
      context: ({ input }) => ({ members: input.members, heard: input.at }),
      initial: 'talking',
      on: { cancel: '.over' },
      states: {
        talking: { on: { say: { actions: 'hear' }, deadline: { guard: 'isIdle', target: 'over' } } },
        over: { type: 'final' },
      },
    })
    const chat = defineProtocol<Chat>({
      name: 'chat',
      machine,
      payloads: { say: z.looseObject({}) },
      members: ({ members }) => members,
      dueAt: ({ heard }) => heard + 1000,
    })
    const report = check({ protocol: chat as Protocol, members: 2 })
    expect(report.verdict).toBe('refuted')
    const { why, record, loop } = report.counterexample ?? {}
    expect(why).toContain('In state "talking" the same can be done again and again: one event in 999 ms')
    expect(loop).toEqual([1, 2])
    expect(record?.map(({ type }) => type)).toEqual(['open', 'message'])
    expect(replayed(chat as Protocol, record ?? []).talk.isClosed).toBe(false)
  })

  it('are caught when nothing is ever due', () => {
    const machine = setup({
      types: {
        context: {} as { members: string[] },
        events: {} as { type: string },
        input: {} as { members: string[] },
      },
    }).createMachine({
      id: 'wait',
      context: ({ input }) => ({ members: input.members }),
      initial: 'waiting',
      on: { cancel: '.over' },
      states: { waiting: { on: { go: 'over' } }, over: { type: 'final' } },
    })
    const wait = defineProtocol<{ members: string[] }>({
      name: 'wait',
      machine,
      payloads: { go: z.looseObject({}) },
      members: ({ members }) => members,
    })
    const report = check({ protocol: wait as Protocol, members: 2 })
    expect(report.verdict).toBe('refuted')
    expect(report.statesWithoutDueTime).toEqual(['waiting'])
    expect(report.counterexample).toMatchObject({ loop: null, record: [{ type: 'open' }] })
    expect(report.counterexample?.why).toContain('In state "waiting" nothing is ever due')
  })

  it('are caught when the due time changes nothing', () => {
    const deaf = altered('deaf', { guards: { isDeadline: () => false } })
    const report = check({ protocol: deaf, members: 1, size: 0, policy: { turnLimit: limits(1) } })
    expect(report.verdict).toBe('refuted')
    expect(report.counterexample?.why).toContain('its due time comes and changes nothing')
  })

  it('are caught when review forgets to count a reject', () => {
    const forgetful = altered('forgetful', { actions: { countRejection: assign({}) } })
    const report = check({ protocol: forgetful, members: 2, size: 1, policy: { turnLimit: limits(1) } })
    expect(report.verdict).toBe('refuted')
    const { record, loop } = report.counterexample ?? {}
    if (record === undefined || loop === null || loop === undefined) throw new Error('It shows no way round')
    const { decisions } = replayed(forgetful, record)
    const round = decisions.slice(loop[0] - 1, loop[1] - 1).flatMap(({ transitions }) => transitions)
    expect(round.map(({ reason }) => reason)).toContain('rework')
    expect(replayed(forgetful, record).talk.isClosed).toBe(false)
  })

  it('are caught when who accepts, leaves and joins begins a fresh visit each time', () => {
    interface Job {
      readonly members: readonly string[]
      readonly owner: string | null
      readonly since: number
    }
    type Event = { type: string; at: number; from?: string; member?: string }
    const machine = setup({
      types: { context: {} as Job, events: {} as Event, input: {} as Job & { at: number } },
      guards: {
        isDue: ({ context, event }) => event.at >= context.since + 1000,
        isOwner: ({ context, event }) => event.member === context.owner,
        isHere: ({ context, event }) => event.member !== undefined && context.members.includes(event.member),
      },
      actions: {
        begin: assign({ since: ({ event }) => event.at }),
        own: assign({ owner: ({ event }) => event.from ?? null }),
        go: assign({
          members: ({ context, event }) => context.members.filter((id) => id !== event.member),
          owner: ({ context, event }) => (context.owner === event.member ? null : context.owner),
        }),
        come: assign({ members: ({ context, event }) => [...context.members, event.member ?? ''].sort() }),
      },
    }).createMachine({
      id: 'job',
      context: ({ input }) => ({ members: input.members, owner: null, since: input.at }),
      initial: 'offered',
      on: {
        cancel: '.over',
        join: [{ guard: 'isHere' }, { actions: 'come' }],
        leave: { guard: 'isHere', actions: 'go' },
        deadline: { guard: 'isDue', target: '.over' },
      },
      states: {
        offered: { on: { accept: { target: 'taken', actions: ['own', 'begin'] } } },
        taken: {
          on: {
            report: 'over',
            leave: [
              { guard: 'isOwner', target: 'offered', actions: ['go', 'begin'] },
              { guard: 'isHere', actions: 'go' },
            ],
          },
        },
        over: { type: 'final' },
      },
    })
    const job = defineProtocol<Job>({
      name: 'job',
      machine,
      payloads: { accept: z.looseObject({}), report: z.looseObject({}) },
      members: ({ members }) => members,
      dueAt: ({ since }) => since + 1000,
    }) as Protocol
    expect(check({ protocol: job, members: 2 }).verdict).toBe('proved')
    const report = check({ protocol: job, members: 2, joins: true })
    expect(report.verdict).toBe('refuted')
    const { record, loop } = report.counterexample ?? {}
    if (record === undefined || loop === null || loop === undefined) throw new Error('It shows no way round')
    const types = record.slice(loop[0], loop[1]).map(({ type }) => type)
    for (const type of ['message', 'leave', 'join']) expect(types).toContain(type)
    const { talk } = replayed(job, record)
    expect(talk.isClosed).toBe(false)
  })

  it('are told when one member’s turns are unlimited: time ends it, turns do not', () => {
    const { turnsSpent, talkSpent, talkTurnsSpent, limitReached } = conversation.machine.implementations
      .guards as Record<
      string,
      (args: { context: object; event: { from?: string } }, params: unknown) => boolean
    >
    type Guard = typeof turnsSpent
    const but =
      (guard: Guard): NonNullable<Guard> =>
      (args, params) =>
        args.event.from !== 'a' && guard?.(args, params) === true
    const privileged = altered('privileged', {
      guards: { turnsSpent: but(turnsSpent), talkSpent: but(talkSpent), talkTurnsSpent: but(talkTurnsSpent) },
    } as Parameters<typeof conversation.machine.provide>[0])
    expect(limitReached).toBeDefined()
    const report = check({
      protocol: privileged,
      members: 2,
      size: 1,
      policy: { turnLimit: limits(1), maxReject: 0 },
    })
    expect(report.turns.most).toBeNull()
    expect(report.ms.most).not.toBeNull()
    const { record, loop } = report.turns
    if (record === null || loop === null) throw new Error('It shows no way round')
    expect(
      record.slice(loop[0], loop[1]).every((entry) => JSON.stringify(entry).includes('"from":"a"')),
    ).toBe(true)
  })

  it.each([
    ['Date.now', () => Date.now() > 0],
    ['new Date()', () => new Date().getFullYear() > 0],
    ['Math.random', () => Math.random() < 2],
    ['performance.now', () => performance.now() >= 0],
    ['crypto.randomUUID', () => crypto.randomUUID().length > 0],
  ])('are never called proved when a guard asks %s', (name, guard) => {
    const impure = altered('impure', { guards: { talkAdmitted: guard } })
    const before = [Date, Date.now, Math.random, performance.now]
    const report = check({ protocol: impure, members: 1, size: 0, policy: { turnLimit: limits(1) } })
    expect([Date, Date.now, Math.random, performance.now]).toEqual(before)
    expect(report.verdict).toBe('unproved')
    expect(report.problems[0]?.message).toContain(`A guard or an action of state "discussion" asks ${name}`)
    expect(report.problems[0]?.message).toContain('when "question" comes')
    expect(report.problems[0]?.record?.[0]?.type).toBe('open')
  })

  it('are never called proved when a guard other than the deadline’s goes by the time of the event', () => {
    const moody = altered('moody', {
      guards: { talkAdmitted: ({ event }: { event: { at: number } }) => event.at % 2 === 0 },
    })
    const report = check({ protocol: moody, members: 1, size: 0, policy: { turnLimit: limits(1) } })
    expect(report.verdict).toBe('unproved')
    expect(report.problems[0]?.message).toMatch(
      /In state "discussion" a "question" does one thing at once .* and another \d+ ms later/,
    )
  })
})

/** Rules in which a speaker, and whatever else is given, puts off the end; `extra` are more of the machine's handlers. */
const putOff = (extra: object, guard: () => boolean = () => true): Protocol => {
  interface Story {
    readonly members: readonly string[]
    readonly told: number
    readonly since: number
  }
  const machine = setup({
    types: {
      context: {} as Story,
      events: {} as { type: string; at: number },
      input: {} as Story & { at: number },
    },
    guards: {
      isOver: ({ context }) => context.told >= 3,
      isDue: ({ context, event }) => event.at >= context.since + 1000,
      guard,
    },
    actions: {
      tell: assign({ told: ({ context }) => context.told + 1, since: ({ event }) => event.at }),
      wait: assign({ since: ({ event }) => event.at }),
    },
  }).createMachine({
    id: 'story',
    context: ({ input }) => ({ members: input.members, told: 0, since: input.at }),
    initial: 'telling',
    on: { cancel: '.over', ...extra },
    states: {
      telling: {
        on: { tell: { guard: 'guard', actions: 'tell' }, deadline: { guard: 'isDue', target: 'over' } },
        always: { guard: 'isOver', target: 'over' },
      },
      over: { type: 'final' },
    },
  })
  return defineProtocol<Story>({
    name: 'story',
    machine,
    payloads: { tell: z.looseObject({}) },
    members: ({ members }) => members,
    dueAt: ({ since }) => since + 1000,
  }) as Protocol
}

describe('a machine of one’s own', () => {
  it('is in another state also where the sketch does not say so', () => {
    interface Walk {
      readonly members: readonly string[]
      readonly at: number
    }
    const machine = setup({
      types: {
        context: {} as Walk,
        events: {} as { type: string; at: number },
        input: {} as Walk,
      },
      guards: { isDue: ({ context, event }) => event.at >= context.at + 1000 },
    }).createMachine({
      id: 'walk',
      context: ({ input }) => ({ members: input.members, at: input.at }),
      initial: 'one',
      on: { cancel: '.over', deadline: { guard: 'isDue', target: '.over' } },
      states: { one: { on: { go: 'two' } }, two: { on: { go: 'over' } }, over: { type: 'final' } },
    })
    const walk = defineProtocol<Walk>({
      name: 'walk',
      machine,
      payloads: { go: z.looseObject({}) },
      members: ({ members }) => members,
      dueAt: ({ at }) => at + 1000,
      checking: { sketch: ({ at }, now) => ({ rest: [now - at], members: [], things: [] }) },
    })
    const report = check({ protocol: walk as Protocol, members: 1 })
    expect(report).toMatchObject({ verdict: 'proved', turns: { most: 2 }, unreachableStates: [] })
  })

  it('is caught when somebody who is no member puts off the end by leaving', () => {
    expect(check({ protocol: putOff({}), members: 2 }).verdict).toBe('proved')
    const report = check({ protocol: putOff({ leave: { actions: 'wait' } }), members: 2 })
    expect(report.verdict).toBe('refuted')
    expect(report.counterexample?.record.at(-1)?.type).toBe('leave')
  })

  it('that throws is named, with the event and the state', () => {
    const throwing = putOff({}, () => {
      throw new Error('boom')
    })
    expect(() => check({ protocol: throwing, members: 2 })).toThrow(
      'The machine of "story" threw on "tell" in state "telling": boom',
    )
  })

  it('without a rank is given none as an argument, and told what makes states without end', () => {
    const endless = { ...putOff({}), checking: {} }
    const [first] = check({ protocol: endless, members: 2, maxStates: 2 }).problems
    expect(first?.message).toContain('checking.sketch')
    expect(first?.message).not.toContain('The rank of')
  })

  it('is named by what is wrong: a state that cannot be reached, an intent without use', () => {
    const machine = setup({
      types: {
        context: {} as { members: string[]; until: number },
        events: {} as { type: string; at: number },
        input: {} as { members: string[]; at: number },
      },
      guards: { isDue: ({ context, event }) => event.at >= context.until, never: () => false },
    }).createMachine({
      id: 'odd',
      context: ({ input }) => ({ members: input.members, until: input.at + 60 }),
      initial: 'here',
      on: { cancel: '.over', deadline: { guard: 'isDue', target: '.over' } },
      states: {
        here: { on: { go: { guard: 'never', target: 'there' }, stop: 'over' } },
        there: { on: { stop: 'over' } },
        over: { type: 'final' },
      },
    })
    const odd = defineProtocol<{ members: string[]; until: number }>({
      name: 'odd',
      machine,
      payloads: { go: z.looseObject({}), stop: z.looseObject({}) },
      members: ({ members }) => members,
      dueAt: ({ until }) => until,
    })
    const report = check({ protocol: odd as Protocol, members: 2 })
    expect(report).toMatchObject({
      verdict: 'proved',
      unreachableStates: ['there'],
      unusedIntents: ['go'],
      unreachableTransitions: ['here, on go if never → there (1)', 'there, on stop → over (1)'],
      turns: { most: 1 },
      ms: { most: 60 },
    })
    // A message that nothing handles is recorded, and nothing limits how many there are.
    expect(report.messages.most).toBeNull()
    expect(replayed(odd as Protocol, report.turns.record ?? []).talk.isClosed).toBe(true)
  })

  it('is tried with the limits of its numbers, and the report says that payloads were made', () => {
    interface Count {
      readonly members: readonly string[]
      readonly until: number
    }
    type Event = { type: string; at: number; payload?: { to?: number } }
    const machine = setup({
      types: { context: {} as Count, events: {} as Event, input: {} as Count & { at: number } },
      guards: {
        isDue: ({ context, event }) => event.at >= context.until,
        isFar: ({ event }) => event.payload?.to === 40,
      },
      actions: { prolong: assign({ until: ({ event }) => event.at + 100 }) },
    }).createMachine({
      id: 'count',
      context: ({ input }) => ({ members: input.members, until: input.at + 100 }),
      initial: 'on',
      on: { cancel: '.over' },
      states: {
        on: {
          on: { go: { guard: 'isFar', actions: 'prolong' }, deadline: { guard: 'isDue', target: 'over' } },
        },
        over: { type: 'final' },
      },
    })
    const count = defineProtocol<Count>({
      name: 'count',
      machine,
      payloads: { go: z.object({ to: z.int().min(3).max(40) }) },
      members: ({ members }) => members,
      dueAt: ({ until }) => until,
    }) as Protocol
    const report = check({ protocol: count, members: 1 })
    expect(report.sampled).toBe(true)
    expect(report.verdict).toBe('refuted')
    expect(report.counterexample?.record.at(-1)).toMatchObject({ message: { payload: { to: 40 } } })
    expect(check({ protocol, members: 1, size: 0, policy: { turnLimit: limits(1) } }).sampled).toBe(false)
  })
})
