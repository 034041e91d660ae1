/** Words: cutting text into them, and bringing their forms together. English forms are stemmed; any script is cut. */

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Letters outside Latin: only for these is the (slow) segmenter worth its time. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/u

/** The words of any text, as written; a dot or a hyphen inside a word keeps it whole (`1.2.3`, `Node.js`, `fast-check`). */
export const wordsOf = (text: string): string[] => {
  const words: string[] = []
  for (const [word] of text.matchAll(/[\p{L}\p{N}_$]+(?:[.'’@/-][\p{L}\p{N}_$]+)*/gu)) {
    if (!UNSPACED.test(word)) words.push(word)
    else
      for (const { segment, isWordLike } of segmenter.segment(word))
        if (isWordLike === true) words.push(segment)
  }
  return words
}

/** The words inside a name: `safeParse` gives safe and parse, `fast-check` fast and check. */
export const partsOf = (name: string): string[] =>
  name
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '')
    .map((part) => part.toLowerCase())

// A map, not an object: `constructor` is a word of the documents too.
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ran: 'run',
    gave: 'give',
    given: 'give',
    got: 'get',
    gotten: 'get',
    kept: 'keep',
    made: 'make',
    took: 'take',
    taken: 'take',
    threw: 'throw',
    thrown: 'throw',
    wrote: 'write',
    written: 'write',
    chose: 'choose',
    chosen: 'choose',
    found: 'find',
    sent: 'send',
    built: 'build',
    held: 'hold',
    left: 'leave',
    lost: 'lose',
    shown: 'show',
    known: 'know',
    went: 'go',
    gone: 'go',
    began: 'begin',
    begun: 'begin',
    brought: 'bring',
    came: 'come',
    hidden: 'hide',
    meant: 'mean',
    said: 'say',
    spent: 'spend',
    stood: 'stand',
    thought: 'think',
    understood: 'understand',
    bound: 'bind',
    broke: 'break',
    broken: 'break',
    caught: 'catch',
    drawn: 'draw',
    fell: 'fall',
    fallen: 'fall',
    led: 'lead',
    shrank: 'shrink',
    shrunk: 'shrink',
    won: 'win',
    men: 'man',
    indices: 'index',
    indexes: 'index',
    matrices: 'matrix',
    vertices: 'vertex',
    children: 'child',
    people: 'person',
    arbitraries: 'arbitrary',
    larger: 'large',
    largest: 'large',
    smaller: 'small',
    smallest: 'small',
    bigger: 'big',
    biggest: 'big',
    faster: 'fast',
    fastest: 'fast',
    slower: 'slow',
    older: 'old',
    oldest: 'old',
    newer: 'new',
    newest: 'new',
    higher: 'high',
    highest: 'high',
    lower: 'low',
    lowest: 'low',
    easier: 'easy',
    easiest: 'easy',
    simpler: 'simple',
    simplest: 'simple',
    earlier: 'early',
    earliest: 'early',
    later: 'late',
    latest: 'late',
    longer: 'long',
    longest: 'long',
    shorter: 'short',
    shortest: 'short',
    quicker: 'quick',
    quickest: 'quick',
    better: 'good',
    best: 'good',
    stricter: 'strict',
    safer: 'safe',
    parser: 'parse',
    parsers: 'parse',
    compiler: 'compile',
    writer: 'write',
    reader: 'read',
    caller: 'call',
    has: 'have',
    had: 'have',
    does: 'do',
    did: 'do',
    done: 'do',
    is: 'be',
    are: 'be',
    was: 'be',
    were: 'be',
    been: 'be',
    used: 'use',
    uses: 'use',
    using: 'use',
    usage: 'use',
    implies: 'imply',
    tries: 'try',
    tried: 'try',
  }),
)

// Words whose ending looks like a suffix and is not.
const WHOLE = new Set([
  'this',
  'thus',
  'its',
  'is',
  'us',
  'plus',
  'bus',
  'status',
  'always',
  'yes',
  'string',
  'bring',
  'during',
  'thing',
  'king',
  'ring',
  'spring',
  'nothing',
  'something',
  'anything',
  'everything',
  'need',
  'speed',
  'feed',
  'seed',
  'embed',
  'indeed',
  'exceed',
  'proceed',
  'succeed',
  'version',
  'option',
  'optional',
  'function',
  'session',
  'region',
  'million',
  'union',
  'position',
  'condition',
  'section',
  'argument',
  'document',
  'statement',
  'element',
  'environment',
  'comment',
  'segment',
  'component',
  'moment',
  'only',
  'apply',
  'reply',
  'supply',
  'family',
  'early',
  'rely',
  'assembly',
  'state',
  'date',
  'rate',
  'template',
  'private',
  'duplicate',
  'candidate',
  'certificate',
  'coordinate',
  'predicate',
  'table',
  'variable',
  'enable',
  'disable',
  'stable',
  'available',
  'executable',
  'class',
  'access',
  'process',
  'bench',
  'https',
  'css',
  'js',
  'alias',
  'canvas',
  'atlas',
  'bias',
])

/** A word without its ending: validates, validated, validation and validating are one. */
export const stem = (word: string): string => {
  const lower = word.toLowerCase().replace(/['’]s?$/, '')
  const known = IRREGULAR.get(lower)
  if (known !== undefined) return stem(known)
  if (lower.length <= 3 || WHOLE.has(lower) || !/^[a-z-]+$/.test(lower)) return lower
  let base = lower
  if (base.endsWith('ies') && base.length > 4) base = `${base.slice(0, -3)}y`
  else if (/(?:ss|x|ch|sh|zz)es$/.test(base)) base = base.slice(0, -2)
  else if (base.endsWith('s') && !/(?:ss|us|is)$/.test(base)) base = base.slice(0, -1)
  if (WHOLE.has(base)) return base
  const singular = IRREGULAR.get(base)
  if (singular !== undefined) return stem(singular)
  for (const [ending, least] of ENDINGS)
    if (
      base.endsWith(ending) &&
      base.length - ending.length >= least &&
      /[aeiouy]/.test(base.slice(0, -ending.length))
    ) {
      base = base.slice(0, -ending.length)
      break
    }
  if (base.length < lower.length && /ied$/.test(lower)) base = `${lower.slice(0, -3)}y`
  base = base.replace(/(?<=\w{3})enc[ey]$/, 'ent').replace(/(?<=\w{4})is(e?)$/, 'iz$1')
  // Enabled and enables meet at enable, which is whole.
  if (WHOLE.has(base)) return base
  if (WHOLE.has(`${base}e`)) return `${base}e`
  if (base.length > 3 && /([bdgkmnprtvz])\1$/.test(base)) base = base.slice(0, -1)
  if (base.length > 3 && base.endsWith('e')) base = base.slice(0, -1)
  if (base.length > 3 && base.endsWith('y')) base = `${base.slice(0, -1)}i`
  return base
}

// In the order of trial: the ending, and how many letters must stay.
const ENDINGS: readonly (readonly [string, number])[] = [
  ['ically', 4],
  ['ations', 4],
  ['ation', 4],
  ['ating', 4],
  ['ated', 4],
  ['ates', 4],
  ['ator', 4],
  ['ate', 4],
  ['ately', 4],
  ['ously', 4],
  ['ably', 4],
  ['ibly', 4],
  ['ible', 4],
  ['ally', 4],
  ['able', 4],
  ['ment', 4],
  ['ness', 4],
  ['ion', 4],
  ['ing', 3],
  ['ied', 3],
  ['ed', 3],
  ['ly', 4],
  ['al', 5],
]
