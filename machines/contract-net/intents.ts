/** Intents and their payloads, and the events that the machine sees. Source: the acts of FIPA's Contract Net, SC00029. */
import { z } from 'zod'
import { json, payloadOf } from '../../src/schema/json.ts'
import type { Payloads } from '../../src/schema/message.ts'
import { agentId } from '../../src/schema/text.ts'

const reason = z.string().optional()
/** Whose proposal is meant; else the one that `replyTo` names, or the only one. */
const bidder = agentId.optional()

/** The payload schema of each intent; unknown keys are kept, wrong types are malformed. */
export const payloads = {
  cfp: payloadOf({
    task: json.optional(),
    replyWithin: z.int('must be ms, an integer of at least 1').min(1).optional(),
  }),
  propose: payloadOf({ price: z.number().optional(), offer: json.optional() }),
  refuse: payloadOf({ reason }),
  accept: payloadOf({ bidder }),
  reject: payloadOf({ bidder, reason }),
  inform: payloadOf({ output: json.optional() }),
  failure: payloadOf({ reason }),
  not_understood: payloadOf({ bidder, reason }),
  call_off: payloadOf({ reason }),
} as const satisfies Payloads

export type Intent = keyof typeof payloads
export const INTENTS = Object.keys(payloads) as Intent[]
type PayloadOf<I extends Intent> = z.output<(typeof payloads)[I]>

/** A message that was admitted, as the machine sees it. */
export type MessageEvent<I extends Intent = Intent> = {
  [Each in I]: {
    readonly type: Each
    /** ms. */
    readonly at: number
    readonly id: string
    readonly from: string
    readonly content: string
    readonly payload: PayloadOf<Each>
    readonly replyTo: string | null
  }
}[I]

/** What happens to members and by the clock. */
export type ControlEvent =
  | { readonly type: 'join' | 'leave' | 'fault'; readonly at: number; readonly member: string }
  | { readonly type: 'deadline' | 'cancel'; readonly at: number }

export type ContractNetEvent = MessageEvent | ControlEvent
