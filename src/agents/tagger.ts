/**
 * The tagger: finds the intent of an agent's bare text. The agent's own word goes first (an `[intent]` prefix, or
 * JSON), then the protocol's rules, then what the situation expects. It knows no protocol: intents, situation and
 * rules are given. It throws for no string and takes time linear in the text.
 */

import type { PrefixField, PrefixFields, Situation, TaggedBy, TagRules } from '../schema/tag.ts'
import type { Utterance } from './agent.ts'

/** A text made into a message that says how its intent was found. */
export interface Tagged extends Utterance {
  readonly content: string
  readonly payload: Readonly<Record<string, unknown>> & {
    readonly tagged: { readonly by: TaggedBy; readonly confidence: number }
  }
}

/** What the tagger has to know. */
export interface TagOptions {
  /** All intents of the protocol. */
  readonly intents: readonly string[]
  readonly situation: Situation
  readonly rules: TagRules
  /** How a prefix names payload fields; without it a prefix takes only `key=value` pairs. */
  readonly prefixFields?: PrefixFields
}

/** How sure the last resort is; less sure when the situation does not even admit what it expects. */
const DEFAULT_CONFIDENCE = 0.3
const DOUBTFUL_CONFIDENCE = 0.2
/** JSON nested deeper than this is taken for text, so that nothing after us can be made to overflow its stack. */
const MAX_DEPTH = 64
/** The longest prefix, brackets and arguments included. */
const MAX_PREFIX = 1024

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '【': '】', '［': '］' }

type Fields = Record<string, unknown>

/**
 * Makes a message, or several, of what an agent answered as text.
 *
 * An `[intent]` prefix goes before all; it may carry arguments (`[accept t1]`, `[result subtask=t1 status=failed]`).
 * Then comes text that is one JSON object with a known `intent`, or an array of such, alone or in one fenced block:
 * only this can make more than one message. Then the protocol's rules, then the situation's `expected`.
 * Whatever follows a prefix, or the whole text, is the content, unchanged; only thinking at its start is taken off.
 *
 * @returns at least one message, in order; never throws
 */
export function tag(text: string, options: TagOptions): readonly [Tagged, ...Tagged[]] {
  const said = stripThinking(text)
  const known = new Map(options.intents.map((intent) => [intent.toLowerCase(), intent]))

  const prefix = readPrefix(said, known, options.prefixFields)
  if (prefix) return [tagged(prefix.intent, prefix.content, prefix.payload, 'prefix', 1)]

  const spoken = readJson(said, known)
  if (spoken) return spoken

  const { situation } = options
  if (said.trim() === '') return [tagged(situation.expected, said, {}, 'default', 0)]

  const guess = options.rules(said, situation)
  if (guess && options.intents.includes(guess.intent)) {
    const confidence = Math.min(1, Math.max(0, guess.confidence)) || 0
    return [tagged(guess.intent, said, { ...guess.payload }, 'rules', confidence)]
  }
  const confidence = situation.allowed.includes(situation.expected) ? DEFAULT_CONFIDENCE : DOUBTFUL_CONFIDENCE
  return [tagged(situation.expected, said, {}, 'default', confidence)]
}

/**
 * Takes the thinking that some models show before their answer (`<think>…</think>`, `<thinking>…</thinking>`) off
 * the start of a text. Thinking that does not end is left as it is: nothing is lost that might be the answer.
 * Hosts use it to see whether an answer is empty.
 */
export function stripThinking(text: string): string {
  const open = /\s*<think(?:ing)?>/iy
  const close = /<\/think(?:ing)?>/gi
  let from = 0
  for (;;) {
    open.lastIndex = from
    if (!open.test(text)) break
    close.lastIndex = open.lastIndex
    if (!close.test(text)) break
    from = close.lastIndex
  }
  return from === 0 ? text : text.slice(from).trimStart()
}

function tagged(intent: string, content: string, payload: Fields, by: TaggedBy, confidence: number): Tagged {
  return { intent, content, payload: { ...payload, tagged: { by, confidence } } }
}

// Prefix

interface Prefix {
  readonly intent: string
  readonly content: string
  readonly payload: Fields
}

/** Reads `[intent arguments] rest`; null when it is anything else, so that `[draft] …` stays content. */
function readPrefix(
  text: string,
  known: ReadonlyMap<string, string>,
  fields: PrefixFields | undefined,
): Prefix | null {
  const start = text.length - text.trimStart().length
  const closing = CLOSING[text.charAt(start)]
  if (closing === undefined) return null

  const inside = readWords(text.slice(start + 1, start + MAX_PREFIX), closing)
  if (!inside) return null
  const [name, ...words] = inside.words
  const intent = name === undefined ? undefined : known.get(name.toLowerCase())
  if (intent === undefined) return null
  const payload = readArguments(intent, words, fields)
  if (!payload) return null

  // What separates prefix and text belongs to neither: a colon, spaces, at most one line break.
  const rest = text.slice(start + 1 + inside.length)
  const separator = /^(?:：|:(?=\s|$))?[ \t\u3000]*(?:\r?\n)?/.exec(rest)
  return { intent, content: rest.slice(separator?.[0].length ?? 0), payload }
}

