/** What the checker goes by: the sketch tells all that the future depends on, and what may be said leaves nothing out. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { checking } from '../../../machines/contract-net/checking.ts'
import type { ContractNetContext, PolicyInput } from '../../../machines/contract-net/index.ts'
import { contractNet } from '../../../machines/contract-net/index.ts'
import type { ContractNetEvent } from '../../../machines/contract-net/intents.ts'
import { machine } from '../../../machines/contract-net/machine.ts'
import type { Policy } from '../../../machines/contract-net/policy.ts'
import type { Decision } from '../../../src/engine/decision.ts'
import type { Saying, Scope } from '../../../src/engine/protocol.ts'
import type { Position } from '../../../src/engine/runner.ts'
import { start, step } from '../../../src/engine/step.ts'
import { KeyWriter } from '../../../src/testing/canonical.ts'
import { check } from '../../../src/testing/check.ts'
import type { CheckReport } from '../../../src/testing/report.ts'
import { parameters } from '../../support/property.ts'
import { play, scenario } from './scenario.ts'

const SCOPE: Scope = { size: 1, joins: false }
const writer = new KeyWriter()

type Net = Position<ContractNetContext>
/** What is said in a test, in answer to nothing as well. */
type Mention = Omit<Saying, 'replyTo'> & { readonly replyTo: string | null }
interface Point {
  readonly net: Net
  readonly now: number
}

const sketchOf = ({ net, now }: Point) => {
  const sketch = checking.sketch?.(net.context, now, net.state, SCOPE)
  if (sketch === undefined) throw new Error('There is a sketch')
  return sketch
}
const keyOf = (point: Point): string => writer.keyOf(sketchOf(point)).whole
const coreOf = (point: Point): string => writer.keyOf(sketchOf(point)).core
const spareOf = ({ net }: Point, member: string): number | null =>
  checking.spare?.(net.context, member, net.state) ?? null
const membersOf = ({ net }: Point): readonly string[] => (net.done ? [] : contractNet.members(net.context))

const after = (
  { net }: Point,
  event: ContractNetEvent,
): { readonly point: Point; readonly decision: Decision } => {
  const { position, decision } = step(machine, net, event)
  return { point: { net: position as Net, now: event.at }, decision }
}

let ids = 0
const say = (point: Point, from: string, { intent, payload = {}, replyTo = null }: Saying | Mention) => {
  const event = { type: intent, at: point.now, id: `said${++ids}`, from, content: '', payload, replyTo }
  return after(point, event as ContractNetEvent)
}

const sayings = (point: Point, member: string): readonly Saying[] =>
  checking.says?.(point.net.context, member, point.net.state, SCOPE) ?? []

const AGAINST = ['late', 'intent_not_allowed', 'not_permitted', 'turns_spent']
const isAgainst = ({ effect, reason }: Decision): boolean => effect === 'recorded' && AGAINST.includes(reason)

/** What a member can say against the rules, with what comes of it. */
const wrongs = (point: Point, member: string): ReturnType<typeof after>[] =>
  sayings(point, member)
    .map((saying) => say(point, member, saying))
    .filter(({ decision }) => isAgainst(decision))

/** A member that has used up what it may do against the rules: what is late costs it least. */
const brink = (point: Point, member: string): Point => {
  let at = point
  for (let left = spareOf(at, member); left !== null && left > 0; left = spareOf(at, member)) {
    const next =
      wrongs(at, member).find(({ decision }) => decision.reason === 'late') ?? wrongs(at, member)[0]
    if (next === undefined) throw new Error(`There is nothing against the rules in "${at.net.state}"`)
    at = next.point
  }
  return at
}

