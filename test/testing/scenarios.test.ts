/** Scenarios of any protocol: they reach all of it, are played the same again, and shrink to a small record that replays. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../../machines/catalogue.ts'
import { conversation } from '../../machines/conversation/index.ts'
import type { Protocol } from '../../src/engine/protocol.ts'
import { readLines, replay } from '../../src/engine/replay.ts'
import { play } from '../../src/testing/play.ts'
import { RecordedFailure, recordText, withRecord } from '../../src/testing/recorded-failure.ts'
import { type Act, act, openings, scenarios } from '../../src/testing/scenarios.ts'
import { parameters, Tally } from '../support/property.ts'
import { poll } from './poll.ts'

const protocols: readonly Protocol[] = [...Object.values(catalogue), poll]

describe.each(protocols)('of $name, scenarios', (protocol) => {
  it('reach every state, and every kind of answer', () => {
    const met = new Tally()
    const runs = parameters(400)
    fc.assert(
      fc.property(scenarios(protocol), (scenario) => {
        const { conversation: talk } = play(protocol, scenario, (_played, input, go) => {
          const sent = go()
          met.add(input.kind)
          met.add(sent.effect)
          met.add(sent.reason)
        })
        for (const state of new Set(statesOf(talk.record(), protocol))) met.add(`state ${state}`)
      }),
      runs,
    )
    const often = [
      'send',
      'join',
      'leave',
      'fault',
      'tick',
      'cancel',
      'recorded',
      'ignored',
      'rejected',
      'applied',
    ]
    const answers = ['duplicate', 'id_taken', 'invalid', 'not_member']
    expect(met.below(runs.numRuns / 40, [...often, ...answers])).toEqual([])
    const states = Object.keys(protocol.machine.root.states).map((state) => `state ${state}`)
    expect(met.below(4, states)).toEqual([])
  })

  it('are played the same again', () => {
    fc.assert(
      fc.property(scenarios(protocol), (scenario) => {
        const [one, two] = [play(protocol, scenario), play(protocol, scenario)]
        expect(recordText(two.conversation.record())).toBe(recordText(one.conversation.record()))
      }),
      parameters(100),
    )
  })
})

/** Every state that a record goes through. */
const statesOf = (record: readonly object[], protocol: Protocol): readonly string[] => {
  const text = record.map((event) => `${JSON.stringify(event)}\n`).join('')
  const { talk, decisions } = replay(readLines(text).lines, { [protocol.name]: protocol })
  return [
    talk.state,
    ...decisions.flatMap(({ from, transitions }) => [from, ...transitions.map(({ to }) => to)]),
  ]
}

describe('a failing property', () => {
  const failure = (check: () => void): RecordedFailure => {
    try {
      check()
    } catch (error) {
      if (error instanceof Error && error.cause instanceof RecordedFailure) return error.cause
      throw error
    }
    throw new Error('It holds')
  }

  it('shrinks to a record of few lines, which its message holds and which replays to the same', () => {
    const found = failure(() =>
      fc.assert(
        fc.property(scenarios(conversation), (scenario) => {
          play(conversation, scenario, ({ conversation: talk }, _input, go) => {
            go()
            if (talk.state === 'review') throw new Error('It came to a review')
          })
        }),
        { numRuns: 2_000, seed: 11 },
      ),
    )
    expect(found.found).toBe('It came to a review')
    expect(found.cause).toMatchObject({ message: 'It came to a review' })
    // The opening, a plan, a vote or what adopts it, who does it, and that it is done.
    expect(found.record.length).toBeLessThanOrEqual(7)
    const lines = found.message.slice(found.message.indexOf('{"type":"open"'))
    const { talk } = replay(readLines(lines).lines, { conversation })
    expect(talk.state).toBe('review')
    expect(talk.record()).toHaveLength(found.record.length)
  })

  it('keeps the record that is nearest to what failed', () => {
    const inner = new RecordedFailure('inner', [{ type: 'open', at: 0 }])
    const outer = { record: () => [] }
    expect(() =>
      withRecord(outer, () => {
        throw inner
      }),
    ).toThrow(inner)
    expect(withRecord(outer, () => 5)).toBe(5)
  })

  it('shows a long record in part, and has all of it', () => {
    const record = Array.from({ length: 1_000 }, (_, at) => ({ type: 'deadline', at }))
    const { message, record: whole } = new RecordedFailure('Long', record)
    expect(message).toContain('the first 300 of 1000 lines')
    expect(message.trim().split('\n').slice(3)).toHaveLength(300)
    expect(whole).toHaveLength(1_000)
  })
})

