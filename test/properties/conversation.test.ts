/** What holds whatever anybody does: any events, from anybody, in any order, at any time. */
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import * as reducer from '../../bench/reducer.ts'
import { catalogue } from '../../machines/catalogue.ts'
import { conversation } from '../../machines/conversation/index.ts'
import type { INTENTS } from '../../machines/conversation/intents.ts'
import { STATES, type State } from '../../machines/conversation/policy.ts'
import type { Conversation } from '../../src/engine/conversation.ts'
import type { Sent } from '../../src/engine/events.ts'
import { restoreConversation } from '../../src/engine/opening.ts'
import { readLines, replay } from '../../src/engine/replay.ts'
import { type Scenario, scenario } from '../support/arbitraries.ts'
import { deepFreeze } from '../support/freeze.ts'
import { check, type Heard, perform, play, type Talk } from '../support/play.ts'
import { parameters, Tally } from '../support/property.ts'

const KNOWN_STATES: readonly string[] = [...STATES, 'closed']
const isOpen = (state: string): state is State => state !== 'closed'
const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T
const twinOf = (talk: Talk): Talk => restoreConversation(copyOf(talk.snapshot()), { protocol: conversation })
const linesOf = (talk: { record(): unknown[] }): string =>
  talk
    .record()
    .map((event) => `${JSON.stringify(event)}\n`)
    .join('')
const subjectOf = ({ event }: Heard): string => {
  if (event.type === 'message') return (event.message as { from: string }).from.normalize('NFC')
  return 'member' in event ? event.member : ''
}

const met = new Tally()
const RUNS = { any: 500, second: 1200 }

/** Counts where a scenario went, for the floor below. */
const count = (before: string, { effect, reason, transitions, expelled }: Sent | Heard['decision']): void => {
  met.add('events')
  met.add(`${effect}/${isOpen(before) ? reason : 'after the end'}`)
  if (expelled !== undefined) met.add('expelled')
  for (const transition of transitions) {
    met.add(`${transition.from} → ${transition.to}: ${transition.reason}`)
    met.add(`visits of ${transition.to}`)
  }
}

describe('any events, from anybody, in any order', () => {
  it('never throw, never leave the six states, and never change a context that was handed out', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        met.add('conversations')
        play(given, ({ talk }, input, go) => {
          const before = deepFreeze(talk.context)
          const state = talk.state
          const { sent, heard } = go()
          for (const { decision } of heard) count(decision.from, decision)
          expect(KNOWN_STATES).toContain(talk.state)
          expect(sent.to).toBe(talk.state)
          if (sent.effect === 'ignored' || sent.effect === 'rejected') {
            expect(sent.seq).toBeUndefined()
            expect(sent.transitions).toEqual([])
            if (heard.length < 2) expect([talk.context, talk.state]).toEqual([before, state])
          }
          if (input.kind === 'send' && input.strict) expect(sent.reason).toBe('invalid')
          if (sent.reason === 'invalid') expect(sent.issues?.length).toBeGreaterThan(0)
        })
      }),
      parameters(RUNS.any),
    )
  })

  it('are numbered without a gap, and told in that order', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        let next = 1
        const told: number[] = []
        const { talk } = play(given, (world, _input, go) => {
          if (told.length === 0 && world.talk.seq === 0) {
            told.push(0)
            world.talk.on('event', ({ seq }) => told.push(seq))
          }
          const { heard } = go()
          next += heard.filter(
            ({ decision: { effect } }) => effect === 'applied' || effect === 'recorded',
          ).length
          expect(world.talk.seq).toBe(next - 1)
        })
        expect(talk.record()).toHaveLength(next)
        if (given.acts.length > 0) expect(told).toEqual(Array.from({ length: next }, (_, index) => index))
        const times = talk.record().map(({ at }) => at)
        expect(times).toEqual([...times].sort((a, b) => a - b))
      }),
      parameters(150),
    )
  })

  it('change nothing once it is closed', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        let end: string | null = null
        play(given, ({ talk }, input, go) => {
          const wasClosed = talk.isClosed
          const { sent } = go()
          if (!wasClosed) {
            if (talk.isClosed) end = JSON.stringify({ ...talk.snapshot(), at: 0 })
            return
          }
          expect(talk.isClosed).toBe(true)
          expect(JSON.stringify({ ...talk.snapshot(), at: 0 })).toBe(end)
          expect(talk.dueAt).toBeNull()
          if (input.kind !== 'send' && input.kind !== 'apply')
            expect(sent).toMatchObject({ effect: 'ignored', reason: 'closed' })
          else expect(['ignored', 'rejected']).toContain(sent.effect)
        })
      }),
      parameters(150),
    )
  })
})

