/** What the checker is told: contexts with equal sketches behave alike, and what is left out of the adversary's words adds nothing. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checking } from '../../../machines/ainet/checking.ts'
import { type AinetContext, isSpent, requestOf, seatOf } from '../../../machines/ainet/context.ts'
import { machine } from '../../../machines/ainet/machine.ts'
import { policySchema } from '../../../machines/ainet/policy.ts'
import type { Decision } from '../../../src/engine/decision.ts'
import type { Saying, Sketch } from '../../../src/engine/protocol.ts'
import { type Stepped, step } from '../../../src/engine/step.ts'
import { parameters } from '../../support/property.ts'
import { INTENTS, play, type Scenario, scenario } from './scenario.ts'

const SCOPE = { size: 0, joins: false }
type Place = { readonly state: string; readonly context: AinetContext; readonly now: number }

const sketchOf = ({ context, now, state }: Place): Sketch => {
  const sketch = checking.sketch?.(context, now, state, SCOPE)
  if (sketch === undefined) throw new Error('there is no sketch')
  return sketch
}

/** A sketch as text, whatever the order of its members. */
const keyOf = (place: Place, withReserves = true): string => {
  const { rest, members, reserves = [] } = sketchOf(place)
  const rows = members.map((row, index) => [...row, withReserves ? reserves[index] : 0].join())
  return JSON.stringify([rest, rows.sort()])
}

/** What is true of one member: its name, for contexts that differ in names only. */
const rowOf = (place: Place, id: string): string => {
  const { members, reserves = [] } = sketchOf(place)
  const index = place.context.seats.filter(({ active }) => active).findIndex((seat) => seat.id === id)
  return [...(members[index] ?? []), reserves[index]].join()
}

const put = (
  { state, context }: Place,
  event: { readonly type: string; readonly at: number; readonly member?: string },
): Stepped & { readonly place: Place } => {
  const stepped = step(machine, { state, context, done: false, output: undefined }, event)
  const { position } = stepped
  const next = position.context as AinetContext
  return { ...stepped, place: { state: position.state, context: next, now: event.at } }
}

const said = (from: string, { intent, payload = {}, replyTo }: Saying, at: number) => ({
  type: intent,
  at,
  id: `said at ${at}`,
  from,
  payload,
  replyTo: replyTo ?? null,
})

const AGAINST = ['turns_spent', 'not_permitted', 'intent_not_allowed']
/** Whether an event was only recorded, and cost its member a violation at most. */
const isIdleWord = (place: Place, type: string, id: string, { effect, reason }: Decision): boolean => {
  if (type !== 'fault') return effect === 'recorded' && AGAINST.includes(reason)
  const seat = seatOf(place.context, id)
  return seat !== undefined && isSpent(place.context, seat)
}

/** The same place, with nothing left that a member may do against the rules without losing its seat. */
const exhausted = (place: Place, id: string): Place => {
  const limit = place.context.policy.violationLimit
  const seats = place.context.seats.map((seat) =>
    seat.id === id && limit !== null ? { ...seat, violations: limit - 1 } : seat,
  )
  return { ...place, context: { ...place.context, seats } }
}

/** All that can happen next, told without names: two places that behave alike give the same. */
const behaviour = (place: Place): readonly string[] => {
  const { context, state, now } = place
  const told: string[] = []
  const tell = (what: string, { decision, place: next }: ReturnType<typeof put>): void => {
    const { expelled, ...rest } = decision
    const who = expelled === undefined ? '' : rowOf(place, expelled)
    told.push(JSON.stringify([what, { ...rest, who }, keyOf(next)]))
  }
  for (const { id, active } of context.seats) {
    if (!active) continue
    const sayings = checking.says?.(context, id, state, SCOPE) ?? []
    const events = [
      ...sayings.map((saying) => {
        const to = saying.payload?.to
        const whom = typeof to === 'string' ? [to === id, rowOf(place, to)] : []
        return {
          name: JSON.stringify({ ...saying, payload: [saying.payload?.type, whom] }),
          event: said(id, saying, now),
        }
      }),
      { name: 'fault', event: { type: 'fault', at: now, member: id } },
      { name: 'leave', event: { type: 'leave', at: now, member: id } },
    ]
    for (const { name, event } of events) {
      const done = put(place, event)
      if (!isIdleWord(place, event.type, id, done.decision)) {
        tell(`${rowOf(place, id)} ${name}`, done)
        continue
      }
      // A word that is to spare changes nothing but what is to spare; and one beyond that costs the seat.
      const spare = checking.spare?.(context, id, state) ?? null
      if (spare === null || spare > 0) {
        expect(keyOf(done.place, false)).toBe(keyOf(place, false))
        expect(checking.spare?.(done.place.context, id, state)).toBe(spare === null ? null : spare - 1)
        expect(done.decision.expelled).toBeUndefined()
      } else expect(done.decision.expelled).toBe(id)
      if (spare === null) continue
      const end = exhausted(place, id)
      const { decision, place: next } = put(end, event)
      expect(decision.expelled).toBe(id)
      told.push(JSON.stringify([rowOf(end, id), 'expelled', decision.transitions, keyOf(next)]))
    }
  }
  for (const after of [0, 1, 30, 1_000_000]) {
    tell(`deadline after ${after}`, put(place, { type: 'deadline', at: now + after }))
    tell(`join after ${after}`, put(place, { type: 'join', at: now + after, member: 'newcomer' }))
  }
  tell('cancel', put(place, { type: 'cancel', at: now }))
  return [...new Set(told)].sort()
}

