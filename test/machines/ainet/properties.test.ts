/** What holds of every mailbox and talk: whatever anybody does, in any order, at any time. */
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { checking } from '../../../machines/ainet/checking.ts'
import { isSpent, requestOf, seatOf } from '../../../machines/ainet/context.ts'
import { ainet, type PolicyInput } from '../../../machines/ainet/index.ts'
import { machine } from '../../../machines/ainet/machine.ts'
import { interpret } from '../../../src/engine/interpret.ts'
import { openConversation, restoreConversation } from '../../../src/engine/opening.ts'
import { readLines, replay } from '../../../src/engine/replay.ts'
import type { Position, Sink } from '../../../src/engine/runner.ts'
import { runnerOf } from '../../../src/engine/runners.ts'
import { deepFreeze } from '../../support/freeze.ts'
import { parameters, Tally } from '../../support/property.ts'
import { type Input, play, put, type Scenario, scenario, type Talk } from './scenario.ts'

const met = new Tally()
const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T
const twinOf = (talk: Talk): Talk => restoreConversation(copyOf(talk.snapshot()), { protocol: ainet })

/** Runs a check each time an event was decided; what it throws is thrown when the step is over. */
const watched = (talk: Talk, check: (type: string, reason: string) => void, go: () => unknown): void => {
  const thrown: unknown[] = []
  const stop = talk.on('event', ({ event, decision }) => {
    try {
      check(event.type, decision?.reason ?? '')
    } catch (error) {
      thrown.push(error)
    }
  })
  go()
  stop()
  if (thrown.length > 0) throw thrown[0]
}

describe('any events, from anybody, in any order', () => {
  it('never throw, and never change a context that was handed out', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        play(given, (talk, _input, go) => {
          const before = deepFreeze(talk.context)
          const { state: from, seq } = talk
          const sent = go()
          met.add(`${sent.effect}/${from === 'closed' ? 'after the end' : sent.reason}`)
          if (sent.expelled !== undefined) met.add('expelled')
          for (const { from: left, to, reason } of sent.transitions) met.add(`${left} → ${to}: ${reason}`)
          if (talk.seq === seq) expect([talk.state, talk.context]).toEqual([from, before])
        })
      }),
      parameters(600),
    )
  })

  it('leave a request in the mailbox while it is pending or done, and only then', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        play(given, (talk, _input, go) => {
          go()
          const request = requestOf(talk.context)
          if (talk.state === 'pending') expect(request?.replies).toEqual([])
          if (talk.state === 'done') expect(request?.replies.length).toBeGreaterThan(0)
          if (talk.state === 'idle' || talk.state === 'talking') expect(request).toBeNull()
          expect(talk.context.requests.length).toBeLessThanOrEqual(talk.context.policy.rounds)
        })
      }),
      parameters(200),
    )
  })

  it('let nobody but the claimant reply to a task, and nobody but the asked to anything else', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        const { outcome, context } = play(given)
        for (const { type, from, to, claimant, replies } of outcome?.requests ?? context.requests) {
          const repliers = replies.map((reply) => reply.from)
          expect(new Set(repliers).size).toBe(repliers.length)
          expect(repliers).not.toContain(from)
          if (type === 'TASK') expect(repliers.every((id) => id === claimant)).toBe(true)
          else expect(claimant).toBeNull()
          if (type === 'PRIVATE') expect(repliers.every((id) => id === to)).toBe(true)
        }
      }),
      parameters(200),
    )
  })

  afterAll(() => {
    met.report('ainet')
    expect(
      met.below(2, [
        'expelled',
        'applied/continue',
        'recorded/taken',
        'recorded/late',
        'recorded/turns_spent',
        'recorded/not_permitted',
        'recorded/intent_not_allowed',
        'recorded/fault',
        'ignored/not_due',
        'ignored/not_member',
        'idle → pending: requested',
        'pending → done: answered',
        'done → idle: read',
        'done → idle: unread',
        'pending → idle: unanswered',
        'pending → idle: unanswerable',
        'pending → idle: withdrawn',
        'done → idle: withdrawn',
        'idle → talking: opened',
        'idle → closed: done',
        'idle → closed: timeout',
        'talking → closed: done',
        'talking → closed: timeout',
        'talking → closed: abandoned',
      ]),
    ).toEqual([])
  })
})

