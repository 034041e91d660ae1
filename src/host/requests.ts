/** What is asked of a host, checked at its edge: a misspelt key would otherwise be a default that nobody wanted. */
import { z } from 'zod'
import { ColloquyError } from '../errors.ts'
import type { ListFilter } from '../journals/journal.ts'
import { issuesOf, keysAt } from '../schema/issues.ts'
import { inOurWords } from '../schema/wording.ts'
import type { OpenRequest } from './host.ts'

// Members, lead and policy are checked where a conversation is opened.
const openSchema = z.strictObject({
  id: z.string().optional(),
  protocol: z.string().optional(),
  goal: z.unknown().optional(),
  members: z.unknown().optional(),
  lead: z.unknown().optional(),
  policy: z.unknown().optional(),
})

const listSchema = z.strictObject({
  closed: z.boolean().optional(),
  machine: z.string().optional(),
  state: z.string().optional(),
  status: z.string().optional(),
  after: z.string().optional(),
  limit: z.int().min(0).optional(),
})

/** What is given, without what is undefined. */
const given = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined))
    : value

const refuse = (code: 'OPEN_INVALID' | 'USAGE', what: string, schema: z.ZodObject, value: unknown): void => {
  const parsed = schema.safeParse(given(value), inOurWords)
  if (parsed.success) return
  const issues = issuesOf(parsed.error, [], (path) => keysAt(schema, path))
  const found = issues.map(({ path, message }) => `${path === '' ? 'it' : path} ${message}`).join('; ')
  throw new ColloquyError(code, `${what}: ${found}`, { issues, remedy: 'Correct the fields named.' })
}

/** @throws ColloquyError `OPEN_INVALID` with each unknown or wrong key */
export const refuseWrongOpening = (request: OpenRequest): void =>
  refuse('OPEN_INVALID', 'The conversation was not opened', openSchema, request)

/** @throws ColloquyError `USAGE` with each unknown or wrong key */
export const refuseWrongFilter = (filter: ListFilter): void =>
  refuse('USAGE', 'No list was made', listSchema, filter)

/** @throws ColloquyError `QUESTION_UNKNOWN` for what is no id of a question */
export const refuseWrongQuestion = (question: unknown): void => {
  if (typeof question === 'string') return
  throw new ColloquyError('QUESTION_UNKNOWN', 'The id of the question must be a text', {
    issues: [{ path: 'question', message: 'must be a text' }],
    remedy: 'Give the id that `questions` tells.',
  })
}

/** @throws ColloquyError `USAGE` for what is no id of a conversation */
export const refuseWrongId = (conversation: unknown): void => {
  if (typeof conversation === 'string') return
  throw new ColloquyError('USAGE', 'The id of the conversation must be a text', {
    issues: [{ path: 'conversation', message: 'must be a text' }],
    remedy: 'Give the id that `open` gave.',
  })
}
