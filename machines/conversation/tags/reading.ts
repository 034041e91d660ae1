/** Reads a text: folds it, puts marks in place of members and subtasks, and finds the cues, sentences and steps in it. */
import type { Situation } from '../../../src/schema/tag.ts'
import {
  type Act,
  BLANK,
  cues,
  type Hit,
  MEANT,
  MEMBER,
  type Mention,
  QUESTION_START,
  STRONG,
  SUBTASK,
} from './cues.ts'

/** How much of a long text is read: what it does is said at its start, now and then at its end. */
const HEAD = 1200
const TAIL = 400
/** How much is searched for a list of steps, and how many steps still make a plan. */
const LIST_CHARS = 32_768
const LIST_ITEMS = 64
/** From this length on a text that says nothing of itself is taken for work. */
export const SUBSTANTIAL = 240

/** Sentence ends; a full stop between digits is none. */
const SENTENCE = /[^.!?;。\n]*(?:\.(?=\d)[^.!?;。\n]*)*[.!?;。\n]?/g

/** Names that are words as well: they count only after an `@`. */
const WORDS = new Set(
  'i me my you we us he she it they all any one the and are but can for has may not will who was what no yes do ok on in to a an je tu il on le la les un une et de ma mon moi toi lui nous vous 我 你 他 她 们 的 是 人'.split(
    ' ',
  ),
)

/** A text, read: what the states decide by. */
export interface Reading {
  readonly text: string
  readonly length: number
  readonly hits: readonly Hit[]
  readonly members: readonly Mention[]
  readonly subtasks: readonly Mention[]
  readonly sentences: readonly { readonly at: number; readonly end: number; readonly asks: boolean }[]
  /** Steps of a list, when there are at least two. */
  readonly steps: readonly { readonly title: string }[]
  readonly situation: Situation
  allows(intent: string): boolean
  /** The heaviest hit of these acts, the earliest of equals. */
  best(...acts: Act[]): Hit | undefined
}

/** Reads a text. */
export function read(text: string, situation: Situation): Reading {
  const window = text.length > HEAD + TAIL ? `${text.slice(0, HEAD)}\n${text.slice(-TAIL)}` : text
  const marked = mark(fold(window), situation)
  const { hits, rest } = findHits(marked.text, MEANT[situation.state])
  const sentences = findSentences(marked.text, hits)
  // A cue inside a question asserts nothing: `do we agree?` is no vote. Only offers and orders may be asked.
  const asserted = hits.filter(
    (hit) =>
      hit.act === 'propose' ||
      hit.act === 'assign' ||
      hit.act === 'take' ||
      hit.act === 'ask' ||
      !sentences.some((s) => s.asks && hit.at >= s.at && hit.at < s.end),
  )
  return {
    text: rest,
    length: text.length,
    hits: asserted,
    members: marked.members,
    subtasks: marked.subtasks,
    sentences,
    steps: findSteps(text),
    situation,
    allows: (intent) => situation.allowed.includes(intent),
    best: (...acts) => heaviest(asserted.filter((hit) => acts.includes(hit.act))),
  }
}

export function heaviest(hits: readonly Hit[]): Hit | undefined {
  let best: Hit | undefined
  for (const hit of hits) {
    if (!best || hit.weight > best.weight || (hit.weight === best.weight && hit.at < best.at)) best = hit
  }
  return best
}

// Reading

