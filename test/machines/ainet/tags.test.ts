/** What a bare text is taken for: AINET's own format, a few cues, and else what was asked for. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ainet } from '../../../machines/ainet/index.ts'
import { tag } from '../../../src/agents/tagger.ts'
import { parameters } from '../../support/property.ts'
import { INTENTS } from './scenario.ts'

const MEMBERS = ['ana', 'ben', 'Device-DEF456/智能体B']

const tagged = (text: string, allowed: readonly string[], expected = allowed[0] ?? 'say') => {
  const situation = { state: 'any', allowed, expected, members: MEMBERS }
  const [{ intent, payload }] = tag(text, {
    intents: INTENTS,
    situation,
    rules: ainet.tags,
    prefixFields: ainet.prefixFields,
  })
  const { tagged: _, ...fields } = payload
  return Object.keys(fields).length === 0 ? intent : [intent, fields]
}

const IDLE = ['request', 'done']
const TASK = ['reply', 'claim']
const TALK = ['say', 'done']

const message = (head: readonly string[], content: string, status: string): string =>
  [
    '=== Message ===',
    'FROM: Device-ABC123/智能体A',
    ...head,
    '【Content】',
    content,
    `【Status】${status}`,
  ].join('\n')

describe('a message in AINET’s format', () => {
  it.each([
    [
      ['TO: BROADCAST', 'TYPE: BROADCAST'],
      ['request', { type: 'BROADCAST' }],
    ],
    [
      ['TO: TASK', 'TYPE: TASK'],
      ['request', { type: 'TASK' }],
    ],
    [['TO: TASK'], ['request', { type: 'TASK' }]],
    [
      ['TO: Device-DEF456/智能体B', 'TYPE: PRIVATE'],
      ['request', { type: 'PRIVATE', to: 'Device-DEF456/智能体B' }],
    ],
    [['TO: ben'], ['request', { type: 'PRIVATE', to: 'ben' }]],
    [['TYPE: PRIVATE'], ['request', { type: 'PRIVATE' }]],
    [[], 'request'],
  ])('with the head %j asks what it says', (head, expected) => {
    expect(
      tagged(message([...head, 'TIME: 2026-03-29 11:35:00'], 'Task completed.', 'PENDING'), IDLE),
    ).toEqual(expected)
  })

  it('with line ends of another system, and text before and after, says the same', () => {
    const text = `Here it is:\n${message(['TO: ben ', 'TYPE: PRIVATE'], 'x', 'PENDING')}\nBye`.replaceAll(
      '\n',
      '\r\n',
    )
    expect(tagged(text, IDLE)).toEqual(['request', { type: 'PRIVATE', to: 'ben' }])
  })

  it('replies or reads where that is what may be done', () => {
    expect(tagged(message(['TO: ana'], '我来做', 'PENDING'), TASK)).toBe('reply')
    expect(tagged(message(['TO: ana'], 'ok', 'DONE'), ['read'])).toBe('read')
    expect(tagged(message(['TO: ana'], 'ok', 'DONE'), ['claim'], 'claim')).toBe('claim')
  })

  it('closes a talk when its last status is DONE, and only then', () => {
    expect(tagged(message(['TO: ben'], 'Thanks! Task completed.', 'DONE'), TALK)).toBe('done')
    expect(tagged(message(['TO: ben'], 'All done', 'PENDING'), TALK)).toBe('say')
    expect(tagged(message(['TO: ben'], 'You wrote: 【Status】DONE', 'PENDING'), TALK)).toBe('say')
  })
})

describe('a text that says nothing of itself', () => {
  it.each([
    ['Thanks! Task completed.', TALK, 'done'],
    ["That's all, thank you.", IDLE, 'done'],
    ['任务完成，谢谢', TALK, 'done'],
    ['没有其他问题了。', IDLE, 'done'],
    ['Merci, c’est tout.', TALK, 'done'],
    ['Nothing more than a summary, please', IDLE, 'request'],
    ['Is the task done?', TALK, 'say'],
    ["That's all, or is there more?", TALK, 'say'],
    ['I suggest we wait.', TALK, 'say'],
    ["I'll take it.", TASK, 'claim'],
    ['我来做', TASK, 'claim'],
    ["Je m'en charge", TASK, 'claim'],
    ['The translation: the cat sat on the mat.', TASK, 'reply'],
    ["I'll take it", ['reply'], 'reply'],
    ['任务：翻译这个文档', IDLE, ['request', { type: 'TASK' }]],
    ['Task: translate this', IDLE, ['request', { type: 'TASK' }]],
    ['Ben, please review this', IDLE, ['request', { type: 'PRIVATE', to: 'ben' }]],
    ['@ana how far are you?', IDLE, ['request', { type: 'PRIVATE', to: 'ana' }]],
    [
      'Device-DEF456/智能体B，请帮我审查这段代码...',
      IDLE,
      ['request', { type: 'PRIVATE', to: 'Device-DEF456/智能体B' }],
    ],
    ['Who knows ben?', IDLE, 'request'],
    ['Benjamin, come', IDLE, 'request'],
    ['[request ben] look', IDLE, ['request', { to: 'ben' }]],
    ['[request type=task] look', IDLE, ['request', { type: 'TASK' }]],
  ] as const)('%s', (text, allowed, expected) => {
    expect(tagged(text, allowed)).toEqual(expected)
  })

  it('is taken for something that the protocol knows, and nothing is thrown', () => {
    const parts = fc.constantFrom(
      '=== Message ===\n',
      'TO: ',
      'TYPE: ',
      'TASK\n',
      '【Status】',
      'DONE',
      'done. ',
      '@ana ',
    )
    const text = fc.array(fc.oneof(parts, fc.string({ unit: 'binary' })), { maxLength: 12 })
    fc.assert(
      fc.property(text, fc.subarray([...INTENTS]), (words, allowed) => {
        const guess = ainet.tags(words.join(''), { state: 'any', allowed, expected: 'say', members: MEMBERS })
        if (guess !== null) expect(INTENTS).toContain(guess.intent)
      }),
      parameters(300),
    )
  })
})
