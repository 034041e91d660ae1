import { describe, expect, it } from 'vitest'
import { createRetriever, createVerifier, createWriter } from '../../../examples/answer/agents.ts'
import { buildSearch } from '../../../examples/answer/search.ts'
import type { Agent, TranscriptEntry, Turn, Utterance } from '../../../src/agents/agent.ts'

const passages = [
  {
    id: 'kettle.md#1',
    source: 'kettle.md › Kettle',
    text: 'The kettle holds 2 litres. It hums while the water boils.',
  },
  { id: 'toaster.md#1', source: 'toaster.md › Toaster', text: 'The toaster has four slots.' },
]
const search = buildSearch(passages)
const GOAL = 'How many litres does the kettle hold?'
const { signal } = new AbortController()

const turnOf = (
  member: string,
  state: string,
  transcript: readonly TranscriptEntry[],
  more: Partial<Pick<Turn, 'goal' | 'allowed' | 'lastTurn' | 'defaults'>> = {},
): Turn => ({
  conversation: 'c',
  goal: GOAL,
  member,
  members: ['retriever', 'writer', 'verifier'],
  lead: 'writer',
  state,
  task: '',
  allowed: ['question', 'info', 'proposal', 'agree', 'accept', 'progress', 'result', 'verdict', 'reject'].map(
    (intent) => ({ intent, does: '' }),
  ),
  expected: 'info',
  replyTo: state === 'proposal' ? 'm3' : null,
  transcript,
  omitted: 0,
  board: {},
  turnsLeft: null,
  lastTurn: false,
  timeLeft: null,
  notice: null,
  ...more,
})

/** A table at which the agents speak in turn, and everything said is on the transcript. */
const table = () => {
  const transcript: TranscriptEntry[] = []
  const ask = async (
    agent: Agent<object>,
    member: string,
    state: string,
    more: Partial<Pick<Turn, 'goal' | 'allowed' | 'lastTurn' | 'defaults'>> = {},
  ): Promise<Utterance> => {
    // Through JSON, as over a wire: nothing but data may pass.
    const turn = turnOf(member, state, JSON.parse(JSON.stringify(transcript)), more)
    const said = await agent(turn, signal)
    if (typeof said === 'string' || !('intent' in said)) throw new Error('a message was expected')
    transcript.push({
      id: `m${transcript.length + 1}`,
      from: member,
      intent: said.intent,
      content: said.content ?? '',
      payload: said.payload ?? {},
      replyTo: said.replyTo ?? null,
      state,
      at: transcript.length,
      effect: 'applied',
      reason: 'continue',
    })
    return said
  }
  return { transcript, ask }
}

const agents = () => ({
  retriever: createRetriever(search),
  writer: createWriter(),
  verifier: createVerifier(),
})