/** Another context with the same sketch: other names, another order, other times, another past. */
const otherwise = ({ state, context, now }: Place, shift: number): Place => {
  const renamed = (id: string): string => `another ${id}`
  const renamedOr = (id: string | null): string | null => (id === null ? null : renamed(id))
  const active = context.seats.filter((seat) => seat.active)
  const strangers = context.seats.filter((seat) => !seat.active).slice(1)
  const present = requestOf(context)
  return {
    state,
    now: now + shift,
    context: {
      ...context,
      seats: [...strangers, ...active].reverse().map((seat) => {
        const limit = context.policy.violationLimit
        const left = limit === null ? 0 : limit - 1 - seat.violations
        const turns = context.policy.turnLimit[context.visit.state] - seat.turns
        // What is more than the turns that are left may be any number.
        const violations = limit !== null && left >= turns ? limit - 1 - Math.max(0, turns) : seat.violations
        return { ...seat, id: renamed(seat.id), violations }
      }),
      opener:
        context.opener !== null && seatOf(context, context.opener)?.active !== true
          ? null
          : renamedOr(context.opener),
      visit: { ...context.visit, since: context.visit.since + shift },
      turns: context.policy.maxTurns === null ? context.turns + shift : context.turns,
      requests: context.requests.map((request, index) => {
        const own = {
          ...request,
          id: `another ${index}`,
          from: renamed(request.from),
          to: renamedOr(request.to),
          claimant: renamedOr(request.claimant),
        }
        return request === present
          ? { ...own, replies: own.replies.map(({ from }) => ({ from: renamed(from), id: 'another reply' })) }
          : {
              ...own,
              type: 'BROADCAST' as const,
              to: null,
              claimant: null,
              replies: [],
              ending: 'unread' as const,
            }
      }),
    },
  }
}

const placesOf = (given: Scenario): Place[] => {
  const places: Place[] = []
  play(given, (talk, _input, go) => {
    if (!talk.isClosed) places.push({ state: talk.state, context: talk.context, now: talk.at })
    go()
  })
  return places
}

