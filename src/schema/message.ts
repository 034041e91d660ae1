/** The message that every protocol shares; a protocol adds its intents and their payloads. Source: messages of the specification. */
import { z } from 'zod'
import { type Json, payloadOf } from './json.ts'
import { agentId, contentOf, opaqueId, recipient } from './text.ts'

/** Most bytes of UTF-8 that a message's content may have unless the host says otherwise: 1 MiB. */
export const CONTENT_LIMIT = 1 << 20

const nullableId = opaqueId.nullable().default(null)

const envelope = (contentLimit: number) => ({
  id: opaqueId.describe('Unique in its conversation'),
  conversation: opaqueId.optional(),
  from: agentId,
  to: recipient.default('broadcast'),
  content: contentOf(contentLimit).default(''),
  replyTo: nullableId,
  correlationId: z.string().nullable().default(null),
  sentAt: z.iso.datetime({ precision: 3, message: 'must be ISO 8601 in UTC with milliseconds' }).optional(),
  tokens: z.int().min(0).default(0).describe('What the message cost'),
  trace: z.object({ traceparent: z.string().optional(), tracestate: z.string().optional() }).optional(),
  schemaVersion: z
    .string()
    .regex(/^1\.\d+$/, 'must be "1.0" or another version 1.x: this reader does not know other majors')
    .default('1.0'),
})

/** The payload schema of each intent of a protocol. */
export type Payloads = Readonly<Record<string, z.ZodType<Record<string, unknown>>>>

/** A message as it is recorded: complete, in its order of fields. */
export interface Message {
  readonly id: string
  readonly conversation: string
  readonly from: string
  readonly to: string
  readonly intent: string
  readonly content: string
  readonly payload: { readonly [key: string]: Json }
  readonly replyTo: string | null
  readonly correlationId: string | null
  /** ISO 8601, UTC, milliseconds; the sender's clock, never used for ordering. */
  readonly sentAt: string
  readonly tokens: number
  readonly trace?: { readonly traceparent?: string; readonly tracestate?: string }
  readonly schemaVersion: string
}

/** A message as it may be given: all but id, sender and intent have defaults. */
export type MessageInput = Partial<Omit<Message, 'payload'>> & {
  readonly id: string
  readonly from: string
  readonly intent: string
  readonly payload?: Readonly<Record<string, unknown>>
}

/** The schema of a protocol's messages: one branch for each intent; unknown fields are kept. */
export const messageSchema = (payloads: Payloads, contentLimit = CONTENT_LIMIT) => {
  const fields = envelope(contentLimit)
  const branches = Object.entries(payloads).map(([intent, payload]) =>
    payloadOf({ ...fields, intent: z.literal(intent), payload: payload.prefault({}) }),
  )
  const [first, ...others] = branches
  if (first === undefined) throw new TypeError('A protocol has at least one intent')
  return z.discriminatedUnion('intent', [first, ...others])
}

export type MessageSchema = ReturnType<typeof messageSchema>
