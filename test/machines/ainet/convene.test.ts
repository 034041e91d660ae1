/** Groups of agents that only answer: the floor alone leads them to an end that makes sense. */
import { describe, expect, it } from 'vitest'
import { ainet, type Board, type PolicyInput } from '../../../machines/ainet/index.ts'
import type { Agent, Turn } from '../../../src/agents/agent.ts'
import { convene } from '../../../src/engine/convene.ts'

type Asked = Pick<Turn<Board>, 'member' | 'state' | 'expected' | 'task'>

const meeting = async (
  agents: Readonly<Record<string, Agent<Board>>>,
  policy: PolicyInput,
  options: { readonly lead?: string; readonly talk?: 'all_at_once' } = {},
) => {
  const asked: Asked[] = []
  const decided: string[] = []
  const convened = await convene({
    protocol: ainet,
    agents,
    policy,
    ...options,
    on: {
      asked: ({ member, state, expected, task }) => void asked.push({ member, state, expected, task }),
      event: ({ decision }) => {
        if (decision !== null) decided.push(decision.reason)
      },
    },
  })
  const who = asked.map(({ member, expected }) => `${member}: ${expected}`)
  return { ...convened, asked, decided, who }
}

const saying =
  (text: string): Agent<Board> =>
  () =>
    text

describe('a mailbox', () => {
  it('of agents that answer plain text: one asks, all reply, the one reads', async () => {
    const { outcome, who, stalled } = await meeting(
      { ana: saying('What do you think?'), ben: saying('Fine.'), cleo: saying('Good.') },
      { rounds: 1 },
    )
    expect(stalled).toBe(false)
    expect(outcome).toMatchObject({ status: 'done', rounds: 1, turns: 4 })
    expect(outcome.requests[0]).toMatchObject({ from: 'ana', type: 'BROADCAST', ending: 'read' })
    expect(outcome.requests[0]?.replies.map(({ from }) => from)).toEqual(['ben', 'cleo'])
    expect(who.at(0)).toBe('ana: request')
    expect(who.at(-1)).toBe('ana: read')
  })

  it('whose lead says when it needs nothing more', async () => {
    const { outcome, asked } = await meeting(
      {
        ana: saying('Hm.'),
        ben: ({ state, board: { roundsLeft } }) =>
          state === 'done' ? 'Thanks.' : roundsLeft === 10 ? 'Ana, is it safe?' : "That's all.",
      },
      {},
      { lead: 'ben' },
    )
    expect(outcome).toMatchObject({ status: 'done', opener: 'ben', rounds: 1, turns: 4 })
    expect(outcome.requests[0]).toMatchObject({ type: 'PRIVATE', to: 'ana' })
    expect(asked.at(-1)).toMatchObject({ member: 'ben', state: 'idle' })
    expect(asked.at(-1)?.task).toContain('say that you are done')
  })

  it('in which a task goes to one member, and the next to another', async () => {
    const { outcome } = await meeting(
      { ana: saying('Task: translate'), ben: saying('Traduit.'), cleo: saying('Übersetzt.') },
      { rounds: 2 },
    )
    expect(outcome.requests.map(({ claimant }) => claimant)).toEqual(['ben', 'cleo'])
    expect(outcome.requests.map(({ replies }) => replies.length)).toEqual([1, 1])
  })

  it('in which a task is offered to all at once: one is quick enough', async () => {
    const volunteer: Agent<Board> = ({ board, member }) =>
      board.request?.claimant === member ? 'Traduit.' : "I'll take it."
    const { outcome, decided } = await meeting(
      {
        ana: ({ state }) => (state === 'idle' ? '[request type=TASK] Translate' : 'Read.'),
        ben: volunteer,
        cleo: volunteer,
      },
      { rounds: 1 },
      { lead: 'ana', talk: 'all_at_once' },
    )
    expect(outcome).toMatchObject({ status: 'done', requests: [{ claimant: 'ben', ending: 'read' }] })
    expect(decided).toEqual(['requested', 'continue', 'taken', 'answered', 'done'])
  })

  it('in which the only one who is asked fails: the request is unanswerable, and the next round begins', async () => {
    let requests = 0
    const { outcome } = await meeting(
      {
        ana: ({ state }) => (state === 'idle' ? (++requests === 1 ? '@ben well?' : '@cleo well?') : 'Ah.'),
        ben: () => {
          throw new Error('out of order')
        },
        cleo: saying('Well.'),
      },
      { rounds: 2 },
    )
    expect(outcome.requests.map(({ ending }) => ending)).toEqual(['unanswerable', 'read'])
    expect(outcome.status).toBe('done')
  })

  it('of agents that know AINET’s format and nothing else', async () => {
    const write = (to: string, status: string, content: string): string =>
      `=== Message ===\nTO: ${to}\nTIME: 2026-04-07 10:00:00\n【Content】\n${content}\n【Status】${status}`
    const { outcome } = await meeting(
      {
        'Device-A/甲': ({ board: { roundsLeft } }) =>
          write(roundsLeft === 2 ? 'Device-B/乙' : 'BROADCAST', 'PENDING', '请审查'),
        'Device-B/乙': () => write('Device-A/甲', 'DONE', '已审查'),
        'Device-C/丙': () => write('Device-A/甲', 'DONE', '没有意见'),
      },
      { rounds: 2 },
    )
    expect(outcome).toMatchObject({ status: 'done', rounds: 2, turns: 7 })
    expect(outcome.requests.map(({ type }) => type)).toEqual(['PRIVATE', 'BROADCAST'])
  })
})

describe('a talk', () => {
  it('goes round in turn until the opener is done', async () => {
    const { outcome, who } = await meeting(
      {
        ana: ({ transcript }) => (transcript.length < 4 ? 'I need help.' : 'Thanks! Task completed.'),
        ben: saying('I suggest this.'),
        cleo: saying('And I that.'),
      },
      { mode: 'talk' },
      { lead: 'ana' },
    )
    expect(outcome).toMatchObject({ status: 'done', opener: 'ana', turns: 7 })
    expect(who.map((each) => each.split(':')[0])).toEqual(['ana', 'ben', 'cleo', 'ana', 'ben', 'cleo', 'ana'])
  })

  it('of agents that never come to an end is closed by the opener’s last turn', async () => {
    const { outcome, who } = await meeting({ ana: saying('And?'), ben: saying('Hm.') }, { mode: 'talk' })
    expect(outcome).toMatchObject({ status: 'done', opener: 'ana', turns: 19 })
    expect(who.at(-1)).toBe('ana: done')
  })

  it('of all at once ends as well', async () => {
    const { outcome } = await meeting(
      { ana: saying('And?'), ben: saying('Hm.'), cleo: saying('Oh.') },
      { mode: 'talk', turnLimit: { talking: 4 } },
      { talk: 'all_at_once' },
    )
    expect(outcome.status).toBe('done')
    expect(outcome.turns).toBeLessThanOrEqual(12)
  })
})
