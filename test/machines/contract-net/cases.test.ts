/** The cases worked out by hand: played live, and replayed from their records. */
import { describe, expect, it } from 'vitest'
import { contractNet } from '../../../machines/contract-net/index.ts'
import { openConversation } from '../../../src/engine/opening.ts'
import { readLines, replay } from '../../../src/engine/replay.ts'
import { type Case, cases } from './cases.ts'

/** Plays a case; what came of each step, as `effect reason state`. */
const played = ({ members, policy, steps }: Case) => {
  const talk = openConversation({
    protocol: contractNet,
    id: 'c1',
    members,
    lead: members[0] ?? null,
    policy,
    at: 0,
  })
  let now = 0
  const told = steps.map(({ event, at }, index) => {
    now = at ?? now
    const sent = (() => {
      if (!('type' in event)) return talk.send({ id: `m${index + 1}`, ...event }, now)
      if (event.type === 'join') return talk.join(event.member, now)
      if (event.type === 'leave') return talk.leave(event.member, now)
      if (event.type === 'fault') return talk.fault(event.member, undefined, now)
      return event.type === 'tick' ? talk.tick(now) : talk.cancel(now)
    })()
    return `${sent.effect} ${sent.reason} ${talk.state}${sent.expelled === undefined ? '' : ' expelled'}`
  })
  return { talk, told }
}

const textOf = (record: readonly unknown[]): string =>
  record.map((event) => `${JSON.stringify(event)}\n`).join('')

describe('a contract net', () => {
  it.each(cases)('$title', (given) => {
    const { talk, told } = played(given)
    expect(told).toEqual(given.steps.map(({ expected }) => expected))
    expect(talk.outcome).toEqual(given.outcome)

    const { lines } = readLines(textOf(talk.record()))
    const again = replay(lines, { 'contract-net': contractNet })
    expect(again.talk.outcome).toEqual(given.outcome)
    expect(again.talk.context).toEqual(talk.context)
    const live = talk.events().flatMap(({ decision }) => (decision === null ? [] : [decision]))
    const replayed = again.decisions.map(({ seq: _, id: __, ...decision }) => decision)
    expect(replayed).toEqual(live)
  })

  it('meets each decision, each way to end, and each cause somewhere in these cases', () => {
    const reasons = new Set(cases.flatMap(({ steps }) => steps.map(({ expected }) => expected.split(' ')[1])))
    expect([...reasons].sort()).toEqual([
      'abandoned',
      'all_answered',
      'all_reported',
      'already_member',
      'ambiguous',
      'awarded',
      'called',
      'called_off',
      'cancelled',
      'closed',
      'continue',
      'expelled',
      'fault',
      'intent_not_allowed',
      'joined',
      'late',
      'left',
      'no_bids',
      'not_awarded',
      'not_due',
      'not_permitted',
      'renewed',
      'taken',
      'timeout',
      'turns_spent',
    ])
    const ends = cases.flatMap(({ outcome }) => (outcome === null ? [] : [outcome]))
    expect(new Set(ends.map(({ status }) => status)).size).toBe(8)
    expect(new Set(ends.map(({ cause }) => cause)).size).toBe(6)
    expect(new Set(ends.map(({ state }) => state)).size).toBe(4)
  })
})
