import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stripThinking, type TagOptions, tag } from '../../src/agents/tagger.ts'
import type { PrefixFields, TagRules } from '../../src/schema/tag.ts'

const intents = ['wave', 'take', 'deliver', 'Judge']

const prefixFields: PrefixFields = {
  primary: { take: 'part', deliver: 'part', Judge: 'parts' },
  types: { share: 'number', final: 'boolean', parts: 'list', mood: ['good', 'Bad'] },
}

/** Rules of a protocol of its own: they know one word. */
const rules: TagRules = (text) =>
  text.includes('hello') ? { intent: 'wave', confidence: 0.8, payload: { to: 'all' } } : null

const options: TagOptions = {
  intents,
  rules,
  prefixFields,
  situation: { state: 'open', allowed: ['wave', 'take'], expected: 'take' },
}

const one = (text: string, more: Partial<TagOptions> = {}) => {
  const all = tag(text, { ...options, ...more })
  expect(all).toHaveLength(1)
  return all[0]
}

const by = (by: string, confidence = 1) => ({ tagged: { by, confidence } })

describe('a prefix', () => {
  it.each([
    ['[wave] hi', 'wave', 'hi'],
    ['[WAVE] hi', 'wave', 'hi'],
    ['  \n[ wave ] hi', 'wave', 'hi'],
    ['【wave】hi', 'wave', 'hi'],
    ['［Wave］ hi', 'wave', 'hi'],
    ['[judge]: hi', 'Judge', 'hi'],
    ['[wave]：hi', 'wave', 'hi'],
    ['[wave]\n\n  indented\n', 'wave', '\n  indented\n'],
    ['[wave]\r\n    code', 'wave', '    code'],
    ['[wave]', 'wave', ''],
    ['[wave] [take] hi', 'wave', '[take] hi'],
    ['[wave] {"intent":"take"}', 'wave', '{"intent":"take"}'],
    ['[wave] hello', 'wave', 'hello'],
  ])('names the intent: %j', (text, intent, content) => {
    expect(one(text)).toEqual({ intent, content, payload: by('prefix') })
  })

  it.each([
    ['[take t1] mine', { part: 't1' }],
    ['[take part=t1] mine', { part: 't1' }],
    ['[take t1 share=50% final] mine', { part: 't1', share: 50, final: true }],
    ['[take part="my part" final=FALSE] mine', { part: 'my part', final: false }],
    ['[take "my part"] mine', { part: 'my part' }],
    ['[judge t1 t2,t3 mood=bad] mine', { parts: ['t1', 't2', 't3'], mood: 'Bad' }],
    ['【take 文档】 mine', { part: '文档' }],
    ['[take other=1] mine', { other: '1' }],
    ['[take share=-0] mine', { share: 0 }],
    ['[take __proto__=x tagged=no] mine', {}],
  ])('takes arguments: %j', (text, payload) => {
    const message = one(text)
    expect(message.content).toBe('mine')
    expect(message.payload).toEqual({ ...payload, ...by('prefix') })
  })

  it.each([
    '[draft] hi',
    '[wave hi',
    '(wave) hi',
    'so [wave] hi',
    '[wave】 hi',
    '[] hi',
    '[wave at them] hi',
    '[take t1 t2] hi',
    '[take share=half] hi',
    '[take mood=so-so] hi',
    '[take part=] hi',
    `[wave${' '.repeat(5000)}] hi`,
    '[constructor] hi',
    '[__proto__] hi',
  ])('that is none is content: %j', (text) => {
    expect(one(text)).toEqual({ intent: 'take', content: text, payload: by('default', 0.3) })
  })

  it('without the protocol’s fields takes pairs only', () => {
    const { prefixFields: _, ...bare } = options
    expect(tag('[take part=t1] x', bare)[0].payload).toEqual({ part: 't1', ...by('prefix') })
    expect(tag('[take t1] x', bare)[0].payload).toEqual(by('default', 0.3))
  })

  it('wins over everything', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...intents),
        fc.constantFrom('', ' ', '\n\t'),
        fc.constantFrom('[]', '【】', '［］'),
        fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.constant('hello')),
        (intent, space, brackets, rest) => {
          const message = one(`${space}${brackets.charAt(0)}${intent}${brackets.charAt(1)} >${rest}`)
          expect(message).toEqual({ intent, content: `>${rest}`, payload: by('prefix') })
        },
      ),
    )
  })
})

