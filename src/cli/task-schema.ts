/** What a task file may hold. Policy and protocol are checked by the protocol, not here. */
import { z } from 'zod'
import { issuesOf, keysAt, unknownKey } from '../schema/issues.ts'
import { agentId } from '../schema/text.ts'

/** A check's words, and others for a field that is not there. */
const expected =
  (words: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    input === undefined ? `is missing: it ${words}` : words

const text = (words = 'must be text; put it in quotes where it looks like anything else') =>
  z.string({ error: expected(words) }).min(1, 'must not be empty')
const MILLISECONDS = 'must be a whole number of ms of at least 1, or null for no limit'
const milliseconds = z.int(MILLISECONDS).min(1, MILLISECONDS).nullable()
const flag = z.boolean('must be true or false')
const list = (words: string) => z.array(text(), words)

const common = {
  capabilities: list('must be a list of what the member can do').optional(),
  timeout: milliseconds.optional(),
}

const COMMAND = 'must be a command: text for the shell, or a list of a program and its arguments'

const execMember = z.strictObject({
  ...common,
  exec: z.union([z.string().min(1), z.tuple([z.string().min(1)], z.string())], {
    error: ({ input }) =>
      Array.isArray(input) && input.length > 0
        ? `${COMMAND}, each in quotes where it looks like a number or true or false`
        : COMMAND,
  }),
  cwd: text().optional(),
  env: z
    .record(
      z.string(),
      z.union([z.string(), z.number(), z.boolean(), z.null()], 'must be text, or null to take it away'),
      'must be a mapping of variables',
    )
    .optional(),
  persistent: flag.optional(),
  input: z.enum(['json', 'text'], 'must be json or text').optional(),
})

const modelMember = z.strictObject({
  ...common,
  model: text("must be the model's name"),
  baseURL: text('must be an http or https address').optional(),
  system: text().optional(),
  temperature: z.number('must be a number').optional(),
  maxTokens: z.int('must be a whole number of tokens').min(1, 'must be at least 1').optional(),
  apiKeyEnv: text('must be the name of an environment variable, or null to send no key')
    .nullable()
    .optional(),
})

const personMember = z.strictObject({
  ...common,
  person: z.literal(true, 'must be true; leave the field out for no person'),
  name: text().optional(),
})

const moduleMember = z.strictObject({
  ...common,
  module: text('must be the path of a JavaScript module'),
  export: text('must be the name of an export').optional(),
})

const KINDS = {
  exec: execMember,
  model: modelMember,
  person: personMember,
  module: moduleMember,
} as const
type Kind = keyof typeof KINDS
const KIND_NAMES = Object.keys(KINDS) as Kind[]

export type ExecMember = z.output<typeof execMember>
export type ModelMember = z.output<typeof modelMember>
export type PersonMember = z.output<typeof personMember>
export type ModuleMember = z.output<typeof moduleMember>
export type Member = ExecMember | ModelMember | PersonMember | ModuleMember

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const ONE_OF = `exactly one of ${KIND_NAMES.join(', ')}`

/** A member is of the kind that one of its keys names; what is wrong is said for that kind, not for all. */
const member = z.unknown().transform((value, context): Member => {
  const refuse = (path: PropertyKey[], message: string): never => {
    context.addIssue({ code: 'custom', path, message, input: value })
    return z.NEVER
  }
  if (!isMapping(value)) return refuse([], `must be a mapping with ${ONE_OF}`)
  const kinds = KIND_NAMES.filter((kind) => Object.hasOwn(value, kind))
  const [kind, other] = kinds
  if (kind === undefined) {
    const known = [...new Set(KIND_NAMES.flatMap((name) => keysAt(KINDS[name], [])))]
    for (const key of Object.keys(value)) if (!known.includes(key)) refuse([key], unknownKey(key, known))
    return refuse([], `must have ${ONE_OF}`)
  }
  if (other !== undefined) return refuse([other], `must have ${ONE_OF}, but has ${kinds.join(' and ')}`)
  const parsed = KINDS[kind].safeParse(value)
  if (parsed.success) return parsed.data
  const known = keysAt(KINDS[kind], [])
  for (const issue of parsed.error.issues) {
    if (issue.code === 'unrecognized_keys')
      for (const key of issue.keys) refuse([...issue.path, key], unknownKey(key, known))
    else refuse([...issue.path], issue.message)
  }
  return z.NEVER
})

/** Each name a valid agent id, and none twice in another spelling of the same characters. */
const names = (context: {
  readonly value: Readonly<Record<string, unknown>>
  issues: z.core.$ZodRawIssue[]
}): void => {
  const known = new Set<string>()
  const { value } = context
  const add = (path: string[], message: string): void => {
    context.issues.push({ code: 'custom', path, message, input: value })
  }
  for (const name of Object.keys(value)) {
    const parsed = agentId.safeParse(name)
    if (!parsed.success) {
      const [found] = issuesOf(parsed.error)
      add([name], `is no name for a member: it ${found?.message}`)
    } else if (known.has(parsed.data)) add([name], 'is given twice; each member needs a name of its own')
    else known.add(parsed.data)
  }
  if (Object.keys(value).length === 0) add([], 'must name at least one member')
}

const MEMBERS = 'must be a mapping of members, each with exec, model, person or module'

export const taskSchema = z.strictObject({
  goal: text('must be text: what the group is to do').refine(
    (goal) => goal.trim() !== '',
    'must not be empty',
  ),
  protocol: text("must be a protocol's name").optional(),
  lead: text("must be a member's name").nullable().optional(),
  policy: z.unknown().optional(),
  talk: z.enum(['round_robin', 'all_at_once'], 'must be round_robin or all_at_once').optional(),
  turnTimeout: milliseconds.optional(),
  members: z.record(z.string(), member, { error: expected(MEMBERS) }).check(names),
})

export type Task = z.output<typeof taskSchema>
