/** Arbitraries for messages: such as a protocol takes, and such as any reader of it must refuse. */
import fc from 'fast-check'
import type { Protocol } from '../engine/protocol.ts'
import { CONTENT_LIMIT, type MessageInput } from '../schema/message.ts'
import { choicesOf, type Draw, drawFrom, pick } from './draw.ts'
import { memberIds } from './groups.ts'
import { takes, valueFor } from './values.ts'

export interface MessagesOptions {
  /** Who may have sent it. Default: anybody. */
  readonly members?: readonly string[]
  /** What a payload may name and a message answer, besides members. */
  readonly ids?: readonly string[]
}

/** Choices that one message takes. */
const MESSAGE_CHOICES = 24

/** Payload of an intent with these choices: as its schema wants it; null when none was found. */
export const payloadFor = (
  protocol: Protocol,
  intent: string,
  draw: Draw,
  texts: readonly string[],
): Readonly<Record<string, unknown>> | null => {
  const schema = protocol.payloads[intent]
  if (schema === undefined) return null
  for (let attempt = 0; attempt < 4; attempt++) {
    const value = valueFor(schema, draw, { texts })
    if (takes(schema, value)) return value as Readonly<Record<string, unknown>>
  }
  return takes(schema, {}) ? {} : null
}

/** Messages of a protocol that are well formed; whether they are allowed is another question. */
export const messages = (
  protocol: Protocol,
  { members, ids = [] }: MessagesOptions = {},
): fc.Arbitrary<MessageInput> =>
  fc
    .record({
      id: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
      from: members === undefined ? memberIds : fc.constantFrom(...members),
      intent: fc.constantFrom(...Object.keys(protocol.payloads)),
      content: fc.string({ unit: 'grapheme', maxLength: 40 }),
      choices: choicesOf(MESSAGE_CHOICES),
      tokens: fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, fc.nat({ max: 500 })),
      replyTo: fc.constantFrom(null, ...ids),
    })
    .map(({ choices, ...rest }) => {
      const texts = [...ids, ...(members ?? [])]
      return { ...rest, payload: payloadFor(protocol, rest.intent, drawFrom(choices), texts) }
    })
    .filter((message): message is typeof message & MessageInput => message.payload !== null)

type Raw = Readonly<Record<string, unknown>>

/** What breaks any message. */
const BREAKS: readonly ((raw: Raw) => unknown)[] = [
  () => undefined,
  () => null,
  () => 5,
  () => 'text',
  (raw) => [raw],
  (raw) => ({ ...raw, id: undefined }),
  (raw) => ({ ...raw, id: '' }),
  (raw) => ({ ...raw, id: 7 }),
  (raw) => ({ ...raw, id: '🤖'.repeat(129) }),
  (raw) => ({ ...raw, id: '\ud800' }),
  (raw) => ({ ...raw, from: '' }),
  (raw) => ({ ...raw, from: ' a' }),
  (raw) => ({ ...raw, from: 'a\u0000' }),
  (raw) => ({ ...raw, from: 'Broadcast' }),
  (raw) => ({ ...raw, from: { toString: 'a' } }),
  (raw) => ({ ...raw, to: '' }),
  (raw) => ({ ...raw, intent: 'constructor' }),
  (raw) => ({ ...raw, intent: '__proto__' }),
  (raw) => ({ ...raw, intent: undefined }),
  (raw) => ({ ...raw, intent: [raw.intent] }),
  (raw) => ({ ...raw, content: '\ud800' }),
  (raw) => ({ ...raw, content: null }),
  (raw) => ({ ...raw, content: 'é'.repeat(CONTENT_LIMIT / 2 + 1) }),
  (raw) => ({ ...raw, payload: null }),
  (raw) => ({ ...raw, payload: [] }),
  (raw) => ({ ...raw, payload: 'x' }),
  (raw) => ({ ...raw, replyTo: 5 }),
  (raw) => ({ ...raw, replyTo: '' }),
  (raw) => ({ ...raw, tokens: -1 }),
  (raw) => ({ ...raw, tokens: 0.5 }),
  (raw) => ({ ...raw, tokens: Number.NaN }),
  (raw) => ({ ...raw, sentAt: 'yesterday' }),
  (raw) => ({ ...raw, schemaVersion: '2.0' }),
  (raw) => ({ ...raw, conversation: 1 }),
  (raw) => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    return { ...raw, extra: circle }
  },
  (raw) => ({
    ...raw,
    get content() {
      throw new Error('This field cannot be read')
    },
  }),
]

/** Of a wrong type for most fields. */
const WRONG: readonly unknown[] = [null, 5, '', 'x', [], {}, true, Number.NaN, [null]]

/** The same message with one field of its payload wrong; undefined when the protocol takes whatever stands there. */
const withWrongPayload = (protocol: Protocol, raw: Raw, draw: Draw): unknown => {
  const schema = protocol.payloads[String(raw.intent)]
  if (schema === undefined || !('shape' in schema.def)) return undefined
  const key = pick(Object.keys(Object(schema.def.shape)), draw)
  if (key === undefined) return undefined
  const first = draw(WRONG.length)
  for (const index of WRONG.keys()) {
    const payload = { ...Object(raw.payload), [key]: WRONG[(first + index) % WRONG.length] }
    if (!takes(schema, payload)) return { ...raw, payload }
  }
  return undefined
}

/** What is no message of a protocol, broken by these choices. */
export const brokenBy = (protocol: Protocol, raw: Raw, draw: Draw): unknown => {
  const wrong = draw(3) === 2 ? withWrongPayload(protocol, raw, draw) : undefined
  return wrong ?? pick(BREAKS, draw)?.(raw)
}

/** Whatever is no message of a protocol: of no shape at all, of a wrong envelope, of a wrong payload. */
export const malformed = (protocol: Protocol): fc.Arbitrary<unknown> =>
  fc
    .tuple(messages(protocol), choicesOf(8))
    .map(([message, choices]) => brokenBy(protocol, { ...message }, drawFrom(choices)))
