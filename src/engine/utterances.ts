/** An agent's answer as messages ready to send: bare text goes through the tagger, whatever is unusable is refused by name. */
import type { Answer, PlainText, Turn } from '../agents/agent.ts'
import { stripThinking, tag } from '../agents/tagger.ts'
import { ColloquyError } from '../errors.ts'
import type { Trace } from '../observers/observer.ts'
import type { Situation } from '../schema/tag.ts'
import { freshUuid } from './fresh-id.ts'
import type { Protocol } from './protocol.ts'

/** A message not yet checked. */
type Draft = Readonly<Record<string, unknown>>

/** More messages than this in one answer are nobody's intention. */
const MOST_MESSAGES = 100

/**
 * The messages that an answer holds, in their order.
 * @throws ColloquyError `AGENT_EMPTY`, `AGENT_ANSWER_INVALID`
 */
export const utterancesOf = (
  answer: Answer,
  turn: Turn<object>,
  protocol: Protocol,
  trace?: Trace,
): Draft[] => {
  const parts: readonly unknown[] = Array.isArray(answer) ? answer : [answer]
  if (parts.length === 0) throw new ColloquyError('AGENT_EMPTY', 'The agent answered an empty list')
  const messages: Draft[] = []
  for (const part of parts) messages.push(...messagesOf(part, turn, protocol))
  if (messages.length <= MOST_MESSAGES)
    return trace === undefined ? messages : messages.map((message) => ({ trace, ...message }))
  throw new ColloquyError(
    'AGENT_ANSWER_INVALID',
    `The agent answered ${messages.length} messages at once; ${MOST_MESSAGES} are the most`,
  )
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const messagesOf = (part: unknown, turn: Turn<object>, protocol: Protocol): Draft[] => {
  if (typeof part === 'string') return fromText({ text: part }, turn, protocol)
  if (isObject(part) && typeof part.intent === 'string') return [fromUtterance(part, turn)]
  if (isObject(part) && typeof part.text === 'string') {
    const { text, tokens, id } = part
    const plain: PlainText = {
      text,
      ...(typeof tokens === 'number' ? { tokens } : {}),
      ...(typeof id === 'string' ? { id } : {}),
    }
    return fromText(plain, turn, protocol)
  }
  const kind = part === null ? 'null' : typeof part
  const shape = isObject(part) ? `an object with the keys ${Object.keys(part).slice(0, 10).join(', ')}` : kind
  throw new ColloquyError(
    'AGENT_ANSWER_INVALID',
    `The agent answered ${shape}, which is neither text nor a message`,
  )
}

const fromUtterance = (utterance: Readonly<Record<string, unknown>>, turn: Turn<object>): Draft => {
  // Room for both first: fields added to a copy of something else cost V8 ten times as much.
  const draft: Record<string, unknown> = { id: null, from: null, tokens: null, ...utterance }
  draft.id = utterance.id ?? freshUuid()
  draft.from = turn.member
  draft.tokens = utterance.tokens ?? estimated(utterance.content)
  return draft
}

/** Tokens of a text of which nobody has counted them: one for about four characters. */
const estimated = (content: unknown): number =>
  typeof content === 'string' ? Math.ceil(content.length / 4) : 0

/** Below this, what the rules guess from a text yields to what was asked, where the question was a definite one. */
const WEAK = 0.8

const fromText = ({ text, tokens, id }: PlainText, turn: Turn<object>, protocol: Protocol): Draft[] => {
  if (stripThinking(text).trim() === '') throw new ColloquyError('AGENT_EMPTY', 'The agent answered no text')
  const { expected, defaults = {} } = turn
  const messages = tag(text, {
    intents: Object.keys(protocol.payloads),
    situation: situationOf(turn),
    rules: protocol.tags,
    prefixFields: protocol.prefixFields,
  })
  return messages.map((message, index) => {
    const { by, confidence } = message.payload.tagged
    const isAsked = expected !== null && Object.keys(defaults).length > 0
    const isWeak = isAsked && by === 'rules' && confidence < WEAK && message.intent !== expected
    const intent = isWeak ? expected : message.intent
    if (by === 'default' && expected === null) throw unclear(turn)
    const payload = isWeak ? { tagged: { by: 'default', confidence } } : message.payload
    // Room for what is added, as above.
    const draft: Record<string, unknown> = { id: null, from: null, replyTo: null, tokens: null, ...message }
    draft.intent = intent
    draft.id = message.id ?? (index === 0 ? id : undefined) ?? freshUuid()
    draft.from = turn.member
    // A vote or a result answers what was asked about; talk besides it does not.
    draft.replyTo = message.replyTo ?? turn.replyTo
    draft.payload = intent === expected ? { ...defaults, ...payload } : payload
    // The text cost what it cost, once.
    draft.tokens = tokens === undefined ? estimated(message.content) : index === 0 ? tokens : 0
    return draft
  })
}

const unclear = ({ allowed }: Turn<object>): ColloquyError => {
  const forms = allowed.map(({ intent }) => `[${intent}]`).join(', ')
  const message = `The answer does not tell what it means; begin it with one of ${forms}`
  return new ColloquyError('AGENT_ANSWER_INVALID', message)
}

const situationOf = ({ state, allowed, expected, board, members }: Turn<object>): Situation => {
  const { subtasks } = board as { subtasks?: Situation['subtasks'] }
  const intents = allowed.map(({ intent }) => intent)
  const situation = { state, allowed: intents, expected: expected ?? '', members }
  return Array.isArray(subtasks) ? { ...situation, subtasks } : situation
}