describe('a replay', () => {
  it('of the record, through lines of text, gives the same decisions, the same state and the same outcome', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        const live: Heard['decision'][] = []
        const { talk } = play(given, (_world, _input, go) => {
          for (const { decision } of go().heard)
            if (decision.effect === 'applied' || decision.effect === 'recorded') live.push(decision)
        })
        const text = linesOf(talk)
        const again = replay(readLines(text).lines, catalogue)
        expect(again.decisions).toHaveLength(live.length)
        for (const [index, decision] of live.entries()) {
          const { seq, id: _, ...rest } = again.decisions[index] ?? {}
          const { seq: __, id: ___, ...said } = decision as Sent
          expect(rest).toEqual(said)
          expect(seq).toBe(index + 1)
        }
        expect({ ...again.talk.snapshot(), at: 0 }).toEqual({ ...copyOf(talk.snapshot()), at: 0 })
        expect(copyOf(again.talk.record())).toEqual(copyOf(talk.record()))
        expect(reducer.replay(text.split('\n')).decisions.map(plain)).toEqual(live.map(plain))
      }),
      parameters(250),
    )
  })
})

describe('a restored conversation', () => {
  it('goes on from any step as the one that never stopped', () => {
    fc.assert(
      fc.property(scenario({ maxActs: 40 }), (given) => {
        play(given, ({ talk, clock }, input, go) => {
          const snapshot = copyOf(talk.snapshot())
          const twin = restoreConversation(snapshot, { protocol: conversation, clock })
          expect(twin.snapshot()).toEqual(snapshot)
          expect(twin.dueAt).toBe(talk.dueAt)
          expect([twin.members, twin.lead, twin.outcome]).toEqual([talk.members, talk.lead, talk.outcome])
          const { sent } = go()
          expect(perform(twin, input).sent).toEqual(sent)
          expect(twin.snapshot()).toEqual(copyOf(talk.snapshot()))
        })
      }),
      parameters(150),
    )
  })
})

/** Counts turns by what was decided alone, never by what the context says. */
class Turns {
  readonly #talk: Talk
  #state = 'discussion'
  #bonus = 0
  #taken = new Map<string, number>()
  #violations = new Map<string, number>()
  /** Over all visits. */
  total = 0
  violations = 0
  late = 0
  transitions = 0
  /** 2 × subtasks on entering, the most for each state. */
  readonly bonuses = { assign: 0, execution: 0 }

  constructor(talk: Talk) {
    this.#talk = talk
  }

