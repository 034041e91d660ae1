/** Says a sentence of a document in fewer words without saying more or other than it does. */

/** How many words of the question a text has. */
type Asked = (text: string) => number

/** A rule takes text and gives it shortened, or as it was. Only what cannot change the truth of the rest is dropped. */
type Rule = (text: string, isAsked: Asked) => string

const FINITE =
  /\b(?:is|are|was|were|be|has|have|can|cannot|may|might|must|should|will|would|could|does|do|needs?|returns?|uses?|takes?|throws?|runs?|supports?|works?|provides?|allows?|gives?|makes?|sets|calls|keeps?|adds?|accepts?|requires?|includes|means|gets?|comes?|contains?|follows|creates?|stores|enables|prints)\b|n't\b/i

const words = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length

const capital = (text: string): string =>
  /^\p{Ll}/u.test(text) && !/^\p{Ll}+[-\d\p{Lu}]/u.test(text)
    ? text.charAt(0).toUpperCase() + text.slice(1)
    : text

/** The first letter small, unless the word is a name. */
const decapitalise = (text: string): string =>
  /^(?:The|A|An|If|When|You|It|This|These|Those|They|Any|All|Each|Every|Some|Most|Use|Using|By|In|On|For|To|With|Its|Your|Both|Options?|There)\b/.test(
    text,
  )
    ? text.charAt(0).toLowerCase() + text.slice(1)
    : text

const replace =
  (pattern: RegExp, by: string): Rule =>
  (text) =>
    text.replace(pattern, by)

/** Cuts what the pattern finds when enough is left to be a statement, and what is cut was not asked for. */
const cut =
  (pattern: RegExp, least = 5, verbless = false): Rule =>
  (text, isAsked) => {
    const tail = pattern.exec(text)?.[0]
    if (tail === undefined || isAsked(tail) > 0 || (verbless && FINITE.test(tail))) return text
    const left = text.replace(tail, '')
    return words(left) >= least ? left : text
  }