describe('equal sketches', () => {
  it('mean equal behaviour: names, order, the past and the clock do not matter', () => {
    fc.assert(
      fc.property(scenario(25), fc.nat({ max: 1000 }), (given, shift) => {
        for (const place of placesOf(given).filter((_, index) => index % 3 === 0)) {
          const other = otherwise(place, shift)
          expect(keyOf(other)).toBe(keyOf(place))
          expect(behaviour(other)).toEqual(behaviour(place))
        }
      }),
      parameters(60),
    )
  })

  it('mean equal behaviour wherever two conversations come to them by themselves', () => {
    const policy = {
      rounds: 2,
      turnLimit: { idle: 2, pending: 2, done: 2, talking: 3 },
      deadline: { idle: 40, pending: 30, done: 30, talking: 50 },
      violationLimit: 3,
    }
    const seen = new Map<string, readonly string[]>()
    let equal = 0
    const modes = fc.constantFrom('mailbox', 'mailbox', 'talk')
    fc.assert(
      fc.property(scenario(30), modes, (given, mode) => {
        const members = given.members.slice(0, 3)
        const lead = given.lead !== null && members.includes(given.lead) ? given.lead : null
        const acts = given.acts
          .filter(({ kind }) => kind !== 'join')
          .map((act) => ({ ...act, ms: act.ms % 2 }))
        for (const place of placesOf({ ...given, members, lead, acts, policy: { ...policy, mode } })) {
          const key = mode + keyOf(place)
          const before = seen.get(key)
          if (before === undefined) seen.set(key, behaviour(place))
          else {
            equal++
            expect(behaviour(place)).toEqual(before)
          }
        }
      }),
      parameters(100),
    )
    expect(equal).toBeGreaterThan(200)
  })

  it('tell apart what matters', () => {
    const policy = policySchema.parse({})
    const seat = { active: true, expelled: false, turns: 0, violations: 0, behind: false }
    const context: AinetContext = {
      policy,
      seats: [
        { id: 'a', ...seat },
        { id: 'b', ...seat },
      ],
      opener: 'a',
      visit: { state: 'pending', since: 0 },
      turns: 1,
      requests: [{ id: 'm1', from: 'a', type: 'TASK', to: null, claimant: null, replies: [], ending: null }],
      offender: null,
      closing: null,
    }
    const place = { state: 'pending', context, now: 5 }
    const [request] = context.requests
    if (request === undefined) throw new Error('there is a request')
    const others: Place[] = [
      { ...place, now: 6 },
      { ...place, context: { ...context, opener: 'b' } },
      { ...place, context: { ...context, requests: [{ ...request, claimant: 'b' }] } },
      { ...place, context: { ...context, requests: [{ ...request, type: 'BROADCAST' }] } },
      { ...place, context: { ...context, requests: [{ ...request, ending: 'read' }, request] } },
      {
        ...place,
        context: {
          ...context,
          seats: [
            { id: 'a', ...seat, turns: 1 },
            { id: 'b', ...seat },
          ],
        },
      },
      {
        ...place,
        context: {
          ...context,
          seats: [
            { id: 'a', ...seat, violations: 9 },
            { id: 'b', ...seat },
          ],
        },
      },
      {
        ...place,
        context: {
          ...context,
          seats: [
            { id: 'a', ...seat, behind: true },
            { id: 'b', ...seat },
          ],
        },
      },
      { ...place, context: { ...context, seats: [{ id: 'a', ...seat }] } },
    ]
    const keys = [place, ...others].map((each) => keyOf(each))
    expect(new Set(keys).size).toBe(keys.length)
    const closed = { status: 'done', cause: null } as const
    expect(sketchOf({ ...place, state: 'closed', context: { ...context, closing: closed } })).toEqual({
      rest: [],
      members: [],
      things: [],
    })
  })
})

describe('what the adversary says', () => {
  /** What a saying does, as far as the checker can tell. */
  const effectOf = (place: Place, from: string, saying: Saying): string => {
    const { decision, place: next } = put(place, said(from, saying, place.now))
    if (isIdleWord(place, saying.intent, from, decision)) return `against the rules ${keyOf(next, false)}`
    return JSON.stringify([decision, keyOf(next)])
  }

  it('does whatever anything else could do: other payloads, other things named', () => {
    fc.assert(
      fc.property(scenario(25), (given) => {
        for (const place of placesOf(given).filter((_, index) => index % 3 === 0)) {
          const { seats, requests } = place.context
          const names = [...seats.map(({ id }) => id), 'stranger']
          const ids = [undefined, 'nothing', ...requests.map(({ id }) => id)]
          for (const { id: from, active } of seats) {
            if (!active) continue
            const sayings = checking.says?.(place.context, from, place.state, SCOPE) ?? []
            expect(new Set(sayings.map(({ intent }) => intent))).toEqual(new Set(INTENTS))
            const known = new Set(sayings.map((saying) => effectOf(place, from, saying)))
            const payloads = [{}, { type: 'TASK' }, ...names.map((to) => ({ to }))]
            for (const intent of INTENTS)
              for (const replyTo of ids)
                for (const payload of intent === 'request' ? payloads : [{}]) {
                  const saying = { intent, payload, ...(replyTo === undefined ? {} : { replyTo }) }
                  expect(known).toContain(effectOf(place, from, saying))
                }
          }
        }
      }),
      parameters(60),
    )
  })
})

describe('visits', () => {
  it('are numbered in their order, and none twice', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        let before = -1
        let visit: unknown = null
        for (const { context, state } of placesOf(given)) {
          const number = checking.visit?.(context, state) ?? -1
          if (context.visit !== visit) expect(number).toBeGreaterThan(before)
          else expect(number).toBe(before)
          before = number
          visit = context.visit
        }
      }),
      parameters(150),
    )
  })
})
