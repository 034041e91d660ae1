/** What holds whatever anybody does: it ends, and it is the same live, replayed, restored, compiled and interpreted. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type IoaContext, ioa } from '../../../machines/ioa/index.ts'
import { machine } from '../../../machines/ioa/machine.ts'
import { interpret } from '../../../src/engine/interpret.ts'
import { restoreConversation } from '../../../src/engine/opening.ts'
import { readLines, replay } from '../../../src/engine/replay.ts'
import { runnerOf } from '../../../src/engine/runners.ts'
import { DecisionSink } from '../../../src/engine/step.ts'
import { deepFreeze } from '../../support/freeze.ts'
import { parameters, Tally } from '../../support/property.ts'
import { play, put, scenario, type Talk } from './scenarios.ts'

const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T
const twinOf = (talk: Talk): Talk => restoreConversation(copyOf(talk.snapshot()), { protocol: ioa })

const compare = (a: readonly number[], b: readonly number[]): number => {
  const index = a.findIndex((value, at) => value !== b[at])
  return index < 0 ? 0 : (a[index] ?? 0) - (b[index] ?? 0)
}

/** Most ms from the opening to the end, whatever is said. */
const promised = ({ policy, tasks }: IoaContext): number => {
  const { chatDeadline, turnDeadline, taskDeadline, maxTurns, concludeDeadline } = policy
  // Without a limit for the chat, every turn may take its time and then have the chat wait for a result.
  const each = (turnDeadline ?? 0) + (taskDeadline ?? 0)
  const talk = chatDeadline ?? each * (maxTurns + tasks.length + 1)
  return talk + concludeDeadline
}

describe('any events, from anybody, in any order', () => {
  it('never throw, never change a context that was handed out, and leave the floor with somebody who is there', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        play(given, (talk, _input, go) => {
          const before = deepFreeze(talk.context)
          const { effect, reason, seq } = go()
          if (effect === 'ignored' || effect === 'rejected') expect(seq).toBeUndefined()
          const { context, state } = talk
          // An overdue deadline may have come first.
          if (effect === 'ignored' && reason === 'not_due') expect(context).toEqual(before)
          if (talk.isClosed) return
          expect(context.visit.state).toBe(state)
          expect(talk.members).toContain(context.speaker)
          const isWaiting = state === 'sync_assignment' || state === 'pause'
          expect(context.awaited.length > 0).toBe(isWaiting)
          const owed = context.tasks.filter(({ status }) => status === null)
          if (state === 'discussion') expect(owed).toEqual([])
          if (state === 'async_assignment') expect(owed.length).toBeGreaterThan(0)
          if (state !== 'conclusion') expect(context.spoken).toBeLessThanOrEqual(context.policy.maxTurns)
          for (const { owner } of owed) expect(talk.members).toContain(owner)
        })
      }),
      parameters(400),
    )
  })

  it('number the tasks without a gap, whatever is done with them', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        const { tasks } = play(given).context
        expect(tasks.map(({ id }) => id)).toEqual(tasks.map((_, index) => `t${index + 1}`))
      }),
      parameters(100),
    )
  })

  it('admit talk from nobody but the speaker', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        play(given, (talk, input, go) => {
          const twin = twinOf(talk)
          twin.tick(input.at)
          const { speaker } = twin.context
          const { effect } = go()
          if (input.kind !== 'send' || input.message.intent === 'report' || effect !== 'applied') return
          expect(input.message.from.normalize('NFC')).toBe(speaker)
        })
      }),
      parameters(150),
    )
  })
})

