/** What zod finds wrong, in the words of a person: what was expected, what came, and the nearest that is known. */
import type { z } from 'zod'
import { nearest } from './nearest.ts'

const A: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

const kindOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  return A[typeof value] ?? `a ${typeof value}`
}

const oneOf = (values: readonly unknown[], input: unknown): string => {
  const list = values.map((value) => JSON.stringify(value))
  const names = list.length === 1 ? list[0] : `one of ${list.join(', ')}`
  if (input === undefined) return `is missing: must be ${names}`
  const near =
    typeof input === 'string'
      ? nearest(
          input,
          values.filter((value) => typeof value === 'string'),
        )
      : null
  return near === null ? `must be ${names}` : `must be ${names}; did you mean "${near}"?`
}

const size = (issue: { readonly origin?: unknown }, bound: 'least' | 'most', limit: unknown): string => {
  const unit = issue.origin === 'string' ? ' characters' : issue.origin === 'array' ? ' items' : ''
  return unit === '' ? `must be at ${bound} ${limit}` : `must have at ${bound} ${limit}${unit}`
}

const say = (issue: z.core.$ZodRawIssue): string | undefined => {
  switch (issue.code) {
    case 'invalid_type': {
      const expected = A[String(issue.expected)] ?? String(issue.expected)
      if (issue.input === undefined) return `is missing: must be ${expected}`
      const isFraction = issue.expected === 'int' && typeof issue.input === 'number'
      return `must be ${expected}, not ${isFraction ? issue.input : kindOf(issue.input)}`
    }
    case 'invalid_value':
      return oneOf(issue.values as readonly unknown[], issue.input)
    case 'invalid_union': {
      const { options, discriminator, input } = issue as {
        options?: readonly unknown[]
        discriminator?: string
        input?: unknown
      }
      if (options === undefined || discriminator === undefined) return undefined
      return oneOf(options, (input as Readonly<Record<string, unknown>> | undefined)?.[discriminator])
    }
    case 'too_small':
      return size(issue, 'least', issue.minimum)
    case 'too_big':
      return size(issue, 'most', issue.maximum)
    default:
      return undefined
  }
}

/** Given to zod with each parse. What a schema itself says goes first. */
export const inOurWords = {
  error: say,
  // zod copies this and sets `async`; a field that the copy has to add costs V8 as much as half a message's check.
  async: false,
} as const
