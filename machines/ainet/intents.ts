/** Intents and their payloads, and the events that the machine sees. Source: AINET's message protocol, v0.3. */
import { z } from 'zod'
import { payloadOf } from '../../src/schema/json.ts'
import type { Payloads } from '../../src/schema/message.ts'
import { agentId } from '../../src/schema/text.ts'

/** The types of a request, as AINET writes them. */
export const TYPES = ['BROADCAST', 'PRIVATE', 'TASK'] as const
export type RequestType = (typeof TYPES)[number]

const request = payloadOf({ type: z.enum(TYPES).optional(), to: agentId.optional() }).check((context) => {
  const { type, to } = context.value
  const refuse = (message: string): void =>
    void context.issues.push({ code: 'custom', path: ['to'], message, input: context.value })
  if (type === 'PRIVATE' && to === undefined) refuse('is missing: a PRIVATE request names its recipient')
  if (type !== undefined && type !== 'PRIVATE' && to !== undefined)
    refuse(`must be left out: only a PRIVATE request has a recipient, and this one is ${type}`)
})

const plain = payloadOf({})

/** The payload schema of each intent; unknown keys are kept, wrong types are malformed. */
export const payloads = {
  request,
  claim: plain,
  reply: plain,
  read: plain,
  say: plain,
  done: plain,
} as const satisfies Payloads

export type Intent = keyof typeof payloads
type PayloadOf<I extends Intent> = z.output<(typeof payloads)[I]>

/** What a request is when it does not say so: PRIVATE when it names somebody, else for all. */
export const typeOf = ({ type, to }: PayloadOf<'request'>): RequestType =>
  type ?? (to === undefined ? 'BROADCAST' : 'PRIVATE')

/** A message that was admitted, as the machine sees it. */
export type MessageEvent<I extends Intent = Intent> = {
  [Each in I]: {
    readonly type: Each
    /** ms. */
    readonly at: number
    readonly id: string
    readonly from: string
    readonly payload: PayloadOf<Each>
    readonly replyTo: string | null
  }
}[I]

/** What happens to members and by the clock. */
export type ControlEvent =
  | { readonly type: 'join' | 'leave' | 'fault'; readonly at: number; readonly member: string }
  | { readonly type: 'deadline' | 'cancel'; readonly at: number }

export type AinetEvent = MessageEvent | ControlEvent
