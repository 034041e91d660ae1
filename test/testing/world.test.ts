/** The simulated world: as `convene`, without real time, the same for the same seed, with whatever a network may do. */
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { assign, setup } from 'xstate'
import { z } from 'zod'
import { catalogue } from '../../machines/catalogue.ts'
import { type Board, conversation } from '../../machines/conversation/index.ts'
import type { Agent } from '../../src/agents/agent.ts'
import { simulatedClock } from '../../src/engine/clock.ts'
import { convene } from '../../src/engine/convene.ts'
import { defineProtocol } from '../../src/engine/define.ts'
import type { Protocol } from '../../src/engine/protocol.ts'
import { readLines, replay } from '../../src/engine/replay.ts'
import { adversary } from '../../src/testing/adversaries.ts'
import { recordText } from '../../src/testing/recorded-failure.ts'
import type { Resident } from '../../src/testing/resident.ts'
import { simulate } from '../../src/testing/world.ts'
import { worlds } from '../../src/testing/worlds.ts'
import { parameters, Tally } from '../support/property.ts'
import { CHOICES, poll, pollWith } from './poll.ts'

const protocols: readonly Protocol[] = [...Object.values(catalogue), poll]

/** Says what moves a conversation on. */
const helpful: Agent<Board> = ({ state, member, expected, defaults, replyTo }) => {
  if (state === 'discussion')
    return member === 'ana' ? { intent: 'proposal', payload: { subtasks: [{}, {}] } } : { intent: 'info' }
  if (state === 'proposal') return { intent: 'agree', replyTo }
  if (state === 'execution') return { intent: 'result', content: 'Done' }
  if (state === 'review') return { intent: 'verdict', payload: { verdict: 'pass' } }
  return { intent: expected ?? 'accept', payload: defaults ?? {} }
}
const trio = { ana: helpful, ben: helpful, cem: helpful }
const rough = { delay: [10, 900], drop: 0.1, duplicate: 0.3, reorder: 0.3 } as const

