/** What the checker relies on: equal sketches behave alike, nothing that could be said is left out; and what it finds. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMachine } from 'xstate'
import { config } from '../../../machines/ioa/config.ts'
import { isActive, isOpen } from '../../../machines/ioa/context.ts'
import { type IoaContext, ioa, type PolicyInput } from '../../../machines/ioa/index.ts'
import { machine } from '../../../machines/ioa/machine.ts'
import type { Checking, Protocol, Scope } from '../../../src/engine/protocol.ts'
import type { MachineEvent } from '../../../src/engine/runner.ts'
import { step } from '../../../src/engine/step.ts'
import { check } from '../../../src/testing/check.ts'
import { parameters } from '../../support/property.ts'
import { type Act, acts, inputOf, open, put } from './scenarios.ts'

const { sketch, says, spare } = ioa.checking as Required<Checking<IoaContext>>

const POLICIES: readonly PolicyInput[] = [
  { maxTurns: 4, chatDeadline: null, turnDeadline: 10, taskDeadline: 10, violationLimit: 2 },
  {
    maxTurns: 5,
    memberTurns: 2,
    chatDeadline: 30,
    turnDeadline: null,
    pauseDeadline: 10,
    violationLimit: null,
  },
  { maxTurns: 6, concludeDeadline: 20, violationLimit: 3 },
  {
    maxTurns: 5,
    chatDeadline: null,
    turnDeadline: 40,
    taskDeadline: 40,
    pauseDeadline: 20,
    violationLimit: null,
  },
]
const NAMES = ['a', 'b', 'c', '__proto__', '智能体']

/** A moment of a conversation, with what it is compared by. */
interface Moment {
  readonly context: IoaContext
  readonly state: string
  readonly now: number
  readonly key: string
  /** The same without what members may yet do against the rules. */
  readonly core: string
  /** Members and tasks in an order that equal sketches share. */
  readonly ids: readonly string[]
}

const momentOf = (context: IoaContext, state: string, now: number, scope: Scope): Moment => {
  const { rest, members, reserves = [], things } = sketch(context, now, state, scope)
  const seats = context.seats.filter(({ active }) => scope.joins || active)
  const order = members.map((_, index) => index)
  order.sort((one, other) => (members[one]?.[0] ?? 0) - (members[other]?.[0] ?? 0))
  const tasks = context.tasks
    .filter((task) => isOpen(task) && isActive(context, task.owner))
    .map(({ id }, index) => ({
      id,
      text: JSON.stringify([things[index]?.row, order.map((at) => things[index]?.ties[at])]),
    }))
    .sort((one, other) => (one.text < other.text ? -1 : 1))
  const core = JSON.stringify([rest, order.map((at) => members[at]), tasks.map(({ text }) => text)])
  const key = `${core}${order.map((at) => reserves[at])}`
  const ids =
    state === 'closed' ? [] : [...order.map((at) => seats[at]?.id ?? ''), ...tasks.map(({ id }) => id)]
  return { context, state, now, key, core, ids }
}

type Timed = MachineEvent & { readonly at: number }

const stepped = ({ context, state }: Moment, event: Timed, scope: Scope) => {
  const position = { state, context, done: false, output: undefined }
  const { position: after, decision } = step(machine, position, event)
  return { decision, next: momentOf(after.context as IoaContext, after.state, event.at, scope) }
}

/** All in which two steps must be alike. */
const textOf = ({ decision, next }: ReturnType<typeof stepped>): string =>
  `${decision.effect} ${decision.reason} ${JSON.stringify(decision.transitions)} ${decision.expelled} ${next.key}`

/** A value with every text that is known by another name renamed. */
const renamed = (value: unknown, names: ReadonlyMap<string, string>): unknown => {
  if (typeof value === 'string') return names.get(value) ?? value
  if (Array.isArray(value)) return value.map((item) => renamed(item, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renamed(item, names)]))
}

const messageOf = (moment: Moment, from: string, saying: { intent: string; payload?: object }): Timed => ({
  type: saying.intent,
  at: moment.now,
  ...{ id: 'm', from, content: '', payload: saying.payload ?? {}, replyTo: null, tokens: 0 },
})

/** Everything that can happen next, messages with at most so many tasks. */
const eventsAt = (moment: Moment, scope: Scope): Timed[] => {
  const { context, state, now } = moment
  const due = ioa.dueAt(context, state)
  const members = ioa.members(context)
  const about = (type: string, member: string): Timed => ({ type, at: now, ...{ member } })
  return [
    ...members.flatMap((from) => [
      ...says(context, from, state, scope).map((saying) => messageOf(moment, from, saying)),
      about('leave', from),
      about('fault', from),
    ]),
    ...(scope.joins ? [...context.seats.map(({ id }) => id), 'new'].map((id) => about('join', id)) : []),
    { type: 'deadline', at: now },
    ...(due === null ? [] : [{ type: 'deadline', at: Math.max(now, due) }]),
    { type: 'cancel', at: now },
  ]
}

