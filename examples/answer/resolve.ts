/** Makes a sentence stand on its own: puts a name where it says "it" or "this library". */
import type { Passage } from './documents.ts'
import { subjectOf } from './search.ts'
import { type Sentence, sentencesOf } from './sentences.ts'

/** A sentence of a passage, ready to be quoted from. */
export interface Source {
  /** Passage and place in it, such as `zod/README.md#3/2`. */
  readonly ref: string
  readonly passage: string
  readonly source: string
  /** As written. */
  readonly original: string
  /** Standing on its own. */
  readonly text: string
  /** A list item without a verb, such as "Zero dependencies". */
  readonly fragment: boolean
  /** A list with the sentence above it. */
  readonly list?: true
}

const VERB_FIRST =
  /^(?:supports|works|provides|uses|allows|enables|returns|runs|handles|includes|passes|detects|prints|contains|accepts|takes|adds|removes|creates|converts|generates|can|does|has|is|will|may|checks|keeps|makes|offers|ships|helps|sets|throws|parses|specifies|doesn't|outputs|reads|writes|validates|matches|requires|respects|exports|comes)\b/i
const FINITE =
  /\b(?:is|are|was|were|be|been|has|have|had|can|cannot|can't|may|might|must|should|will|would|could|does|do|doesn't|don't|did|need|needs|returns?|uses?|takes?|throws?|runs?|supports?|works?|provides?|allows?|gives?|makes?|sets?|calls?|keeps?|adds?|accepts?|requires?|includes?|means|depends|gets?|comes?|contains?|follows?|creates?|stores?|enables?|prints?|use|pass|set|call|see|try|install|create|add|run|let|lets)\b/i
/** Any other verb in the third person, told by what follows it. */
const DOES = /^Same as |^[A-Z][a-z]+[^s\W]s (?:the|an?|all|each|whether|if|to|`)/
/** Items that tell the reader what to do, and so what can be done. */
const DOING =
  /^(?:detect|simplify|create|define|add|run|build|write|parse|convert|generate|use|find|check|test|validate|transform|replay|switch|export|import|edit|deploy|visually)(?=\s)/i
const LABEL = /^(?:[A-Z][\w -]{2,24}: )(?=\S)/

/** The name a package or file goes by in its own text, if its text names it. */
export const nameOf = (passage: Passage): string => {
  const subject = subjectOf(passage.source)
  const bare = subject.split('/').at(-1) ?? subject
  const plain = bare.replace(/[^\p{L}\p{N}]/gu, '')
  // The heading or text may write the name with capitals: "Zod", "MiniSearch".
  const written = [...`${passage.source} ${passage.text}`.matchAll(/[\p{L}][\p{L}\p{N}.-]*/gu)]
    .map(([word]) => word.replace(/[.-]+$/, ''))
    .find(
      (word) =>
        word !== bare &&
        word.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase() === plain.toLowerCase() &&
        /^\p{Lu}.*\p{Ll}/u.test(word),
    )
  return written ?? bare
}

const SELF = /^(?:this|the) (?:library|package|module|tool|framework|project|plugin|utility)\b/i

/** The thing a sentence is about, when it opens with its name. */
const leadingName = (sentence: string): string | null =>
  /^(?:The )?(?!It\b|This\b|That\b|They\b|There\b|You\b|We\b)(`[^`]+`|\p{Lu}[\p{L}\p{N}.-]*\p{L}(?=\s(?:is|has|uses|supports|provides|can|will|exports|addresses|comes|aims|strives)\b))/u.exec(
    sentence,
  )?.[1] ?? null

/** The sentences of a passage that can stand on their own, by themselves or once resolved. */
export const sourcesOf = (passage: Passage): Source[] => {
  const name = nameOf(passage)
  const heading = headingOf(passage, name)
  const all = sentencesOf(passage.text)
  const sources: Source[] = []
  let topic: string | null = null
  for (const [index, sentence] of all.entries()) {
    const shortened =
      sentence.lead === null && !LABEL.test(sentence.text)
        ? sentence
        : { ...sentence, text: headOf(sentence.text, name) }
    const resolved = resolve(
      shortened,
      all[index - 1]?.text ?? '',
      topic,
      name,
      heading,
      passage.id.endsWith('#1') && index < 2,
    )
    topic = leadingName(sentence.text) ?? (/^It\b/.test(sentence.text) ? topic : null)
    if (resolved === null || !isTelling(sentence.text)) continue
    // A line that introduces a list is told with the list.
    if (all[index + 1]?.lead === sentence.text) continue
    sources.push({
      ref: `${passage.id}/${index}`,
      passage: passage.id,
      source: passage.source,
      original: sentence.text,
      ...resolved,
    })
  }
  return [...sources, ...listsOf(passage, all)]
}

const LISTED = 6

/** Lists with a sentence above them, as one source each: the sentence and the items, cut short. */
const listsOf = (passage: Passage, all: readonly Sentence[]): Source[] =>
  all.flatMap((lead, index) => {
    if (
      !lead.text.endsWith(':') ||
      !/\b(?:is|are|be|come|comes|provides?|supports?|has|have|includes?|passed|can)\b/i.test(lead.text)
    )
      return []
    const items = all
      .filter((sentence) => sentence.lead === lead.text)
      .map((sentence) => itemOf(sentence.text))
    const short = items.filter((item) => item !== '' && item.split(' ').length <= 9)
    if (short.length < 2 || short.length * 2 < items.length) return []
    const rest = items.length > LISTED || short.length < items.length ? '; and more' : ''
    const text = `${lead.text} ${short.slice(0, LISTED).join('; ')}${rest}`
    return [
      {
        ref: `${passage.id}/${index}`,
        passage: passage.id,
        source: passage.source,
        original: lead.text,
        text,
        fragment: false,
        list: true,
      },
    ]
  })

const itemOf = (text: string): string =>
  (text.split(/ [-–—] |: |(?<=\w)\. /)[0] ?? '')
    .replace(/\s*\([^()]*\)/g, '')
    .replace(/[.;,]+$/, '')
    .trim()

/** Of an item "thing - why it is good", the thing, unless the rest is a sentence about it. */
const headOf = (text: string, name: string): string => {
  const [head = '', tail = ''] = text.split(/ [-–—] (.*)/)
  const told = /^by default it (.+)$/i.exec(tail)?.[1]
  return told === undefined ? head : `By default ${name} ${told}`
}

// What points elsewhere, asks, greets or introduces code tells nothing itself.
const isTelling = (text: string): boolean => {
  const count = text.split(/\s+/).length
  return (
    count >= 2 &&
    /\p{L}{2}.*\s.*\p{L}{2}|\p{Script=Han}/u.test(text.replace(/`[^`]*`/g, 'it')) &&
    count <= 60 &&
    !/\?$/.test(text) &&
    // A line that introduces code tells something when it is a sentence by itself.
    !(
      text.endsWith(':') &&
      (count < 6 ||
        !FINITE.test(text) ||
        /\b(?:following|follows?|like (?:so|this)|examples?|these|here|this|things|given|equivalent)\b/i.test(
          text,
        ))
    ) &&
    !/^["“>]/.test(text) &&
    !/^(?:see|refer|read|check out|check the|learn more|more (?:info|details|examples)|examples?\b|example file|for (?:more|further|full|other|details|a full|detailed)|if you (?:like|are interested|want to (?:learn|help|contribute))|thanks|please (?:see|open|report|read|consider)|try out|find the|here|to learn|contributions|feel free|copyright|type:|params?\b|default:|note that .* below)/i.test(
      text,
    ) &&
    !/https?:|\bsee (?:the |below|above|also|docs|more)|\bthis (?:blog|section|example|page|table)\b|\bin the (?:links|example|code|following)\b|(?:code|example|table|section|listing)s? (?:below|above)|below\.?$/i.test(
      text,
    )
  )
}

const NOTICE =
  /^(?:please )?(?:(?:note|notice)(?: that,? |(?: —|:|!| -) )|(?:important|warning|tip|caution)(?: —|:|!| -) )/i
const LATIN = /\p{Script=Latin}/u
const PRONOUN =
  '(?:It|This|These|They|Those|That|Both|Such|Neither|The (?:former|latter|first|second|third|same)|Them)'
const ABOUT_ALL = /^(?:features?|highlights?|why\b.*|advantages|benefits|overview|about|introduction)\b/i

/** What a sentence without a subject is about: the thing under whose heading it stands. */
const headingOf = (passage: Passage, name: string): string => {
  const trail = passage.source.split(' › ').slice(1)
  const whole = trail.at(-1) ?? ''
  const wordy = whole
    .replace(/`[^`]*`/g, '')
    .replace(/\(.*\)/, '')
    .trim()
  const last = wordy === '' ? whole : wordy
  return trail.length < 2 || ABOUT_ALL.test(last) || last === '' ? name : last
}

const small = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

const resolve = (
  sentence: Sentence,
  before: string,
  topic: string | null,
  name: string,
  heading: string,
  isTitle: boolean,
): { text: string; fragment: boolean } | null => {
  const text = sentence.text.replace(NOTICE, '').replace(/[,;]? (?:and|or)$|[,;]$/, '')
  if (!LATIN.test(text) || /[。！？]/u.test(text)) return { text, fragment: false }
  const lead = sentence.lead?.replace(/:$/, '').trim() ?? ''
  const labelled = text.replace(LABEL, '')
  if (VERB_FIRST.test(labelled) || DOES.test(labelled)) {
    if (sentence.lead !== null && !SELF.test(lead) && lead.split(' ').length > 2) return null
    return {
      text: heading === name ? `${name} ${small(labelled)}` : `${heading}: ${small(labelled)}`,
      fragment: false,
    }
  }
  // Prose has verbs even when this list of them has not; a list item without one names a thing.
  if (
    labelled !== text &&
    labelled
      .replace(/`[^`]*`/g, '')
      .trim()
      .split(/\s+/).length < 2
  )
    return null
  const isItem = sentence.lead !== null || labelled !== text || text.split(/\s+/).length < 6
  if (isItem && !/^By default /.test(labelled) && !FINITE.test(labelled.split(/ [-–—] /)[0] ?? labelled))
    return DOING.test(labelled)
      ? { text: `With ${name} you can ${small(labelled)}`, fragment: false }
      : { text: labelled, fragment: true }
  if (
    isTitle &&
    /^(?:An?|The|\p{Lu}\S+) /u.test(text) &&
    !FINITE.test(text.split(/ (?:that|which|for) /)[0] ?? text)
  )
    return { text, fragment: true }
  if (SELF.test(text)) return { text: text.replace(SELF, name), fragment: false }
  const match = new RegExp(`^(By default,? |When used, |Also,? |However, )?(${PRONOUN})\\b`, 'i').exec(text)
  if (match === null) return { text, fragment: false }
  const [all, adverbial = '', opener = ''] = match
  if (/^it$/i.test(opener))
    return topic === null ? null : { text: `${adverbial}${topic}${text.slice(all.length)}`, fragment: false }
  if (opener === 'This') {
    // Only what can be called can be "this function"; any other code before it is a value.
    const called = [
      ...before.matchAll(/`(?:\.?[\w$.]*[A-Za-z]\w+\([^`]*\)|\.[A-Za-z]\w+|[a-z]\w*[A-Z]\w*)`/g),
    ].map(([code]) => code)
    const what = /^This (?:method|function|option|flag|command|parameter|property|class|helper)\b/
    if (what.test(text) && new Set(called).size === 1)
      return { text: text.replace(what, called[0] ?? ''), fragment: false }
  }
  return null
}
