/** A sentence as the verifier reads it: its words with content, and what stands over each of them. */
import { EMPTY, numberOf } from './lexicon.ts'
import { stem } from './words.ts'

export interface Token {
  readonly text: string
  /** The stem of a word, the digits of a number, the identifiers of code. */
  readonly key: string
  readonly kind: 'word' | 'number' | 'code' | 'name'
  /** Under a negation. */
  readonly negated: boolean
  /** On the far side of a comparison: the UUID of "larger than UUID". */
  readonly than: boolean
  readonly clause: number
  /** For a number: what it is a bound of, if of anything. */
  readonly bound: 'above' | 'below' | null
  /** Place among all words of the sentence, the empty ones included. */
  readonly at: number
}

export interface Reading {
  readonly tokens: readonly Token[]
  /** Every word in lower case, in order, with punctuation: for what hangs on small words. */
  readonly words: readonly string[]
  /** For each clause, the word it opens with. */
  readonly openers: readonly string[]
}

const PIECE =
  /`[^`]*`|\p{L}[\p{L}\p{N}_$]*(?:[.'’/@+-][\p{L}\p{N}_$]+)*(?:\(\))?|[~v]?\p{N}+(?:[.,]\p{N}+)*(?:\p{L}{1,3}\b|%|\+)?|[,;:—–()]|[-=<>≥≤](?=\s)|[≥≤<>]=?/gu
const VERB_NEGATION = new Set([
  'not',
  'never',
  'cannot',
  'neither',
  'nor',
  'unable',
  'hardly',
  'rarely',
  'seldom',
])
const NOUN_NEGATION = new Set([
  'no',
  'without',
  'zero',
  'lacks',
  'lack',
  'lacking',
  'none',
  'nothing',
  'unlike',
  'except',
  'excluding',
])
const CONTRAST = new Set(['instead', 'rather'])
const SCOPE_ENDS = new Set(
  'but because since so unless until if when while although though which whereas than where whenever'.split(
    ' ',
  ),
)
const PREPOSITIONS = new Set(
  'of in on for by from with at into within during before after to through via as'.split(' '),
)
const AUXILIARIES = new Set(
  'is are was were be will would can could may might must should has have had do does did'.split(' '),
)
const CLAUSE_OPENERS = new Set(
  'and but so while because which since whereas although though unless until if when whenever where once then or nor'.split(
    ' ',
  ),
)
export const CONDITIONS = new Set(['if', 'when', 'unless', 'until', 'once', 'provided', 'whenever', 'given'])

const PREVENTS = /^(?:avoid|prevent)(?:s|ed|ing)?$/
const COMPARES = /^(?:beats?|beating|exceeds?|outperforms?|surpass(?:es)?)$/

// After these, zero is the number.
const COUNTS = /^(?:to|is|of|than|at|be|below|above|or|and|equals?)$/

const ABOVE =
  /(?:more than|greater than|over|above|exceeds?|exceeding|at least|minimum of|minimum|from|>|≥|>=|larger than) (?:about )?$/
const BELOW =
  /(?:less than|fewer than|under|below|up to|at most|maximum of|maximum|within|<|≤|<=|smaller than) (?:about )?$/
const ABOVE_AFTER = /^ (?:or|and) (?:later|newer|higher|more|above|greater|up)\b/
const BELOW_AFTER = /^ (?:or|and) (?:earlier|older|lower|less|below|fewer)\b/

/** Whether the number at that place is said as a lower or an upper bound. */
const boundOf = (words: readonly string[], at: number): Token['bound'] => {
  const before = `${words.slice(Math.max(0, at - 3), at).join(' ')} `
  const after = ` ${words.slice(at + 1, at + 3).join(' ')}`
  if (ABOVE.test(before) || ABOVE_AFTER.test(after)) return 'above'
  return BELOW.test(before) || BELOW_AFTER.test(after) ? 'below' : null
}

/** "More than five" is a bound, told by the number; the word by itself is not looked for. */
const isBoundWord = (words: readonly string[], at: number): boolean =>
  (/^(?:more|less|fewer|greater|larger|smaller)$/.test(words[at] ?? '') &&
    words[at + 1] === 'than' &&
    /^[~v]?\d|^(?:two|three|four|five|six|seven|eight|nine|ten)$/.test(words[at + 2] ?? '')) ||
  (/^(?:least|most)$/.test(words[at] ?? '') && words[at - 1] === 'at') ||
  (/^(?:later|newer|higher|more|above|greater|earlier|older|lower|less|below|fewer)$/.test(words[at] ?? '') &&
    /^(?:or|and)$/.test(words[at - 1] ?? '') &&
    /\d/.test(words[at - 2] ?? ''))

const isPunctuation = (piece: string): boolean => /^[,;:—–()<>=≥≤-]+$/.test(piece)

/** Identifiers of a code span, joined; signs alone stand for themselves. */
const codeKey = (code: string): string => {
  const bare = code.replace(/^`|`$/g, '').trim()
  const names = bare.match(/[\p{L}\p{N}_$]+/gu) ?? []
  return /^[<>=~^|*]/.test(bare) || names.length === 0
    ? bare.replace(/\s+/g, ' ')
    : names.join(' ').toLowerCase()
}

const digits = (text: string): string =>
  text
    .toLowerCase()
    .replace(/^[~v]/, '')
    .replace(/(?<=\d),(?=\d{3})/g, '')

/** Words in the order read: hyphenated numbers apart (`55-schema`), contractions in full. */
const piecesOf = (sentence: string): string[] =>
  sentence
    .replace(/[\u2010\u2011]/g, '-')
    // A slash between words is an "or"; inside code it is part of it.
    .replace(/`[^`]*`|(?<=\p{L})\/(?=\p{L})/gu, (found) => (found === '/' ? ' ' : found))
    .replace(/(\d)-(?=\p{L})/gu, '$1 ')
    .replace(/\bcan(?:'|’)?t\b/gi, 'cannot')
    .replace(/\bwon(?:'|’)t\b/gi, 'will not')
    .replace(/(\w)n(?:'|’)t\b/gi, '$1 not')
    .replace(/\b(?:free of|devoid of)\b/gi, 'without')
    .replace(/\bfail(?:s|ed)? to\b/gi, 'not')
    .replace(/\bnot only\b/gi, 'only')
    .match(PIECE) ?? []

const kindOf = (piece: string, first: boolean): Token['kind'] => {
  if (piece.startsWith('`')) return 'code'
  if (/^[~v]?\d/.test(piece) || numberOf(piece) !== null) return 'number'
  if (piece.endsWith('()') || /[_$]|\p{Ll}\p{Lu}/u.test(piece)) return 'code'
  if (/^\p{Lu}{2,}/u.test(piece) || (!first && /^\p{Lu}/u.test(piece))) return 'name'
  return 'word'
}

const keyOf = (piece: string, kind: Token['kind']): string => {
  if (kind === 'code') return codeKey(piece)
  if (kind === 'number') return numberOf(piece) ?? digits(piece)
  return stem(piece)
}

/** "On" and "off" say something only as predicates: "warmup is on". */
const isSwitch = (words: readonly string[], at: number): boolean =>
  words[at] === 'off'
    ? words[at + 1] !== 'from'
    : words[at] === 'on' &&
      /^(?:is|are|be|was|switch\w*|turn\w*|mode)$/.test(words[at - 1] ?? '') &&
      (at + 1 === words.length || /^(?:by|,|;|for|when|if|and)$/.test(words[at + 1] ?? ''))

export const read = (sentence: string): Reading => {
  const pieces = piecesOf(sentence)
  const words = pieces.map((piece) => piece.toLowerCase())
  const tokens: Token[] = []
  const openers: string[] = [words[0] ?? '']
  let clause = 0
  let inClause = 0
  // What a negation still governs: a whole clause, or so many words of a noun phrase.
  let clauseNegated = false
  let phrase = 0
  let sinceNegation = 0
  let than = false

  for (const [at, piece] of pieces.entries()) {
    const word = words[at] ?? ''
    if (isPunctuation(piece)) {
      phrase = 0
      const next = words[at + 1] ?? ''
      // A parenthesis in a condition is part of it.
      if (/[()]/.test(piece) && CONDITIONS.has(openers.at(-1) ?? '')) continue
      if (piece !== ',' || CLAUSE_OPENERS.has(next) || CONDITIONS.has(openers.at(-1) ?? '')) {
        clause++
        openers.push(next)
        inClause = 0
        clauseNegated = false
        than = false
      } else if (piece === ',' && sinceNegation > 2) clauseNegated = false
      continue
    }
    if (SCOPE_ENDS.has(word) && inClause > 0) {
      clause++
      openers.push(word)
      inClause = 0
      clauseNegated = false
      phrase = 0
    }
    // "Unless" is "if not".
    if (word === 'unless') clauseNegated = true
    if (word === 'than' || COMPARES.test(word)) than = true
    if (word === 'to' && sinceNegation >= 3) clauseNegated = false
    if (VERB_NEGATION.has(word)) {
      clauseNegated = !clauseNegated
      // "If x is not set" and "without x" are one condition: all of it is denied. So in other subordinate clauses.
      if (CONDITIONS.has(openers.at(-1) ?? '') || SCOPE_ENDS.has(openers.at(-1) ?? ''))
        for (const [index, token] of tokens.entries())
          if (token.clause === clause) tokens[index] = { ...token, negated: !token.negated }
      sinceNegation = 0
      continue
    }
    if (CONTRAST.has(word) && /^(?:of|than)$/.test(words[at + 1] ?? '')) phrase = 3
    else if (NOUN_NEGATION.has(word) && !(word === 'zero' && COUNTS.test(words[at - 1] ?? ''))) {
      if (inClause === 0 && word !== 'without' && word !== 'unlike' && word !== 'except') clauseNegated = true
      else phrase = 3
      sinceNegation = 0
      const verb = tokens.at(-1)
      if ((word === 'nothing' || word === 'none') && verb !== undefined && verb.clause === clause)
        tokens[tokens.length - 1] = { ...verb, negated: !verb.negated }
      if (word !== 'nothing' && word !== 'none') continue
    } else if (phrase > 0 && phrase < 3 && (PREPOSITIONS.has(word) || AUXILIARIES.has(word))) phrase = 0
    // What is avoided or prevented is not to be; the verb itself stays a word of the sentence.
    const prevents = PREVENTS.test(word)
    inClause++
    const kind = kindOf(piece, tokens.length === 0 && at === 0)
    const key = keyOf(piece, kind)
    const empty = kind === 'word' && (EMPTY.has(word) || EMPTY.has(key))
    if (/^(?:turn|switch)/.test(word) && /^(?:on|off)$/.test(words[at + 1] ?? '')) continue
    if (empty && !isSwitch(words, at)) continue
    if (word === 'nothing' || word === 'none' || isBoundWord(words, at)) continue
    const negated = clauseNegated !== phrase > 0
    tokens.push({
      text: piece,
      key: isSwitch(words, at) ? word : key,
      kind,
      negated,
      than,
      clause,
      bound: kind === 'number' ? boundOf(words, at) : null,
      at,
    })
    sinceNegation++
    if (prevents) phrase = 3
    else if (phrase > 0) phrase--
  }
  return { tokens, words, openers }
}