describe('JSON', () => {
  it('is read with its fields; what else it holds goes into the payload', () => {
    const said = {
      intent: 'deliver',
      content: 'here',
      reply_to: 'm1',
      part: 't1',
      payload: { share: 1, part: 't2' },
    }
    const message = {
      intent: 'deliver',
      content: 'here',
      replyTo: 'm1',
      payload: { part: 't2', share: 1, ...by('json') },
    }
    const json = JSON.stringify(said)
    expect(one(json)).toEqual(message)
    expect(one(`\n ${JSON.stringify(said, null, 2)} \n`)).toEqual(message)
    expect(one(`\`\`\`json\n${json}\n\`\`\``)).toEqual(message)
    expect(one(`\`\`\`\n${json}\n\`\`\`\n`)).toEqual(message)
    expect(one(`<think>hm</think>\n${json}`)).toEqual(message)
    expect(one('{"intent":" WAVE ","replyTo":null}')).toEqual({
      intent: 'wave',
      content: '',
      replyTo: null,
      payload: by('json'),
    })
  })

  it('of several messages makes several, in order', () => {
    const all = tag('[{"intent":"take","content":"a"},{"intent":"deliver","content":"b"}]', options)
    expect(all.map((m) => [m.intent, m.content])).toEqual([
      ['take', 'a'],
      ['deliver', 'b'],
    ])
  })

  it('keeps fields of another type by their names', () => {
    expect(one('{"intent":"wave","content":{"a":1},"replyTo":7,"payload":"p","id":"x"}')).toEqual({
      intent: 'wave',
      content: '',
      payload: { content: { a: 1 }, replyTo: 7, payload: 'p', id: 'x', ...by('json') },
    })
  })

  it.each([
    '{"intent":"wave"',
    '{"intent":"unknown"}',
    '{"intent":3}',
    '{"intent":"toString"}',
    '{"content":"hi"}',
    '{intent:"wave"}',
    '[]',
    '[1]',
    '[{"intent":"wave"},{"intent":"unknown"}]',
    '[{"intent":"wave"},null]',
    'null',
    'So: {"intent":"wave"}',
    '{"intent":"wave"} {"intent":"take"}',
    '```json\n{"intent":"wave"}\n```\nand more',
    '```json {"intent":"wave"}```',
    '``````',
    '```\n```',
    `{"intent":"wave","deep":${'['.repeat(80)}${']'.repeat(80)}}`,
    '{"__proto__":{"intent":"wave"}}',
  ])('that is no message falls through to the rules: %j', (text) => {
    expect(one(text)).toEqual({ intent: 'take', content: text, payload: by('default', 0.3) })
    const spoken = one(text, { rules: () => ({ intent: 'deliver', confidence: 0.7 }) })
    expect(spoken).toEqual({ intent: 'deliver', content: text, payload: by('rules', 0.7) })
  })

  it('reaches no prototype', () => {
    const evil = '{"__proto__":{"a":1},"constructor":{"b":{"__proto__":{"c":1}}}}'
    const message = one(`{"intent":"wave","x":${evil},"payload":${evil},"__proto__":{"intent":"take"}}`)
    expect(message.intent).toBe('wave')
    expect(JSON.stringify(message)).not.toContain('__proto__')
    expect(Object.getPrototypeOf(message.payload)).toBe(Object.prototype)
    expect('a' in message.payload).toBe(false)
    expect('a' in {}).toBe(false)
  })

  it('cannot forge how it was tagged', () => {
    expect(one('{"intent":"wave","payload":{"tagged":{"by":"host"}},"tagged":1}').payload).toEqual(by('json'))
  })

  it('gives back what was put in', () => {
    const message = fc.record({
      intent: fc.constantFrom(...intents),
      content: fc.string({ unit: 'binary' }),
      replyTo: fc.option(fc.string()),
      payload: fc.dictionary(
        fc.string().filter((key) => key !== 'tagged' && key !== '__proto__'),
        fc.jsonValue({ maxDepth: 5 }),
        { noNullPrototype: true },
      ),
    })
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 4 }), (messages) => {
        const plain: typeof messages = JSON.parse(
          JSON.stringify(messages).replaceAll('"__proto__"', '"proto"'),
        )
        const back = tag(JSON.stringify(plain), options)
        expect(back).toEqual(plain.map((m) => ({ ...m, payload: { ...m.payload, ...by('json') } })))
      }),
    )
  })
})

