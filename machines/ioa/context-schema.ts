/** The context as it comes back from a snapshot: checked before guards rely on it. */
import { z } from 'zod'
import type { Issue } from '../../src/errors.ts'
import { issuesOf } from '../../src/schema/issues.ts'
import { json } from '../../src/schema/json.ts'
import { inOurWords } from '../../src/schema/wording.ts'
import type { IoaContext } from './context.ts'
import { policySchema, STATES } from './policy.ts'

const count = z.number().min(0)
const cause = z.enum(['turns', 'deadline']).nullable()

/** The whole policy: what a snapshot lacks is not filled in, for it was something else before. */
const policy = z
  .unknown()
  .refine(
    (given) => typeof given === 'object' && given !== null && KEYS.every((key) => Object.hasOwn(given, key)),
    'must be complete',
  )
  .pipe(policySchema)
const KEYS = Object.keys(policySchema.shape)

const contextSchema: z.ZodType<IoaContext> = z.strictObject({
  policy,
  seats: z.array(
    z.strictObject({
      id: z.string(),
      active: z.boolean(),
      expelled: z.boolean(),
      turns: count,
      violations: count,
      overrun: z.boolean(),
    }),
  ),
  lead: z.string().nullable(),
  speaker: z.string(),
  given: count,
  opened: count,
  visit: z.strictObject({ state: z.enum(STATES), since: count }),
  spoken: count,
  tries: count,
  turns: count,
  tasks: z.array(
    z.strictObject({
      id: z.string(),
      title: z.string().nullable(),
      owner: z.string(),
      status: z.enum(['success', 'partial', 'failed']).nullable(),
      output: json,
      due: count.nullable(),
      overdue: z.boolean(),
    }),
  ),
  awaited: z.array(z.string()),
  forced: cause,
  conclusion: json,
  offender: z.string().nullable(),
  closing: z
    .strictObject({
      status: z.enum(['concluded', 'forced', 'timeout', 'abandoned', 'cancelled']),
      cause,
    })
    .nullable(),
})

/** A context that a snapshot holds for a state, or what is wrong with it. */
export const readContext = (
  given: unknown,
  state: string,
):
  | { readonly context: IoaContext; readonly issues?: never }
  | { readonly issues: readonly Issue[]; readonly context?: never } => {
  const parsed = contextSchema.safeParse(given, inOurWords)
  if (!parsed.success) return { issues: issuesOf(parsed.error, ['context']) }
  const { visit, closing, seats, speaker } = parsed.data
  const expected = closing === null ? visit.state : 'closed'
  if (state !== expected) {
    const message = `is of "${expected}", but the snapshot's state is "${state}"`
    return { issues: [{ path: 'context.visit.state', message }] }
  }
  // Nobody could speak: it would only wait for its clock.
  if (closing === null && !seats.some(({ id, active }) => active && id === speaker))
    return { issues: [{ path: 'context.speaker', message: 'must be an active member' }] }
  return { context: parsed.data }
}
