/** What holds whatever anybody does in a contract net: any events, from anybody, in any order, at any time. */
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { checking } from '../../../machines/contract-net/checking.ts'
import { contractNet } from '../../../machines/contract-net/index.ts'
import { machine } from '../../../machines/contract-net/machine.ts'
import { type Policy, STATES } from '../../../machines/contract-net/policy.ts'
import type { ConversationEvent } from '../../../src/engine/events.ts'
import { interpret } from '../../../src/engine/interpret.ts'
import { restoreConversation } from '../../../src/engine/opening.ts'
import { readLines, replay } from '../../../src/engine/replay.ts'
import type { MachineEvent, Position, Runner, Sink } from '../../../src/engine/runner.ts'
import { runnerOf } from '../../../src/engine/runners.ts'
import type { RecordEvent } from '../../../src/schema/record.ts'
import { deepFreeze } from '../../support/freeze.ts'
import { parameters, Tally } from '../../support/property.ts'
import { KNOWN_STATES, perform, play, type Scenario, scenario, type Talk } from './scenario.ts'

const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

const met = new Tally()

const textOf = (record: readonly unknown[]): string =>
  record.map((event) => `${JSON.stringify(event)}\n`).join('')

/** Counts where a contract net went, for the floor below. */
const count = (talk: Talk): Talk => {
  met.add('contract nets')
  for (const { decision } of talk.events()) {
    if (decision === null) continue
    met.add(`${decision.effect}/${decision.reason}`)
    if (decision.expelled !== undefined) met.add('expelled')
    for (const { from, to, reason } of decision.transitions) met.add(`${from} → ${to}: ${reason}`)
  }
  if (talk.outcome !== null) met.add(`outcome ${talk.outcome.status} by ${talk.outcome.cause ?? 'answers'}`)
  return talk
}

/** Looks on at each event as it is decided, an overdue deadline by itself. */
const watching = (talk: Talk, look: (event: ConversationEvent) => void, go: () => unknown): void => {
  const seen: ConversationEvent[] = []
  const faults: unknown[] = []
  // What a listener throws harms nobody, and would be lost.
  const stop = talk.on('event', (event) => {
    seen.push(event)
    try {
      look(event)
    } catch (error) {
      faults.push(error)
    }
  })
  go()
  stop()
  if (faults.length > 0) throw faults[0]
}

describe('any events, from anybody, in any order', () => {
  it('never throw, never leave the five states, and never change a context that was handed out', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        const talk = play(given, (live, _input, _at, go) => {
          const before = deepFreeze(live.context)
          const { state, seq } = live
          const sent = go()
          expect(KNOWN_STATES).toContain(live.state)
          expect(sent.to).toBe(live.state)
          if (live.seq > seq) return
          expect(['ignored', 'rejected']).toContain(sent.effect)
          expect([live.context, live.state]).toEqual([before, state])
        })
        count(talk)
      }),
      parameters(400),
    )
  })

  it('leave an outcome that tells the same as its awards', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        const { outcome, context } = count(play(given))
        if (outcome === null) return
        const { status, awards, rounds } = outcome
        expect(outcome.turns).toBe(context.turns)
        expect(rounds).toBeLessThanOrEqual(context.policy.rounds)
        for (const round of new Set(awards.map((award) => award.round))) {
          const now = awards.filter((award) => award.round === round)
          expect(now.length).toBeLessThanOrEqual(context.policy.awards ?? now.length)
          expect(new Set(now.map(({ bidder }) => bidder)).size).toBe(now.length)
        }
        const done = awards.filter((award) => award.status === 'done').length
        if (status !== 'abandoned' && status !== 'cancelled')
          expect(awards.every((award) => award.status !== null)).toBe(true)
        if (status === 'done' || status === 'partial') expect(done).toBeGreaterThan(0)
        if (status === 'failed') expect([done, awards.length > 0]).toEqual([0, true])
        if (status === 'no_bids' || status === 'not_awarded')
          expect([awards.length, rounds > 0]).toEqual([0, true])
        if (status === 'timeout') expect(rounds).toBe(0)
      }),
      parameters(300),
    )
  })
})

/** What the policy promises at most, in ms: each round visits each state once. */
const promised = ({ deadline, rounds }: Policy): number =>
  rounds * STATES.reduce((sum, state) => sum + deadline[state], 0)

