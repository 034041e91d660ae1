/** Each adversary does what its name says, under every protocol, and in `convene` as well as in the world. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../../machines/catalogue.ts'
import { type Board, conversation } from '../../machines/conversation/index.ts'
import type { Turn } from '../../src/agents/agent.ts'
import { convene } from '../../src/engine/convene.ts'
import type { Conversation } from '../../src/engine/conversation.ts'
import type { Protocol } from '../../src/engine/protocol.ts'
import { type Adversary, adversary, agents, type Conduct, conducts } from '../../src/testing/adversaries.ts'
import { simulate } from '../../src/testing/world.ts'
import { worlds } from '../../src/testing/worlds.ts'
import { parameters, Tally } from '../support/property.ts'
import { poll } from './poll.ts'

const protocols: readonly Protocol[] = [...Object.values(catalogue), poll]
const obliging = adversary<Board>(conversation, 'obliging')

interface Heard {
  readonly from: string
  readonly intent: string
  readonly id: string
}

/** A conversation of an adversary with two who do as they are asked: what it was asked, and all that came of it. */
const among = async (conduct: Conduct, delay?: number) => {
  const asked: Turn<Board>[] = []
  const refused: string[] = []
  const heard: Heard[] = []
  const bad = adversary<Board>(conversation, conduct, delay === undefined ? {} : { delay })
  const simulated = await simulate({
    protocol: conversation,
    seed: 2,
    agents: { ana: obliging, bad, cem: obliging },
    policy: { violationLimit: 4 },
    on: {
      opened: (talk: Conversation) =>
        void talk.on('refused', ({ decision }) => refused.push(decision.reason)),
      asked: (turn) => void (turn.member === 'bad' && asked.push(turn)),
      message: ({ message }) => void heard.push(message as Heard),
    },
  })
  const faults = simulated.record.filter((event) => event.type === 'fault' && event.member === 'bad')
  return { ...simulated, asked, refused, heard, own: heard.filter(({ from }) => from === 'bad'), faults }
}

describe('an agent that is', () => {
  it('obliging says what is expected, and what is allowed where nothing is', async () => {
    const { asked, own } = await among('obliging')
    expect(asked.length).toBeGreaterThan(3)
    for (const [index, { expected, allowed }] of asked.entries()) {
      const intents = expected === null ? allowed.map(({ intent }) => intent) : [expected]
      expect(intents).toContain(own[index]?.intent)
    }
  })

  it('silent says nothing, and stops when it is told to', async () => {
    const { asked, own, faults, unstopped } = await among('silent')
    expect([asked.length > 0, own.length, unstopped.length]).toEqual([true, 0, 0])
    expect(faults.length).toBeGreaterThan(0)
  })

  it('chatty says several things at a time', async () => {
    const { asked, own } = await among('chatty')
    expect(own.length).toBeGreaterThan(asked.length)
  })

  it('contrary never says what is expected', async () => {
    const { asked, own } = await among('contrary')
    expect(asked.length).toBeGreaterThan(3)
    for (const [index, { expected }] of asked.entries()) expect(own[index]?.intent).not.toBe(expected)
  })

  it('slow answers so many ms later', async () => {
    const { took, own, asked } = await among('slow', 7_000)
    expect(own.length).toBeGreaterThan(3)
    expect(took).toBeGreaterThanOrEqual(7_000 * (asked.length - 1))
  })

  it('crashing fails every time', async () => {
    const { asked, own, faults } = await among('crashing')
    expect(own).toEqual([])
    expect(faults.length).toBeGreaterThan(0)
    expect(asked.length).toBeGreaterThanOrEqual(faults.length)
    expect(faults[0]).toMatchObject({ error: 'Agent bad crashed' })
  })

  it('forging speaks for others, and fails in its own name', async () => {
    const silent = adversary<Board>(conversation, 'silent')
    const forging = adversary<Board>(conversation, 'forging')
    const { record } = await simulate({ protocol: conversation, agents: { ana: silent, bad: forging } })
    const senders = record.flatMap((event) =>
      event.type === 'message' ? [(event.message as Heard).from] : [],
    )
    expect([...new Set(senders)]).toEqual(['ana'])
    const error = expect.stringContaining('nothing in its own name')
    expect(record).toContainEqual(expect.objectContaining({ type: 'fault', member: 'bad', error }))
  })

  it('duplicating has messages refused as duplicates, and its news heard', async () => {
    const { own, refused } = await among('duplicating')
    expect(refused).toContain('duplicate')
    expect(new Set(own.map(({ id }) => id)).size).toBe(own.length)
    expect(own.length).toBeGreaterThan(2)
  })
})

describe('in convene, without a world,', () => {
  it('a forger speaks for itself, since there the facilitator says who speaks', async () => {
    const forger = adversary<Board>(conversation, 'forging')
    const { record } = await convene({
      protocol: conversation,
      agents: { ana: forger, ben: forger },
      policy: { turnLimit: { discussion: 2 } },
    })
    const senders = record.flatMap((event) =>
      event.type === 'message' ? [(event.message as Heard).from] : [],
    )
    expect(new Set(senders)).toEqual(new Set(['ana', 'ben']))
  })

  it('a slow one takes real time', async () => {
    const slow = adversary<object>(poll, 'slow', { delay: 30 })
    const started = performance.now()
    await convene({ protocol: poll, agents: { ana: slow } })
    expect(performance.now() - started).toBeGreaterThanOrEqual(29)
  })
})

describe.each(protocols)('under $name', (protocol) => {
  it('every conduct keeps within the types of an agent’s answer', async () => {
    const met = new Tally()
    await fc.assert(
      fc.asyncProperty(worlds(protocol), async (world) => {
        for (const { conduct } of world.agents.values()) met.add(conduct)
        const { record } = await simulate({ protocol, ...world })
        for (const event of record)
          if (event.type === 'fault' && event.error !== undefined)
            expect(event.error).not.toMatch(/neither text nor a message|no valid message/)
      }),
      parameters(80),
    )
    expect(met.below(3, Object.keys(CONDUCTS))).toEqual([])
  })
})

const CONDUCTS: Readonly<Record<Conduct, true>> = {
  obliging: true,
  silent: true,
  chatty: true,
  contrary: true,
  slow: true,
  crashing: true,
  forging: true,
  duplicating: true,
}

describe('agents', () => {
  it('are one for each member, of every conduct', () => {
    const met = new Tally()
    fc.assert(
      fc.property(agents(poll, ['ana', 'ben', 'cem']), (party) => {
        expect([...party.keys()]).toEqual(['ana', 'ben', 'cem'])
        for (const { conduct } of party.values()) met.add(conduct)
      }),
      parameters(200),
    )
    expect(met.below(5, Object.keys(CONDUCTS))).toEqual([])
  })
})

describe('a report', () => {
  it('names conducts, and shrinks to obliging ones', () => {
    const named: Adversary<object> = adversary(poll, 'slow')
    expect(fc.stringify(named)).toBe('adversary(slow)')
    const { counterexample } = fc.check(
      fc.property(fc.array(conducts, { minLength: 3 }), (all) => !all.includes('silent')),
      { seed: 1 },
    )
    expect(counterexample?.[0].filter((conduct) => conduct !== 'silent')).toEqual(['obliging', 'obliging'])
  })
})