const voter: Resident = async (_turn, _signal, { clock, draw }) => {
  await new Promise<void>((resolve) => clock.wake(clock.now() + 1 + draw(5_000), resolve))
  return { intent: 'vote', payload: { choice: CHOICES[draw(2)] } }
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a simulated conversation', () => {
  it('is the one that convene would have held, where nothing happens on the way', async () => {
    const own = await simulate({ protocol: conversation, agents: trio, lead: 'ana' })
    const real = await convene({
      protocol: conversation,
      agents: trio,
      lead: 'ana',
      id: own.record[0]?.type === 'open' ? own.record[0].id : '',
      clock: simulatedClock(),
    })
    const plain = (record: typeof own.record): unknown =>
      JSON.parse(
        JSON.stringify(record, (key, value) => (key === 'id' || key === 'replyTo' ? undefined : value)),
      )
    expect(plain(own.record)).toEqual(plain(real.record))
    expect(own.outcome.status).toBe('accepted')
    expect(own.traffic).toEqual({ sent: 9, lost: 0, copies: 0, overtaken: 0 })
  })

  it('of hours takes no time, and no timer', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const started = performance.now()
    const { took, record } = await simulate({
      protocol: conversation,
      agents: trio,
      network: { delay: 60_000 },
    })
    expect(took).toBeGreaterThanOrEqual(7 * 60_000)
    expect(record.at(-1)?.at).toBe(took)
    expect(performance.now() - started).toBeLessThan(5_000)
    // The facilitator's patience with agents that do not stop: set, and taken back at once.
    expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([5_000])
  })

  it('is the same for the same seed, byte for byte, and another for another', async () => {
    const textOf = async (seed: number): Promise<string> =>
      recordText(
        (await simulate({ protocol: conversation, seed, agents: trio, lead: 'ana', network: rough })).record,
      )
    const first = await textOf(3)
    const [again, beside, other] = await Promise.all([textOf(3), textOf(3), textOf(4)])
    expect(again).toBe(first)
    expect(beside).toBe(first)
    expect(other.replaceAll('w4', 'w3')).not.toBe(first)
  })

  it.each(protocols)('of $name is the same for the same world, ends, and replays', async (protocol) => {
    const met = new Tally()
    await fc.assert(
      fc.asyncProperty(worlds(protocol), async (world) => {
        const [one, two] = [await simulate({ protocol, ...world }), await simulate({ protocol, ...world })]
        const text = recordText(one.record)
        expect(recordText(two.record)).toBe(text)
        expect(one.cut).not.toBe('silence')
        const { talk } = replay(readLines(text).lines, { [protocol.name]: protocol })
        expect(JSON.stringify(talk.outcome)).toBe(JSON.stringify(one.outcome))
        for (const key of ['lost', 'copies', 'overtaken'] as const) met.add(key, one.traffic[key])
        met.add(one.stalled ? 'given up' : 'ended by its rules')
      }),
      parameters(80),
    )
    expect(met.below(4, ['lost', 'copies', 'overtaken', 'ended by its rules'])).toEqual([])
  })

  it('gives agents its clock and chances of their own', async () => {
    const { took, outcome } = await simulate({
      protocol: poll,
      seed: 5,
      agents: { ana: voter, ben: voter, cem: voter },
    })
    expect(took).toBeGreaterThan(0)
    expect(took).toBeLessThanOrEqual(5_000)
    const times = await Promise.all(
      Array.from(
        { length: 20 },
        async (_, seed) => (await simulate({ protocol: poll, seed, agents: { ana: voter } })).took,
      ),
    )
    expect(new Set(times).size).toBeGreaterThan(15)
    expect(outcome.answers.map(({ from }) => from).sort()).toEqual(['ana', 'ben', 'cem'])
  })

  it('goes on from the time of a clock that is given, on which others may act', async () => {
    const clock = simulatedClock(1_000)
    const left = await simulate({
      protocol: poll,
      clock,
      agents: { ana: voter, ben: adversary(poll, 'silent') },
      on: { opened: (talk) => void clock.wake(8_000, () => talk.leave('ben')) },
    })
    expect(left.record[0]?.at).toBe(1_000)
    expect(left.record.at(-1)).toMatchObject({ type: 'leave', at: 8_000 })
    expect(left.took).toBe(7_000)
  })

  it('takes plain text, gives it ids of its own, and leaves ids that were given', async () => {
    const agent: Resident<Board> = ({ member, state }) => {
      if (state !== 'discussion') return 'I agree'
      return member === 'ana' ? '[proposal] A plan' : { intent: 'info', id: 'mine' }
    }
    const { record } = await simulate({
      protocol: conversation,
      seed: 8,
      agents: { ben: agent, ana: agent },
      policy: { maxTurns: 3 },
    })
    const ids = record.flatMap((event) =>
      event.type === 'message' ? [(event.message as { id: string }).id] : [],
    )
    expect(ids).toEqual(['mine', 'w8-0', 'w8-1'])
  })

  it('is refused as convene refuses it', async () => {
    await expect(simulate({ protocol: poll, agents: {} })).rejects.toMatchObject({ code: 'OPEN_INVALID' })
    const agents = { ana: voter }
    await expect(simulate({ protocol: poll, agents, policy: { minutes: 0 } })).rejects.toMatchObject({
      code: 'POLICY_INVALID',
    })
  })
})

describe('a network between', () => {
  it('that loses everything leaves it to the clock', async () => {
    const { record, traffic } = await simulate({
      protocol: poll,
      agents: { ana: voter, ben: voter },
      network: { drop: 1 },
    })
    expect(record.filter(({ type }) => type === 'message')).toEqual([])
    expect(record.at(-1)).toMatchObject({ type: 'deadline', at: 300_000 })
    expect(traffic.lost).toBe(traffic.sent)
  })

  it('that doubles has every copy refused as a duplicate', async () => {
    const refused: string[] = []
    const { traffic } = await simulate({
      protocol: conversation,
      agents: trio,
      network: { delay: 500, duplicate: 1, hold: 100 },
      on: { opened: (talk) => void talk.on('refused', ({ decision }) => refused.push(decision.reason)) },
    })
    expect(traffic.copies).toBeGreaterThan(5)
    expect(new Set(refused)).toEqual(new Set(['duplicate']))
    expect(refused).toHaveLength(traffic.copies)
  })

  it('that delivers twice at once counts the second as a copy', async () => {
    const { traffic, record } = await simulate({
      protocol: poll,
      agents: { ana: voter, ben: voter },
      network: () => [0, 0],
    })
    expect(traffic).toMatchObject({ sent: 2, copies: 1 })
    expect(record).toHaveLength(3)
  })

  it('that holds up lets later messages come first', async () => {
    const several: Resident = () => CHOICES.map((choice) => ({ intent: 'vote', payload: { choice } }))
    const order = async (reorder: number, seed: number): Promise<string> => {
      const { record, traffic } = await simulate({
        protocol: poll,
        seed,
        agents: { ana: several, ben: several },
        network: { delay: 10, reorder },
      })
      const ids = record.flatMap((event) =>
        event.type === 'message' ? [(event.message as { id: string }).id] : [],
      )
      expect(traffic.overtaken > 0).toBe(ids.join() !== [...ids].sort().join())
      return ids.map((id) => id.split('-')[1]).join()
    }
    const orders = await Promise.all(Array.from({ length: 40 }, (_, seed) => order(0.5, seed)))
    expect(new Set(orders).size).toBeGreaterThan(3)
    expect(await order(0, 1)).toBe('0,1,2')
  })

  it('may bring a message so late that the group has moved on', async () => {
    const met = new Tally()
    for (let seed = 0; seed < 60; seed++) {
      await simulate({
        protocol: conversation,
        seed,
        agents: trio,
        talk: 'all_at_once',
        network: { delay: [1, 5_000] },
        on: { event: ({ decision }) => met.add(decision?.reason ?? 'open') },
      })
    }
    expect(met.of('late')).toBeGreaterThan(10)
  })
})

