/** `assertTerminates` lets pass what ends, and shows a conversation that does not end, whoever finds it. */

import { describe, expect, it } from 'vitest'
import { assign, setup } from 'xstate'
import { z } from 'zod'
import { conversation } from '../../machines/conversation/index.ts'
import { defineProtocol } from '../../src/engine/define.ts'
import type { Protocol } from '../../src/engine/protocol.ts'
import { readLines, replay } from '../../src/engine/replay.ts'
import { RecordedFailure, recordText } from '../../src/testing/recorded-failure.ts'
import { assertTerminates, type TerminationOptions } from '../../src/testing/terminates.ts'
import { poll, pollWith } from './poll.ts'

interface Talk {
  readonly members: readonly string[]
  readonly said: number
  readonly policy: Policy
  /** ms. */
  readonly endsAt: number
}
interface Policy {
  /** Ms that the end is put off by each message; null: it is not. */
  readonly extension: number | null
  /** Messages after which it ends; null: never. */
  readonly limit: number | null
}
type Event =
  | { readonly type: 'say'; readonly at: number }
  | { readonly type: 'deadline' | 'cancel' | 'leave' | 'join' | 'fault'; readonly at: number }

/** Talk that ends by its time, by its length, or by neither. */
const talkWith = (planted: {
  readonly defaults: Policy
  readonly groups?: (members: readonly string[]) => boolean
  readonly rank?: (context: Talk) => readonly number[]
}): Protocol => {
  const puts = planted.groups ?? (() => true)
  return defineProtocol<Talk>({
    name: 'talk',
    machine: setup({
      types: {
        context: {} as Talk,
        events: {} as Event,
        input: {} as Pick<Talk, 'members' | 'policy'> & { readonly at: number },
      },
      guards: {
        isDue: ({ context, event }) => event.type === 'deadline' && event.at >= context.endsAt,
        isLong: ({ context: { said, policy } }) => policy.limit !== null && said >= policy.limit,
      },
      actions: {
        count: assign(({ context: { said, endsAt, members, policy }, event }) => {
          const by = puts(members) ? policy.extension : null
          return by === null
            ? { said: Math.min(said + 1, 40) }
            : { said: 0, endsAt: Math.max(endsAt, event.at + by) }
        }),
      },
    }).createMachine({
      id: 'talk',
      context: ({ input: { members, policy, at } }) => ({ members, said: 0, policy, endsAt: at + 1_000 }),
      initial: 'open',
      states: {
        open: {
          on: { say: { actions: 'count' }, deadline: { guard: 'isDue', target: 'over' }, cancel: 'over' },
          always: { guard: 'isLong', target: 'over' },
        },
        over: { type: 'final' },
      },
    }),
    payloads: { say: z.looseObject({}) },
    policySchema: z.strictObject({
      extension: z.int().min(1).nullable().default(planted.defaults.extension),
      limit: z.int().min(1).nullable().default(planted.defaults.limit),
    }),
    members: ({ members }) => members,
    dueAt: ({ endsAt }) => endsAt,
    ...(planted.rank === undefined ? {} : { rank: planted.rank }),
  })
}

const failureOf = async (protocol: Protocol, options: TerminationOptions = {}): Promise<RecordedFailure> => {
  const found: unknown = await assertTerminates(protocol, options).catch((error: unknown) => error)
  if (found instanceof RecordedFailure) return found
  throw new Error('It passed', { cause: found })
}

const stateAfter = (protocol: Protocol, text: string): string =>
  replay(readLines(text).lines, { [protocol.name]: protocol }).talk.state

const SMALL = {
  turnLimit: { discussion: 1, proposal: 1, assign: 1, execution: 1, review: 1 },
  maxReject: 0,
  violationLimit: 2,
}

describe('a protocol that ends', () => {
  it('passes, and it is told how it was proved', async () => {
    const report = await assertTerminates(poll)
    expect(report).toMatchObject({ verdict: 'proved', protocol: 'poll', members: ['a', 'b'] })
  })

  it('passes when it is the conversation protocol, under whatever policy', async () => {
    const { verdict, rank } = await assertTerminates(conversation, { policy: SMALL, runs: 60 })
    expect([verdict, rank.holds]).toEqual(['proved', true])
  })
})

