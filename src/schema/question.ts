/** A question to a person who may answer tomorrow: what was asked, of whom, and what an answer would be taken as. */
import { z } from 'zod'
import { timestamp } from './record.ts'
import { agentId, opaqueId } from './text.ts'

export const questionSchema = z.object({
  /** Unique everywhere; the message that answers it gets this id, so that no answer counts twice. */
  id: opaqueId,
  conversation: opaqueId,
  /** Who is asked. */
  member: agentId,
  /** The machine's state in which it was asked; when that changes, nobody waits for the answer any more. */
  state: z.string().min(1),
  /** Why this member is asked, in one line. */
  task: z.string(),
  goal: z.string(),
  /** Place of the newest event when it was asked. */
  seq: z.int().min(0),
  /** ms: when it was asked. */
  at: timestamp,
  /** ms: when the state's time is up; null: never. */
  dueAt: timestamp.nullable(),
  /** What the member may say, each with its meaning and the form of its payload. */
  allowed: z.array(z.object({ intent: z.string(), does: z.string(), form: z.string().optional() })),
  /** What a bare text is taken as when nothing in it tells; null: it must tell. */
  expected: z.string().nullable(),
  /** What was wrong with the last answer; null: nothing. */
  notice: z.string().nullable(),
})

export type Question = Readonly<z.infer<typeof questionSchema>>
