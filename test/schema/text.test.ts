/** Ids and text: what is one, and what is not. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agentId, contentOf, opaqueId, recipient } from '../../src/schema/text.ts'
import { members, ODD_NAMES } from '../support/arbitraries.ts'
import { parameters } from '../support/property.ts'

describe('an agent id', () => {
  it.each(ODD_NAMES)('may be %j, and stays what it is in NFC', (name) => {
    expect(agentId.parse(name)).toBe(name.normalize('NFC'))
    expect(agentId.parse(agentId.parse(name))).toBe(agentId.parse(name))
  })

  it('never becomes another’s', () => {
    const ids = ODD_NAMES.map((name) => agentId.parse(name))
    expect(new Set(ids).size).toBe(ODD_NAMES.length)
    fc.assert(
      fc.property(members, (names) => {
        expect(new Set(names.map((name) => agentId.parse(name))).size).toBe(names.length)
      }),
      parameters(100),
    )
  })

  it.each([
    '',
    ' ',
    ' a',
    'a ',
    '\u3000a',
    'a\u00a0',
    'a\tb',
    'a\u0000',
    '\u0085',
    'broadcast',
    'BroadCast',
    'task',
    'Task',
    '\ud800',
    'a\udc00b',
    'x'.repeat(129),
    '🤖'.repeat(129),
  ])('is not %j', (text) => {
    expect(agentId.safeParse(text).success).toBe(false)
    expect(recipient.safeParse(text).success).toBe(text === 'broadcast' || text === 'task')
  })

  it('is measured when it is normalised', () => {
    expect(agentId.safeParse('e\u0301'.repeat(128)).success).toBe(true)
    expect(agentId.safeParse('e\u0301'.repeat(129)).success).toBe(false)
  })
})

describe('an opaque id', () => {
  it('is 1 to 128 code points of well-formed Unicode, not changed at all', () => {
    for (const id of ['x', ' ', '\n', 'e\u0301', '__proto__', '🤖'.repeat(128)])
      expect(opaqueId.parse(id)).toBe(id)
    for (const text of ['', 'x'.repeat(129), '🤖'.repeat(129), '\ud83d', 5, null])
      expect(opaqueId.safeParse(text).success).toBe(false)
  })
})

describe('content', () => {
  it('is measured in bytes of UTF-8, to the byte', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 12 }), fc.nat({ max: 40 }), (text, limit) => {
        const bytes = new TextEncoder().encode(text).length
        expect(contentOf(limit).safeParse(text).success).toBe(bytes <= limit)
        expect(contentOf(bytes).safeParse(text).success).toBe(true)
        if (bytes > 0) expect(contentOf(bytes - 1).safeParse(text).success).toBe(false)
      }),
      parameters(300),
    )
  })

  it('is well-formed', () => {
    for (const text of ['\ud800', 'a\udc00', '\udc00\ud800'])
      expect(contentOf(99).safeParse(text).success).toBe(false)
  })
})
