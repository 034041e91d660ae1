/** The writer: chooses the sentences that answer the question, condenses and joins them. */
import { condense, isCopy } from './condense.ts'
import type { Passage } from './documents.ts'
import { isMetBy, type Keyword, type Question, readQuestion } from './question.ts'
import { nameOf, type Source, sourcesOf } from './resolve.ts'
import { subjectOf, termsOf } from './search.ts'
import { partsOf, stem } from './words.ts'

/** A sentence of the answer and what it rests on. */
export interface AnswerSentence {
  readonly text: string
  /** Ids of the passages. */
  readonly sources: readonly string[]
  /** The sentences of those passages that it was made of. */
  readonly from: readonly string[]
}

export interface Draft {
  readonly status: 'success' | 'partial' | 'failed'
  readonly text: string
  readonly sentences: readonly AnswerSentence[]
}

/** Share of it that the answer has to meet all in all. */
const COVERED = 0.6
const MAX_SENTENCES = 4
/** Share of the question's weight that one sentence must meet, for it to be an answer at all. */
const ENOUGH = 0.5
const WORDS_JOINED = 34
const LONG = 30

interface Candidate extends Source {
  readonly terms: ReadonlySet<string>
  readonly score: number
  /** Share of the question's weight that it or its heading meets. */
  readonly met: number
  /** What it meets by itself. */
  readonly own: number
  readonly meetsNames: boolean
  readonly rank: number
}

/**
 * Writes an answer from the passages. `rejected` are the sentences a reviewer refused in earlier drafts: neither they
 * nor anything else made of the same sources comes again, and what was not refused is kept.
 */
export const write = (
  question: string,
  passages: readonly Passage[],
  rejected: readonly AnswerSentence[] = [],
): Draft => {
  const asked = readQuestion(
    question,
    passages.map((passage) => passage.source),
  )
  const refused = new Set(rejected.flatMap((sentence) => sentence.from))
  const refusedTexts = new Set(rejected.map((sentence) => flat(sentence.text)))

  const sources = passages.map((passage) => sourcesOf(passage))
  const weights = rarity(asked, sources.flat())
  const candidates = sources
    .flatMap((found, rank) => found.map((source) => weigh(source, asked, weights, rank)))
    .filter((candidate) => !refused.has(candidate.ref))
    .sort((a, b) => b.score - a.score)
  const isAsked = (text: string): number => {
    const terms = new Set(termsOf(text))
    const cued = asked.cue?.test(text) === true ? 1 : 0
    return cued + asked.keywords.filter((keyword) => isMetBy(keyword, terms)).length
  }
  const fitting = candidates.filter(
    (candidate) => candidate.meetsNames && candidate.met >= ENOUGH && shorten(candidate, isAsked) !== null,
  )
  const sentences: AnswerSentence[] = []
  const fresh = (sentence: AnswerSentence): boolean => !refusedTexts.has(flat(sentence.text))
  const picked = choose(fitting)
  const chosen = meets(picked, asked, weights) >= COVERED ? picked : []
  for (const sentence of compose(chosen, isAsked, passages, asked))
    if (fresh(sentence)) sentences.push(sentence)
  if (sentences.length === 0)
    return rejected.length === 0 ? closest(asked, candidates, isAsked, passages) : noAnswer(asked, passages)
  const complete = chosen.some((candidate) => candidate.met >= 0.75)
  return { status: complete ? 'success' : 'partial', text: textOf(sentences), sentences }
}

const textOf = (sentences: readonly AnswerSentence[]): string =>
  sentences.map((sentence) => sentence.text).join(' ')

const flat = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** How telling each keyword is among these passages: one that every sentence has tells nothing apart. */
const rarity = (asked: Question, sources: readonly Source[]): Map<string, number> => {
  const terms = sources.map((source) => termsBeside(source.text, source.source))
  return new Map(
    asked.keywords.map((keyword) => {
      const having = terms.filter((set) => isMetBy(keyword, set)).length
      return [
        keyword.word,
        keyword.weight * Math.min(1, Math.log2(1 + sources.length / Math.max(1, having)) / 4),
      ]
    }),
  )
}