  /** What one event spent, and whether it was within its sender's share. */
  take(heard: Heard): void {
    const { event, decision } = heard
    const { policy } = this.#talk.context
    const who = subjectOf(heard)
    const limit = isOpen(this.#state) ? policy.turnLimit[this.#state] : 0
    const isMessage = event.type === 'message'
    const intent = isMessage ? (event.message as { intent: string }).intent : ''
    const ownBefore = this.#taken.get(who) ?? 0
    const before =
      policy.turnUnit === 'round' ? ownBefore : [...this.#taken.values()].reduce((a, b) => a + b, 0)
    const isLight = ['question', 'info', 'progress'].includes(intent)
    const share =
      limit === null
        ? Number.POSITIVE_INFINITY
        : limit + (policy.turnUnit === 'message' || isLight ? 0 : this.#bonus)
    if (decision.effect === 'recorded' || (decision.effect === 'applied' && isMessage)) {
      const isTurn =
        event.type === 'fault'
          ? policy.turnUnit === 'message' || before < share
          : decision.effect === 'applied' || ['ambiguous', 'taken'].includes(decision.reason)
      if (isTurn) {
        expect(before, `${who} has turns left for ${intent} in ${this.#state}`).toBeLessThan(share)
        this.#taken.set(who, ownBefore + 1)
        this.total++
      }
      const isViolation =
        event.type === 'fault' ||
        ['intent_not_allowed', 'turns_spent', 'not_permitted'].includes(decision.reason)
      if (isViolation) {
        const violations = (this.#violations.get(who) ?? 0) + 1
        this.#violations.set(who, violations)
        this.violations++
        const most = policy.violationLimit ?? Number.POSITIVE_INFINITY
        expect(violations).toBeLessThanOrEqual(most)
        expect(decision.expelled).toBe(violations === most ? who : undefined)
      }
      if (decision.reason === 'late') this.late++
    }
    for (const { to } of decision.transitions) {
      this.transitions++
      this.#state = to
      if (!isOpen(to)) break
      this.#taken = new Map()
      this.#violations = new Map()
      this.#bonus = this.#talk.context.visit.bonus
      if (to === 'assign' || to === 'execution')
        this.bonuses[to] = Math.max(this.bonuses[to], 2 * this.#talk.context.subtasks.length)
    }
    if (!isOpen(this.#state)) return
    const seats = this.#talk.context.seats.map(({ id, turns, violations }) => [id, turns, violations])
    const counted = seats.map(([id]) => [
      id,
      this.#taken.get(`${id}`) ?? 0,
      this.#violations.get(`${id}`) ?? 0,
    ])
    if (`${seats}` !== `${counted}`) expect(seats).toEqual(counted)
  }
}

const withoutJoins = (given: Scenario): Scenario => ({
  ...given,
  acts: given.acts.filter(({ kind }) => kind !== 'join'),
})

describe('turns', () => {
  it('are never more in a visit than a member’s share, or the group’s', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        let turns: Turns | null = null
        play(given, ({ talk }, _input, go) => {
          turns ??= new Turns(talk)
          // An overdue deadline comes before: each is looked at when it has just been decided.
          const stop = check(talk, (heard) => turns?.take(heard))
          go()
          stop()
          expect(talk.context.turns).toBe(turns.total)
          if (talk.outcome !== null) expect(talk.outcome.turns).toBe(turns.total)
        })
      }),
      parameters(250),
    )
  })

  it('are never more in all than the specification’s formula, nor are violations and late messages', () => {
    fc.assert(
      fc.property(scenario({ bounded: true }).map(withoutJoins), (given) => {
        let turns: Turns | null = null
        const { talk } = play(given, (world, _input, go) => {
          turns ??= new Turns(world.talk)
          const stop = check(world.talk, (heard) => turns?.take(heard))
          go()
          stop()
        })
        const counted = turns as Turns | null
        if (counted === null) return
        const { policy } = talk.context
        const n = policy.turnUnit === 'round' ? given.group.members.length : 1
        const [k, most] =
          policy.turnUnit === 'round' ? [counted.bonuses.assign, counted.bonuses.execution] : [0, 0]
        const of = (state: State): number => policy.turnLimit[state] ?? Number.POSITIVE_INFINITY
        const rounds = policy.maxReject + 1
        const bound =
          n *
          (of('discussion') +
            of('proposal') +
            (of('assign') + k) +
            rounds * (of('execution') + most) +
            rounds * of('review'))
        expect(bound).toBeLessThan(Number.POSITIVE_INFINITY)
        expect(counted.total).toBeLessThanOrEqual(bound)
        expect(counted.transitions).toBeLessThanOrEqual(5 + 2 * policy.maxReject)
        const members = given.group.members.length
        const visits = 5 + 2 * policy.maxReject
        expect(counted.violations).toBeLessThanOrEqual(members * (policy.violationLimit ?? 0) * visits)
        expect(counted.late).toBeLessThanOrEqual(members * counted.transitions)
      }),
      parameters(300),
    )
  })
})

const compare = (a: readonly number[], b: readonly number[]): number => {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0
    if (value !== other) return value - other
  }
  return 0
}

describe('why it ends', () => {
  it('the rank falls with every event that changes the conversation, a join excepted', () => {
    fc.assert(
      fc.property(scenario({ bounded: true }), (given) => {
        play(given, ({ talk }, _input, go) => {
          let before = conversation.rank(talk.context, talk.state)
          const stop = check(talk, ({ event }) => {
            const now = conversation.rank(talk.context, talk.state)
            expect(now.every((part) => Number.isInteger(part) && part >= 0)).toBe(true)
            if (event.type !== 'join') expect(compare(now, before), `${before} → ${now}`).toBeLessThan(0)
            before = now
          })
          go()
          stop()
        })
      }),
      parameters(400),
    )
  })

  it('where the policy limits no turns, the rank never rises, and where it stays the visit ends no later', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        play(given, ({ talk }, _input, go) => {
          const here = () => ({
            rank: conversation.rank(talk.context, talk.state),
            ends: conversation.checking?.endsAt?.(talk.context, talk.state) ?? null,
          })
          let before = here()
          const stop = check(talk, ({ event }) => {
            const now = here()
            if (event.type !== 'join') {
              const order = compare(now.rank, before.rank)
              expect(order, `${before.rank} → ${now.rank}`).toBeLessThanOrEqual(0)
              if (order === 0) {
                expect(now.ends).not.toBeNull()
                expect(now.ends).toBe(before.ends)
              }
            }
            before = now
          })
          go()
          stop()
        })
      }),
      parameters(150),
    )
  })

  it('every open state is due at some time, and two ticks at the due times end it', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        const silent = (talk: Talk): void => {
          const twin = twinOf(talk)
          let ticks = 0
          for (let due = twin.dueAt; !twin.isClosed; due = twin.dueAt) {
            if (due === null) throw new Error(`nothing is due in "${twin.state}"`)
            expect(due).toBeGreaterThan(twin.context.visit.since)
            if (due > twin.at) expect(twin.tick(due - 1).reason).toBe('not_due')
            expect(twin.tick(due).effect).toBe('applied')
            ticks++
          }
          expect(ticks).toBeLessThanOrEqual(2)
          expect(twin.outcome?.status).toBe('timeout')
        }
        const { talk } = play(given, (world, _input, go) => {
          if (!world.talk.isClosed && world.talk.seq % 5 === 0) silent(world.talk)
          go()
        })
        if (!talk.isClosed) silent(talk)
      }),
      parameters(250),
    )
  })

  it('says how: the outcome agrees with the transition that closed it', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        const { talk } = play(given, (world, _input, go) => {
          const { sent, heard } = go()
          const { outcome } = world.talk
          const closing = heard
            .flatMap(({ decision }) => decision.transitions)
            .find(({ to }) => to === 'closed')
          if (outcome === null) return expect(closing).toBeUndefined()
          if (closing === undefined) return expect(sent.effect).toMatch(/ignored|rejected/)
          expect(outcome.status).toBe(closing.reason)
          expect(outcome.state).toBe(closing.from)
          expect('cause' in outcome).toBe(outcome.status === 'timeout')
          const { maxReject } = world.talk.context.policy
          if (outcome.status === 'rejects_exhausted') expect(outcome.rejections).toBe(maxReject + 1)
          else expect(outcome.rejections).toBeLessThanOrEqual(maxReject)
          const last = outcome.warnings.at(-1)
          if (outcome.status === 'rejects_exhausted') expect(last).toBe('rejects_exhausted')
          else if (outcome.state === 'review' && outcome.status !== 'accepted')
            expect(last).toBe('unreviewed')
          else expect(outcome.warnings).not.toContain('unreviewed')
          expect(new Set(outcome.warnings).size).toBe(outcome.warnings.length)
          const brief = conversation.brief(outcome)
          expect(Object.keys(copyOf(brief) as object)).toEqual([
            'status',
            'state',
            ...('cause' in outcome ? ['cause'] : []),
            'proposal',
            'subtasks',
            'rejections',
            'turns',
            'warnings',
          ])
          for (const subtask of outcome.subtasks) {
            expect(subtask.attempts).toBeGreaterThanOrEqual(subtask.status === null ? 0 : 1)
            expect(subtask.attempts).toBeLessThanOrEqual(maxReject + 1)
          }
        })
        return talk.isClosed === (talk.outcome !== null)
      }),
      parameters(300),
    )
  })
})

