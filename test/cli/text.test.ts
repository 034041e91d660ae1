import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clockText, counted, cut, filled, painter, widthOf, wrap } from '../../src/cli/text.ts'
import { parameters } from '../support/property.ts'

const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.constantFrom('a', 'word', '  ', '\n', '日本', 'é', '👍', '-')).map((parts) => parts.join('')),
)

describe('wrap', () => {
  it('breaks at spaces, keeps the indentation that is meant, and long words whole', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three'])
    expect(wrap('  - one\n  - two', 80)).toEqual(['  - one', '  - two'])
    expect(wrap('see https://example.org/long now', 8)).toEqual(['see', 'https://example.org/long', 'now'])
    expect(wrap('a\n\nb', 8)).toEqual(['a', '', 'b'])
  })

  it('breaks scripts without spaces anywhere, by their width', () => {
    expect(wrap('日本語の文章', 6)).toEqual(['日本語', 'の文章'])
  })

  it('loses nothing but white space, and no line is too wide but for one long word', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 30 }), (text, width) => {
        const lines = wrap(text, width)
        expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
        for (const line of lines)
          expect(widthOf(line) <= width || !/\S\s+\S/.test(line) || /^\s/.test(line)).toBe(true)
      }),
      parameters(500),
    )
  })
})

describe('columns', () => {
  it('are counted as a terminal shows them', () => {
    expect(['abc', '日本', 'e\u0301', '👍'].map(widthOf)).toEqual([3, 4, 1, 2])
  })

  it('are never exceeded by what is cut, and always reached by what is filled', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 30 }), (text, width) => {
        expect(widthOf(cut(text, width))).toBeLessThanOrEqual(width)
        expect(widthOf(filled(text, width))).toBeGreaterThanOrEqual(width)
      }),
      parameters(500),
    )
    expect(cut('abcdef', 4)).toBe('abc…')
    expect(cut('日本語', 5)).toBe('日本…')
  })
})

describe('numbers for people', () => {
  it('are times of a table', () => {
    expect([0, 999, 61_250, 3_600_000].map(clockText)).toEqual(['0:00.0', '0:00.9', '1:01.2', '1:00:00.0'])
  })

  it('have their noun', () => {
    expect([counted(1, 'turn'), counted(0, 'turn')]).toEqual(['1 turn', '0 turns'])
  })
})

describe('paint', () => {
  it('is there only when it is wanted', () => {
    expect(painter(false)('bold', 'x')).toBe('x')
    expect(painter(true)('bold', 'x')).toBe('\u001b[1mx\u001b[22m')
  })
})
