import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createRetriever, createVerifier, createWriter } from '../../../examples/answer/agents.ts'
import { type Convened, convene, type Outcome } from '../../../src/index.ts'
import { search } from './library.ts'

const spoken = z.object({ from: z.string(), intent: z.string() })

const ask = async (goal: string): Promise<{ outcome: Outcome; said: string[] }> => {
  const { outcome, record }: Convened<Outcome> = await convene({
    goal,
    lead: 'writer',
    agents: { retriever: createRetriever(search), writer: createWriter(), verifier: createVerifier() },
  })
  const said = record.flatMap((event) => {
    const message = event.type === 'message' ? spoken.parse(event.message) : null
    return message === null ? [] : [`${message.from} ${message.intent}`]
  })
  return { outcome, said }
}

describe('the three agents, convened', () => {
  it('answer, judged by the verifier alone, each saying a thing once', async () => {
    const { outcome, said } = await ask("What does zod's safeParse return?")
    expect(outcome.status).toBe('accepted')
    expect(said).toEqual([...new Set(said)])
    expect(said.filter((line) => /verdict|reject/.test(line))).toEqual(['verifier verdict'])
  })

  it('rework and then warn where the documents do not answer', async () => {
    const { outcome, said } = await ask('Which Node versions does vitest support?')
    expect(outcome.status).toBe('rejects_exhausted')
    expect(said.filter((line) => line === 'verifier reject')).toHaveLength(3)
    expect(outcome.subtasks.find((subtask) => subtask.id === 'answer')?.output).toMatch(
      /^The documents given do not answer this question\./,
    )
  })
})
