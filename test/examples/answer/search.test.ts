import { describe, expect, it } from 'vitest'
import { buildSearch, keywordsOf } from '../../../examples/answer/search.ts'
import { stem, wordsOf } from '../../../examples/answer/words.ts'
import { search } from './library.ts'

const passages = [
  { id: 'a', source: 'kettle/README.md › Boiling', text: 'The kettle heats water.' },
  {
    id: 'b',
    source: 'toaster/README.md › Slots',
    text: 'The toaster mentions boiling once, and water, and the kettle.',
  },
  { id: 'c', source: 'shuihu.md › 使用', text: '水壶可以烧开水，盖子要关好。' },
]

describe('search', () => {
  const small = buildSearch(passages)

  it('brings the forms of a word together', () => {
    expect(small.find('boiled').map((hit) => hit.id)).toContain('a')
  })

  it('ranks a heading above the text', () => {
    expect(small.find('boiling')[0]?.id).toBe('a')
  })

  it('ranks the package that the question names first', () => {
    const oven = {
      id: 'd',
      source: 'oven/README.md › Toaster',
      text: 'Toaster, toaster: heat water like a toaster, heat it.',
    }
    const small = buildSearch([...passages, oven])
    expect(small.find('Does the toaster heat water?')[0]?.id).toBe('b')
  })

  it('finds Chinese', () => {
    expect(small.find('怎么烧开水？').map((hit) => hit.id)).toEqual(['c'])
    expect(wordsOf('烧开水').length).toBeGreaterThan(1)
  })

  it('finds nothing for nothing', () => {
    expect(small.find('')).toEqual([])
    expect(small.find('what is the')).toEqual([])
  })

  it('names the words that no document has', () => {
    expect(small.missing('Does the kettle sing in Mongolia?')).toEqual(['sing', 'Mongolia'])
  })

  it('takes words that objects inherit as words', () => {
    expect(stem('constructor')).toBe('constructor')
    expect(small.find('constructor toString __proto__')).toEqual([])
  })

  it('finds the documents of an installed package by its name', () => {
    expect(search.find("What does zod's safeParse return?")[0]?.id).toMatch(/^zod\//)
    expect(keywordsOf("What does zod's safeParse return?")).toEqual(['zod', 'safeParse', 'return'])
  })
})

describe('stems', () => {
  it.each([
    'use uses used using',
    'validate validates validated validating validation',
    'enable enables enabled enabling',
    'retry retries retried retrying',
    'run runs running ran',
    'dependency dependencies',
    'separate separated separately',
    'class classes',
  ])('of one word are one: %s', (forms) => {
    expect(new Set(forms.split(' ').map(stem)).size).toBe(1)
  })

  it.each(['option optional', 'string strong', 'state status', 'version verse', 'user use'])(
    'of other words are not: %s',
    (forms) => {
      expect(new Set(forms.split(' ').map(stem)).size).toBe(2)
    },
  )
})
