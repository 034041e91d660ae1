/** Checks on text that every schema shares. */
import { z } from 'zod'

/** Most characters (code points) of an id, as the specification sets it. */
const ID_MAX = 128

const points = (text: string): number => {
  if (text.length <= ID_MAX) return text.length
  let count = 0
  for (const _ of text) count++
  return count
}

/** An id of a message, conversation or subtask: 1–128 characters, opaque, compared as it stands. */
export const opaqueId = z
  .string()
  .min(1, 'must have at least 1 character')
  .refine((id) => points(id) <= ID_MAX, `must have at most ${ID_MAX} characters`)
  .refine((id) => id.isWellFormed(), 'must be well-formed Unicode')
  .meta({ minLength: 1, maxLength: ID_MAX })

const RESERVED = /^(?:broadcast|task)$/i
const PADDED_OR_CONTROL = /^\s|\s$|\p{Cc}/u

/** Why a text is no agent id, or null when it is one. */
const faultOfAgentId = (id: string): string | null => {
  if (id.length === 0) return 'must have at least 1 character'
  if (points(id) > ID_MAX) return `must have at most ${ID_MAX} characters`
  if (PADDED_OR_CONTROL.test(id)) return 'must have no control characters and no white space at either end'
  if (RESERVED.test(id)) return `is reserved: "${id}" cannot be an agent's id`
  if (!id.isWellFormed()) return 'must be well-formed Unicode'
  return null
}

const refuse =
  (faultOf: (text: string) => string | null) =>
  (context: { value: string; issues: z.core.$ZodRawIssue[] }): void => {
    const message = faultOf(context.value)
    if (message !== null) context.issues.push({ code: 'custom', message, input: context.value })
  }

/** An agent id: 1–128 characters of any script, NFC-normalised on entry; `broadcast` and `task` are reserved. */
export const agentId = z
  .string()
  .normalize('NFC')
  .check(refuse(faultOfAgentId))
  .meta({ minLength: 1, maxLength: ID_MAX, description: 'An agent id; any script, NFC; opaque.' })

/** Who a message is for: an agent id, `broadcast` (every member), or `task` (whoever claims it first). */
export const recipient = z
  .string()
  .normalize('NFC')
  .check(refuse((text) => (text === 'broadcast' || text === 'task' ? null : faultOfAgentId(text))))
  .meta({ minLength: 1, maxLength: ID_MAX })

/** Whether a text of at most `limit` bytes of UTF-8; counts only where the length leaves doubt. */
const fits = (text: string, limit: number): boolean =>
  text.length * 3 <= limit || (text.length <= limit && new TextEncoder().encode(text).length <= limit)

/** Text in any language: well-formed Unicode of at most `limit` bytes of UTF-8. */
export const contentOf = (limit: number) =>
  z
    .string()
    .refine((text) => fits(text, limit), `must have at most ${limit} bytes of UTF-8`)
    .refine((text) => text.isWellFormed(), 'must be well-formed Unicode (no lone surrogates)')
