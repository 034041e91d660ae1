/** JSON values that come from outside: checked, bounded in depth, and copied, so that nobody can change them later. */
import { z } from 'zod'

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** Deeper nesting is refused: nobody means it, and it breaks recursive readers further on. */
const MAX_DEPTH = 64

const NOT_JSON = Symbol('not JSON')

const copyJson = (value: unknown, depth: number): Json | typeof NOT_JSON => {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : NOT_JSON
  if (typeof value !== 'object' || depth === 0) return NOT_JSON
  if (Array.isArray(value)) {
    const list: Json[] = []
    for (const item of value) {
      const copied = copyJson(item, depth - 1)
      if (copied === NOT_JSON) return NOT_JSON
      list.push(copied)
    }
    return list
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) return NOT_JSON
  const copy: Record<string, Json> = {}
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue
    const copied = copyJson(item, depth - 1)
    if (copied === NOT_JSON) return NOT_JSON
    // A key named __proto__ must stay a key; assigning it would set the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: copied, enumerable: true })
    else copy[key] = copied
  }
  return copy
}

/** Any JSON value, at most 64 levels deep; the parsed value is a copy. */
export const json = z.unknown().transform((value, context): Json => {
  const copied = copyJson(value, MAX_DEPTH)
  if (copied !== NOT_JSON) return copied
  context.addIssue({
    code: 'custom',
    message: `must be a JSON value, at most ${MAX_DEPTH} levels deep`,
    input: value,
  })
  return z.NEVER
})

/** A payload: the fields given, of their types; any other key is kept as long as it is JSON. */
export const payloadOf = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.object(shape).catchall(json.optional())