describe('a contract net', () => {
  it('ends within the promised time when its clock is punctual, whatever is said meanwhile', () => {
    fc.assert(
      fc.property(scenario({ maxActs: 25 }), (given) => {
        const talk = play(given, (live, _input, at, go) => {
          while (live.dueAt !== null && live.dueAt <= at) live.tick(live.dueAt)
          go()
        })
        const { policy } = talk.context
        let ticks = 0
        while (talk.dueAt !== null) {
          expect(talk.dueAt - given.at).toBeLessThanOrEqual(promised(policy))
          expect(talk.tick(talk.dueAt - 1).reason).toBe('not_due')
          expect(talk.tick(talk.dueAt).reason).not.toBe('not_due')
          expect(++ticks).toBeLessThanOrEqual(STATES.length * policy.rounds)
        }
        expect(talk.isClosed).toBe(true)
      }),
      parameters(300),
    )
  })

  it('has a due time wherever it is open, and a floor that asks only who may say something', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        const played = play(given, (talk, _input, _at, go) => {
          go()
          expect(talk.dueAt === null).toBe(talk.isClosed)
          const calls = contractNet.floor(
            talk.context,
            { capabilities: new Map(), talk: 'round_robin' },
            talk.state,
          )
          // Otherwise all have answered, and it would have moved on.
          if (!talk.isClosed) expect(calls.length).toBeGreaterThan(0)
          for (const { member, expected } of calls) {
            const allowed = contractNet.allowed(talk.context, member, talk.state).map(({ intent }) => intent)
            expect(allowed.length).toBeGreaterThan(0)
            if (expected !== null) expect(allowed).toContain(expected)
          }
        })
        count(played)
      }),
      parameters(200),
    )
  })

  it('takes as applied nothing but what it says is allowed, and all that it says is allowed', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        play(given, (talk, _input, _at, go) => {
          const { context, state } = talk
          watching(
            talk,
            ({ event, decision }) => {
              if (event.type !== 'message' || decision === null || decision.from !== state) return
              const { from, intent } = event.message as { from: string; intent: string }
              const allowed = contractNet.allowed(context, from, state).map((each) => each.intent)
              if (decision.effect === 'applied') expect(allowed).toContain(intent)
              else if (['intent_not_allowed', 'turns_spent'].includes(decision.reason))
                expect(allowed).not.toContain(intent)
              if (!allowed.includes(intent)) expect(decision.effect).toBe('recorded')
            },
            go,
          )
        })
      }),
      parameters(200),
    )
  })
})

const compare = (a: readonly number[], b: readonly number[]): number =>
  a.map((part, index) => part - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0

describe('why it ends', () => {
  it('the rank falls with every event that changes it, a join excepted; or violations are unlimited and time stands', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        const played = play(given, (talk, _input, _at, go) => {
          let before = { rank: contractNet.rank(talk.context, talk.state), due: talk.dueAt }
          watching(
            talk,
            ({ event }) => {
              const now = { rank: contractNet.rank(talk.context, talk.state), due: talk.dueAt }
              expect(now.rank.every((part) => Number.isInteger(part) && part >= 0)).toBe(true)
              const order = compare(now.rank, before.rank)
              if (event.type !== 'join') {
                if (talk.context.policy.violationLimit === null && order === 0)
                  expect(now.due).toBe(before.due)
                else expect(order, `${before.rank} → ${now.rank}`).toBeLessThan(0)
              }
              before = now
            },
            go,
          )
        })
        count(played)
      }),
      parameters(400),
    )
  })

  it('turns are never more than the formula, nor a member’s in a visit more than its share', () => {
    fc.assert(
      fc.property(scenario({ joins: false, maxActs: 90 }), (given) => {
        const talk = play(given, (live, _input, _at, go) => {
          go()
          const { policy, visit, initiator, seats } = live.context
          for (const { id, turns } of seats) {
            const share = policy.turnLimit[visit.state] + (id === initiator ? visit.bonus : 0)
            expect(turns).toBeLessThanOrEqual(share)
          }
        })
        const { policy } = talk.context
        const most = checking.bound?.(policy, given, 1)
        expect(talk.context.turns).toBeLessThanOrEqual(most ?? -1)
      }),
      parameters(200),
    )
  })
})

/** A record's event as the machine sees it. */
const machineEvent = (event: RecordEvent): MachineEvent & { readonly at: number } => {
  if (event.type !== 'message') return event
  const { intent, ...message } = event.message as { intent: string }
  return { ...message, type: intent, at: event.at }
}

/** What a runner tells while it does something, with what it gives. */
const told = (act: (sink: Sink) => Position): unknown[] => {
  const heard: unknown[] = []
  const { state, context, done, output } = act({
    took: () => void heard.push('took'),
    note: (type, params) => void heard.push([type, params]),
    moved: (from, to) => void heard.push([from, to]),
  })
  return [heard, { state, context, done, output }]
}