const plain = ({
  effect,
  reason,
  from,
  to,
  transitions,
  expelled,
}: Heard['decision'] | reducer.Decision) => ({
  effect,
  reason,
  from,
  to,
  transitions: transitions.map((transition) => ({ ...transition })),
  expelled,
})

describe('a second implementation', () => {
  it('decides the same on every event, malformed messages included, and tells the same outcome', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        met.add('conversations')
        const { members, lead } = given.group
        const session: reducer.Session = {
          state: reducer.open({
            members: members.map((id) => id.normalize('NFC')),
            lead: lead?.normalize('NFC') ?? null,
            policy: reducer.completePolicy(given.policy),
            at: given.at,
          }),
          known: new Map(),
        }
        const second = ({ event, decision }: Heard): reducer.Decision => {
          if (event.type === 'message') return reducer.admit(session, event.message, event.at)
          const { state, decision: other } = reducer.reduce(session.state, event)
          session.state = state
          expect(decision.effect).not.toBe('rejected')
          return other
        }
        play(given, ({ talk }, input, go) => {
          const { heard } = go()
          for (const { decision } of heard) count(decision.from, decision)
          const own = input.kind === 'send' && input.strict ? heard.slice(0, -1) : heard
          for (const each of own) expect(plain(each.decision)).toEqual(plain(second(each)))
          expect(talk.members).toEqual(session.state.members.map(({ id }) => id))
          const { outcome } = talk
          expect(outcome === null ? null : conversation.brief(outcome)).toEqual(
            reducer.outcome(session.state),
          )
        })
      }),
      parameters(RUNS.second),
    )
  })
})

