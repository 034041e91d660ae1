/** Full-text search over passages. */
import MiniSearch from 'minisearch'
import type { Passage } from './documents.ts'
import { EMPTY } from './lexicon.ts'
import { partsOf, stem, wordsOf } from './words.ts'

interface Hit extends Passage {
  readonly score: number
}

export interface Search {
  /** The passages that fit best, best first. */
  find(question: string, limit?: number): Hit[]
  /** The words of the question, of those that carry its meaning, that no document has. */
  missing(question: string): string[]
}

const QUESTION_WORDS = new Set(
  'what which who when where why how tell explain 什么 怎么 如何 怎样 为什么 哪些 哪个 是否 吗 呢 的 是 了 有 在'.split(
    ' ',
  ),
)

/** The terms under which a text is filed: each word's stem, and the parts of a compound name. */
export const termsOf = (text: string): string[] =>
  wordsOf(text).flatMap((word) => {
    const parts = partsOf(word)
    const whole = stem(word)
    return parts.length > 1 ? [whole, ...parts.map(stem)] : [whole]
  })

/** The words of a question that carry its meaning. */
export const keywordsOf = (question: string): string[] => {
  const seen = new Set<string>()
  return wordsOf(question.replace(/['’]s\b/g, '')).filter((word) => {
    const key = stem(word)
    if (EMPTY.has(word.toLowerCase()) || EMPTY.has(key) || QUESTION_WORDS.has(key) || seen.has(key))
      return false
    seen.add(key)
    return true
  })
}

/** The package or file a passage stands in, without its folders and ending. */
export const subjectOf = (source: string): string => {
  const file = source.split(' › ')[0] ?? ''
  const parts = file.split('/')
  if (parts.length === 1) return file.replace(/\.\w+$/, '')
  return parts[0]?.startsWith('@') === true ? parts.slice(0, 2).join('/') : (parts[0] ?? '')
}

export const buildSearch = (passages: readonly Passage[]): Search => {
  const byId = new Map(passages.map((passage) => [passage.id, passage]))
  const subjects = new Map<string, string>()
  for (const passage of passages) {
    const subject = subjectOf(passage.source)
    subjects.set(subject.toLowerCase(), subject)
  }
  const index = new MiniSearch<{ id: string; subject: string; heading: string; text: string }>({
    fields: ['subject', 'heading', 'text'],
    tokenize: termsOf,
    // Terms come stemmed from the tokenizer, and an empty word would only lengthen every list of hits.
    processTerm: (term) => (EMPTY.has(term) ? null : term),
    searchOptions: { boost: { heading: 2, subject: 1.5 }, combineWith: 'OR' },
  })
  index.addAll(
    passages.map(({ id, source, text }) => ({
      id,
      subject: subjectOf(source),
      heading: source.split(' › ').slice(1).join(' '),
      text,
    })),
  )
  const has = (word: string): boolean =>
    termsOf(word).some((term) => index.search(term, { boost: {} }).length > 0)
  return {
    find(question, limit = 8) {
      const words = keywordsOf(question)
      const named = new Set(
        words.map((word) => subjects.get(word.toLowerCase())).filter((name) => name !== undefined),
      )
      const asksOnlyOfIt = words.every((word) => subjects.has(word.toLowerCase()))
      return index
        .search(words.join(' '), {
          boostDocument: (id) => {
            const passage = byId.get(String(id))
            if (passage === undefined || !named.has(subjectOf(passage.source))) return 1
            // Asked what it is and nothing more: its document says so at the beginning.
            return asksOnlyOfIt ? Math.max(4, 16 - 4 * Number(passage.id.split('#').at(-1))) : 4
          },
        })
        .slice(0, limit)
        .flatMap(({ id, score }) => {
          const passage = byId.get(String(id))
          return passage === undefined ? [] : [{ ...passage, score }]
        })
    },
    missing: (question) => keywordsOf(question).filter((word) => !has(word)),
  }
}