describe('why it ends', () => {
  it('the rank falls with every event that changes the conversation; where it stays, nothing is due later', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        play(given, (talk, _input, go) => {
          let before = { rank: ioa.rank(talk.context, talk.state), due: talk.dueAt }
          const stop = talk.on('event', ({ event }) => {
            const now = { rank: ioa.rank(talk.context, talk.state), due: talk.dueAt }
            const order = compare(now.rank, before.rank)
            const isUnlimited = talk.context.policy.violationLimit === null
            const isStill = isUnlimited && order === 0 && now.due === before.due
            if (event.type !== 'join' && order >= 0 && !isStill)
              faults.push(`${event.type}: ${before.rank} → ${now.rank}, due ${before.due} → ${now.due}`)
            if (now.rank.some((part) => part < 0)) faults.push(`${now.rank}`)
            before = now
          })
          const faults: string[] = []
          go()
          stop()
          expect(faults).toEqual([])
        })
      }),
      parameters(400),
    )
  })

  it('every open state is due at some time; silence alone ends it, in the promised time', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        const silent = (talk: Talk): void => {
          const twin = twinOf(talk)
          const { maxTurns, concludeTurns } = twin.context.policy
          const most = maxTurns + concludeTurns + 2 * twin.context.tasks.length + 3
          for (let ticks = 0; !twin.isClosed; ticks++) {
            const due = twin.dueAt
            if (due === null) throw new Error(`nothing is due in "${twin.state}"`)
            if (due > twin.at) expect(twin.tick(due - 1).reason).toBe('not_due')
            expect(twin.tick(due).effect).toBe('applied')
            expect(ticks).toBeLessThan(most)
          }
          expect(twin.outcome?.status).toBe('timeout')
          expect(twin.at - 1_000).toBeLessThanOrEqual(promised(twin.context))
        }
        const talk = play(given, (each, input, go) => {
          if (each.seq % 4 === 0 && each.at - 1_000 <= promised(each.context)) silent(each)
          // Time runs by due times only: nobody wakes late.
          while (each.dueAt !== null && each.dueAt <= input.at) each.tick(each.dueAt)
          go()
        })
        if (!talk.isClosed) silent(talk)
        else expect(talk.at - 1_000).toBeLessThanOrEqual(promised(talk.context))
      }),
      parameters(150),
    )
  })

  it('turns are never more than the formula gives without joins', () => {
    fc.assert(
      fc.property(scenario(80), (given) => {
        const acts = given.acts.filter(({ kind }) => kind !== 'join')
        const { context } = play({ ...given, acts })
        const bound = ioa.checking?.bound?.(context.policy, given, Number.POSITIVE_INFINITY)
        expect(context.turns).toBeLessThanOrEqual(bound ?? -1)
      }),
      parameters(300),
    )
  })

  it('says how: the outcome agrees with the transition that closed it', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        play(given, (talk, _input, go) => {
          const { effect, transitions } = go()
          const { outcome } = talk
          const closing = transitions.find(({ to }) => to === 'closed')
          if (outcome === null) return expect(closing).toBeUndefined()
          // An overdue deadline that closes comes before what is then ignored.
          if (closing === undefined) return expect(effect).toBe('ignored')
          expect(outcome.status).toBe(closing.reason)
          expect(outcome.state).toBe(closing.from)
          const { status, conclusion, cause } = outcome
          expect(cause !== undefined).toBe(status === 'forced' || status === 'timeout')
          const isConcluded = status === 'forced' || status === 'concluded'
          expect(conclusion !== null).toBe(isConcluded)
          if (isConcluded || status === 'timeout') expect(outcome.state).toBe('conclusion')
        })
      }),
      parameters(200),
    )
  })
})

describe('the same again', () => {
  it('by a replay of the record, through lines of text', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        const talk = play(given)
        const live = talk.events().flatMap(({ decision }) => (decision === null ? [] : [decision]))
        const text = talk
          .record()
          .map((event) => `${JSON.stringify(event)}\n`)
          .join('')
        const again = replay(readLines(text).lines, { ioa })
        expect(again.decisions.map(({ seq: _, id: __, ...decision }) => decision)).toEqual(live)
        expect({ ...again.talk.snapshot(), at: 0 }).toEqual({ ...copyOf(talk.snapshot()), at: 0 })
      }),
      parameters(200),
    )
  })

  it('by a restored snapshot, from any step on', () => {
    fc.assert(
      fc.property(scenario(40), (given) => {
        play(given, (talk, input, go) => {
          const twin = twinOf(talk)
          expect([twin.dueAt, twin.members, twin.lead]).toEqual([talk.dueAt, talk.members, talk.lead])
          const sent = go()
          expect(put(twin, input)).toEqual(sent)
          expect(twin.snapshot()).toEqual(copyOf(talk.snapshot()))
        })
      }),
      parameters(120),
    )
  })

  it('by XState itself: the compiled table decides nothing else', () => {
    const compiled = runnerOf(machine)
    const interpreted = interpret(machine)
    expect(compiled.kind).toBe('compiled')
    fc.assert(
      fc.property(scenario(40), (given) => {
        const talk = play(given)
        const policy = talk.context.policy
        const input = ioa.input(given, policy, 1_000)
        let here = compiled.start(input, new DecisionSink())
        let there = interpreted.start(input, new DecisionSink())
        for (const { event, decision } of talk.events().slice(1)) {
          const sent = event.type === 'message' ? (event.message as { intent: string }) : null
          const machineEvent = sent === null ? event : { ...sent, type: sent.intent, at: event.at }
          const sinks = [new DecisionSink(), new DecisionSink()] as const
          const from = here.state
          here = compiled.next(here, machineEvent, sinks[0])
          there = interpreted.next(there, machineEvent, sinks[1])
          const decisions = sinks.map((sink) => sink.decision(machineEvent, from, here.state))
          const { effect, reason } = decision ?? {}
          expect(decisions[0]).toMatchObject({ effect, reason })
          expect(decisions[1]).toEqual(decisions[0])
          expect([there.state, there.context, there.done, there.output]).toEqual([
            here.state,
            here.context,
            here.done,
            here.output,
          ])
        }
      }),
      parameters(60),
    )
  })
})