/** Splits what is in the brackets into words; double quotes hold one together. Null when the bracket does not close. */
function readWords(text: string, closing: string): { words: string[]; length: number } | null {
  const words: string[] = []
  let word = ''
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i)
    if (char === '"') quoted = !quoted
    else if (quoted) word += char
    else if (char === closing || /\s/.test(char)) {
      if (word !== '') words.push(word)
      word = ''
      if (char === closing) return { words, length: i + 1 }
    } else word += char
  }
  return null
}

/** The payload that a prefix's arguments name; null when they are no arguments. */
function readArguments(
  intent: string,
  words: readonly string[],
  fields: PrefixFields | undefined,
): Fields | null {
  const primary = own(fields?.primary, intent)
  const typeOf = (field: string): PrefixField => own(fields?.types, field) ?? 'string'
  const payload: Fields = {}
  for (const word of words) {
    const at = word.indexOf('=')
    let field = word.slice(0, at)
    let value: unknown
    if (at > 0) value = readValue(word.slice(at + 1), typeOf(field))
    else if (own(fields?.types, word) === 'boolean') {
      field = word
      value = true
    } else if (typeof primary === 'string') {
      field = primary
      value = readValue(word, typeOf(field))
    }
    if (value === undefined) return null
    const before = own(payload, field)
    if (Array.isArray(before) && Array.isArray(value)) value = [...before, ...value]
    else if (before !== undefined) return null
    put(payload, field, value)
  }
  return payload
}

function readValue(text: string, type: PrefixField): unknown {
  if (text === '') return undefined
  if (type === 'string') return text
  if (type === 'number')
    return /^-?\d{1,15}(?:\.\d{1,15})?%?$/.test(text) ? Number.parseFloat(text) + 0 : undefined
  const lower = text.toLowerCase()
  if (type === 'boolean') return lower === 'true' ? true : lower === 'false' ? false : undefined
  if (type === 'list') return text.split(/[,，、]/).filter((item) => item !== '')
  return type.find((choice) => choice.toLowerCase() === lower)
}

// JSON

/** Reads a text that is JSON and nothing else, alone or in one fenced block; null when it is anything else. */
function readJson(text: string, known: ReadonlyMap<string, string>): [Tagged, ...Tagged[]] | null {
  let json = text.trim()
  if (json.startsWith('```') && json.endsWith('```')) {
    const line = json.indexOf('\n')
    if (line < 0 || line > 40 || json.length < line + 4) return null
    json = json.slice(line + 1, -3).trim()
  }
  if (!/^[{[]/.test(json) || !/[}\]]$/.test(json) || tooDeep(json)) return null

  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return null
  }
  const all: Tagged[] = []
  for (const item of Array.isArray(value) ? value : [value]) {
    const message = readMessage(item, known)
    if (!message) return null
    all.push(message)
  }
  const [first, ...more] = all
  return first ? [first, ...more] : null
}

/** One message; what is no field of it, or is of another type than the field's, is kept in the payload by its name. */
function readMessage(value: unknown, known: ReadonlyMap<string, string>): Tagged | null {
  if (!isObject(value)) return null
  const name = own(value, 'intent')
  const intent = typeof name === 'string' ? known.get(name.trim().toLowerCase()) : undefined
  if (intent === undefined) return null

  let content = ''
  let replyTo: string | null | undefined
  const inner = own(value, 'payload')
  const payload: Fields = {}
  for (const [key, field] of Object.entries(value)) {
    if (key === 'intent') continue
    if (key === 'content' && (typeof field === 'string' || field === null)) content = field ?? ''
    else if ((key === 'replyTo' || key === 'reply_to') && (typeof field === 'string' || field === null)) {
      replyTo = replyTo ?? field
    } else if (key === 'payload' && (field === null || isObject(field))) continue
    else put(payload, key, clean(field))
  }
  if (isObject(inner)) for (const [key, field] of Object.entries(inner)) put(payload, key, clean(field))

  const message = tagged(intent, content, payload, 'json', 1)
  return replyTo === undefined ? message : { ...message, replyTo }
}

/** Whether brackets nest too deep, without parsing. Text that is no JSON may get any answer. */
function tooDeep(json: string): boolean {
  let depth = 0
  let quoted = false
  for (let i = 0; i < json.length; i++) {
    const char = json.charCodeAt(i)
    if (quoted) {
      if (char === 0x5c) i++
      else if (char === 0x22) quoted = false
    } else if (char === 0x22) quoted = true
    else if (char === 0x7b || char === 0x5b) {
      if (++depth > MAX_DEPTH) return true
    } else if (char === 0x7d || char === 0x5d) depth--
  }
  return false
}

/** A copy that survives JSON as it is, and carries no key that could reach a prototype. */
function clean(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null
  if (Array.isArray(value)) return value.map(clean)
  if (!isObject(value)) return value
  const copy: Fields = {}
  for (const [key, field] of Object.entries(value)) put(copy, key, clean(field))
  return copy
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function own<T>(object: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return object && Object.hasOwn(object, key) ? object[key] : undefined
}

function put(object: Fields, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
}