/** What can come next, told without names: for each member what is true of it, and what its messages lead to. */
const futureOf = (point: Point): string[] => {
  const { net, now } = point
  const told = ({ point: next, decision }: ReturnType<typeof after>): string => {
    const { effect, reason, to, expelled } = decision
    const { status, state, cause } =
      next.net.context.closing === null ? {} : (next.net.output as Record<string, unknown>)
    return JSON.stringify([effect, reason, to, expelled !== undefined, status, state, cause, keyOf(next)])
  }
  const { members, reserves = [] } = sketchOf(point)
  const each = membersOf(point).map((member, index) => {
    const found = new Set<string>()
    for (const saying of sayings(point, member)) {
      const result = say(point, member, saying)
      if (!isAgainst(result.decision)) found.add(`${saying.intent} ${told(result)}`)
    }
    found.add(`leave ${told(after(point, { type: 'leave', at: now, member }))}`)
    const hasTurns = contractNet.turnsLeft(net.context, member, net.state) !== 0
    if (hasTurns) found.add(`fault ${told(after(point, { type: 'fault', at: now, member }))}`)
    const last = brink(point, member)
    const isFree = spareOf(last, member) === null
    // Whether it is late or wrong is all the same to somebody who cannot be expelled.
    for (const result of wrongs(last, member))
      found.add(isFree ? `against ${coreOf(result.point)}` : `against ${told(result)}`)
    found.add(`last fault ${told(after(last, { type: 'fault', at: now, member }))}`)
    return `${members[index]} ${reserves[index]}: ${[...found].sort().join('; ')}`
  })
  const due = contractNet.dueAt(net.context, net.state)
  const silence =
    due === null ? [] : [`silence ${told(after(point, { type: 'deadline', at: Math.max(due, now) }))}`]
  return [...each.sort(), ...silence]
}

/** All that can come next. */
const nextOf = (point: Point): Point[] => {
  const { net, now } = point
  const each = membersOf(point).flatMap((member) => [
    ...sayings(point, member)
      .map((saying) => say(point, member, saying))
      .filter(({ decision }) => !isAgainst(decision)),
    after(point, { type: 'leave', at: now, member }),
    after(point, { type: 'fault', at: now, member }),
  ])
  const due = contractNet.dueAt(net.context, net.state) ?? now
  return [...each, after(point, { type: 'deadline', at: due })].map((result) => result.point)
}
/** What lies on the table, names aside: of the ways to come to the same, those that differ in this are compared. */
const textOf = ({ net: { context } }: Point): string => {
  const isHere = (id: string): boolean => contractNet.isMember(context, id)
  const bids = context.bids.map(({ bidder, status }) => `${status} ${isHere(bidder)}`)
  const awards = context.awards.map(({ bidder, status, round }) => `${round} ${status} ${isHere(bidder)}`)
  return [...bids.sort(), '|', ...awards.sort(), '|', ...context.refusals.map(isHere)].join()
}
/** Ways to come to the same that are compared with the first. */
const WAYS = 5

/** Few names, few turns: contract nets that come to the same in different ways. */
const narrow = fc.record({
  group: fc.constantFrom(['a', 'b', 'c'], ['c', 'x', 'a'], ['x', '__proto__', 'y']),
  lead: fc.nat({ max: 2 }),
})

const SHORT = { calling: 50, bidding: 60, awarding: 70, performing: 80 }
const policies: readonly PolicyInput[] = [
  { rounds: 2, awards: 2, violationLimit: 3 },
  { rounds: 3, deadline: SHORT, turnLimit: { bidding: 1, awarding: 1, performing: 1 }, violationLimit: 2 },
  { rounds: 2, deadline: SHORT, awards: null, violationLimit: null },
]