describe('the record', () => {
  const recordOf = (given: Scenario): readonly RecordEvent[] => play(given).record()

  it('replayed through lines of text gives the same decisions, the same context and the same outcome', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        const talk = count(play(given))
        const again = replay(readLines(textOf(talk.record())).lines, { 'contract-net': contractNet })
        const live = talk.events().flatMap(({ decision }) => (decision === null ? [] : [decision]))
        expect(again.decisions.map(({ seq: _, id: __, ...decision }) => decision)).toEqual(live)
        expect({ ...again.talk.snapshot(), at: 0 }).toEqual({ ...copyOf(talk.snapshot()), at: 0 })
      }),
      parameters(200),
    )
  })

  it('is decided alike by the compiled table and by XState itself', () => {
    const compiled: Runner = runnerOf(machine)
    expect(compiled.kind).toBe('compiled')
    const interpreted = interpret(machine)
    fc.assert(
      fc.property(scenario({ maxActs: 40 }), (given) => {
        const [open, ...events] = recordOf(given)
        if (open?.type !== 'open') throw new Error('A record begins with its opening')
        const input = contractNet.input(open, open.policy, open.at)
        expect(told((sink) => compiled.start(input, sink))).toEqual(
          told((sink) => interpreted.start(input, sink)),
        )
        let at = compiled.start(input, { took: () => {}, note: () => {}, moved: () => {} })
        for (const event of events.map(machineEvent)) {
          expect(told((sink) => compiled.next(at, event, sink))).toEqual(
            told((sink) => interpreted.next(at, event, sink)),
          )
          at = compiled.next(at, event, { took: () => {}, note: () => {}, moved: () => {} })
        }
      }),
      parameters(120),
    )
  })
})

describe('a restored contract net', () => {
  it('goes on from any step as the one that never stopped', () => {
    fc.assert(
      fc.property(scenario({ maxActs: 40 }), (given) => {
        play(given, (talk, input, at, go) => {
          const snapshot = copyOf(talk.snapshot())
          const twin = restoreConversation(snapshot, { protocol: contractNet })
          expect(twin.snapshot()).toEqual(snapshot)
          expect([twin.dueAt, twin.members, twin.lead]).toEqual([talk.dueAt, talk.members, talk.lead])
          const sent = go()
          expect(perform(twin, input, at)).toEqual(sent)
          expect(twin.snapshot()).toEqual(copyOf(talk.snapshot()))
        })
      }),
      parameters(120),
    )
  })

  it('is refused when a part of its context is missing, or is of another type', () => {
    fc.assert(
      fc.property(
        scenario({ maxActs: 30 }),
        fc.nat(),
        fc.constantFrom(undefined, 'x', -1, {}, true),
        (given, which, value) => {
          const talk = play(given)
          const snapshot = copyOf(talk.snapshot())
          const keys = Object.keys(snapshot.context)
          const key = keys[which % keys.length] ?? ''
          // A name may be any text, and nobody need be about to be expelled.
          if (typeof value === 'string' && (key === 'initiator' || key === 'offender')) return
          const context = { ...snapshot.context, [key]: value }
          expect(() => restoreConversation({ ...snapshot, context }, { protocol: contractNet })).toThrow(
            /context/,
          )
        },
      ),
      parameters(200),
    )
  })

  it('is refused when its state is not the one that its context is of', () => {
    const talk = play({ members: ['a', 'b'], lead: 'a', policy: {}, at: 0, acts: [] })
    const snapshot = { ...copyOf(talk.snapshot()), state: 'bidding' }
    expect(() => restoreConversation(snapshot, { protocol: contractNet })).toThrow(
      'context.visit.state is of "calling", but the snapshot\'s state is "bidding"',
    )
  })

  it('shows its table to agents without letting them change it, as one that was never stored does', () => {
    const talk = play({ members: ['a', 'b'], lead: 'a', policy: {}, at: 0, acts: [] })
    talk.send({ id: 'm1', from: 'a', intent: 'cfp', payload: { task: { what: ['x'] } } }, 0)
    talk.send({ id: 'm2', from: 'b', intent: 'propose', payload: { offer: { how: ['y'] } } }, 0)
    for (const each of [talk, restoreConversation(copyOf(talk.snapshot()), { protocol: contractNet })]) {
      const before = copyOf(each.snapshot().context)
      const { task, bids } = contractNet.board(each.context, 'a', each.state)
      expect([task, bids]).toMatchObject([{ what: ['x'] }, [{ offer: { how: ['y'] }, status: 'open' }]])
      for (const shown of [task, bids[0]?.offer]) expect(Object.isFrozen(shown)).toBe(true)
      ;(bids as unknown[]).length = 0
      expect(copyOf(each.snapshot().context)).toEqual(before)
    }
  })
})

describe('these scenarios', () => {
  afterAll(() => met.report('contract nets'))

  it('come through every transition, decision and end', () => {
    const transitions = [
      'calling → bidding: called',
      'calling → closed: timeout',
      'calling → closed: called_off',
      'bidding → awarding: all_answered',
      'bidding → awarding: timeout',
      'bidding → calling: renewed',
      'bidding → closed: no_bids',
      'bidding → closed: timeout',
      'awarding → performing: awarded',
      'awarding → performing: timeout',
      'awarding → calling: renewed',
      'awarding → closed: not_awarded',
      'awarding → closed: timeout',
      'performing → calling: renewed',
      'performing → closed: all_reported',
      'performing → closed: timeout',
    ]
    const decisions = ['late', 'taken', 'ambiguous', 'turns_spent', 'not_permitted', 'intent_not_allowed']
    expect(
      met.below(1, [...transitions, ...decisions.map((reason) => `recorded/${reason}`), 'expelled']),
    ).toEqual([])
  })
})
