/** What an agent answers, as messages: text that is read, messages that are completed, and what is neither. */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Answer, Turn } from '../../src/agents/agent.ts'
import type { Protocol } from '../../src/engine/protocol.ts'
import { utterancesOf } from '../../src/engine/utterances.ts'
import { ColloquyError } from '../../src/errors.ts'
import type { TagRules } from '../../src/schema/tag.ts'
import { turn } from '../agents/turn.ts'

const some = z.looseObject({})

/** What the rules make of a text: the intent that it names, and how sure they are. */
const RULES: TagRules = (text) => {
  const [, intent, confidence] = /(hum|name-it) (0\.\d+)/.exec(text) ?? []
  return intent === undefined ? null : { intent, confidence: Number(confidence) }
}
const protocol = {
  payloads: { hum: some, 'name-it': some },
  tags: RULES,
  prefixFields: { primary: {} },
} as unknown as Protocol

const turnOf = (over: Partial<Turn<object>> = {}): Turn<object> => turn(over) as Turn<object>
const said = (answer: unknown, over: Partial<Turn<object>> = {}) =>
  utterancesOf(answer as Answer, turnOf(over), protocol)
const refusal = (answer: unknown, over: Partial<Turn<object>> = {}): [string, string] => {
  try {
    said(answer, over)
  } catch (error) {
    if (error instanceof ColloquyError) return [error.code, error.message]
    throw error
  }
  throw new Error('was taken')
}

describe('a message that an agent answers', () => {
  it('is the member’s own, gets an id, and its tokens are estimated', () => {
    expect(said({ intent: 'hum', content: 'x'.repeat(9), from: 'eve' })).toEqual([
      {
        intent: 'hum',
        content: 'x'.repeat(9),
        from: 'ann',
        id: expect.stringMatching(/^[\w-]{36}$/),
        tokens: 3,
      },
    ])
    expect(said({ intent: 'hum' })).toMatchObject([{ tokens: 0 }])
  })

  it('keeps the id and the tokens that it has', () => {
    expect(said({ intent: 'hum', content: 'xxxx', id: 'own', tokens: 7 })).toEqual([
      { intent: 'hum', content: 'xxxx', from: 'ann', id: 'own', tokens: 7 },
    ])
    expect(said({ intent: 'hum', content: 'xxxx', tokens: 0 })).toMatchObject([{ tokens: 0 }])
  })

  it('may be one of several, up to a hundred, in their order', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ intent: 'hum', id: `m${index}` }))
    expect(said(many(100)).map(({ id }) => id)).toEqual(many(100).map(({ id }) => id))
    expect(refusal(many(101))).toEqual([
      'AGENT_ANSWER_INVALID',
      expect.stringContaining('The agent answered 101 messages at once; 100 are the most'),
    ])
  })
})

describe('a text that an agent answers', () => {
  it('is taken as what was expected where nothing in it tells, with the defaults and the message it answers', () => {
    expect(said('la la', { replyTo: 'm1', defaults: { song: 'X' } })).toEqual([
      expect.objectContaining({
        intent: 'hum',
        content: 'la la',
        from: 'ann',
        replyTo: 'm1',
        payload: expect.objectContaining({ song: 'X', tagged: expect.objectContaining({ by: 'default' }) }),
        tokens: 2,
      }),
    ])
  })

  it('is what the rules say, without the defaults of something else', () => {
    const [message] = said('name-it 0.9', { defaults: { song: 'X' } })
    expect(message).toMatchObject({
      intent: 'name-it',
      payload: { tagged: { by: 'rules', confidence: 0.9 } },
    })
    expect(message?.payload).not.toHaveProperty('song')
  })

  it('yields to a definite question where the rules are not sure', () => {
    const intentOf = (text: string, over: Partial<Turn<object>> = {}) =>
      said(text, { defaults: { song: 'X' }, ...over })[0]?.intent
    expect(intentOf('name-it 0.79')).toBe('hum')
    expect(intentOf('name-it 0.8')).toBe('name-it')
    // Without anything that was asked about, a guess is better than nothing.
    expect(intentOf('name-it 0.5', { defaults: {} })).toBe('name-it')
    expect(intentOf('name-it 0.5', { expected: null })).toBe('name-it')
    // What a text says itself is no guess.
    expect(intentOf('[name-it] La Mer')).toBe('name-it')
    expect(said('name-it 0.5', { defaults: { song: 'X' } })[0]?.payload).toEqual({
      song: 'X',
      tagged: { by: 'default', confidence: 0.5 },
    })
    expect(said('hum 0.5', { defaults: { song: 'X' } })[0]?.payload).toMatchObject({
      song: 'X',
      tagged: { by: 'rules', confidence: 0.5 },
    })
  })

  it('that does not tell is no answer where nothing is expected', () => {
    expect(refusal('la la', { expected: null })).toEqual([
      'AGENT_ANSWER_INVALID',
      expect.stringContaining(
        'The answer does not tell what it means; begin it with one of [hum], [name-it]',
      ),
    ])
    expect(said('name-it 0.9', { expected: null })).toHaveLength(1)
  })

  it('costs what its agent says, once, or else what it is long', () => {
    expect(said({ text: 'la la', tokens: 40 })).toMatchObject([{ tokens: 40 }])
    expect(said({ text: 'la la', tokens: 'many' })).toMatchObject([{ tokens: 2 }])
    const two = said({ text: '[{"intent":"hum","content":"la"},{"intent":"name-it"}]', tokens: 40 })
    expect(two.map(({ intent, tokens }) => [intent, tokens])).toEqual([
      ['hum', 40],
      ['name-it', 0],
    ])
  })

  it('that is empty is nothing, also where there was only thinking', () => {
    for (const text of ['', ' \n', '<think>hm</think>'])
      expect(refusal(text)).toEqual(['AGENT_EMPTY', expect.stringContaining('The agent answered no text')])
    expect(refusal([])).toEqual(['AGENT_EMPTY', expect.stringContaining('The agent answered an empty list')])
  })
})

describe('an answer that is neither', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['number', 7],
    ['undefined', undefined],
    ['an object with the keys a, b', { a: 1, b: 2 }],
    ['an object with the keys intent', { intent: 7 }],
    ['an object with the keys text', { text: null }],
    [
      'an object with the keys k0, k1, k2, k3, k4, k5, k6, k7, k8, k9,',
      Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`k${index}`, 1])),
    ],
  ])('is refused by what it is: %s', (shape, answer) => {
    expect(refusal(answer)).toEqual([
      'AGENT_ANSWER_INVALID',
      expect.stringContaining(
        `The agent answered ${shape.replace(/,$/, '')}, which is neither text nor a message`,
      ),
    ])
  })
})