const isAccept = ({ raw }: { readonly raw: unknown }): boolean =>
  (raw as { intent?: unknown }).intent === 'accept'

describe('what agents are told', () => {
  it('leaves out no intent that would have taken effect, and asks only members who may answer', () => {
    fc.assert(
      fc.property(scenario(), (given) => {
        play(given, ({ talk }, input, go) => {
          const twin = twinOf(talk) as Conversation<Talk['context']>
          const { sent } = go()
          const options = { capabilities: new Map(), talk: 'all_at_once' } as const
          for (const { member } of conversation.floor(twin.context, options, twin.state)) {
            expect(twin.members).toContain(member)
            expect(conversation.allowed(twin.context, member, twin.state).length).toBeGreaterThan(0)
            expect(conversation.turnsLeft(twin.context, member, twin.state)).not.toBe(0)
          }
          if (input.kind !== 'send' || sent.effect !== 'applied' || sent.from !== twin.state) return
          // To accept what is one's own already is applied, changes nothing, and need not be told.
          if (
            JSON.stringify(twin.context.subtasks) === JSON.stringify(talk.context.subtasks) &&
            isAccept(input)
          )
            return
          const { from, intent } = input.raw as { from: string; intent: (typeof INTENTS)[number] }
          const allowed = conversation.allowed(twin.context, from.normalize('NFC'), twin.state)
          expect(allowed.map((each) => each.intent)).toContain(intent)
        })
      }),
      parameters(120),
    )
  })
})

/** Every way from state to state that there is, and every other answer. */
const WAYS = [
  'discussion → proposal: proposal_raised',
  'proposal → assign: consensus',
  'proposal → assign: lead_decision',
  'proposal → assign: adopted',
  'assign → execution: all_assigned',
  'execution → review: all_reported',
  'execution → review: partial',
  'review → execution: rework',
  'review → closed: accepted',
  'review → closed: rejects_exhausted',
  ...STATES.map((state) => `${state} → closed: timeout`),
  ...STATES.map((state) => `${state} → closed: cancelled`),
  ...STATES.map((state) => `${state} → closed: abandoned`),
]
const ANSWERS = [
  'applied/continue',
  'applied/joined',
  'applied/left',
  'recorded/late',
  'recorded/intent_not_allowed',
  'recorded/turns_spent',
  'recorded/not_permitted',
  'recorded/ambiguous',
  'recorded/taken',
  'recorded/fault',
  'ignored/duplicate',
  'ignored/not_member',
  'ignored/already_member',
  'ignored/expelled',
  'ignored/not_due',
  'ignored/after the end',
  'rejected/invalid',
  'rejected/id_taken',
  'expelled',
]

describe('the scenarios', () => {
  afterAll(() => met.report('What the scenarios met'))

  it('reach every state often, every transition and every answer', () => {
    const conversations = met.of('conversations')
    // A failed run stops early, or shrinks: then there is nothing to say about coverage.
    const planned = parameters(RUNS.any).numRuns + parameters(RUNS.second).numRuns
    if (conversations !== planned) return expect(conversations).toBeGreaterThan(0)
    const often = ['proposal', 'assign', 'execution', 'review', 'closed'].map((state) => `visits of ${state}`)
    expect(met.below(conversations / 5, often)).toEqual([])
    expect(met.below(conversations / 1700, WAYS)).toEqual([])
    expect(met.below(conversations / 800, ANSWERS)).toEqual([])
  })
})