describe('the three agents', () => {
  it('go from question to verdict', async () => {
    const { retriever, writer, verifier } = agents()
    const { ask } = table()
    expect(await ask(writer, 'writer', 'discussion')).toMatchObject({ intent: 'question' })
    expect(await ask(retriever, 'retriever', 'discussion')).toMatchObject({
      intent: 'info',
      payload: { passages: [{ id: 'kettle.md#1' }] },
    })
    expect(await ask(writer, 'writer', 'discussion')).toMatchObject({
      intent: 'proposal',
      payload: {
        subtasks: [
          { id: 'passages', requires: ['search'] },
          { id: 'answer', requires: ['write'] },
        ],
      },
    })
    expect(await ask(retriever, 'retriever', 'proposal')).toMatchObject({ intent: 'agree', replyTo: 'm3' })
    expect(await ask(verifier, 'verifier', 'proposal')).toMatchObject({ intent: 'agree', replyTo: 'm3' })
    expect(await ask(retriever, 'retriever', 'assign')).toMatchObject({
      intent: 'accept',
      payload: { subtask: 'passages' },
    })
    expect(await ask(writer, 'writer', 'assign')).toMatchObject({
      intent: 'accept',
      payload: { subtask: 'answer' },
    })
    expect(await ask(retriever, 'retriever', 'execution')).toMatchObject({
      intent: 'result',
      payload: { subtask: 'passages', status: 'success' },
    })
    const result = await ask(writer, 'writer', 'execution')
    expect(result).toMatchObject({ intent: 'result', payload: { subtask: 'answer', status: 'success' } })
    expect(result.content).toContain('2 litres')
    expect(result.payload?.output).toBe(result.content)
    expect(await ask(verifier, 'verifier', 'review')).toMatchObject({ intent: 'verdict' })
  })

  it('rework until nothing unsupported is left, and say so when nothing is left at all', async () => {
    const goal = 'What is the capital of Mongolia?'
    const { retriever, writer, verifier } = agents()
    const { ask } = table()
    await ask(retriever, 'retriever', 'discussion', { goal })
    await ask(retriever, 'retriever', 'execution', { goal })
    for (let round = 0; round < 3; round++) {
      await ask(writer, 'writer', 'execution', { goal })
      expect(await ask(verifier, 'verifier', 'review', { goal })).toMatchObject({
        intent: 'reject',
        payload: { subtasks: ['answer'], reasons: expect.arrayContaining([expect.any(String)]) },
      })
    }
    const last = await ask(writer, 'writer', 'execution', { goal })
    expect(last).toMatchObject({ intent: 'result', payload: { status: 'failed', sentences: [] } })
    expect(last.content).toMatch(/do not answer/)
  })

  it('take out the sentence that was refused', async () => {
    const { retriever, writer } = agents()
    const { ask, transcript } = table()
    await ask(retriever, 'retriever', 'execution')
    const first = await ask(writer, 'writer', 'execution')
    transcript.push({
      ...entry('verifier', 'reject'),
      payload: { unsupported: ['The kettle holds 2 litres.'] },
    })
    const second = await ask(writer, 'writer', 'execution')
    expect(first.content).toContain('2 litres')
    expect(second.content).not.toContain('2 litres')
  })

  it('take a refusal that quotes nothing as one of the whole answer', async () => {
    const { retriever, writer } = agents()
    const { ask, transcript } = table()
    await ask(retriever, 'retriever', 'execution')
    const first = await ask(writer, 'writer', 'execution')
    transcript.push({ ...entry('verifier', 'reject'), payload: { unsupported: 'nonsense' } })
    expect((await ask(writer, 'writer', 'execution')).content).not.toBe(first.content)
  })

  it('report progress while the passages are awaited, and something at the last turn', async () => {
    const { writer } = agents()
    const allowed = [
      { intent: 'progress', does: '' },
      { intent: 'result', does: '' },
    ]
    expect(await table().ask(writer, 'writer', 'execution', { allowed })).toMatchObject({
      intent: 'progress',
    })
    expect(await table().ask(writer, 'writer', 'execution', { allowed, lastTurn: true })).toMatchObject({
      intent: 'result',
      payload: { status: 'failed' },
    })
  })

  it('judge by what the retriever gave, not by what the writer says it was', async () => {
    const { retriever, verifier } = agents()
    const { ask, transcript } = table()
    await ask(retriever, 'retriever', 'execution')
    const lie = 'The kettle holds 9 litres.'
    transcript.push({
      ...entry('verifier', 'info'),
      payload: { passages: [{ id: 'x', source: 'x', text: lie }] },
    })
    transcript.push({
      ...entry('writer', 'result'),
      content: lie,
      payload: { subtask: 'answer', sentences: [{ text: lie, sources: ['x'] }] },
    })
    expect(await ask(verifier, 'verifier', 'review')).toMatchObject({
      intent: 'reject',
      payload: { unsupported: [lie] },
    })
  })

  it('share out the work as the floor suggests', async () => {
    const { writer } = agents()
    const ask = (defaults: Record<string, unknown>): Promise<Utterance> =>
      table().ask(writer, 'writer', 'assign', { defaults, allowed: [{ intent: 'assign', does: '' }] })
    expect(await ask({ subtask: 'passages', owner: 'retriever' })).toMatchObject({
      intent: 'assign',
      payload: { subtask: 'passages', owner: 'retriever' },
    })
    expect(await ask({ subtask: 'answer', owner: 'writer' })).toMatchObject({
      intent: 'accept',
      payload: { subtask: 'answer' },
    })
  })

  it('do not judge their own work', async () => {
    const { retriever, writer } = agents()
    for (const [agent, name] of [
      [retriever, 'retriever'],
      [writer, 'writer'],
    ] as const)
      expect((await table().ask(agent, name, 'review')).intent).toBe('info')
  })
})

const entry = (from: string, intent: string): TranscriptEntry => ({
  id: `${from}-${intent}`,
  from,
  intent,
  content: '',
  payload: {},
  replyTo: null,
  state: 'review',
  at: 0,
  effect: 'applied',
  reason: '',
})
