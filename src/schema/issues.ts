/** zod's findings as ours: a path in dots and brackets, what was expected, and for an unknown key the nearest known one. */
import type { z } from 'zod'
import type { Issue } from '../errors.ts'
import { nearest } from './nearest.ts'

/** A path such as `policy.turnLimit.review` or `members[2]`. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? String(part) : `${text}.${String(part)}`
  }, '')

/** The words for an unknown key. */
export const unknownKey = (key: string, known: readonly string[]): string => {
  const near = nearest(key, known)
  return near === null ? `is unknown; known are: ${known.join(', ')}` : `is unknown; did you mean "${near}"?`
}

/** Whatever zod found, one issue for each wrong field. `knownAt` gives the known keys of the object at a path. */
export const issuesOf = (
  error: z.core.$ZodError,
  prefix: readonly PropertyKey[] = [],
  knownAt: (path: readonly PropertyKey[]) => readonly string[] = () => [],
): Issue[] =>
  error.issues.flatMap((issue): Issue[] => {
    const path = [...prefix, ...issue.path]
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        path: pathText([...path, key]),
        message: unknownKey(key, knownAt(issue.path)),
      }))
    }
    return [{ path: pathText(path), message: issue.message }]
  })

/** The keys that an object schema knows at a path, looking through defaults. */
export const keysAt = (schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] => {
  let at: unknown = schema
  for (const part of path) at = shapeOf(at)?.[String(part)]
  return Object.keys(shapeOf(at) ?? {})
}

const shapeOf = (schema: unknown): Record<string, unknown> | undefined => {
  let at = schema
  while (typeof at === 'object' && at !== null) {
    if ('shape' in at) return at.shape as Record<string, unknown>
    at = (at as { def?: { innerType?: unknown } }).def?.innerType
  }
  return undefined
}