describe('equal sketches', () => {
  it('have equal futures: the same decisions, the same ends, and equal sketches again', () => {
    const seen = new Map<string, { readonly text: string; readonly future: readonly string[] }>()
    let compared = 0
    fc.assert(
      fc.property(
        scenario({ joins: false, maxActs: 30 }),
        narrow,
        fc.nat({ max: policies.length - 1 }),
        (given, { group, lead }, which) => {
          const policy = policies[which] ?? {}
          // Most at one time: else there are hardly two that have as much time left.
          const acts = given.acts.map((act) => (act.ms < 4 ? { ...act, ms: 0 } : act))
          const narrowed = { ...given, members: group, lead: group[lead] ?? '', policy, acts }
          play(narrowed, (talk, _input, at, go) => {
            go()
            if (talk.isClosed) return
            const { context, state } = talk
            const net = { state, context, done: false, output: undefined }
            const point = { net, now: Math.max(at, talk.at) }
            const key = `${which} ${keyOf(point)}`
            const text = JSON.stringify(context)
            const known = seen.get(key)
            if (known?.text === text) return
            const future = futureOf(point)
            if (known === undefined) seen.set(key, { text, future })
            else {
              compared++
              expect(future).toEqual(known.future)
            }
          })
        },
      ),
      parameters(80),
    )
    expect(compared).toBeGreaterThan(50)
  })

  it('have equal futures wherever a small group can come to, by a few of the ways there', () => {
    const group = { members: ['a', 'b', 'c', 'd'], lead: 'a' }
    const turnLimit = { calling: 1, bidding: 1, awarding: 1, performing: 1 }
    const answer = contractNet.completePolicy({ turnLimit, awards: 2, rounds: 2, violationLimit: 1 }, group)
    if (answer.issues !== undefined) throw new Error(JSON.stringify(answer.issues))
    const input = contractNet.input(group, answer.policy, 0)
    const opening: Point = { net: start(machine, input) as Net, now: 0 }
    const known = new Map([[keyOf(opening), { first: opening, ways: new Set<string>() }]])
    const queue = [opening]
    let compared = 0
    for (let point = queue.pop(); point !== undefined; point = queue.pop()) {
      for (const next of nextOf(point)) {
        if (next.net.done) continue
        const key = keyOf(next)
        const found = known.get(key)
        if (found === undefined) {
          known.set(key, { first: next, ways: new Set() })
          queue.push(next)
          continue
        }
        const text = textOf(next)
        if (found.ways.size >= WAYS || found.ways.has(text) || textOf(found.first) === text) continue
        found.ways.add(text)
        compared++
        expect(futureOf(next)).toEqual(futureOf(found.first))
      }
    }
    expect(known.size).toBeGreaterThan(300)
    expect(compared).toBeGreaterThan(200)
  })
})

describe('what may be said', () => {
  it('against the rules, is recorded and does nothing else as often as is told, and then costs the seat', () => {
    fc.assert(
      fc.property(scenario({ joins: false, maxActs: 25 }), (given) => {
        const talk = play(given)
        if (talk.isClosed) return
        const start: Point = {
          net: { state: talk.state, context: talk.context, done: false, output: undefined },
          now: talk.at,
        }
        for (const member of membersOf(start)) {
          let at = start
          for (let left = spareOf(at, member); left !== null; left = spareOf(at, member)) {
            const wrong = wrongs(at, member)
            const free = wrong.filter(({ point }) => !point.net.done && coreOf(point) === coreOf(at))
            for (const { point } of free) expect(spareOf(point, member)).toBeLessThan(left)
            for (const { decision } of wrong.filter((each) => !free.includes(each)))
              expect(decision.expelled).toBe(member)
            expect(wrong.length).toBeGreaterThan(0)
            expect(free.length > 0).toBe(left > 0)
            if (left > 0) {
              const cheapest = Math.max(...free.map(({ point }) => spareOf(point, member) ?? -1))
              expect(cheapest).toBe(left - 1)
            }
            if (free[0] === undefined) break
            at = free[0].point
          }
        }
      }),
      parameters(60),
    )
  })

  it('holds every way in which a message of any kind is taken', () => {
    const kinds = fc.record({
      which: fc.nat({ max: 99 }),
      replyTo: fc.constantFrom(null, 'known', 'unknown'),
      bidder: fc.constantFrom(undefined, 'known', 'stranger'),
    })
    fc.assert(
      fc.property(scenario({ joins: false, maxActs: 25 }), kinds, (given, { which, replyTo, bidder }) => {
        const talk = play(given)
        if (talk.isClosed) return
        const point: Point = {
          net: { state: talk.state, context: talk.context, done: false, output: undefined },
          now: talk.at,
        }
        const bids = talk.context.bids
        const named = (kind: string | null | undefined, part: 'id' | 'bidder'): string | undefined =>
          kind === 'known' ? bids[which % Math.max(1, bids.length)]?.[part] : (kind ?? undefined)
        for (const member of membersOf(point)) {
          const known = new Set(
            sayings(point, member).map((saying) => {
              const { decision, point: next } = say(point, member, saying)
              return `${saying.intent} ${decision.effect} ${decision.reason} ${coreOf(next)}`
            }),
          )
          for (const intent of Object.keys(contractNet.payloads)) {
            const { decision, point: next } = say(point, member, {
              intent,
              replyTo: named(replyTo, 'id') ?? null,
              payload: {
                bidder: named(bidder, 'bidder'),
                price: which,
                offer: [which],
                output: which,
                reason: 'x',
              },
            } as Saying)
            expect(known).toContain(`${intent} ${decision.effect} ${decision.reason} ${coreOf(next)}`)
          }
        }
      }),
      parameters(120),
    )
  })
})

