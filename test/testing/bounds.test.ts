/** The checker's bounds for every protocol of the catalogue, whatever the policy: each is attained, and never exceeded. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../../machines/catalogue.ts'
import { conversation } from '../../machines/conversation/index.ts'
import type { Conversation } from '../../src/engine/conversation.ts'
import { openConversation } from '../../src/engine/opening.ts'
import type { Protocol } from '../../src/engine/protocol.ts'
import { check } from '../../src/testing/check.ts'
import { type Draw, drawOf, pick } from '../../src/testing/draw.ts'
import { parties } from '../../src/testing/groups.ts'
import type { CheckReport, RecordEntry } from '../../src/testing/report.ts'
import { confirm, replayed } from '../support/bounds.ts'
import { parameters, Tally } from '../support/property.ts'

/** What takes more is left to others. */
const MOST_STATES = 3_000
/** Concrete conversations for each report. */
const RUNS = 25

type Talk = Conversation<object, object, object>

/** Somebody says something, fails or goes, at once or at the last moment, or what is due comes. */
const act = (protocol: Protocol, { members, size, joins }: CheckReport, talk: Talk, draw: Draw): void => {
  const { dueAt } = talk
  let { at } = talk
  if (dueAt !== null && draw(4) === 0) at = dueAt - 1
  if (dueAt !== null && draw(6) === 0) {
    talk.tick(dueAt)
    return
  }
  const member = pick(members, draw) ?? ''
  const choice = draw(20)
  if (choice === 0) talk.fault(member, 'it failed', at)
  else if (choice === 1) talk.leave(member, at)
  else {
    const meant = protocol.checking?.says?.(talk.context, member, talk.state, { size, joins }) ?? []
    // Without a payload some begin a piece of work, of which there are to be none at all.
    const bare = size === 0 ? [] : Object.keys(protocol.payloads).map((intent) => ({ intent }))
    const { intent, ...more } = pick([...meant, ...bare], draw) ?? { intent: '' }
    talk.send({ id: `x${talk.seq}-${draw(1e6)}`, from: member, intent, content: '', ...more }, at)
  }
}

/** Goes on from somewhere in a longest conversation, against its own protocol's limits. */
const outrun = (protocol: Protocol, report: CheckReport, draw: Draw): Talk => {
  const records = [report.turns.record, report.messages.record, report.ms.record]
  const record: readonly RecordEntry[] = pick(records, draw) ?? []
  const { talk } = replayed(protocol, record.slice(0, 1 + draw(record.length)))
  for (let acts = 0; acts < 60 && !talk.isClosed; acts++) act(protocol, report, talk, draw)
  while (!talk.isClosed) talk.tick(talk.dueAt ?? Number.NaN)
  return talk
}

const within = (protocol: Protocol, { turns, messages, ms }: CheckReport, talk: Talk): void => {
  const counted = protocol.checking?.turns
  if (counted !== undefined) expect(counted(talk.context)).toBeLessThanOrEqual(turns.most ?? Infinity)
  const said = talk.record().filter(({ type }) => type === 'message').length
  expect(said).toBeLessThanOrEqual(messages.most ?? Infinity)
  expect(talk.at).toBeLessThanOrEqual(ms.most ?? Infinity)
}

describe.each(Object.values(catalogue) as Protocol[])('$name', (protocol) => {
  const tally = new Tally()

  it('closes under every policy; its longest conversations have just as much as the bounds say, and none has more', () => {
    const drawn = parties(protocol, { members: { least: 1, most: 2, odd: false }, policy: { most: 3 } })
    fc.assert(
      fc.property(
        drawn,
        fc.nat({ max: 1 }),
        fc.boolean(),
        fc.nat(),
        ({ group, policy }, size, joins, seed) => {
          const report = check({ protocol, ...group, policy, size, joins, maxStates: MOST_STATES })
          const isLarge = report.explored.states >= MOST_STATES
          tally.add(isLarge ? 'large' : report.verdict)
          expect(report.verdict).toBe(isLarge ? 'unproved' : 'proved')
          if (isLarge) return
          expect(report.problems).toEqual([])
          confirm(protocol, report)
          for (let run = 0; run < RUNS; run++) {
            within(protocol, report, outrun(protocol, report, drawOf(seed, run)))
            tally.add('outrun')
          }
        },
      ),
      parameters(30),
    )
    tally.report(`Policies of ${protocol.name}`)
    expect(tally.below(5, ['proved', 'outrun'])).toEqual([])
  }, 120_000)
})

describe('a conversation', () => {
  const least = { discussion: 1, proposal: 1, assign: 1, execution: 1, review: 1 }
  const rules = conversation as Protocol
  const turnsOf = (talk: Talk): number => rules.checking?.turns?.(talk.context) ?? Number.NaN

  it('may be spun out by failures where turns have no limit, as far as violations have one', () => {
    const policy = { talk: [], turnLimit: { discussion: null } }
    const report = check({ protocol: rules, members: ['a'], lead: null, size: 0, policy })
    const talk = openConversation({ protocol: rules, members: ['a'], policy, at: 0 })
    for (let faults = 0; faults < 9; faults++) talk.fault('a', 'it failed', 1)
    talk.send({ id: 'm1', from: 'a', intent: 'proposal', content: '', payload: { subtasks: [] } }, 1)
    while (!talk.isClosed) talk.tick(talk.dueAt ?? Number.NaN)
    expect(turnsOf(talk)).toBe(10)
    expect(report.turns.most).toBeGreaterThanOrEqual(10)
    const endless = { ...policy, violationLimit: null }
    expect(
      check({ protocol: rules, members: ['a'], lead: null, size: 0, policy: endless }).turns.most,
    ).toBeNull()
  })

  it('may be spun out by accepting in vain where only the lead offers work', () => {
    const policy = { turnLimit: { ...least, assign: 9 }, assigners: 'lead', violationLimit: 2, maxReject: 0 }
    const report = check({ protocol: rules, members: ['a'], lead: 'a', size: 1, policy })
    const talk = openConversation({ protocol: rules, members: ['a'], lead: 'a', policy, at: 0 })
    let sent = 0
    const say = (intent: string, payload: Readonly<Record<string, unknown>> = {}): void => {
      talk.send({ id: `m${++sent}`, from: 'a', intent, content: '', payload }, 1)
    }
    say('proposal', { subtasks: [{}] })
    for (let turns = 0; turns < 10; turns++) say('accept')
    const offer = { subtask: 't1', owner: 'a' }
    say('assign', offer)
    say('object')
    say('assign', offer)
    say('object')
    say('verdict')
    while (!talk.isClosed) talk.tick(talk.dueAt ?? Number.NaN)
    expect(turnsOf(talk)).toBe(16)
    expect(report.turns.most).toBe(16)
  })
})