/** Lower case, no accents, one width, straight quotes, single spaces; line breaks stay. Bounded, as single characters may unfold into many. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u200b-\u200d\ufeff]/g, '')
    .toLowerCase()
    .replace(/[‘’ʼ`´]/g, "'")
    .replace(/[*_~]{1,3}(?=\S)|(?<=\S)[*_~]{1,3}/g, '')
    .replace(/(?:(?!\n)[\s\p{Cc}\ue001-\ue003])+/gu, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim()
    .slice(0, 2 * (HEAD + TAIL))
}

/** Puts one mark in place of each member and subtask that is named. */
function mark(text: string, situation: Situation): { text: string; members: Mention[]; subtasks: Mention[] } {
  const names: { folded: string; id: string; mark: string }[] = []
  for (const id of situation.members ?? []) {
    const whole = fold(id)
    const last = fold(id.slice(id.lastIndexOf('/') + 1))
    for (const folded of new Set([whole, last])) {
      if (folded === '') continue
      names.push({ folded: `@${folded}`, id, mark: MEMBER })
      if (!WORDS.has(folded) && (folded.length > 1 || /[^\p{ASCII}]/u.test(folded))) {
        names.push({ folded, id, mark: MEMBER })
      }
    }
  }
  for (const { id, title } of situation.subtasks ?? []) {
    const folded = fold(id)
    if (folded !== '' && !WORDS.has(folded)) names.push({ folded, id, mark: SUBTASK })
    const named = fold(title ?? '')
    if (named.length > 1 && !WORDS.has(named)) names.push({ folded: named, id, mark: SUBTASK })
  }
  // The longest name first: `t10` is not `t1`, and a title may hold an id.
  names.sort((a, b) => b.folded.length - a.folded.length)

  const found: { id: string; mark: string; at: number; end: number }[] = []
  let free = text
  for (const name of names) {
    for (let at = free.indexOf(name.folded); at >= 0; at = free.indexOf(name.folded, at + 1)) {
      const end = at + name.folded.length
      if (!isWhole(free, at, end)) continue
      found.push({ id: name.id, mark: name.mark, at, end })
      free = free.slice(0, at) + BLANK.repeat(end - at) + free.slice(end)
    }
  }
  found.sort((a, b) => a.at - b.at)

  const members: Mention[] = []
  const subtasks: Mention[] = []
  let out = ''
  let from = 0
  for (const { id, mark: sign, at, end } of found) {
    // Articles and the word `task` before the name go with it: `la tache t1`, `任务 t1`.
    out += text.slice(from, at)
    if (sign === SUBTASK)
      out = out.replace(
        /(?:(?:the |la |le |les |l'|los )?(?:tasks?|subtasks?|taches?|sous-taches?) |(?:子?任务) ?|the |la |le |les |l')$/,
        '',
      )
    ;(sign === MEMBER ? members : subtasks).push({ id, at: out.length })
    out += sign
    from = end
  }
  return { text: out + text.slice(from), members, subtasks }
}

/** Whether a name stands by itself; Chinese around it or at its ends is no matter. */
function isWhole(text: string, at: number, end: number): boolean {
  const letter = /[a-z0-9]/
  const before = at > 0 && letter.test(text.charAt(at)) && /[a-z0-9_-]/.test(text.charAt(at - 1))
  const after = letter.test(text.charAt(end - 1)) && /[a-z0-9_]/.test(text.charAt(end))
  return !before && !after
}

function findHits(text: string, meant: ReadonlySet<Act> | undefined): { hits: Hit[]; rest: string } {
  const hits: Hit[] = []
  let rest = text
  for (const { act, weight, pattern } of cues) {
    if (!meant?.has(act)) continue
    rest = rest.replace(pattern, (match: string, ...args: unknown[]) => {
      // No cue has a group of its own, so the offset comes first.
      const at = Number(args[0])
      if (act !== 'nothing') hits.push({ act, weight, at, end: at + match.length })
      return BLANK.repeat(match.length)
    })
  }
  hits.sort((a, b) => a.at - b.at)
  return { hits, rest }
}

function findSentences(text: string, hits: readonly Hit[]): Reading['sentences'] {
  const sentences: { at: number; end: number; asks: boolean }[] = []
  for (const match of text.matchAll(SENTENCE)) {
    const body = match[0]
    if (body.trim() === '') continue
    const at = match.index
    const end = at + body.length
    const asks =
      body.endsWith('?') ||
      QUESTION_START.test(body) ||
      hits.some((hit) => hit.act === 'ask' && hit.weight === STRONG && hit.at >= at && hit.at < end)
    sentences.push({ at, end, asks })
  }
  return sentences
}

const STEP =
  /^([ \t]{0,12})(?:(\d{1,3}[.)、．:：]|[（(]\d{1,3}[)）]|[一二三四五六七八九十]{1,3}[、.．]|第[一二三四五六七八九十\d]{1,3}步[：:，,]?|(?:step|étape) \d{1,3} ?[:.)-])|([-*+](?=[ \t])|[•‣–]))[ \t]*(?=\S)(.*)$/i

/** The outermost items of a text's first list, as titles; fewer than two are no list. */
function findSteps(text: string): { title: string }[] {
  const steps: { title: string }[] = []
  let indent = 0
  let numbered = false
  // A line that the limit cuts is left out: half a title is none.
  const whole = text.length > LIST_CHARS ? text.slice(0, text.lastIndexOf('\n', LIST_CHARS) + 1) : text
  for (const line of whole.split('\n')) {
    const match = STEP.exec(line)
    if (!match) continue
    const depth = match[1]?.length ?? 0
    if (steps.length === 0) {
      indent = depth
      numbered = match[2] !== undefined
    }
    if (depth > indent || numbered !== (match[2] !== undefined)) continue
    const title = (match[4] ?? '')
      .replace(/^\[[ xX]?\] */, '')
      .replace(/\*\*|__/g, '')
      .trim()
    if (title !== '') steps.push({ title })
  }
  return steps.length >= 2 && steps.length <= LIST_ITEMS ? steps : []
}

// Deciding