interface Walk {
  readonly members: readonly string[]
  readonly lead: string | null
  readonly acts: readonly Act[]
  /** Which of the things that can happen does, time and again. */
  readonly choices: readonly number[]
}

/** Every moment of a conversation in which anything that can be said or happen does so, and time passes now and then. */
const moments = ({ members, lead, choices }: Walk, policy: PolicyInput, scope: Scope): Moment[] => {
  const { context, state, at } = open({ members, lead, policy })
  let moment = momentOf(context, state, at, scope)
  const met = [moment]
  for (const choice of choices) {
    const due = ioa.dueAt(moment.context, moment.state) ?? moment.now
    if (choice % 3 === 0 && moment.now + 5 < due)
      moment = momentOf(moment.context, moment.state, moment.now + 5, scope)
    else {
      const events = eventsAt(moment, scope).filter(({ type }) => type !== 'cancel')
      const event = events[choice % events.length]
      if (event !== undefined) moment = stepped(moment, event, scope).next
    }
    if (moment.state === 'closed') break
    met.push(moment)
  }
  return met
}

const walk: fc.Arbitrary<Walk> = fc.shuffledSubarray(NAMES, { minLength: 2, maxLength: 3 }).chain((members) =>
  fc.record({
    members: fc.constant(members),
    lead: fc.constantFrom(null, ...members),
    acts: acts(14),
    choices: fc.array(fc.nat({ max: 99_999 }), { maxLength: 10, size: 'max' }),
  }),
)

describe('equal sketches', () => {
  it.each([false, true])('behave alike, whatever happens next (joins: %s)', (joins) => {
    const scope = { size: 2, joins }
    let pairs = 0
    fc.assert(
      fc.property(
        fc.constantFrom(...POLICIES),
        fc.array(walk, { minLength: 40, maxLength: 50, size: 'max' }),
        (policy, walks) => {
          const known = new Map<string, Moment>()
          for (const given of walks) {
            for (const one of moments(given, policy, scope)) {
              const other = known.get(one.key)
              known.set(one.key, one)
              if (other === undefined || other.context === one.context) continue
              pairs++
              // Who is new to one is nobody to the other.
              const names = new Map([
                ['new', 'newer'],
                ...one.ids.map((id, index) => [id, other.ids[index] ?? ''] as const),
              ])
              for (const event of eventsAt(one, scope)) {
                const same = renamed(event, names) as Timed
                const here = stepped(one, event, scope)
                const there = stepped(
                  other,
                  { ...same, type: event.type, at: event.at - one.now + other.now },
                  scope,
                )
                const { expelled } = here.decision
                const gone = expelled === undefined ? undefined : names.get(expelled)
                const expected = {
                  next: here.next,
                  decision: { ...here.decision, ...(gone && { expelled: gone }) },
                }
                if (textOf(there) !== textOf(expected))
                  expect({ event, one, other, there }).toEqual({ event, one, other, there: here })
              }
            }
          }
        },
      ),
      parameters(6),
    )
    expect(pairs).toBeGreaterThan(100)
  })
})

describe('sketches', () => {
  it.each([
    ['what is waited for', 5, {}, 5, { tasks: ['t1'] }],
    ['how long it has been waited', 5, {}, 7, {}],
  ])('tell apart: %s', (_what, at, payload, otherAt, otherPayload) => {
    const keyAt = (pausedAt: number, pause: object): string => {
      const policy = { pauseDeadline: 100, taskDeadline: 500 }
      const talk = open({ members: ['a', 'b', 'c'], lead: null, policy })
      const start = talk.at
      const to = ['b', 'c']
      talk.send({ id: '1', from: 'a', intent: 'assign_async', payload: { to } }, start)
      talk.send({ id: '2', from: 'a', intent: 'pause', payload: { ...pause } }, start + pausedAt)
      expect(talk.state).toBe('pause')
      return momentOf(talk.context, talk.state, start + 10, { size: 2, joins: false }).key
    }
    expect(keyAt(at, payload)).not.toBe(keyAt(otherAt, otherPayload))
    expect(keyAt(at, payload)).toBe(keyAt(at, payload))
  })
})

