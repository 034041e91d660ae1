/** A look at what came from outside before it is checked field by field: checks take time and memory for each part of it. */
import type { Issue } from '../errors.ts'

/** What is nested deeper is left to the check of the fields, which refuses it. */
const DEEPEST = 100
/** More parts (values, fields, items) than this in one message are nobody's intention. */
const MOST_PARTS = 20_000

/**
 * What makes a message too large to be looked at, or null. Visits at most 20,000 parts, whatever refers to whatever.
 * The content has a limit of its own in the schema.
 * @param limit most UTF-16 units of all other texts and names together
 */
export const oversize = (message: unknown, limit: number): Issue | null => {
  let parts = 0
  let characters = 0
  const fits = (value: unknown, depth: number): boolean => {
    if (typeof value === 'string') characters += value.length
    if (++parts > MOST_PARTS || characters > limit) return false
    if (typeof value !== 'object' || value === null || depth === 0) return true
    if (Array.isArray(value)) return value.every((item) => fits(item, depth - 1))
    for (const key in value) {
      characters += key.length
      if (!fits((value as Readonly<Record<string, unknown>>)[key], depth - 1)) return false
    }
    return true
  }
  if (typeof message !== 'object' || message === null) return null
  for (const key in message) {
    if (key === 'content' || fits((message as Readonly<Record<string, unknown>>)[key], DEEPEST)) continue
    const most = parts > MOST_PARTS ? `${MOST_PARTS} parts` : `${limit} characters besides the content`
    return { path: key, message: `makes the message too large: it may have at most ${most}` }
  }
  return null
}
