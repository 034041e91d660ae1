/** Contract nets that `convene` conducts by the floor alone, with plain functions for agents. */
import { describe, expect, it } from 'vitest'
import { type Board, contractNet, type PolicyInput } from '../../../machines/contract-net/index.ts'
import type { Agent, Answer, Turn } from '../../../src/agents/agent.ts'
import { simulatedClock } from '../../../src/engine/clock.ts'
import { convene } from '../../../src/engine/convene.ts'

const lowest = ({ bids }: Board): string =>
  [...bids].filter(({ status }) => status === 'open').sort((a, b) => (a.price ?? 0) - (b.price ?? 0))[0]
    ?.bidder ?? ''

/** Calls, and takes the lowest price. */
const initiator: Agent<Board> = (turn) => {
  if (turn.state === 'calling') return 'Please paint the fence.'
  return { intent: 'accept', payload: { bidder: lowest(turn.board) } }
}

const worker =
  (price: number, work: (turn: Turn<Board>) => Answer = () => 'White, two coats.'): Agent<Board> =>
  (turn) =>
    turn.state === 'bidding' ? `I can do it for $${price}.` : work(turn)

const convened = async (agents: Readonly<Record<string, Agent<Board>>>, policy: PolicyInput = {}) => {
  const asked: string[] = []
  const { outcome, stalled } = await convene({
    protocol: contractNet,
    goal: 'A white fence',
    agents,
    lead: 'ini',
    policy,
    on: { asked: ({ member, state }) => void asked.push(`${state} ${member}`) },
  })
  expect(stalled).toBe(false)
  return { ...outcome, asked }
}

describe('convene', () => {
  it('asks the initiator, all participants, the initiator again, and whom it accepted', async () => {
    const { status, awards, turns, asked } = await convened({
      ini: initiator,
      ana: worker(30),
      ben: worker(20),
    })
    expect([status, turns]).toEqual(['done', 5])
    expect(awards).toMatchObject([{ bidder: 'ben', price: 20, status: 'done', output: 'White, two coats.' }])
    expect(asked).toEqual(['calling ini', 'bidding ana', 'bidding ben', 'awarding ini', 'performing ben'])
  })

  it('ends without bids when everybody refuses', async () => {
    const busy: Agent<Board> = () => '[refuse] busy'
    const { status, asked } = await convened({ ini: initiator, ana: busy, ben: busy })
    expect([status, asked.length]).toEqual(['no_bids', 3])
  })

  it('calls again after a failure, and gives the work to another', async () => {
    const clumsy = worker(10, () => 'I could not find any paint.')
    const wary: Agent<Board> = (turn, signal) => {
      if (turn.board.round < 2 || turn.state === 'calling') return initiator(turn, signal)
      return '[accept ben]'
    }
    const { status, awards, rounds } = await convened(
      { ini: wary, ana: clumsy, ben: worker(20) },
      { rounds: 2 },
    )
    expect([status, rounds]).toEqual(['done', 2])
    expect(awards.map(({ bidder, status: how }) => [bidder, how])).toEqual([
      ['ana', 'failed'],
      ['ben', 'done'],
    ])
  })

  it('gives the work to several, who do it at the same time', async () => {
    const { status, awards, asked } = await convened(
      { ini: initiator, ana: worker(30), ben: worker(20), cem: worker(40) },
      { awards: 2 },
    )
    expect(status).toBe('done')
    expect(awards.map(({ bidder }) => bidder)).toEqual(['ben', 'ana'])
    expect(asked.slice(-2)).toEqual(['performing ben', 'performing ana'])
  })

  it('asks again when an answer is none, and does without who cannot answer', async () => {
    const broken: Agent<Board> = () => {
      throw new Error('out of order')
    }
    const vague: Agent<Board> = (turn) => {
      if (turn.state === 'performing') return 'Done.'
      return turn.notice === null ? 'Good morning.' : '[propose 5] if I must'
    }
    const { status, awards, asked } = await convened({ ini: initiator, ana: broken, ben: vague })
    expect(status).toBe('done')
    expect(awards).toMatchObject([{ bidder: 'ben' }])
    expect(asked.filter((each) => each === 'bidding ana')).toHaveLength(3)
    expect(asked.filter((each) => each === 'bidding ben')).toHaveLength(2)
  })

  it('closes at the deadline when nobody ever answers', async () => {
    const clock = simulatedClock(0)
    const silent: Agent<Board> = (_turn, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const running = convene({
      protocol: contractNet,
      agents: { ini: silent, ana: silent },
      lead: 'ini',
      clock,
      turnTimeout: null,
    })
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(600_000)
    const { outcome } = await running
    expect(outcome).toMatchObject({ status: 'timeout', state: 'calling', cause: 'deadline' })
  })

  it('is called off by an initiator that says so', async () => {
    const fickle: Agent<Board> = (turn) => (turn.state === 'calling' ? 'Paint the fence.' : 'Never mind.')
    const { status, state } = await convened({ ini: fickle, ana: worker(30) })
    expect([status, state]).toEqual(['cancelled', 'awarding'])
  })
})