describe('rules and the last resort', () => {
  it('are asked in this order', () => {
    expect(one('hello there')).toEqual({
      intent: 'wave',
      content: 'hello there',
      payload: { to: 'all', ...by('rules', 0.8) },
    })
    expect(one('good bye')).toEqual({ intent: 'take', content: 'good bye', payload: by('default', 0.3) })
  })

  it('see the text without its thinking', () => {
    expect(one('<think>hello</think> good bye')).toMatchObject({
      content: 'good bye',
      payload: by('default', 0.3),
    })
  })

  it('do not count with an intent that the protocol lacks', () => {
    const strange: TagRules = () => ({ intent: 'strange', confidence: 1 })
    expect(one('x', { rules: strange }).payload).toEqual(by('default', 0.3))
  })

  it('are held to a confidence from 0 to 1', () => {
    for (const [given, kept] of [
      [7, 1],
      [-1, 0],
      [Number.NaN, 0],
    ] as const) {
      const message = one('x', { rules: () => ({ intent: 'wave', confidence: given }) })
      expect(message.payload).toEqual(by('rules', kept))
    }
  })

  it('are less sure where not even the expected is allowed, and not at all of nothing', () => {
    const situation = { state: 'open', allowed: ['wave'], expected: 'take' }
    expect(one('x', { situation }).payload).toEqual(by('default', 0.2))
    for (const nothing of ['', ' \n', '<think>hm</think>'])
      expect(one(nothing).payload).toEqual(by('default', 0))
  })
})

describe('thinking', () => {
  it.each([
    ['<think>a</think>b', 'b'],
    ['\n<think>\na\n</think>\n\nb\n', 'b\n'],
    ['<THINKING>a</thinking> <think>c</think> b', 'b'],
    ['<think>a<think>b</think>c', 'c'],
    ['<think></think>', ''],
    ['<think>never ends', '<think>never ends'],
    ['b <think>a</think>', 'b <think>a</think>'],
    [' b', ' b'],
    ['<thinker>a</thinker>', '<thinker>a</thinker>'],
  ])('is taken off the start: %j', (text, rest) => {
    expect(stripThinking(text)).toBe(rest)
  })
})

describe('any text', () => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc
      .array(
        fc.constantFrom(
          ...[
            '[',
            ']',
            '【',
            '】',
            '{',
            '}',
            '"',
            '\\',
            ':',
            ',',
            '=',
            ' ',
            '\n',
            '```',
            '<think>',
            '</think>',
          ],
          ...[
            'wave',
            'take',
            'intent',
            'hello',
            '"intent":"wave"',
            '__proto__',
            '\ud800',
            '\u0000',
            '％',
            'é',
          ],
        ),
        { maxLength: 30 },
      )
      .map((parts) => parts.join('')),
  )

  it('makes messages of known intents, tagged, that survive JSON; its words are kept', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const all = tag(text, options)
        expect(all.length).toBeGreaterThan(0)
        for (const message of all) {
          const { by: how, confidence } = message.payload.tagged
          expect(intents).toContain(message.intent)
          expect(confidence).toBeGreaterThanOrEqual(0)
          expect(confidence).toBeLessThanOrEqual(1)
          expect(JSON.parse(JSON.stringify(message))).toEqual(message)
          if (how === 'prefix') expect(text.endsWith(message.content)).toBe(true)
          if (how === 'rules' || how === 'default') expect(message.content).toBe(stripThinking(text))
        }
      }),
      { numRuns: 3000 },
    )
  })

  it('takes time linear in its length', () => {
    const size = 1 << 20
    const bits = [
      '[',
      '{',
      '【',
      '"',
      '\\',
      ' ',
      '\n',
      ']',
      '}',
      '```',
      '```\n',
      '<think>',
      '<think></think>',
      '</think',
    ]
    for (const bit of [
      ...bits,
      '[wave ',
      '{"intent":',
      '{"a":',
      '[[',
      '\u3000',
      '<think> ',
      '{"intent":"wave"},',
    ]) {
      for (const [before, after] of [
        ['', ''],
        ['[wave ', ']'],
        ['{"intent":"wave","x":"', '"}'],
        ['```json\n', '\n```'],
        ['[', '{"intent":"wave"}]'],
        ['<think>', '</think>'],
      ] as const) {
        const text = before + bit.repeat(Math.ceil(size / bit.length)) + after
        const start = performance.now()
        tag(text, options)
        expect(performance.now() - start, JSON.stringify([before, bit])).toBeLessThan(1000)
      }
    }
  })
})
