/** The verifier: sees an answer and passages, nothing else, and names each sentence that they do not support. */
import { align, type Pair } from './align.ts'
import type { Passage } from './documents.ts'
import { isAntonym, UNITS } from './lexicon.ts'
import { sentencesOf, splitSentences } from './sentences.ts'
import { overstatement } from './strength.ts'
import { type Reading, read, type Token } from './tokens.ts'
import { stem } from './words.ts'

export interface Unsupported {
  readonly sentence: string
  readonly reason: string
}

/** How much of a claim's wording may have no counterpart: a paraphrase brings words of its own, a few. */
const TOLERANCE = 0.27

const NO_ANSWER =
  /\b(?:documents?|passages?|documentation|sources?|files?|text)\b.*\b(?:do(?:es)? not|don't|doesn't|cannot|can't|never|no)\b.*\b(?:answers?|says?|mentions?|tells?|contains?|covers?|information)\b|\bno answer\b|^none of the (?:documents|passages|files)\b|\bi (?:do not|don't|cannot|can't)\b/i

interface Evidence {
  readonly passage: string
  readonly reading: Reading
  /** Words that the sentence may borrow: its heading, the line above a list, what "it" stands for. */
  readonly context: Reading
  /** The words of the whole passage. */
  readonly elsewhere: ReadonlySet<string>
}

interface Judgement {
  readonly evidence: Evidence
  readonly coverage: number
  readonly fault: string | null
  readonly contradicts: boolean
}

const ANAPHORA =
  /^(?:it|its|this|that|these|those|they|their|both|such|the (?:first|second|latter|former|library|package|tool|method|function|option|default)|in this case|in these cases|you can also|note that (?:it|this))\b/i
const REFERS = /\b(?:it|its|this|them|they|these|those)\b/i

/** Sentences of the passages with what each may lean on. */
const evidenceOf = (passages: readonly Passage[]): Evidence[] =>
  passages.flatMap((passage) => {
    const sentences = sentencesOf(passage.text)
    const heading = passage.source.replace(/\.\w+(?= ›|$)/, '').replace(/[›/]/g, ' ; ')
    const elsewhere = new Set(sentences.flatMap(({ text }) => read(text).tokens.map((token) => token.key)))
    return sentences.map((sentence, index) => {
      const before = sentences[index - 1]?.text ?? ''
      const leans = ANAPHORA.test(sentence.text) || REFERS.test(sentence.text)
      return {
        passage: passage.id,
        elsewhere,
        reading: read(sentence.text),
        context: read([heading, sentence.lead ?? '', leans ? before : ''].join(' ; ')),
      }
    })
  })

/** Each sentence that the passages do not support; an answer that answers nothing is one of them. */
export const verify = (answer: readonly string[], passages: readonly Passage[]): Unsupported[] => {
  const evidence = evidenceOf(passages)
  const sentences = answer.flatMap((text) => splitSentences(text.replace(/\s+/g, ' ')))
  if (sentences.length === 0) return [{ sentence: answer.join(' '), reason: 'there is no answer in it' }]
  return sentences.flatMap((sentence) => {
    const reason = NO_ANSWER.test(sentence) ? 'it answers nothing' : faultOf(sentence, evidence)
    return reason === null ? [] : [{ sentence, reason }]
  })
}

const JOINT =
  /(?:[,;]|\s—|\s–)\s+(?:and|but|so|while|which|whereas|yet)?\s*|\s+and\s+|\s+but\s+|,?\s+(?:because|since)\s+|;\s+/g

// A condition or another lead-in is no statement of its own: apart from what it leads to it would hold of anything.
const LEAD_IN =
  /^(?:if|when|whenever|unless|until|once|given|because|since|unlike|with|without|on|in|by|for|at|to|instead|as|after|before|during|while|or)\b/i

/** A list: what it is a list of, then item by item, all out of one passage. Null when supported. */
const faultOfList = (statement: string, evidence: readonly Evidence[]): string | null => {
  const [, head = '', list = ''] = LIST.exec(statement) ?? []
  const items = list
    .replace(/[.;\s]+$/, '')
    .split(/; (?:and )?/)
    .filter((item) => item !== 'more')
  const passages = new Set(evidence.map((one) => one.passage))
  let fault: string | null = null
  for (const passage of passages) {
    const within = evidence.filter((one) => one.passage === passage)
    const whole = judge(head, within).fault
    const first = whole === null ? items : items.slice(1)
    const start = whole === null ? null : judge(`${head}: ${items[0] ?? ''}`, within).fault
    const found = start ?? first.map((item) => judge(item, within).fault).find((one) => one !== null) ?? null
    if (found === null) return null
    fault ??= found
  }
  return fault ?? 'no passage has this list'
}

const LIST = /^([^:;`]*(?:`[^`]*`[^:;`]*)*): (.+;.+)$/

/** Null when supported as a whole or, where it joins two statements, part by part. */
const faultOf = (sentence: string, evidence: readonly Evidence[]): string | null => {
  if (LIST.test(sentence)) return faultOfList(sentence, evidence)
  const whole = judge(sentence, evidence)
  if (whole.fault === null || whole.contradicts) return whole.fault
  for (const joint of sentence.matchAll(JOINT)) {
    const left = sentence.slice(0, joint.index)
    const right = sentence.slice(joint.index + joint[0].length)
    if (LEAD_IN.test(left) || LEAD_IN.test(right)) continue
    if (read(left).tokens.length < 2 || read(right).tokens.length < 2) continue
    const first = judge(left, evidence)
    if (first.fault !== null) continue
    // The second statement is about the first one's subject: it must stand in the same passage, or name it.
    const subject = read(left).tokens[0]
    const rest = evidence.filter(
      (other) =>
        other.passage === first.passage || other.reading.tokens.some((token) => token.key === subject?.key),
    )
    if (faultOf(right, rest) === null) return null
  }
  return whole.fault
}

/** The verdict on one statement: by the sentence that covers it best, unless that one says the contrary. */
const judge = (
  statement: string,
  evidence: readonly Evidence[],
): { fault: string | null; contradicts: boolean; passage: string | null } => {
  const claim = read(statement)
  if (claim.tokens.length === 0) return { fault: 'it states nothing', contradicts: false, passage: null }
  const judgements = evidence
    .map((one) => weigh(claim, one))
    .filter((one) => one !== null)
    .sort((a, b) => b.coverage - a.coverage)
  const best = judgements[0]
  if (best === undefined) return { fault: unknown(claim.tokens), contradicts: false, passage: null }
  const supporting = judgements.find((one) => one.fault === null)
  if (supporting !== undefined && !(best.contradicts && best.coverage > supporting.coverage))
    return { fault: null, contradicts: false, passage: supporting.evidence.passage }
  return {
    fault: best.fault,
    contradicts: best.contradicts && best.coverage > 1 - TOLERANCE,
    passage: best.evidence.passage,
  }
}

const unknown = (tokens: readonly Token[]): string =>
  `nothing in the passages speaks of ${tokens
    .slice(0, 3)
    .map((token) => token.text)
    .join(', ')}`

// First is not last, and most is not least: no wording stands in for these.
const DEGREES = new Set(['most', 'least', 'first', 'last', 'half'])

/** Tokens that must be in the evidence as they are: figures and their units, names, code, degrees. */
const isHard = (token: Token, claim: Reading): boolean => {
  const previous = claim.tokens[claim.tokens.indexOf(token) - 1]
  const measures = previous?.kind === 'number' && token.at - previous.at === 1
  return token.kind !== 'word' || DEGREES.has(token.key) || (measures && UNITS.has(token.key))
}

const weigh = (claim: Reading, evidence: Evidence): Judgement | null => {
  // A name that the heading gives as it is is no contrary of a word in the sentence: unbash is not the opposite of bash.
  const named = new Set(evidence.context.tokens.map((token) => token.key))
  const pairs = align(claim, evidence.reading).filter(
    (pair) => !(pair.opposite && named.has(pair.claim.key) && !isAntonym(pair.claim.key, pair.evidence.key)),
  )
  if (pairs.length === 0) return null
  const paired = new Set(pairs.map((pair) => pair.claim))
  const open = claim.tokens.filter((token) => !paired.has(token))
  const borrowed = new Set(
    align(claim, evidence.context, open)
      .filter((pair) => !pair.opposite)
      .map((pair) => pair.claim),
  )
  const missing = open.filter((token) => !borrowed.has(token))
  const coverage = (pairs.length + 0.9 * borrowed.size) / claim.tokens.length
  const hard = missing.find((token) => isHard(token, claim))
  const contrary = contradiction(claim, evidence.reading, pairs, missing)
  const fault =
    hard !== undefined
      ? `the passage does not give "${hard.text}"`
      : weight(missing, claim, evidence, pairs) > claim.tokens.length * TOLERANCE ||
          pairs.length < claim.tokens.length / 2
        ? `the passage does not say "${(missing.length > 0 ? missing : open).map((token) => token.text).join(', ')}"`
        : (contrary ?? overstatement(claim, evidence.reading, pairs))
  return { evidence, coverage, fault, contradicts: hard === undefined && contrary !== null }
}

/** The last word is often what the sentence is there to say. */
const LAST = 2

/**
 * What the missing words weigh. Three kinds weigh double: the last word, a word out of another sentence of the passage; a word put where the passage has another one (`unit tests`, not
 * `integration tests`).
 */
const weight = (
  missing: readonly Token[],
  claim: Reading,
  evidence: Evidence,
  pairs: readonly Pair[],
): number =>
  missing.reduce((sum, token) => {
    if (LIGHT.has(token.key)) return sum + 0.5
    if (token === claim.tokens.at(-1)) return sum + LAST
    const double = evidence.elsewhere.has(token.key) || isPutFor(token, claim, evidence.reading, pairs)
    return sum + (double ? 2 : 1)
  }, 0)

/** True when the word stands right before a shared word, where the evidence has a word that the claim lacks. */
const isPutFor = (token: Token, claim: Reading, evidence: Reading, pairs: readonly Pair[]): boolean => {
  const next = pairs.find((pair) => pair.claim.at === token.at + 1)
  if (next === undefined || next.claim !== claim.tokens[claim.tokens.indexOf(token) + 1]) return false
  const there = evidence.tokens[evidence.tokens.indexOf(next.evidence) - 1]
  return there?.at === next.evidence.at - 1 && !pairs.some((pair) => pair.evidence === there)
}

// Words that say little by themselves: a paraphrase is free to bring them.
const LIGHT = new Set(
  `use make set apply happen occur take exist possible result place look back further additional again after before extra kind sort
  type part number amount number whole itself themselves simple full usual specific relevant hold try want like matter mean able
  turn thereby accordingly together alike`
    .split(/\s+/)
    .map(stem),
)

/** How the evidence says the contrary of the claim, or null. */
const contradiction = (
  claim: Reading,
  evidence: Reading,
  pairs: readonly Pair[],
  missing: readonly Token[],
): string | null => {
  const denied = pairs.filter((pair) => pair.claim.negated !== pair.opposite)
  const deniedThere = pairs.filter((pair) => pair.evidence.negated)
  const agreed = denied.some((pair) => pair.evidence.negated)
  const odd = (denied.length > 0 ? denied : deniedThere)[0]
  if (odd !== undefined && !agreed) return `the passage says the contrary about "${odd.claim.text}"`
  if (denied.length === 0 && missing.some((token) => token.negated)) return 'the passage denies no such thing'
  for (const pair of pairs) {
    if (pair.claim.than !== pair.evidence.than && (pair.claim.kind === 'name' || pair.claim.kind === 'code'))
      return `the passage compares "${pair.claim.text}" the other way round`
    if (pair.claim.bound !== null && pair.evidence.bound !== null && pair.claim.bound !== pair.evidence.bound)
      return `the passage bounds "${pair.claim.text}" from the other side`
    const swap = SWAPS.find(
      ([one, other]) => before(claim, pair.claim) === one && before(evidence, pair.evidence) === other,
    )
    if (swap !== undefined) return `the passage says "${swap[1]} ${pair.evidence.text}"`
  }
  return swapped(claim, evidence, pairs)
}

// Small words that turn a quantity round.
const SWAPS: readonly (readonly [string, string])[] = [
  ['from', 'to'],
  ['to', 'from'],
  ['before', 'after'],
  ['after', 'before'],
]

const before = (reading: Reading, token: Token): string | undefined => reading.words[token.at - 1]

/** "A calls B" for "B calls A": the same verb between the same two, the other way round. */
const swapped = (claim: Reading, evidence: Reading, pairs: readonly Pair[]): string | null => {
  const there = new Map(pairs.map((pair) => [pair.claim, pair.evidence]))
  const passive = (reading: Reading): boolean => reading.words.includes('by')
  if (passive(claim) !== passive(evidence)) return null
  for (let at = 1; at + 1 < claim.tokens.length; at++) {
    const [left, verb, right] = [claim.tokens[at - 1], claim.tokens[at], claim.tokens[at + 1]]
    if (left === undefined || verb === undefined || right === undefined || verb.kind !== 'word') continue
    const [l, v, r] = [there.get(left), there.get(verb), there.get(right)]
    if (l === undefined || v === undefined || r === undefined || l.clause !== r.clause) continue
    const middle = evidence.tokens.indexOf(v)
    if (evidence.tokens[middle - 1] === r && evidence.tokens[middle + 1] === l)
      return `the passage has "${left.text}" and "${right.text}" the other way round`
  }
  return null
}
