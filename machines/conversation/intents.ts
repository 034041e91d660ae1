/** The eleven intents and the payload of each. Source: "Effects" of the specification. */
import { z } from 'zod'
import { json, payloadOf } from '../../src/schema/json.ts'
import type { Payloads } from '../../src/schema/message.ts'
import { agentId, opaqueId } from '../../src/schema/text.ts'

const subtask = opaqueId.optional()

/** Subtask ids default to t1, t2, … by position. */
export const defaultId = (position: number): string => `t${position + 1}`

const plan = z
  .array(
    z.object({
      id: opaqueId.optional(),
      title: z.string().optional(),
      requires: z.array(z.string()).optional(),
    }),
  )
  .check((context) => {
    const known = new Set<string>()
    for (const [position, { id = defaultId(position) }] of context.value.entries()) {
      if (known.has(id)) {
        const message = `repeats the id "${id}": each subtask needs its own (default: t1, t2, … by position)`
        context.issues.push({ code: 'custom', path: [position, 'id'], message, input: context.value })
      }
      known.add(id)
    }
  })

const judgement = {
  verdict: z.enum(['pass', 'reject']).optional(),
  subtasks: z.array(opaqueId).optional(),
  unsupported: z.array(z.string()).optional(),
  reasons: z.array(z.string()).optional(),
}

const talk = payloadOf({})

/** The payload schema of each intent; unknown keys are kept, wrong types are malformed. */
export const payloads = {
  question: talk,
  info: talk,
  proposal: payloadOf({ subtasks: plan.optional() }),
  agree: payloadOf({ decisive: z.boolean().optional() }),
  object: payloadOf({ subtask }),
  assign: payloadOf({ subtask: opaqueId, owner: agentId, title: z.string().optional() }),
  accept: payloadOf({ subtask }),
  progress: payloadOf({ subtask, percent: z.number().optional(), note: z.string().optional() }),
  result: payloadOf({
    subtask,
    status: z.enum(['success', 'partial', 'failed']).optional(),
    output: json.optional(),
  }),
  verdict: payloadOf(judgement),
  reject: payloadOf(judgement),
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
    readonly tokens: number
  }
}[I]

/** What happens to members and by the clock. */
export type ControlEvent =
  | { readonly type: 'join' | 'leave' | 'fault'; readonly at: number; readonly member: string }
  | { readonly type: 'deadline' | 'cancel'; readonly at: number }

export type ConversationEvent = MessageEvent | ControlEvent
