/** Whole conversations of plain functions, led by the floor alone. */
import { describe, expect, it } from 'vitest'
import { type Board, ioa } from '../../../machines/ioa/index.ts'
import type { Answer, Turn } from '../../../src/agents/agent.ts'
import { simulatedClock } from '../../../src/engine/clock.ts'
import { convene } from '../../../src/engine/convene.ts'

type Say = (turn: Turn<Board>, signal: AbortSignal) => Answer | Promise<Answer>

const group = (agents: Readonly<Record<string, Say>>, policy: object = {}, extra: object = {}) =>
  convene({ protocol: ioa, goal: 'find the answer', agents, policy, ...extra })

const intentsIn = (record: Awaited<ReturnType<typeof group>>['record']): string[] =>
  record.flatMap((event) =>
    event.type === 'message'
      ? [`${(event.message as { from: string }).from} ${(event.message as { intent: string }).intent}`]
      : [],
  )

const rejected = new Error('I have no idea')

describe('a group of functions', () => {
  it('that only talk ends with a forced conclusion, in as many turns as it has', async () => {
    const echo: Say = ({ state, member }) => (state === 'conclusion' ? `${member}: nothing new` : 'Hm.')
    const { outcome, stalled } = await group({ ana: echo, ben: echo }, { maxTurns: 5 })
    expect(outcome).toMatchObject({
      status: 'forced',
      cause: 'turns',
      conclusion: 'ben: nothing new',
      turns: 6,
    })
    expect(stalled).toBe(false)
  })

  it('shares out work in the background, waits for it, and concludes', async () => {
    const lead: Say = ({ state, board }) => {
      if (state === 'conclusion') return 'Together: 42'
      if (board.tasks.length === 0) return '[assign_async ben,cleo] Find a number.'
      return board.tasks.some(({ status }) => status === null) ? '[pause]' : '[conclude]'
    }
    const worker: Say = ({ member, task }) => `${member} did ${/t\d/.exec(task)?.[0]}`
    const { outcome, record } = await group({ ana: lead, ben: worker, cleo: worker })
    expect(outcome).toEqual({
      status: 'concluded',
      state: 'conclusion',
      conclusion: 'Together: 42',
      tasks: [
        { id: 't1', title: null, owner: 'ben', status: 'success', output: 'ben did t1' },
        { id: 't2', title: null, owner: 'cleo', status: 'success', output: 'cleo did t2' },
      ],
      turns: 6,
    })
    expect(intentsIn(record).sort()).toEqual(
      ['ana assign_async', 'ana conclude', 'ana conclude', 'ana pause', 'ben report', 'cleo report'].sort(),
    )
  })

  it('speaks in turn, each named by the one before, and by nobody else', async () => {
    const asked: string[] = []
    const to =
      (next: string): Say =>
      ({ member, state }) => {
        asked.push(member)
        return state === 'conclusion' ? 'Over.' : `Over to you, @${next}`
      }
    const { outcome } = await group({ ana: to('cleo'), ben: to('ana'), cleo: to('ben') }, { maxTurns: 4 })
    expect(asked).toEqual(['ana', 'cleo', 'ben', 'ana', 'cleo'])
    expect(outcome.status).toBe('forced')
  })

  it('alone, does its own work and concludes', async () => {
    const only: Say = ({ state, board, expected }) => {
      if (expected === 'report') return 'my result'
      if (state === 'conclusion') return 'my conclusion'
      return board.tasks.length === 0 ? '[assign_async ana] mine' : "Let's wrap up."
    }
    const { outcome } = await group({ ana: only })
    expect(outcome).toMatchObject({
      status: 'concluded',
      conclusion: 'my conclusion',
      tasks: [{ output: 'my result' }],
    })
  })

  it('of which one is broken goes on without it', async () => {
    const fine: Say = ({ state }) => (state === 'conclusion' ? 'Done.' : 'Go on.')
    const broken: Say = () => Promise.reject(rejected)
    const { outcome, record } = await group({ ana: broken, ben: fine, cleo: fine }, { maxTurns: 6 })
    expect(outcome).toMatchObject({ status: 'forced', conclusion: 'Done.', turns: 8 })
    // Twice in talk, and once when it was to conclude.
    expect(record.filter(({ type }) => type === 'fault')).toHaveLength(3)
  })

  it('of which all are broken ends too, by the limits alone', async () => {
    const broken: Say = () => Promise.reject(rejected)
    const { outcome, stalled } = await group({ ana: broken, ben: broken }, { maxTurns: 4, concludeTurns: 2 })
    expect(outcome).toMatchObject({ status: 'timeout', cause: 'turns', conclusion: null, turns: 6 })
    expect(stalled).toBe(false)
  })

  it('whose concluder talks of something else has the next one conclude', async () => {
    const stubborn: Say = ({ state }) => (state === 'conclusion' ? '[discuss] But wait!' : '[conclude]')
    const sensible: Say = () => 'Yes.'
    const { outcome } = await group({ ana: stubborn, ben: sensible })
    expect(outcome).toMatchObject({ status: 'concluded', conclusion: 'Yes.', turns: 3 })
  })

  it('whose worker is silent goes on when the task is overdue', async () => {
    const clock = simulatedClock(0)
    const lead: Say = ({ state, board }) => {
      if (state === 'conclusion') return 'Without ben.'
      return board.tasks.length === 0 ? '[assign_sync ben] Find it.' : '[conclude]'
    }
    const silent: Say = (_turn, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const running = group({ ana: lead, ben: silent }, { taskDeadline: 1_000 }, { clock, turnTimeout: null })
    let isOver = false
    void running.then(() => {
      isOver = true
    })
    for (let round = 0; !isOver && round < 50; round++) {
      await new Promise((resolve) => setImmediate(resolve))
      clock.advance(100)
    }
    const { outcome } = await running
    expect(outcome).toMatchObject({
      status: 'concluded',
      conclusion: 'Without ben.',
      tasks: [{ owner: 'ben', status: 'failed', output: null }],
    })
  })

  it('is told what it needs: the floor, what is owed, and when it is the last turn', async () => {
    const turns: Turn<Board>[] = []
    const note: Say = (turn) => {
      turns.push(turn)
      if (turn.expected === 'report') return 'result'
      if (turn.state === 'conclusion') return 'end'
      return turn.board.tasks.length === 0 ? '[assign_async ben title="a \\"quoted\\" title"] go' : 'so'
    }
    await group({ ana: note, ben: note }, { maxTurns: 2 })
    const [first, ...others] = turns
    expect(first).toMatchObject({ member: 'ana', expected: 'discuss', turnsLeft: 2, lastTurn: false })
    expect(first?.allowed.map(({ intent }) => intent)).toEqual([
      'discuss',
      'assign_sync',
      'assign_async',
      'conclude',
    ])
    const work = others.find(({ expected }) => expected === 'report')
    expect(work?.task).toContain('Do the task t1')
    expect(work?.board.yours).toEqual(['t1'])
    expect(work?.allowed.map(({ intent }) => intent)).toEqual(['report'])
    const last = others.find(({ member, expected }) => member === 'ana' && expected === 'discuss')
    expect(last?.task).toContain('the last turn')
    expect(turns.at(-1)?.task).toContain('come to its limit')
  })
})
