/** The six intents and the payload of each. What the paper calls the type of a message: it says which state comes next. */
import { z } from 'zod'
import { json, payloadOf } from '../../src/schema/json.ts'
import type { Payloads } from '../../src/schema/message.ts'
import { agentId, opaqueId } from '../../src/schema/text.ts'

/** Who speaks next. */
const next = agentId.optional()

/** The same task for one or more members; each owes a result of its own. */
const assignment = payloadOf({
  to: z.array(agentId).min(1, 'must name at least one member'),
  title: z.string().optional(),
  next,
})

/** The payload schema of each intent; unknown keys are kept, wrong types are malformed. */
export const payloads = {
  discuss: payloadOf({ next }),
  assign_sync: assignment,
  assign_async: assignment,
  pause: payloadOf({ tasks: z.array(opaqueId).min(1, 'must name at least one task').optional(), next }),
  report: payloadOf({
    task: opaqueId.optional(),
    status: z.enum(['success', 'partial', 'failed']).optional(),
    output: json.optional(),
  }),
  conclude: payloadOf({ output: json.optional(), next }),
} as const satisfies Payloads

export type Intent = keyof typeof payloads
export const INTENTS = Object.keys(payloads) as Intent[]

/** A message that was admitted, as the machine sees it. */
export type MessageEvent<I extends Intent = Intent> = {
  [Each in I]: {
    readonly type: Each
    /** ms. */
    readonly at: number
    readonly id: string
    readonly from: string
    readonly content: string
    readonly payload: z.output<(typeof payloads)[Each]>
  }
}[I]

/** What happens to members and by the clock. */
export type ControlEvent =
  | { readonly type: 'join' | 'leave' | 'fault'; readonly at: number; readonly member: string }
  | { readonly type: 'deadline' | 'cancel'; readonly at: number }

export type IoaEvent = MessageEvent | ControlEvent
