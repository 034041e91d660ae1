/** The context as it comes back from a snapshot: checked before guards rely on it. */
import { z } from 'zod'
import type { Issue } from '../../src/errors.ts'
import { issuesOf } from '../../src/schema/issues.ts'
import { json } from '../../src/schema/json.ts'
import { inOurWords } from '../../src/schema/wording.ts'
import type { ConversationContext } from './context.ts'
import { type Policy, policySchema, STATES, shared } from './policy.ts'

// Sums, such as of tokens, may pass what is a safe integer.
const count = z.number().min(0)
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

/** The whole policy: what a snapshot lacks is not filled in, for it was something else before. */
const policy = z.unknown().transform((given, context): Policy => {
  const parsed = policySchema.safeParse(given, inOurWords)
  if (!parsed.success) {
    for (const { message, path } of parsed.error.issues)
      context.issues.push({ code: 'custom', message, path: [...path], input: given })
    return z.NEVER
  }
  if (JSON.stringify(sorted(parsed.data)) === JSON.stringify(sorted(given))) return shared(parsed.data)
  context.issues.push({ code: 'custom', message: 'must be complete', input: given })
  return z.NEVER
})

/** With its keys in one order, whoever wrote them. */
const sorted = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]))
}

const contextSchema: z.ZodType<ConversationContext> = z.strictObject({
  policy,
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

/** A context that a snapshot holds for a state, or what is wrong with it. */
export const readContext = (
  given: unknown,
  state: string,
):
  | { readonly context: ConversationContext; readonly issues?: never }
  | { readonly issues: readonly Issue[]; readonly context?: never } => {
  const parsed = contextSchema.safeParse(given, inOurWords)
  if (!parsed.success) return { issues: issuesOf(parsed.error, ['context']) }
  const { visit, closing } = parsed.data
  const expected = closing === null ? visit.state : 'closed'
  if (state === expected) return { context: parsed.data }
  return {
    issues: [
      { path: 'context.visit.state', message: `is of "${expected}", but the snapshot's state is "${state}"` },
    ],
  }
}
