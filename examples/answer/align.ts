/** Which word of a passage stands behind which word of a claim. */
import { isAntonym, isSynonym, UNITS } from './lexicon.ts'
import { CONDITIONS, type Reading, type Token } from './tokens.ts'
import { partsOf, stem } from './words.ts'

export interface Pair {
  readonly claim: Token
  readonly evidence: Token
  /** The evidence says it with a contrary word: "off" for "on". */
  readonly opposite: boolean
}

type Likeness = 3 | 2 | 1 | 0

const identifiers = (key: string): string[] => key.split(' ')

/** How alike two tokens are: 3 the same, 2 a synonym, 1 a contrary, 0 unlike. */
const likeness = (claim: Token, evidence: Token): Likeness => {
  if (claim.key === evidence.key) return 3
  if (claim.kind === 'number') return 0
  if (claim.kind === 'code') {
    // Every identifier that the claim names must stand in the one span: `f({a: true})` is not `f({b: true})`.
    const stands = new Set(
      evidence.kind === 'code'
        ? identifiers(evidence.key)
        : [evidence.text.toLowerCase(), ...partsOf(evidence.text)],
    )
    return evidence.kind !== 'number' && identifiers(claim.key).every((name) => stands.has(name)) ? 3 : 0
  }
  if (evidence.kind === 'number') return 0
  if (evidence.kind === 'code') {
    const names = identifiers(evidence.key)
    if (names.includes(claim.text.toLowerCase())) return 3
    const parts = partsOf(evidence.text).map(stem)
    return parts.includes(claim.key) ? 2 : 0
  }
  const parts =
    claim.text.includes('-') || evidence.text.includes('-')
      ? [partsOf(claim.text), partsOf(evidence.text)]
      : null
  if (parts?.[0] !== undefined && parts[1] !== undefined) {
    const [mine, theirs] = [parts[0].map(stem), parts[1].map(stem)]
    if (mine.join('') === theirs.join('')) return 3
    if (mine.length === 1 && theirs.includes(mine[0] ?? '')) return 2
    if (theirs.length === 1 && mine.includes(theirs[0] ?? '')) return 2
  }
  if (claim.kind === 'name') return 0
  if (isSynonym(claim.key, evidence.key)) return 2
  if (isAntonym(claim.key, evidence.key)) return 1
  const [short, long] =
    claim.key.length < evidence.key.length ? [claim.key, evidence.key] : [evidence.key, claim.key]
  if (
    short.length > 3 &&
    /^(?:un|non-?|in|im|dis)/.test(long) &&
    long.replace(/^(?:un|non-?|in|im|dis)/, '') === short
  )
    return 1
  return 0
}

/** Pairs every token of the claim with the token of the evidence most like it, in the clause that fits its own best. */
export const align = (claim: Reading, evidence: Reading, only: readonly Token[] = claim.tokens): Pair[] => {
  const fits = fitOf(claim, evidence)
  const pairs: Pair[] = []
  for (const mine of only) {
    let best: { token: Token; like: Likeness; value: number } | null = null
    for (const token of evidence.tokens) {
      const like = likeness(mine, token)
      if (like === 0 || (mine.kind === 'number' && !sameUnit(mine, claim.tokens, token, evidence.tokens)))
        continue
      const taken = pairs.some((pair) => pair.evidence === token) ? 50 : 0
      const value =
        like * 100 + fits(mine.clause, token.clause) - taken + (mine.negated === token.negated ? 0.5 : 0)
      if (best === null || value > best.value) best = { token, like, value }
    }
    if (best !== null) pairs.push({ claim: mine, evidence: best.token, opposite: best.like === 1 })
  }
  return pairs
}

/** How well a clause of the claim fits one of the evidence: by words in common, and a condition fits a condition. */
const fitOf = (claim: Reading, evidence: Reading): ((mine: number, theirs: number) => number) => {
  const counts = new Map<string, number>()
  for (const mine of claim.tokens) {
    const fitting = new Set(
      evidence.tokens.filter((token) => likeness(mine, token) >= 2).map((token) => token.clause),
    )
    for (const clause of fitting) {
      const key = `${mine.clause} ${clause}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  const isCondition = (reading: Reading, clause: number): boolean =>
    CONDITIONS.has(reading.openers[clause] ?? '')
  return (mine, theirs) =>
    (counts.get(`${mine} ${theirs}`) ?? 0) +
    (isCondition(claim, mine) && isCondition(evidence, theirs) ? 1 : 0)
}

/** Ten minutes are not ten seconds. */
const sameUnit = (
  mine: Token,
  claim: readonly Token[],
  theirs: Token,
  evidence: readonly Token[],
): boolean => {
  const unit = unitAfter(mine, claim)
  const other = unitAfter(theirs, evidence)
  return unit === null || other === null || unit === other || isSynonym(unit, other)
}

const unitAfter = (number: Token, tokens: readonly Token[]): string | null => {
  const next = tokens[tokens.indexOf(number) + 1]
  return next !== undefined && next.at - number.at <= 2 && UNITS.has(next.key) ? next.key : null
}