describe('why it ends', () => {
  const compare = (a: readonly number[], b: readonly number[]): number => {
    const at = a.findIndex((value, index) => value !== b[index])
    return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
  }

  /** What may go on where nobody is expelled: time ends it. */
  const VIOLATIONS = ['turns_spent', 'not_permitted', 'intent_not_allowed', 'fault']

  it('the rank falls with every event that changes something, a join excepted; where it stays the due time stays', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        play(given, (talk, _input, go) => {
          let before = ainet.rank(talk.context, talk.state)
          let due = talk.dueAt
          watched(
            talk,
            (type, reason) => {
              const now = ainet.rank(talk.context, talk.state)
              expect(now.every((part) => Number.isInteger(part) && part >= 0)).toBe(true)
              if (type !== 'join') {
                const change = compare(now, before)
                const isFree = talk.context.policy.violationLimit === null && VIOLATIONS.includes(reason)
                if (isFree) expect(change).toBeLessThanOrEqual(0)
                else expect(change).toBeLessThan(0)
                if (change === 0) expect(talk.dueAt).toBe(due)
              }
              before = now
              due = talk.dueAt
            },
            go,
          )
        })
      }),
      parameters(400),
    )
  })

  it('the rank falls also when somebody leaves who had nothing left to do', () => {
    const policy = { turnLimit: { idle: 1 }, violationLimit: null }
    const talk = openConversation({ protocol: ainet, members: ['a', 'b'], policy, at: 0 })
    talk.fault('a', 'failed', 0)
    const before = ainet.rank(talk.context, talk.state)
    talk.leave('a', 0)
    expect(talk.isClosed).toBe(false)
    expect(compare(ainet.rank(talk.context, talk.state), before)).toBeLessThan(0)
  })

  it('silence ends it with two ticks at the due times, and within the deadlines of its states', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        const silent = (talk: Talk): void => {
          const twin = twinOf(talk)
          const { deadline } = twin.context.policy
          const end = twin.context.visit.since + deadline[twin.context.visit.state] + deadline.idle
          let ticks = 0
          for (let due = twin.dueAt; !twin.isClosed; due = twin.dueAt) {
            if (due === null) throw new Error(`nothing is due in "${twin.state}"`)
            if (due > twin.at) expect(twin.tick(due - 1).reason).toBe('not_due')
            expect(twin.tick(due).effect).toBe('applied')
            ticks++
          }
          expect(ticks).toBeLessThanOrEqual(2)
          expect(twin.at).toBeLessThanOrEqual(Math.max(end, talk.at))
          expect(twin.outcome?.status).toBe('timeout')
        }
        const talk = play(given, (each, _input, go) => {
          if (!each.isClosed && each.seq % 4 === 0) silent(each)
          go()
        })
        if (!talk.isClosed) silent(talk)
      }),
      parameters(200),
    )
  })

  it('turns are never more than a member’s limit in a visit, nor than the bound in all', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        const acts = given.acts.filter(({ kind }) => kind !== 'join')
        const talk = play({ ...given, acts }, (each, _input, go) => {
          go()
          const { policy, seats, visit } = each.context
          for (const { turns } of seats) expect(turns).toBeLessThanOrEqual(policy.turnLimit[visit.state])
        })
        const group = { members: given.members, lead: given.lead }
        const bound = checking.bound?.(talk.context.policy, group, 0) ?? -1
        expect(talk.context.turns).toBeLessThanOrEqual(bound)
      }),
      parameters(300),
    )
  })

  describe('the bound is reached', () => {
    const counted = (policy: PolicyInput) => {
      const talk = openConversation({ protocol: ainet, members: ['a', 'b'], policy, at: 0 })
      let count = 0
      return {
        talk,
        bound: checking.bound?.(talk.context.policy, { members: ['a', 'b'], lead: null }, 0),
        fail: (...members: string[]) => {
          for (const member of members) talk.fault(member, 'failed', 0)
        },
        say: (from: string, intent: string) => {
          expect(talk.send({ id: `m${count++}`, from, intent }, 0).effect).toBe('applied')
        },
      }
    }

    it('by a mailbox', () => {
      const { talk, bound, fail, say } = counted({
        rounds: 2,
        turnLimit: { idle: 1, pending: 1, done: 1 },
      })
      for (let round = 0; round < 2; round++) {
        fail('b')
        say('a', 'request')
        fail('a')
        say('b', 'reply')
        fail('b')
        say('a', 'read')
      }
      expect(talk.outcome).toMatchObject({ status: 'done', turns: bound })
    })

    it('by a talk', () => {
      const { talk, bound, fail, say } = counted({ mode: 'talk', turnLimit: { idle: 2, talking: 2 } })
      fail('a', 'a', 'b')
      say('b', 'say')
      fail('a', 'a')
      say('b', 'done')
      expect(talk.outcome).toMatchObject({ status: 'done', turns: bound })
    })
  })
})

