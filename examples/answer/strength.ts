/** How strongly a sentence claims: for all or some, must or may, under a condition or not. */
import type { Pair } from './align.ts'
import { CONDITIONS, type Reading } from './tokens.ts'

const ALL =
  /^(?:all|every|everything|everyone|any|anything|always|entire|entirely|whole|completely|whenever|wherever|everywhere|fully|guarantee[sd]?|guaranteed)$/
const ALL_SAID =
  /^(?:all|every|everything|everyone|any|anything|always|entire|entirely|whole|completely|whenever|both|each|fully|no|never|none|guarantee[sd]?)$/
const ONLY = /^(?:only|solely|exclusively|sole|alone|just)$/
const MUST =
  /^(?:must|require[sd]?|requiring|mandatory|needs?|needed|have|has|necessary|requirements?|minimum|minimal|prerequisites?)$/
const OUGHT = /^(?:should|ought|recommend\w*|encourage[sd]?|suggest\w*|advise[sd]?|prefer\w*|ideally)$/
const MAY =
  /^(?:may|might|could|sometimes|often|usually|generally|typically|probably|likely|possibly|perhaps|normally|mostly|occasionally|potentially)$/
const CAN = /^(?:can|able|possible|optionally|optional|allows?|lets?|possibility)$/
const SOME = /^(?:some|certain|most|few|partially|partly|almost|nearly)$/
const AIMS = /^(?:tr(?:y|ies)|aims?|strives?|attempts?|intends?|plans?|hopes?|goal|designed|intended)$/
const SUPERLATIVE =
  /^(?:most|least|best|worst|fastest|slowest|smallest|largest|biggest|highest|lowest|newest|latest|oldest|simplest|easiest)$/

// A condition of courtesy restricts nothing: "if you like".
const COURTESY =
  /^(?:needed|necessary|possible|desired|wanted|required|you (?:want|wish|prefer|like|need|care|use)|that's|(?:they|it) (?:are|is) (?:needed|wanted|required))/

const has = (words: readonly string[], pattern: RegExp): boolean => words.some((word) => pattern.test(word))

const needs = (words: readonly string[]): boolean =>
  words.some((word, at) =>
    /^(?:have|has)$/.test(word)
      ? words[at + 1] === 'to'
      : MUST.test(word) && !/^(?:\d|more$|less$)/.test(words[at + 1] ?? ''),
  )

/** Why the claim is stronger than its evidence, or null. */
export const overstatement = (claim: Reading, evidence: Reading, pairs: readonly Pair[]): string | null => {
  const said = evidence.words
  const mine = claim.words
  // "If any …" claims nothing of all; "not any" is a negation.
  const universal = mine.find(
    (word, at) => ALL.test(word) && !/^(?:if|not|without|whether|unless)$/.test(mine[at - 1] ?? ''),
  )
  if (universal !== undefined && !has(said, ALL_SAID))
    return `"${universal}" claims more than the passage says`
  if (mine.join(' ').includes('without exception') && !has(said, ALL_SAID))
    return '"without exception" is not in the passage'
  const only = mine.find((word) => ONLY.test(word))
  if (only !== undefined && only !== 'just' && !has(said, ONLY)) return `"${only}" is not in the passage`
  if (needs(mine.filter((word) => !/^minim/.test(word))) && !needs(said))
    return 'the passage makes it no requirement'
  const top = mine.find((word) => SUPERLATIVE.test(word) && !(word === 'most' || word === 'least'))
  if (top !== undefined && !has(said, SUPERLATIVE)) return `"${top}" is not in the passage`

  // What weakens the evidence counts only in the clauses that the claim rests on, near the words it took.
  const clauses = new Set(pairs.map((pair) => pair.evidence.clause))
  const places = pairs.filter((pair) => pair.claim.kind !== 'code').map((pair) => pair.evidence.at)
  const near = (at: number, reach: number): boolean =>
    places.some((place) => place > at && place - at <= reach)
  const weakens = (pattern: RegExp, reach: number): string | undefined =>
    said.find((word, at) => pattern.test(word) && near(at, reach))
  const weakMine = has(mine, MAY) || has(mine, CAN)
  const may = weakens(MAY, 4)
  if (may !== undefined && !weakMine) return `the passage says only "${may}"`
  const ought = weakens(OUGHT, 3)
  if (ought !== undefined && !has(mine, OUGHT) && !weakMine)
    return `the passage only recommends it ("${ought}")`
  const some = weakens(SOME, 2)
  if (some !== undefined && !has(mine, SOME)) return `the passage says it of "${some}" only`
  const aims = weakens(AIMS, 2)
  if (aims !== undefined && !has(mine, AIMS) && !weakMine) return `the passage states an aim only ("${aims}")`
  if (has(mine, ALL) && has(said, SOME) && !has(said, ALL_SAID)) return 'the passage does not say it of all'

  const conditional = evidence.openers.some((opener, clause) => CONDITIONS.has(opener) && clauses.has(clause))
  for (const [clause, opener] of evidence.openers.entries()) {
    if (!CONDITIONS.has(opener) || clauses.has(clause)) continue
    const held = evidence.tokens.filter((token) => token.clause === clause)
    const first = held[0]
    if (first === undefined || COURTESY.test(said.slice(said.indexOf(opener) + 1).join(' '))) continue
    // "If a or if b": one of them suffices.
    if (conditional && said[said.lastIndexOf(opener, first.at) - 1] === 'or') continue
    // A condition two clauses away belongs to something else.
    if (![...clauses].some((other) => Math.abs(other - clause) === 1)) continue
    return `the passage says it only "${opener} … ${first.text}"`
  }
  return null
}