// Parentheses that limit ("only", "not", "default") are part of the truth.
const parentheses: Rule = (text) =>
  text.replace(
    /\s*\((?![^()]*\b(?:not|only|unless|except|default|if|when|no)\b)[^()`]*(?:`[^`]*`[^()`]*)*\)(?=[\s.,;:]|$)/gi,
    (found, at: number) =>
      // A call such as name(...) is no parenthesis.
      /^\s/.test(found) && at > 0 ? '' : found,
  )

/** "If a, b." becomes "B if a.": the same statement in another order. */
const conditionLast = (text: string): string => {
  const match = /^(If|When|Whenever|Once|After|Before|While) ([^,;:]+), ((?!then\b)[^;:]+?)([.!]?)$/.exec(
    text,
  )
  if (match === null || /, (?:and|but|or|so) /.test(match[3] ?? '')) return text
  const [, opener = '', condition = '', main = '', end = ''] = match
  // "It" in the main clause points back into the condition: then the order must stay.
  if (/\b(?:it|its|they|them|this|that)\b/i.test(main)) return text
  return `${capital(main)} ${opener.toLowerCase()} ${condition}${end}`
}

/** "By default, a." becomes "A by default.", and so with "By doing b, a." */
const leadLast: Rule = (text) => {
  const match =
    /^(By default|By \w+ing [^,;:]+|With [^,;:]+|In [^,;:]+), ([^,;:]+)$|^(By default) ([^,;:]+)$/.exec(text)
  const lead = match?.[1] ?? match?.[3]
  const main = match?.[2] ?? match?.[4]
  if (lead === undefined || main === undefined || /\b(?:its|their|that|these|those)\b/i.test(main))
    return text
  return `${capital(main)} ${decapitalise(lead)}`
}

/** Of "x is a y for z", that it is a y is true without the z. */
const definition: Rule = (text, isAsked) => {
  const match =
    /^(.+? (?:is|are) (?:an?|the) .+?) ((?:for|written in|that|which|with|designed|built|used) .+)$/.exec(
      text,
    )
  return match === null || words(match[1] ?? '') < 5 || isAsked(match[2] ?? '') > isAsked(match[1] ?? '')
    ? text
    : (match[1] ?? text)
}

/** A second thing that the subject does, where only the first was asked for. */
const secondVerb: Rule = (text, isAsked) => {
  const match =
    /^(.{20,}?),? (?:and|but) ((?:also )?(?:can|may|will|is|are|has|does|could|should|supports?|uses?|provides?|allows?|returns?|lets?|comes?|works?|runs?|takes?|then|it|you|they|we)\b.*)$/.exec(
      text,
    )
  if (match === null || !FINITE.test(match[1] ?? '') || isAsked(match[2] ?? '') >= isAsked(match[1] ?? ''))
    return text
  return match[1] ?? text
}

// Only when a long sentence came through whole: each costs a little of its shape.
const LAST_RESORTS: readonly Rule[] = [
  secondVerb,
  leadLast,
  conditionLast,
  definition,
  cut(/,? (?:without|to|so that|so|while|because|since|by|for) [^,;:.]*$/i, 7),
]

/** "`f()` will return x" is "`f()` returns x"; only for one subject, which is where English adds an s. */
const present: Rule = (text) =>
  text.replace(
    /(^(?:The )?`[^`]+`|^It|\b(?:method|function|option|library|command|parser|cache|process|test|callback|hook|class)\b) will (return|throw|use|treat|print|call|run|default|convert|create|include|ignore|reject|accept|parse|give|require|keep|remove|add|read|continue|make|produce|resolve|stop|fail|pass|apply|try|have|be|do)\b/g,
    (_all, subject: string, verb: string) => `${subject} ${thirdPerson(verb)}`,
  )

const participle = (verb: string): string => `${verb.replace(/(?<=[^e])e$/, '')}ing`

const thirdPerson = (verb: string): string =>
  verb === 'have'
    ? 'has'
    : verb === 'be'
      ? 'is'
      : verb === 'do'
        ? 'does'
        : /(?:s|sh|ch|x)$/.test(verb)
          ? `${verb}es`
          : verb === 'try'
            ? 'tries'
            : verb === 'apply'
              ? 'applies'
              : `${verb}s`

// In the order of use. Fillers first, then what hangs on the statement, then its shape.
const RULES: readonly Rule[] = [
  parentheses,
  replace(/^(?:(?:Please|Also|And|Though|But) )?(?:note|notice|remember|keep in mind) that,? /i, ''),
  replace(/^(?:Please )?(?:Note|Important|Warning|Notice|Tip|Caution)(?: —|:|!| -)\s*/i, ''),
  replace(
    /^(?:However|In addition(?! to)|Additionally|Moreover|Furthermore|Also|Finally|Alternatively|Actually|Basically|Thus|Therefore|Hence|So|In fact|Of course|As you can see|In short|In general terms|That said|Then|Or|And|But),? (?=\S)/,
    '',
  ),
  replace(
    /^(?:In this case|In these cases|For this reason|For these reasons|For safety|For convenience|For the sake of \w+|For most use cases|As mentioned above|As noted above), /i,
    '',
  ),
  replace(/\bin order to\b/gi, 'to'),
  replace(/\b(?:it is|it's) possible to\b/gi, 'you can'),
  replace(/\b(?:is|are) able to\b/gi, 'can'),
  replace(/\bas well as\b/gi, 'and'),
  replace(/\ba (?:wide )?(?:number|variety|diversity|range) of\b/gi, 'many'),
  replace(/\bdue to the fact that\b/gi, 'because'),
  replace(/\bin the (?:case|event) (?:of|that)\b/gi, 'for'),
  replace(/\bmake sure\b/gi, 'ensure'),
  replace(/\bmakes? use of\b/gi, 'uses'),
  replace(/\bat this time\b/gi, 'now'),
  replace(/\b(?:that|which) (?:is|are) (?:currently )?(?=\w+(?:ed|ing|able|en)\b)/g, ''),
  (text) =>
    text.replace(/\b(?:that|which) (?:do|does) not (\w+)\b/g, (all, verb: string) =>
      verb === 'have' ? 'without' : verb.length < 4 ? all : `not ${participle(verb)}`,
    ),
  replace(/\butili[sz]e(s|d)?\b/g, 'use$1'),
  replace(/\bprior to\b/gi, 'before'),
  replace(/\bin addition to\b/gi, 'besides'),
  replace(/\bsubsequent(?:ly)?\b/gi, 'later'),
  replace(/\bboth (?=[^.,;]+ and )/gi, ''),
  replace(/,? (?:however|though|of course|as well|too)(?=[,.]|$)/gi, ''),
  replace(
    /\b(?:simply|just|easily|comfortably|conveniently|actually|basically|very|really|quite|truly|also|extremely|highly|surprisingly|wish to|go ahead and)\s+(?=\p{L})/giu,
    '',
  ),
  replace(
    /\bthe (`[^`]+`) (?:method|function|option|parameter|property|class|command|field|flag|helper|hook|API|argument|setting|utility|attribute)\b(?! (?:of|in|is|from|`))/gi,
    '$1',
  ),
  replace(
    /\b[Tt]he (`[^`]+`) (?:method|function|option|parameter|property|class|field|flag|helper|utility)(?= (?:is|returns|takes|accepts|will|can|allows|provides)\b)/g,
    '$1',
  ),
  replace(/^[Yy]ou (?:can|may) (?:also )?use (`[^`]+`|(?:the |an? )?[\w-]+) to\b/, 'Use $1 to'),
  replace(/, you (?:can|may) (?:also )?use (`[^`]+`) to\b/, ', use $1 to'),
  present,
  cut(/,? (?:such as|including|e\.g\.,?|i\.e\.,?|eg|ie|for example,?|for instance,?) [^;:]*$/i, 5, true),
  cut(/(?<!\b(?:you|would|should|looks?|works?|is|are|be)),? like [^;:]*$/i, 5, true),
  cut(/, (?:which|making|allowing|ensuring|so that|enabling|removing|meaning|resulting)\b[^;]*$/i, 6),
  cut(/ (?:—|–|-) [^—–]*$/, 3),
]

/** Mends spaces and stops, and begins with a capital unless the source's own first word is small. */
const tidy = (text: string, source: string): string => {
  const mended = text
    .replace(/\s+/g, ' ')
    .replace(/\s+([,.;:])/g, '$1')
    .replace(/,([,.;:])/g, '$1')
    .replace(/[,;:]$/, '')
    .trim()
  return mended.split(' ')[0] === source.split(' ')[0] ? mended : capital(mended)
}

/** Clauses that stand on their own: the ones that speak of what is asked suffice. */
const clauses: Rule = (text, isAsked) => {
  const parts = text.split(/; |, (?:and|but|so) /i)
  if (parts.length < 2 || !parts.every((part) => FINITE.test(part) && words(part) >= 3)) return text
  const scores = parts.map(isAsked)
  const top = Math.max(...scores)
  const kept = parts.filter((part, at) => scores[at] === top && words(part) >= 4)
  const only = kept[0]
  if (kept.length !== 1 || only === undefined) return text
  // A later clause with "it", or with no subject of its own, leans on the first: alone it says nothing.
  const leans =
    /\b(?:it|they|them|this|its|that|these|those)\b|^(?:neither|nor)\b/i.test(only) ||
    /^\S+/.exec(only)?.[0].match(FINITE) != null
  return only === parts[0] || !leans ? only : text
}

/** To purpose-led sentences, the purpose is a lead-in unless it is what is asked. */
const purpose: Rule = (text, isAsked) => {
  const match = /^(?:To|For|By|As|With|Since|Because) ([^,]+), (.+)$/.exec(text)
  if (match === null || words(match[2] ?? '') < 4 || !/^(?:To|For)/.test(text)) return text
  return isAsked(match[1] ?? '') > 0 ? text : (match[2] ?? text)
}

const flat = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** True when the text takes over the whole of a source sentence that is long enough to be called a copy. */
export const isCopy = (text: string, source: string, longest = 12): boolean =>
  words(source) > longest && ` ${flat(text)} `.includes(` ${flat(source)} `)

/**
 * The sentence condensed, ended with a full stop; null when nothing could be taken from a long one, since then it would
 * be a copy. `isAsked` counts the words of the question in a text.
 */
export const condense = (sentence: string, isAsked: Asked): string | null => {
  // Rules are for prose: code stands by as a word, and is put back at the end.
  const codes: string[] = []
  const masked = sentence.replace(/`[^`]*`/g, (code) => `\`${codes.push(code) - 1}\``)
  const unmask = (text: string): string =>
    text.replace(/`(\d+)`/g, (_all, at: string) => codes[Number(at)] ?? '')
  const asked: Asked = (text) => isAsked(unmask(text))
  let text = masked.replace(/[.!:;,\s]+$/, '')
  for (const rule of [...RULES, clauses, purpose]) text = rule(text, asked)
  text = tidy(text, masked)
  for (const rule of LAST_RESORTS) if (isCopy(unmask(text), sentence)) text = tidy(rule(text, asked), masked)
  const whole = unmask(text)
  if (whole === '' || isCopy(whole, sentence)) return null
  return /[。！？]$/u.test(whole) ? whole : `${whole}.`
}