describe('the world', () => {
  it('cancels a conversation in which nothing will ever happen', async () => {
    const endless = pollWith({ dueAt: () => null })
    const silent = adversary(endless, 'silent')
    const { cut, record } = await simulate({ protocol: endless, agents: { ana: silent }, turnTimeout: null })
    expect(cut).toBe('silence')
    expect(record.at(-1)?.type).toBe('cancel')
  })

  it('cancels a conversation of which there is no end', async () => {
    const chatter: Resident<Board> = () => ({ intent: 'info' })
    const { cut, record } = await simulate({
      protocol: conversation,
      agents: { ana: chatter, ben: chatter },
      policy: { turnLimit: { discussion: null } },
      most: 500,
    })
    expect(cut).toBe('endless')
    expect(record.length).toBeGreaterThan(500)
    expect(record.length).toBeLessThan(700)
  })

  it('does not take for silence that the facilitator takes a breath', async () => {
    interface Ticks {
      readonly members: readonly string[]
      readonly ticks: number
    }
    const ticking = defineProtocol<Ticks>({
      name: 'ticking',
      machine: setup({
        types: { context: {} as Ticks, input: {} as { readonly members: readonly string[] } },
        guards: { isOver: ({ context }) => context.ticks === 200 },
        actions: { count: assign({ ticks: ({ context }) => context.ticks + 1 }) },
      }).createMachine({
        id: 'ticking',
        context: ({ input: { members } }) => ({ members, ticks: 0 }),
        initial: 'on',
        states: {
          on: {
            on: { deadline: { actions: 'count' }, say: {}, cancel: 'off' },
            always: { guard: 'isOver', target: 'off' },
          },
          off: { type: 'final' },
        },
      }),
      payloads: { say: z.looseObject({}) },
      members: ({ members }) => members,
      dueAt: ({ ticks }) => 10 * (ticks + 1),
    })
    const silent = adversary<object>(ticking, 'silent')
    // Every tick is heard of twice; with one thing before, the breath falls between the two.
    const { cut, took } = await simulate({
      protocol: ticking,
      agents: { ana: silent },
      turnTimeout: null,
      on: { opened: (talk) => void talk.fault('ana') },
    })
    expect([cut, took]).toEqual([null, 2_000])
  })

  it('waits for nobody who does not heed the end', async () => {
    const deaf: Resident = () => new Promise(() => {})
    const started = performance.now()
    const { record, unstopped } = await simulate({ protocol: poll, agents: { ana: deaf, ben: voter } })
    expect(record.at(-1)?.type).toBe('deadline')
    expect(unstopped).toEqual([])
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  it('stops its agents, and tells what they can do and how long they may take', async () => {
    const close = vi.fn(async () => {})
    const limited = Object.assign<Resident, Pick<Agent, 'capabilities' | 'timeout' | 'close'>>(
      () => new Promise(() => {}),
      {
        capabilities: ['tea'],
        timeout: 70,
        close,
      },
    )
    const faults: number[] = []
    const floor = vi.fn(poll.floor)
    await simulate({
      protocol: { ...poll, floor },
      agents: { ana: limited },
      on: { event: ({ event }) => void (event.type === 'fault' && faults.push(event.at)) },
    })
    expect(faults[0]).toBe(70)
    expect(close).toHaveBeenCalledTimes(1)
    expect(floor.mock.calls[0]?.[1].capabilities.get('ana')).toEqual(['tea'])
  })
})
