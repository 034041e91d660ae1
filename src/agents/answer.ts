/** Reads an answer that came as text from outside: messages as JSON, or plain text. */
import { ColloquyError } from '../errors.ts'
import type { Answer, PlainText, Utterance } from './agent.ts'

type Said = string | PlainText | Utterance

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const KINDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  intent: (value) => typeof value === 'string',
  content: (value) => typeof value === 'string',
  payload: isRecord,
  replyTo: (value) => value === null || typeof value === 'string',
  id: (value) => typeof value === 'string',
  to: (value) => typeof value === 'string',
  correlationId: (value) => value === null || typeof value === 'string',
  tokens: (value) => typeof value === 'number',
}

const isMeant = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && (typeof value.intent === 'string' || typeof value.text === 'string')

const isSaid = (value: Record<string, unknown>): value is Record<string, unknown> & (PlainText | Utterance) =>
  Object.entries(KINDS).every(([field, fits]) => value[field] === undefined || fits(value[field]))

const said = (value: Record<string, unknown>, at: string): PlainText | Utterance => {
  if (isSaid(value)) return value
  const wrong = Object.entries(KINDS).filter(
    ([field, fits]) => value[field] !== undefined && !fits(value[field]),
  )
  throw new ColloquyError('AGENT_ANSWER_INVALID', 'A message in the answer has fields of the wrong type', {
    issues: wrong.map(([field]) => ({ path: `${at}${field}`, message: 'is of the wrong type' })),
  })
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Reads the text of an answer. A JSON object with a string `intent` or `text` is a message; a JSON array of such
 * objects and strings is several; with `strings`, a JSON string is the text that it holds. All else is plain text,
 * as it stands but for white space at its ends; other JSON too, which the tagger may make sense of.
 *
 * @throws ColloquyError `AGENT_ANSWER_INVALID` when a message has fields of the wrong type; `issues` names them.
 */
export function readAnswer(text: string, { strings = false }: { readonly strings?: boolean } = {}): Answer {
  const trimmed = text.trim()
  if (!/^[{["]/.test(trimmed)) return trimmed
  const value = parsed(trimmed)
  if (strings && typeof value === 'string') return value
  if (isMeant(value)) return said(value, '')
  if (Array.isArray(value) && value.length > 0) {
    const items: readonly unknown[] = value
    if (items.every((item) => typeof item === 'string' || isMeant(item))) {
      return items.flatMap((item, at): Said[] =>
        typeof item === 'string' ? [item] : isMeant(item) ? [said(item, `[${at}].`)] : [],
      )
    }
  }
  return trimmed
}

/** The same answer without what it says of its own cost. */
export const withoutTokens = (answer: Answer): Answer => {
  if (typeof answer === 'string') return answer
  if (!isList(answer)) return uncounted(answer)
  return answer.map((each) => (typeof each === 'string' ? each : uncounted(each)))
}

const isList = (answer: Exclude<Answer, string>): answer is readonly Said[] => Array.isArray(answer)

const uncounted = (part: PlainText | Utterance): PlainText | Utterance => {
  const { tokens: _, ...rest } = part
  return rest
}
