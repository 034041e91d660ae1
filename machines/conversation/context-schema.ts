/** The context as it comes back from a snapshot: checked before guards rely on it. */
import { z } from 'zod'
import { json } from '../../src/schema/json.ts'
import type { ConversationContext } from './context.ts'
import { policySchema, STATES } from './policy.ts'

const count = z.int().min(0)
const ids = z.array(z.string())
const title = z.string().nullable()

const planned = z.strictObject({ id: z.string(), title, requires: z.array(z.string()) })
const perState = z.strictObject({
  discussion: count,
  proposal: count,
  assign: count,
  execution: count,
  review: count,
})

/** Rejects whatever no conversation of this version could have written. */
export const contextSchema: z.ZodType<ConversationContext> = z.strictObject({
  policy: policySchema,
  seats: z.array(
    z.strictObject({
      id: z.string(),
      active: z.boolean(),
      expelled: z.boolean(),
      turns: count,
      violations: count,
      heard: count,
    }),
  ),
  lead: z.string().nullable(),
  visit: z.strictObject({ state: z.enum(STATES), since: count, bonus: count }),
  spoken: count,
  touched: count,
  turns: count,
  tokens: count,
  moves: count,
  left: perState,
  proposals: z.array(
    z.strictObject({
      id: z.string(),
      author: z.string(),
      subtasks: z.array(planned),
      agrees: ids,
      objects: ids,
    }),
  ),
  adopted: z.strictObject({ id: z.string(), author: z.string() }).nullable(),
  subtasks: z.array(
    z.strictObject({
      ...planned.shape,
      owner: z.string().nullable(),
      offered: z.string().nullable(),
      status: z.enum(['success', 'partial', 'failed']).nullable(),
      output: json,
      attempts: count,
      byLimit: z.boolean(),
    }),
  ),
  reviewers: ids,
  verdicts: z.array(z.strictObject({ from: z.string(), pass: z.boolean(), subtasks: ids.nullable() })),
  rejections: count,
  warnings: z.array(z.enum(['adopted_without_quorum', 'partial', 'rejects_exhausted', 'unreviewed'])),
  offender: z.string().nullable(),
  closing: z
    .strictObject({
      status: z.enum(['accepted', 'rejects_exhausted', 'timeout', 'abandoned', 'cancelled']),
      cause: z.enum(['turns', 'deadline', 'idle', 'tokens', 'max_turns']).nullable(),
    })
    .nullable(),
})
