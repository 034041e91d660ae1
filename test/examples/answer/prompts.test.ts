import { describe, expect, it } from 'vitest'
import {
  type ChatMessage,
  draftWith,
  judgeWith,
  parseDraft,
  parseVerdict,
  verifierMessages,
  writerMessages,
} from '../../../examples/answer/prompts.ts'

const passages = [{ id: 'a#1', source: 'a.md', text: 'The kettle holds 2 litres.' }]
const answer = ['It holds 2 litres.', 'It is red.']

describe('prompts', () => {
  it('tell the verifier nothing of the question', () => {
    expect(JSON.stringify(verifierMessages(answer, passages))).not.toContain('How much')
    expect(JSON.stringify(writerMessages('How much?', passages, []))).toContain('How much')
  })

  it('tell the writer what was refused', () => {
    const refused = [{ text: 'It is blue.', sources: ['a#1'], from: [] }]
    expect(writerMessages('q', passages, refused).at(-1)?.content).toContain('It is blue.')
  })
})

describe('the writer’s reply', () => {
  const good = '{"sentences": [{"text": "It holds 2 litres.", "sources": ["a#1"]}]}'

  it.each([good, `\`\`\`json\n${good}\n\`\`\``])('is taken: %s', (reply) => {
    expect(parseDraft(reply, passages)).toMatchObject({ status: 'success', text: 'It holds 2 litres.' })
  })

  it('without sentences is an honest no', () => {
    expect(parseDraft('{"sentences": []}', passages).status).toBe('failed')
  })

  it.each([
    'It holds 2 litres.',
    `Here it is: ${good}`,
    '{"sentences": [{"text": "x", "sources": []}]}',
    '{"sentences": [{"text": "", "sources": ["a#1"]}]}',
    '{"sentences": [{"text": "x", "sources": ["made up"]}]}',
    '{"sentences": [], "note": "more"}',
    '[]',
  ])('is refused: %s', (reply) => {
    expect(() => parseDraft(reply, passages)).toThrow(
      expect.objectContaining({ code: 'AGENT_ANSWER_INVALID' }),
    )
  })
})

describe('the verifier’s reply', () => {
  it('names sentences by number', () => {
    expect(parseVerdict('{"unsupported": [{"sentence": 2, "reason": "no colour given"}]}', answer)).toEqual([
      { sentence: 'It is red.', reason: 'no colour given' },
    ])
  })

  it.each([
    '{"unsupported": [{"sentence": 3, "reason": "x"}]}',
    '{"unsupported": [{"sentence": 0, "reason": "x"}]}',
    '{}',
    'fine',
  ])('is refused: %s', (reply) => {
    expect(() => parseVerdict(reply, answer)).toThrow(
      expect.objectContaining({ code: 'AGENT_ANSWER_INVALID' }),
    )
  })
})

it('writer and verifier each make a call of their own', async () => {
  const calls: (readonly ChatMessage[])[] = []
  const call = async (messages: readonly ChatMessage[]): Promise<string> => {
    calls.push(messages)
    return calls.length === 1 ? '{"sentences": [{"text": "x.", "sources": ["a#1"]}]}' : '{"unsupported": []}'
  }
  const { signal } = new AbortController()
  const draft = await draftWith(call)('How much?', passages, [], signal)
  expect(
    await judgeWith(call)(
      draft.sentences.map(({ text }) => text),
      passages,
      signal,
    ),
  ).toEqual([])
  expect(calls).toHaveLength(2)
  expect(calls[0]?.[0]?.content).not.toBe(calls[1]?.[0]?.content)
})
