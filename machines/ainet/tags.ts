/**
 * What a bare text does. An agent that knows nothing but AINET's document answers in its format, a head of fields and a
 * status: that says it all. Else a few cues tell a task, a recipient, a claim or the end; what gives no hint is what was
 * asked for.
 */
import type { PrefixFields, Situation, TagGuess, TagRules } from '../../src/schema/tag.ts'
import { type RequestType, TYPES } from './intents.ts'

/** Of a long text only the beginning is looked at. */
const HEAD = 600
/** A claim or an end is said in a few words; a longer text does something besides. */
const SHORT = 120

const CERTAIN = 0.95
const LIKELY = 0.85

/** The end must be a clause of its own: `nothing more than a summary` is a wish. */
const DONE =
  /(?:^|[.!,;:。\n] ?)(?:(?:so|and|the|our) )?(?:task (?:is |was )?(?:completed?|done|finished)|that(?:'s| is) all|nothing (?:more|else)|no (?:more|further) (?:questions?|requests?)|(?:i am|i'm|we are|we're|all) done|任务(?:已)?完成|已(?:经)?完成|没有(?:其他|别的|更多)(?:的)?(?:问题|事)?了?|到此为止|c'est (?:tout|fini|termine)|tache terminee|rien d'autre|plus de questions?)(?: ?[.!,;。\n]|$)/
const CLAIM =
  /\b(?:(?:i'll|i will|i can|i shall|let me) (?:take|do|handle) (?:it|this|that|the task)|i(?:'ll| will)? claim|i'm on it)\b|我来(?:做|吧|处理|负责)|我(?:来)?领取|我接(?:了|下|受)|\b(?:je m'en (?:charge|occupe)|je (?:la |le )?prends|je m'y mets)\b/
const TASK = /^(?:task|tache|任务)\s*:/

/** Lower case, one width, no accents, straight apostrophes. */
const folded = (text: string): string =>
  text
    .slice(0, HEAD)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[‘’]/g, "'")
    .toLowerCase()
    .trim()

const guess = (intent: string, confidence: number, payload?: TagGuess['payload']): TagGuess =>
  payload === undefined ? { intent, confidence } : { intent, confidence, payload }

/** A field of a message in AINET's format. */
const fieldOf = (text: string, name: string): string | null =>
  new RegExp(`^${name}:[ \\t]*(\\S[^\\r\\n]*?)[ \\t]*$`, 'm').exec(text.slice(0, HEAD))?.[1] ?? null

const STATUS = /【Status】\s*(PENDING|DONE)/g

/** A message in AINET's format: its head and its status. */
const fromFormat = (text: string, { allowed }: Situation): TagGuess | null => {
  if (!/^\s*=== Message ===\s*$/m.test(text.slice(0, HEAD))) return null
  const to = fieldOf(text, 'TO')
  const type = TYPES.find((known) => known === (fieldOf(text, 'TYPE') ?? to))
  if (allowed.includes('request')) return guess('request', CERTAIN, addressed(type, to))
  const isDone = [...text.slice(-HEAD).matchAll(STATUS)].at(-1)?.[1] === 'DONE'
  if (allowed.includes('say')) return guess(isDone ? 'done' : 'say', CERTAIN)
  const only = ['reply', 'read'].find((intent) => allowed.includes(intent))
  return only === undefined ? null : guess(only, CERTAIN)
}

/** What is private is never told to all: without a recipient it is no valid request. */
const addressed = (type: RequestType | undefined, to: string | null): TagGuess['payload'] => {
  if (type === 'TASK' || type === 'BROADCAST') return { type }
  if (to !== null) return { type: 'PRIVATE', to }
  return type === undefined ? {} : { type }
}

/** The member whom a text names at its start, such as `@ben …` or `ben, …`. */
const recipientOf = (said: string, members: readonly string[]): string | undefined => {
  const names = members.map((id) => ({ id, name: folded(id) })).sort((a, b) => b.name.length - a.name.length)
  return names.find(({ name }) =>
    [`@${name} `, `@${name},`, `@${name}:`, `${name},`, `${name}:`].some((start) => said.startsWith(start)),
  )?.id
}

export const tags: TagRules = (text, situation) => {
  const formatted = fromFormat(text, situation)
  if (formatted !== null) return formatted
  const { allowed, members = [] } = situation
  const said = folded(text)
  const isShort = text.length <= SHORT && !/[?？]/.test(text)
  if (isShort && allowed.includes('done') && DONE.test(said)) return guess('done', LIKELY)
  if (isShort && allowed.includes('claim') && CLAIM.test(said)) return guess('claim', LIKELY)
  if (!allowed.includes('request')) return null
  if (TASK.test(said)) return guess('request', LIKELY, { type: 'TASK' })
  const to = recipientOf(said, members)
  return to === undefined ? null : guess('request', LIKELY, { type: 'PRIVATE', to })
}

/** `[request ben]` asks one member, `[request type=TASK]` whoever claims it. */
export const prefixFields: PrefixFields = { primary: { request: 'to' }, types: { type: TYPES } }