describe('a protocol that need not end', () => {
  it('because its end can be put off is shown by what can be repeated, with a record that replays', async () => {
    const endless = talkWith({ defaults: { extension: 1_000, limit: null } })
    const { message, found, record } = await failureOf(endless)
    expect(found).toMatch(/^"talk" need not end/)
    expect(found).toMatch(/Lines \d+ to \d+ can be repeated/)
    expect(stateAfter(endless, message.slice(message.indexOf('{"type":"open"')))).toBe('open')
    expect(record.length).toBeLessThan(8)
  })

  it('because nothing is due is shown by silence', async () => {
    const { found } = await failureOf(pollWith({ dueAt: () => null }))
    expect(found).toMatch(/need not end.*silent/)
  })

  it('with more members than were looked at is found by a run, with a record that replays', async () => {
    const endless = talkWith({
      defaults: { extension: 100_000, limit: 30 },
      groups: (members) => members.length > 2,
    })
    const { found, record } = await failureOf(endless, { members: 2, steps: 300 })
    expect(found).toMatch(/still open after \d+ events.*seed 0, made smaller/)
    expect(stateAfter(endless, recordText(record as never))).toBe('open')
  })

  it('under another policy than the default is found by a run', async () => {
    const endless = talkWith({ defaults: { extension: null, limit: 5 } })
    await expect(assertTerminates(endless, { steps: 300 })).rejects.toThrow(/still open after/)
  })

  it('in a larger group in which silence lasts for ever is found by a run', async () => {
    const endless = pollWith({ dueAt: ({ members, endsAt }) => (members.length > 2 ? null : endsAt) })
    const { found } = await failureOf(endless)
    expect(found).toContain('Nothing is due in "asking": when everybody is silent, it stays open for ever')
  })

  it('since its due time changes nothing there is found by a run', async () => {
    const early = pollWith({ dueAt: ({ members, endsAt }) => (members.length > 2 ? endsAt - 1_000 : endsAt) })
    const { found } = await failureOf(early)
    expect(found).toContain('the due time comes and changes nothing')
  })
})

describe('what is not proved', () => {
  it('does not pass: the search is too large', async () => {
    const { found, message } = await failureOf(conversation, { maxStates: 20 })
    expect(found).toMatch(/It is not proved that "conversation" ends.*given up after 20 states/)
    expect(message).toBe(found)
  })

  it('does not pass: the rank rises', async () => {
    const rising = pollWith({ rank: ({ answers }) => [answers.length + 1] })
    await expect(assertTerminates(rising)).rejects.toThrow(
      /It is not proved that "poll" ends.*rank does not fall/,
    )
  })

  it('does not pass: the rank rises in a larger group, and a run finds it', async () => {
    const rising = pollWith({
      rank: ({ members, answers }) => [
        members.length > 2 ? answers.length : 9 * members.length - answers.length,
      ],
    })
    const { found, record } = await failureOf(rising)
    expect(found).toMatch(/The rank does not fall: \[\d+\], then \[\d+\], with "(?:message|leave)"/)
    expect(record.length).toBeLessThanOrEqual(3)
  })

  it('does not pass: the rank stays and the end is put off, and a run finds it', async () => {
    const groups = (members: readonly string[]): boolean => members.length > 2
    const putOff = talkWith({ defaults: { extension: 9, limit: 3 }, groups, rank: () => [1] })
    const { found } = await failureOf(putOff)
    expect(found).toMatch(/The rank does not fall: \[1\], then \[1\], with "message" \(seed/)
  })

  it('does not pass: it cannot be convened', async () => {
    const confused = pollWith({
      floor: (_context, { talk }) => {
        if (talk === 'round_robin') throw new Error('Whose turn is it?')
        return []
      },
    })
    await expect(assertTerminates(confused)).rejects.toThrow('Whose turn is it?')
  })

  it('does not pass: there are more turns than its formula gives', async () => {
    const wrong = pollWith({
      checking: {
        turns: ({ answers }) => answers.length,
        bound: (_policy, { members }) => Math.min(2, members.length),
      },
    })
    const { found } = await failureOf(wrong)
    expect(found).toMatch(/It took 3 turns, and its formula gives 2 at most/)
  })
})
