/** The context as it comes back from a snapshot: checked before guards rely on it. */
import { z } from 'zod'
import type { Issue } from '../../src/errors.ts'
import { issuesOf } from '../../src/schema/issues.ts'
import { inOurWords } from '../../src/schema/wording.ts'
import { type AinetContext, requestOf } from './context.ts'
import { TYPES } from './intents.ts'
import { STATES, wholePolicySchema } from './policy.ts'

const count = z.int().min(0)
const id = z.string()

const contextSchema: z.ZodType<AinetContext> = z.strictObject({
  policy: wholePolicySchema,
  seats: z.array(
    z.strictObject({
      id,
      active: z.boolean(),
      expelled: z.boolean(),
      turns: count,
      violations: count,
      behind: z.boolean(),
    }),
  ),
  opener: id.nullable(),
  visit: z.strictObject({ state: z.enum(STATES), since: count }),
  turns: count,
  requests: z.array(
    z.strictObject({
      id,
      from: id,
      type: z.enum(TYPES),
      to: id.nullable(),
      claimant: id.nullable(),
      replies: z.array(z.strictObject({ from: id, id })),
      ending: z.enum(['read', 'unread', 'unanswered', 'unanswerable', 'withdrawn']).nullable(),
    }),
  ),
  offender: id.nullable(),
  closing: z
    .strictObject({
      status: z.enum(['done', 'timeout', 'abandoned', 'cancelled']),
      cause: z.enum(['deadline', 'turns', 'max_turns', 'rounds', 'members', 'opener']).nullable(),
    })
    .nullable(),
})

/** What contradicts itself in a context that is well formed. */
const contradiction = (context: AinetContext, state: string): Issue | null => {
  const { visit, closing } = context
  const expected = closing === null ? visit.state : 'closed'
  if (state !== expected)
    return {
      path: 'context.visit.state',
      message: `is of "${expected}", but the snapshot's state is "${state}"`,
    }
  const needsRequest = visit.state === 'pending' || visit.state === 'done'
  if (needsRequest !== (requestOf(context) !== null)) {
    const message = needsRequest
      ? `must end with the one in the mailbox: the state is "${visit.state}"`
      : `must all have an ending: the state is "${visit.state}"`
    return { path: 'context.requests', message }
  }
  return null
}

/** A context that a snapshot holds for a state, or what is wrong with it. */
export const readContext = (
  given: unknown,
  state: string,
):
  | { readonly context: AinetContext; readonly issues?: never }
  | { readonly issues: readonly Issue[]; readonly context?: never } => {
  const parsed = contextSchema.safeParse(given, inOurWords)
  if (!parsed.success) return { issues: issuesOf(parsed.error, ['context']) }
  const wrong = contradiction(parsed.data, state)
  return wrong === null ? { context: parsed.data } : { issues: [wrong] }
}