describe('a record', () => {
  it('replayed through lines of text gives the same decisions and the same end', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        const talk = play(given)
        const text = talk
          .record()
          .map((event) => JSON.stringify(event))
          .join('\n')
        const again = replay(readLines(text).lines, { ainet })
        const live = talk.events().slice(1)
        expect(again.decisions.map(({ id: _, seq: __, ...decision }) => decision)).toEqual(
          live.map(({ decision }) => ({ ...decision })),
        )
        expect({ ...again.talk.snapshot(), at: 0 }).toEqual({ ...copyOf(talk.snapshot()), at: 0 })
      }),
      parameters(200),
    )
  })

  it('cut at any step and restored goes on the same', () => {
    fc.assert(
      fc.property(scenario(30), (given) => {
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
})

describe('the compiled table', () => {
  const silent: Sink = { took() {}, note() {}, moved() {} }
  const eventOf = (input: Input): { readonly type: string } => {
    if (input.kind === 'send') {
      const { intent, from, payload = {}, replyTo = null, id } = input.message
      return { type: intent, at: input.at, id, from, payload, replyTo } as { readonly type: string }
    }
    return { ...input, type: input.kind === 'tick' ? 'deadline' : input.kind }
  }
  const notesOf = (run: (sink: Sink) => Position): readonly unknown[] => {
    const notes: unknown[] = []
    const { shape: _, ...position } = run({
      ...silent,
      note: (type, params) => notes.push([type, params]),
      moved: (from, to) => notes.push([from, to]),
    })
    return [notes, position]
  }

  it('is what runs, and decides as XState does', () => {
    const compiled = runnerOf(machine)
    const interpreted = interpret(machine)
    expect(compiled.kind).toBe('compiled')
    fc.assert(
      fc.property(scenario(30), (given: Scenario) => {
        play(given, (talk, input, go) => {
          const at: Position = {
            state: talk.state,
            context: talk.context,
            done: talk.isClosed,
            output: undefined,
          }
          const sender = input.kind === 'send' ? input.message.from : null
          if (!talk.isClosed && (sender === null || talk.members.includes(sender))) {
            const event = eventOf(input)
            expect(notesOf((sink) => compiled.next(at, event, sink))).toEqual(
              notesOf((sink) => interpreted.next(at, event, sink)),
            )
          }
          go()
        })
      }),
      parameters(60),
    )
  })
})

describe('whom the floor asks', () => {
  it('is always somebody who may say what is expected of it', () => {
    fc.assert(
      fc.property(scenario(), fc.constantFrom('round_robin', 'all_at_once'), (given, how) => {
        play(given, (talk, _input, go) => {
          const options = { capabilities: new Map<string, readonly string[]>(), talk: how } as const
          for (const { member, expected, replyTo } of ainet.floor(talk.context, options, talk.state)) {
            const intents = ainet.allowed(talk.context, member, talk.state).map(({ intent }) => intent)
            expect(intents).toContain(expected)
            if (replyTo !== null) expect(replyTo).toBe(requestOf(talk.context)?.id)
            const twin = twinOf(talk)
            const said = { id: 'asked', from: member, intent: expected ?? '', replyTo }
            expect(twin.send(said, twin.at).effect).toBe('applied')
          }
          go()
        })
      }),
      parameters(150),
    )
  })

  it('is nobody only when it is closed, when a member is alone, or when only its own faults keep a member from speaking', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        play(given, (talk, _input, go) => {
          go()
          const options = { capabilities: new Map<string, readonly string[]>(), talk: 'round_robin' } as const
          const calls = ainet.floor(talk.context, options, talk.state)
          if (calls.length > 0 || talk.isClosed || talk.members.length < 2) return
          const request = requestOf(talk.context)
          const requester = request === null ? undefined : seatOf(talk.context, request.from)
          expect(requester !== undefined && isSpent(talk.context, requester)).toBe(true)
        })
      }),
      parameters(200),
    )
  })

  it('and what is allowed is never against the rules, whoever says it', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        play(given, (talk, _input, go) => {
          for (const member of talk.members) {
            for (const { intent } of ainet.allowed(talk.context, member, talk.state)) {
              const twin = twinOf(talk)
              expect(twin.send({ id: 'said', from: member, intent }, twin.at).effect).toBe('applied')
            }
          }
          go()
        })
      }),
      parameters(100),
    )
  })
})
