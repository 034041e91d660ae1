/** What a question asks for: its words that must be met, those that count, and what an answer to it looks like. */
import { keywordsOf, subjectOf, termsOf } from './search.ts'
import { stem } from './words.ts'

export interface Keyword {
  readonly word: string
  readonly key: string
  readonly weight: number
  /** A name: an answer about anything else is no answer. */
  readonly hard: boolean
  /** The name of a whole document: it says where to look more than what for. */
  readonly subject: boolean
}

export interface Question {
  readonly text: string
  readonly keywords: readonly Keyword[]
  /** Signs of a sentence that answers this sort of question, or null. */
  readonly cue: RegExp | null
}

// Words that say how something is asked about rather than what.
const GENERIC = new Set(
  `work make need want mean happen handle know good best possible support write create start begin find look available different
  return mean difference purpose explain describe feature help built-in package library tool`
    .split(/\s+/)
    .map(stem),
)

const CUES: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^how long\b|^when\b/i,
    /\d+ ?(?:ms|milliseconds?|seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b|v\d/i,
  ],
  [
    /^how (?:many|much|often|large|big|small|fast|old)|^which (?:\S+ )?versions?|^(?:since )?when\b/i,
    /\d|twice|once|always|never/i,
  ],
  [
    /^why\b/i,
    /\b(?:because|since|so that|in order|avoid|prevent|reason|reduces?|to (?:minimi|reduc|improv|avoid|prevent|keep))/i,
  ],
  [
    /^how (?:do|can|should|to|would)\b|^can i\b/i,
    /\b(?:you (?:can|may|should|need|have)|use|using|by \w+ing|pass|set|call|supports?|provide)\b/i,
  ],
  [/^what (?:is|are) (?:an? |the )?\S+\??$/i, /^(?:the )?\S+ (?:is|are) (?:an?|the)\b/i],
  [/\bdefaults?\b/i, /\bdefaults?\b/i],
]

/** Reads a question; `sources` tells which names are names of what the documents are about. */
export const readQuestion = (text: string, sources: readonly string[]): Question => {
  const subjects = new Set(sources.map((source) => subjectOf(source).toLowerCase()))
  const first = /[\p{L}\p{N}]+/u.exec(text)?.[0]
  const measured = hyphenated(text, subjects).replace(
    /^(how) (?:many|much|long|often|large|big|small|fast|old)\b/i,
    '$1',
  )
  const keywords = keywordsOf(measured).map((word): Keyword => {
    const named = subjects.has(word.toLowerCase())
    const hard = named || (word !== first && /\p{Lu}/u.test(word)) || /[_$.]|\p{Ll}\p{Lu}/u.test(word)
    const key = stem(word)
    return { word, key, weight: GENERIC.has(key) ? 0.5 : 1, hard, subject: named }
  })
  const cue = CUES.find(([asked]) => asked.test(text.trim()))?.[1] ?? null
  return { text, keywords, cue }
}

/** "Magic string" is the name magic-string, where there is such a thing. */
const hyphenated = (text: string, subjects: ReadonlySet<string>): string => {
  let named = text
  for (const subject of subjects) {
    const parts = subject.split('-')
    if (parts.length < 2 || parts.some((part) => !/^[a-z]{3,}$/.test(part))) continue
    named = named.replace(new RegExp(`\\b${parts.join(' ')}\\b`, 'i'), subject)
  }
  return named
}

/** The filing terms of a keyword: a compound name is met as a whole, or by all of its parts. */
export const isMetBy = (keyword: Keyword, terms: ReadonlySet<string>): boolean => {
  const [whole, ...parts] = termsOf(keyword.word)
  return (
    (whole !== undefined && terms.has(whole)) || (parts.length > 0 && parts.every((part) => terms.has(part)))
  )
}