describe('the checker', () => {
  const one = { calling: 1, bidding: 1, awarding: 1, performing: 1 }
  const checked = (policy: object, members: number, joins = false): CheckReport =>
    check({ protocol: contractNet, members, policy, joins })

  let reports: readonly CheckReport[] = []
  beforeAll(() => {
    reports = [
      checked({}, 2),
      checked({}, 3),
      checked({ rounds: 2, turnLimit: one, awards: 2, violationLimit: 3 }, 3),
      checked({ rounds: 2, turnLimit: { ...one, bidding: 2 }, awards: null, violationLimit: 2 }, 3),
      checked({ turnLimit: one, awards: 2, violationLimit: 3 }, 4),
    ]
  })

  it('proves that every contract net of these policies ends, by the rank as well', () => {
    for (const { verdict, problems, rank, statesWithoutDueTime } of reports) {
      expect([verdict, problems, statesWithoutDueTime]).toEqual(['proved', [], []])
      expect(rank.holds).toBe(true)
    }
  })

  it('finds as many turns as the formula has, and as much time as the deadlines of all rounds give', () => {
    for (const { turns, formula, ms, policy } of reports) {
      const { deadline, rounds, turnLimit, violationLimit } = policy as Policy
      // Where members are expelled before their turns are spent, not all turns can be had.
      if ((violationLimit ?? 0) > Math.max(...Object.values(turnLimit))) expect(turns.most).toBe(formula)
      else expect(turns.most).toBeLessThan(formula ?? 0)
      const promised = rounds * Object.values(deadline).reduce((sum, each) => sum + each, 0)
      expect(ms.most).toBeLessThanOrEqual(promised)
      // Each call, reply, choice and report comes at the last moment before it would be too late.
      expect(ms.most).toBeGreaterThan(promised - 8 * rounds)
    }
  })

  it('takes every branch under some policy, and every intent has an effect', () => {
    const [first = [], ...others] = reports.map(({ unreachableTransitions }) => unreachableTransitions)
    const never = first.filter((branch) => others.every((list) => list.includes(branch)))
    // Joins are looked at below; the others answer what the engine or the checker does not let happen.
    expect(never.filter((branch) => !/^any state, on (?:join|leave|fault|deadline)\b/.test(branch))).toEqual(
      [],
    )
    expect(reports.map(({ unusedIntents }) => unusedIntents)).toEqual(reports.map(() => []))
    expect(reports.map(({ unreachableStates }) => unreachableStates)).toEqual(reports.map(() => []))
  })

  it('proves it also when members who left may come back', () => {
    const { verdict, unreachableTransitions } = checked({ turnLimit: one, violationLimit: 2 }, 3, true)
    expect(verdict).toBe('proved')
    expect(unreachableTransitions).not.toContain('any state, on join (3)')
  })
})