describe('what agents are told', () => {
  it('leaves out no intent that would have taken effect, and asks only members who may answer', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        const options = { capabilities: new Map(), talk: 'round_robin' } as const
        play(given, (talk, input, go) => {
          const twin = twinOf(talk)
          const calls = ioa.floor(twin.context, options, twin.state)
          expect(calls.length).toBeGreaterThan(0)
          expect(new Set(calls.map(({ member }) => member)).size).toBe(calls.length)
          for (const { member, expected, defaults } of calls) {
            expect(ioa.turnsLeft(twin.context, member, twin.state)).toBeGreaterThan(0)
            const told = ioa.allowed(twin.context, member, twin.state).map(({ intent }) => intent)
            expect(told).toContain(expected)
            const asked = twinOf(talk)
            const sent = asked.send({ id: 'x', from: member, intent: `${expected}`, payload: defaults ?? {} })
            if (twin.dueAt === null || twin.dueAt > asked.at) expect(sent.effect).toBe('applied')
          }
          const { effect, from } = go()
          if (input.kind !== 'send' || effect !== 'applied' || from !== twin.state) return
          twin.tick(input.at)
          const allowed = ioa.allowed(twin.context, input.message.from.normalize('NFC'), twin.state)
          expect(allowed.map(({ intent }) => intent)).toContain(input.message.intent)
        })
      }),
      parameters(120),
    )
  })
})

/** Every way from state to state that there is, and every other answer. */
const WAYS = [
  'discussion → sync_assignment',
  'discussion → async_assignment',
  'sync_assignment → discussion',
  'sync_assignment → async_assignment',
  'async_assignment → sync_assignment',
  'async_assignment → pause',
  'async_assignment → discussion',
  'pause → discussion',
  'pause → async_assignment',
  'conclusion → closed',
  ...['discussion', 'async_assignment', 'sync_assignment', 'pause'].flatMap((state) => [
    `${state} → conclusion`,
    `${state} → closed`,
  ]),
  'expelled',
  ...['left', 'joined', 'silent', 'task_overdue', 'forced', 'concluded', 'timeout', 'abandoned'].map(
    (reason) => `applied/${reason}`,
  ),
  ...['late', 'fault', 'not_permitted', 'intent_not_allowed'].map((reason) => `recorded/${reason}`),
  ...['not_due', 'not_member', 'expelled', 'already_member'].map((reason) => `ignored/${reason}`),
]

describe('the scenarios', () => {
  it('go every way, and meet every answer', () => {
    const met = new Tally()
    // By a seed of its own: whether a generator is any good must not depend on luck.
    for (const given of fc.sample(scenario(), { numRuns: 1_500, seed: 1 })) {
      play(given, (_talk, _input, go) => {
        const { effect, reason, transitions, expelled } = go()
        met.add(`${effect}/${reason}`)
        if (expelled !== undefined) met.add('expelled')
        for (const { from, to } of transitions) met.add(`${from} → ${to}`)
      })
    }
    met.report('What the scenarios met')
    expect(met.below(3, WAYS)).toEqual([])
  })
})