describe('acts', () => {
  const TRIO = { group: { members: ['ana', 'ben', 'cem'], lead: null }, policy: {}, at: 5 }
  const playActs = (acts: readonly Act[]) => play(poll, { ...TRIO, acts })
  const one = (
    kind: Act['kind'],
    choices: readonly number[] = [],
    when: Act['when'] = { after: 'event', ms: 0 },
  ): Act => ({
    kind,
    when,
    choices,
  })

  it('that help say what the floor asks for', () => {
    const { sent, conversation: talk } = playActs([one('help'), one('help'), one('help')])
    expect(sent).toMatchObject([
      { from: 'ana', intent: 'vote', payload: { choice: 'tea' } },
      { from: 'ben', intent: 'vote' },
      { from: 'cem', intent: 'vote' },
    ])
    expect(talk.isClosed).toBe(true)
    const asked = play(conversation, { ...TRIO, acts: [one('help')] })
    const { context, state } = play(conversation, { ...TRIO, acts: [] }).conversation
    const [call] = conversation.floor(context, { capabilities: new Map(), talk: 'all_at_once' }, state)
    expect(asked.sent).toMatchObject([{ from: call?.member, intent: call?.expected }])
  })

  it('repeat and forge messages of before', () => {
    const { sent, conversation: talk } = playActs([
      one('help'),
      one('repeat'),
      one('forge', [0, 0, 1]),
      one('forge', [0, 0, 1, 0, 0, 0, 0, 0, 0, 1]),
    ])
    expect(sent[1]).toBe(sent[0])
    expect(sent[2]?.id).toBe(sent[0]?.id)
    expect(talk.seq).toBe(1)
  })

  it('come at the time that they say', () => {
    const { conversation: talk } = playActs([
      one('help', [], { after: 'event', ms: 7 }),
      one('help', [], { after: 'event', ms: Number.NaN }),
      one('tick', [], { after: 'due', ms: -1 }),
      one('tick', [], { after: 'due', ms: 1 }),
    ])
    expect(talk.record().map(({ type, at }) => [type, at])).toEqual([
      ['open', 5],
      ['message', 12],
      ['message', 12],
      ['deadline', 300_006],
    ])
  })

  it('are weighed as asked', () => {
    const kinds = new Set(fc.sample(act({ cancel: 0, help: 0, say: 0 }), 300).map(({ kind }) => kind))
    expect(kinds).toEqual(new Set(['repeat', 'forge', 'malformed', 'join', 'leave', 'fault', 'tick']))
  })

  it('go on for a while after the end, and no longer', () => {
    const { conversation: talk, sent } = playActs([
      one('cancel'),
      ...Array.from({ length: 20 }, () => one('say')),
    ])
    expect(talk.seq).toBe(1)
    expect(sent).toHaveLength(6)
  })
})

describe('openings', () => {
  it('are of groups and policies as asked', () => {
    fc.assert(
      fc.property(
        openings(poll, { members: { least: 2, most: 3 }, policy: { most: 4 } }),
        ({ group, policy }) => {
          expect([2, 3]).toContain(group.members.length)
          expect(Number(policy.minutes ?? 1)).toBeLessThanOrEqual(5)
        },
      ),
      parameters(100),
    )
  })
})
