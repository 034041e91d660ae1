/** A record: what a conversation writes, line by line, and all that a replay needs. Source: "Records" of the specification. */
import { z } from 'zod'
import { json } from './json.ts'
import { agentId, opaqueId } from './text.ts'

/** ms: the end of the year 9999, the last that ISO 8601 writes with four digits, as a message's `sentAt` has it. */
export const LAST_TIME = 253_402_300_799_999

/** ms: since the epoch, or of a simulated clock. Never past what a Date holds, never decreasing within a record. */
export const timestamp = z.int().min(0).max(LAST_TIME)

export const openEvent = z.object({
  type: z.literal('open'),
  at: timestamp,
  id: opaqueId,
  machine: z.string().min(1).default('conversation'),
  version: z.int().min(1).optional(),
  goal: z.string().default(''),
  members: z.array(agentId),
  lead: agentId.nullable().default(null),
  policy: z.record(z.string(), json).default({}),
})

/** Everything that may follow `open`. A message is checked by its protocol's schema, and refused there, not here. */
export const happening = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), at: timestamp, message: z.unknown().optional() }),
  z.object({ type: z.literal('join'), at: timestamp, member: agentId }),
  z.object({ type: z.literal('leave'), at: timestamp, member: agentId }),
  z.object({ type: z.literal('fault'), at: timestamp, member: agentId, error: z.string().optional() }),
  z.object({ type: z.literal('deadline'), at: timestamp }),
  z.object({ type: z.literal('cancel'), at: timestamp }),
])

export type OpenEvent = Readonly<z.infer<typeof openEvent>>
export type Happening = Readonly<z.infer<typeof happening>>
/** One line of a record. */
export type RecordEvent = OpenEvent | Happening