/** The terms of a text; a compound name of the whole document counts as one, not for its parts: fast-check is not fast. */
const termsBeside = (text: string, source: string): Set<string> => {
  const subject = subjectOf(source)
  const rest = text.toLowerCase().split(subject.toLowerCase())
  if (partsOf(subject).length < 2 || rest.length < 2) return new Set(termsOf(text))
  return new Set([
    ...termsOf(text.replaceAll(new RegExp(subject.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi'), ' ')),
    stem(subject),
  ])
}

const weigh = (
  source: Source,
  asked: Question,
  weights: ReadonlyMap<string, number>,
  rank: number,
): Candidate => {
  const terms = termsBeside(source.text, source.source)
  const around = termsBeside(source.source, source.source)
  const heading = new Set(termsOf(source.source.split(' › ').at(-1) ?? ''))
  let score = 0.2 / (rank + 1)
  let met = 0
  let total = 0
  let own = 0
  const plain = asked.keywords.filter((keyword) => !keyword.subject)
  for (const keyword of asked.keywords) {
    const weight = weights.get(keyword.word) ?? keyword.weight
    const here = isMetBy(keyword, terms)
    const near = isMetBy(keyword, around)
    // Whose document it is, its place tells; how well it answers is for the other words to tell.
    if (!keyword.subject || plain.length === 0) {
      total += weight
      if (here || near) met += weight
      if (here) own += weight
    }
    score += weight * (here ? (near ? 0.8 : 1) : near ? 0.5 : 0)
  }
  if (asked.cue?.test(source.text) === true) score += 0.4
  // What a heading names, its first sentence explains.
  if (source.ref.endsWith('/0') && plain.length > 0 && plain.every((keyword) => isMetBy(keyword, heading)))
    score += 0.5
  else if (own === 0 && plain.length > 0) score -= 0.3
  // "What is x?": what x's own document says of it first.
  if (plain.length === 0 && asked.keywords.some((keyword) => isMetBy(keyword, around))) {
    if (/#1\/[0-2]$/.test(source.ref) && !/^(?:suppose|imagine|you|we|your)\b/i.test(source.text))
      score += 1 - 0.1 * Number(source.ref.at(-1))
    if (/^\S+ is (?:an?|the) /.test(source.text)) score += 0.3
  } else if (source.fragment) score -= 0.1
  // "These steps", "this JSON": said somewhere else.
  if (/[a-z,] (?:this|these|those) \p{L}/u.test(source.text)) score -= 0.3
  if (asked.cue?.test(source.text) === true && source.text.includes('`')) score += 0.1
  const meetsNames = asked.keywords.every(
    (keyword) => !keyword.hard || isMetBy(keyword, terms) || isMetBy(keyword, around),
  )
  return { ...source, terms, score, met: met / (total || 1), own, meetsNames, rank }
}

/** The best, and what adds to it: of like strength and not the same again. */
const choose = (fitting: readonly Candidate[]): Candidate[] => {
  const best = fitting[0]
  if (best === undefined) return []
  const chosen: Candidate[] = []
  for (const candidate of fitting) {
    if (chosen.length >= MAX_SENTENCES) break
    if (candidate.score < best.score * 0.8) break
    if (candidate.met < best.met * 0.75 || (candidate.own === 0 && candidate !== best)) continue
    if (candidate.source.split('/')[0] !== best.source.split('/')[0] && candidate.score < best.score * 0.85)
      continue
    if (chosen.some((other) => isSame(other, candidate))) continue
    chosen.push(candidate)
  }
  return chosen
}

/** The share of the question's weight that these meet together. */
const meets = (
  chosen: readonly Candidate[],
  asked: Question,
  weights: ReadonlyMap<string, number>,
): number => {
  const terms = new Set(
    chosen.flatMap((candidate) => [...candidate.terms, ...termsBeside(candidate.source, candidate.source)]),
  )
  const plain = asked.keywords.filter((keyword) => !keyword.subject)
  const weigh = (keywords: readonly Keyword[]): number =>
    keywords.reduce((sum, keyword) => sum + (weights.get(keyword.word) ?? 0), 0)
  if (plain.length === 0) return chosen.length > 0 ? 1 : 0
  return weigh(plain.filter((keyword) => isMetBy(keyword, terms))) / (weigh(plain) || 1)
}

/** A list is short already; a sentence is condensed. */
const shorten = (candidate: Candidate, isAsked: (text: string) => number): string | null =>
  candidate.list === true
    ? `${candidate.text.replace(/\bThe following (\p{L}+) (?:is|are) (\p{L}+):/u, (_all, what: string, how: string) => `${how.charAt(0).toUpperCase()}${how.slice(1)} ${what}:`)}.`
    : condense(candidate.text, isAsked)

/** The same again: nearly the same words, and no code that the other lacks. */
const isSame = (a: Candidate, b: Candidate): boolean => {
  const codes = (text: string): string[] => [...text.matchAll(/`[^`]+`/g)].map(([code]) => code)
  const shown = new Set(codes(a.text))
  return overlap(a.terms, b.terms) > 0.6 && codes(b.text).every((code) => shown.has(code))
}

const overlap = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  const shared = [...a].filter((term) => b.has(term)).length
  return shared / Math.max(1, Math.min(a.size, b.size))
}

/** Puts the chosen in the order of the documents, the best one's first, and makes sentences of them. */
const compose = (
  chosen: readonly Candidate[],
  isAsked: (text: string) => number,
  passages: readonly Passage[],
  asked: Question,
): AnswerSentence[] => {
  const first = chosen[0]
  if (first === undefined) return []
  const place = (candidate: Candidate): number => (candidate.passage === first.passage ? -1 : candidate.rank)
  const index = (candidate: Candidate): number => Number(candidate.ref.split('/').at(-1))
  const ordered = [...chosen].sort((a, b) => place(a) - place(b) || index(a) - index(b))
  const sentences: AnswerSentence[] = []
  for (const candidate of ordered) {
    const text = shorten(candidate, isAsked)
    if (text === null || (candidate.list !== true && isCopy(text, candidate.original))) continue
    const name = nameOf(
      passages.find((passage) => passage.id === candidate.passage) ?? { id: '', source: '', text: '' },
    )
    const made = {
      text: candidate.fragment ? offered(name, text, candidate.ref.includes('#1/')) : text,
      sources: [candidate.passage],
      from: [candidate.ref],
    }
    const last = sentences.at(-1)
    const joined = last === undefined ? null : join(last, made, name)
    if (joined === null) sentences.push(made)
    else sentences[sentences.length - 1] = joined
  }
  const opening = sentences[0]
  if (opening !== undefined)
    sentences[0] = { ...opening, text: named(opening, ordered[0] ?? first, asked, passages) }
  return sentences
}

/** A list item without a verb, as a thing offered. */
const offered = (name: string, fragment: string, isTitle: boolean): string => {
  const thing = /^\p{Lu}{2}|^\p{Lu}\p{Ll}+\p{Lu}/u.test(fragment)
    ? fragment
    : fragment.charAt(0).toLowerCase() + fragment.slice(1)
  if (isTitle && /^(?:an?|the) /.test(thing)) return `${name} is ${thing}`
  if (/^(?:no|zero|full|\d+|an?|the) /.test(thing)) return `${name} has ${thing}`
  if (isTitle) return thing.toLowerCase().startsWith(name.toLowerCase()) ? fragment : `${name}: ${thing}`
  return `${name} offers: ${thing.replace(/^(?=ability to)/, 'the ')}`
}

/** Two sentences about one subject as one; null when they are not, or it would be too long to read. */
const join = (last: AnswerSentence, next: AnswerSentence, name: string): AnswerSentence | null => {
  if (`${last.text} ${next.text}`.split(/\s+/).length > WORDS_JOINED) return null
  const both = {
    sources: [...new Set([...last.sources, ...next.sources])],
    from: [...last.from, ...next.from],
  }
  const list = `${name} offers: `
  if (last.text.startsWith(list) && next.text.startsWith(list))
    return { ...both, text: `${last.text.replace(/\.$/, '')}; ${next.text.slice(list.length)}` }
  const subject =
    /^(?:The )?(`[^`]+`|[\p{Lu}][\p{L}\p{N}.-]*|[a-z]+(?:-[a-z]+)*(?= (?:is|has|supports|uses|works|provides|runs)))(?= )/u.exec(
      last.text,
    )?.[0]
  if (
    subject === undefined ||
    /^(?:The|A|An|If|When|You|In|On|By|For|To|Use|With|All|Any|Each)$/.test(subject)
  )
    return null
  if (!next.text.startsWith(`${subject} `) || /[,;]/.test(last.text)) return null
  return { ...both, text: `${last.text.replace(/\.$/, '')} and ${next.text.slice(subject.length + 1)}` }
}

/** The answer opens with what was asked about: a bare "Use x" says nothing of whose x it is. */
const named = (
  opening: AnswerSentence,
  candidate: Candidate,
  asked: Question,
  passages: readonly Passage[],
): string => {
  const terms = new Set(termsOf(opening.text))
  const passage = passages.find((one) => one.id === candidate.passage)
  if (passage === undefined) return opening.text
  const name = nameOf(passage)
  const isAskedAfter = asked.keywords.some(
    (keyword) => keyword.hard && keyword.word.toLowerCase() === name.toLowerCase(),
  )
  if (!isAskedAfter || termsOf(name).some((term) => terms.has(term))) return opening.text
  const word = opening.text.split(/[^\p{L}\p{N}-]/u)[0] ?? ''
  // A capital in mid-sentence somewhere in the passage: the word is a name and keeps it.
  const isName = word !== '' && new RegExp(`[a-z,] ${word}\\b`).test(passage.text)
  if (/^\p{Lu}[^.;,`]{2,40}: /u.test(opening.text)) return `${name}, ${opening.text}`
  if (/^(?:In|By|For|With|On|From|To|At) /.test(opening.text))
    return `${name}: ${opening.text.charAt(0).toLowerCase()}${opening.text.slice(1)}`
  return `In ${name}, ${isName || !/^\p{Lu}\p{Ll}+$/u.test(word) ? opening.text : opening.text.charAt(0).toLowerCase() + opening.text.slice(1)}`
}

/**
 * Nothing fits well. The first draft still claims, in the question's own words, that the documents speak of it, next to
 * the closest there is: whether they do is for the verifier to say, which knows the passages and not the question.
 */
const closest = (
  asked: Question,
  candidates: readonly Candidate[],
  isAsked: (text: string) => number,
  passages: readonly Passage[],
): Draft => {
  const near = candidates.find(
    (candidate) =>
      candidate.met > 0 &&
      candidate.list !== true &&
      !candidate.fragment &&
      (condense(candidate.text, isAsked)?.split(' ').length ?? LONG) < LONG,
  )
  if (near === undefined || asked.keywords.length === 0) return noAnswer(asked, passages)
  // As code, so that each word must be there as it is: a near word would make a coincidence an answer.
  const claim = `This is about ${list(asked.keywords.map((keyword) => `\`${keyword.word}\``))}.`
  const text = condense(near.text, isAsked) ?? near.text
  const sentences = [
    { text: claim, sources: [...new Set(passages.map((passage) => passage.id))], from: [] },
    { text, sources: [near.passage], from: [near.ref] },
  ]
  return { status: 'partial', text: textOf(sentences), sentences }
}

const list = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

/** Says so when the documents do not answer. */
const noAnswer = (asked: Question, passages: readonly Passage[]): Draft => {
  const known = new Set(passages.flatMap((passage) => termsOf(`${passage.source} ${passage.text}`)))
  const missing = asked.keywords
    .filter((keyword) => !isMetBy(keyword, known))
    .map((keyword) => `"${keyword.word}"`)
  const why = missing.length === 0 ? '' : ` None of the passages found mentions ${missing.join(' or ')}.`
  return { status: 'failed', text: `The documents given do not answer this question.${why}`, sentences: [] }
}