describe('what may be said', () => {
  it('leaves out nothing that would do something else', () => {
    const scope = { size: 99, joins: false }
    fc.assert(
      fc.property(fc.constantFrom(...POLICIES), walk, (policy, given) => {
        const talk = open({ ...given, policy })
        for (const [number, act] of given.acts.entries()) {
          if (talk.isClosed) return
          const input = inputOf(talk, { ...act, ms: 0 }, number)
          const moment = momentOf(talk.context, talk.state, talk.at, scope)
          if (input.kind === 'send' && ioa.isMember(talk.context, input.message.from)) {
            const { from } = input.message
            const reached = stepped(moment, messageOf(moment, from, input.message), scope)
            const others = says(talk.context, from, talk.state, scope).map((saying) => {
              const { next, decision } = stepped(moment, messageOf(moment, from, saying), scope)
              return `${decision.reason} ${next.key}`
            })
            expect(others).toContain(`${reached.decision.reason} ${reached.next.key}`)
          }
          put(talk, input)
        }
      }),
      parameters(150),
    )
  })

  it('that does nothing takes from what is spare', () => {
    const scope = { size: 2, joins: false }
    let met = 0
    fc.assert(
      fc.property(fc.constantFrom(...POLICIES), walk, (policy, given) => {
        for (const moment of moments(given, policy, scope)) {
          const { context, state } = moment
          for (const from of ioa.members(context)) {
            for (const saying of says(context, from, state, scope)) {
              const { next, decision } = stepped(moment, messageOf(moment, from, saying), scope)
              if (next.core !== moment.core) continue
              met++
              const before = spare(context, from, state)
              expect(decision.effect).toBe('recorded')
              expect(spare(next.context, from, state)).toBe(before === null ? null : before - 1)
            }
          }
        }
      }),
      parameters(40),
    )
    expect(met).toBeGreaterThan(1_000)
  })
})

const CLOCKS = { chatDeadline: null, turnDeadline: 10, taskDeadline: 30, concludeDeadline: 50 } as const

describe('the checker', () => {
  it.each([
    [1, 1, { ...CLOCKS, maxTurns: 3, concludeTurns: 2, violationLimit: 2 }],
    [2, 2, { ...CLOCKS, maxTurns: 3, concludeTurns: 2, violationLimit: 2 }],
    [2, 1, { ...CLOCKS, maxTurns: 3, memberTurns: 1, violationLimit: 3 }],
    [2, 1, { ...CLOCKS, maxTurns: 2, chatDeadline: 100, turnDeadline: null, pauseDeadline: 20 }],
    [3, 1, { ...CLOCKS, maxTurns: 3, concludeTurns: 1, violationLimit: 1 }],
  ])(
    'proves that it ends, in exactly as many turns as the formula says: %s members, %s tasks, %j',
    (members, size, policy) => {
      const report = check({ protocol: ioa as Protocol, members, size, policy })
      expect(report.problems).toEqual([])
      expect(report.verdict).toBe('proved')
      expect(report.turns.most).toBe(report.formula)
      expect(report.messages.most).toBeGreaterThan(report.formula ?? 0)
      expect(report.rank.holds).toBe(true)
      expect(report.unreachableStates).toEqual([])
      expect(report.unusedIntents).toEqual([])
      expect(report.statesWithoutDueTime).toEqual([])
    },
  )

  it('counts what may be said against the rules once, not for each state', () => {
    const policy = { ...CLOCKS, maxTurns: 2, concludeTurns: 1, violationLimit: 2 }
    const report = check({ protocol: ioa as Protocol, members: 2, size: 1, policy })
    // Two turns of talk, two results; two violations of one member; of the other one, something late, and the last of all.
    expect(report.messages.most).toBe(9)
  })

  it('says at once that there are too many ways to share out work', () => {
    expect(() => check({ protocol: ioa as Protocol, members: 22, size: 22, maxStates: 3 })).toThrow(
      'There are more than 10000 ways to choose up to 22 of 22 members or tasks',
    )
  })

  it('proves it with members that come back, too', () => {
    const policy = { ...CLOCKS, maxTurns: 2, concludeTurns: 1, violationLimit: 1 }
    const report = check({ protocol: ioa as Protocol, members: 2, size: 1, policy, joins: true })
    expect(report.verdict).toBe('proved')
  })

  it('finds no bound for messages where nobody is expelled, and an end all the same', () => {
    const policy = { ...CLOCKS, maxTurns: 2, violationLimit: null }
    const report = check({ protocol: ioa as Protocol, members: 2, size: 1, policy })
    expect(report.verdict).toBe('proved')
    expect(report.messages.most).toBeNull()
    expect(report.turns.most).toBe(report.formula)
  })

  it('refutes the original, in which a member can steer away from a forced conclusion', () => {
    const states = JSON.parse(JSON.stringify(config.states))
    states.conclusion.on.discuss = {
      guard: 'isSpeaker',
      target: 'discussion',
      actions: ['pass', { type: 'enter', params: { state: 'discussion' } }],
    }
    const { context, output } = machine.config
    const original = createMachine(
      { ...config, states, context, output },
      machine.implementations as Parameters<typeof createMachine>[1],
    )
    const policy = { ...CLOCKS, maxTurns: 2, violationLimit: 1 }
    const report = check({
      protocol: { ...(ioa as Protocol), machine: original },
      members: 2,
      size: 1,
      policy,
    })
    expect(report.verdict).toBe('refuted')
    expect(report.counterexample?.loop).not.toBeNull()
  })
})
