/** The JSON Schema files say what the zod schemas say, as far as JSON Schema can: they refuse nothing that zod accepts. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../../machines/catalogue.ts'
import { fileText, jsonSchemas } from '../../scripts/json-schemas.ts'
import { messageSchema } from '../../src/schema/message.ts'
import { happening, openEvent } from '../../src/schema/record.ts'
import { snapshotSchema } from '../../src/schema/snapshot.ts'
import { members, name, policyFor, scenario } from '../support/arbitraries.ts'
import { begin } from '../support/play.ts'
import { parameters, Tally } from '../support/property.ts'

const folder = join(import.meta.dirname, '../../schemas')
const files = new Map(
  readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')] as const),
)

/** `strict` would refuse what JSON Schema allows; formats are annotations, the patterns beside them check. */
const ajv = new Ajv2020({ strict: false, validateFormats: false })
const validators = new Map(
  [...files].map(([file, text]) => [file, ajv.compile(JSON.parse(text) as object)] as const),
)
const accepts = (file: string, value: unknown): boolean => {
  const validate = validators.get(file)
  if (validate === undefined) throw new Error(`there is no schemas/${file}`)
  return validate(value)
}

const { conversation } = catalogue
const zodMessage = messageSchema(conversation.payloads)
const MESSAGE = 'conversation.message.schema.json'
const POLICY = 'conversation.policy.schema.json'
const LINE = 'record-line.schema.json'
const SNAPSHOT = 'snapshot.schema.json'

describe('the files', () => {
  it('are those that the schemas generate', () => {
    expect([...files.keys()].sort()).toEqual([...jsonSchemas().keys()].sort())
    for (const [file, schema] of jsonSchemas()) expect(files.get(file), file).toBe(fileText(schema))
  })

  it('are valid JSON Schema 2020-12', () => {
    for (const [file, text] of files) {
      const schema = JSON.parse(text) as { $schema: string; $id: string }
      expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
      expect(schema.$id).toBe(file)
      expect(ajv.validateSchema(schema), file).toBe(true)
    }
  })

  it('cover every protocol', () => {
    for (const protocol of Object.values(catalogue)) {
      expect([...files.keys()]).toContain(`${protocol.name}.message.schema.json`)
      expect([...files.keys()]).toContain(`${protocol.name}.policy.schema.json`)
    }
  })
})

const id = fc.oneof(
  name,
  fc.constantFrom('m1', 't1', 'x'.repeat(128), '🤖'.repeat(128), 'x'.repeat(129), '', '🤖'.repeat(129)),
)
const text = fc.string({ unit: 'binary', maxLength: 20 })
const anyJson = fc.jsonValue({ maxDepth: 2 })
const subtasks = fc.array(fc.record({ id, title: text, requires: fc.array(text) }, { requiredKeys: [] }), {
  maxLength: 3,
})

/** Right more often than not, field by field. */
const field = <T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: right, weight: 30 }, { arbitrary: anyJson, weight: 1 })

const payload = fc.oneof(
  fc.constant({}),
  fc.record({ subtask: fc.constantFrom('t1', '智能体', 'x'.repeat(128)), owner: name, title: text }),
  fc.record(
    {
      subtasks: field(fc.oneof(subtasks, fc.array(id, { maxLength: 3 }))),
      subtask: field(id),
      owner: field(name),
      title: field(text),
      decisive: field(fc.boolean()),
      percent: field(fc.double({ noNaN: true, noDefaultInfinity: true })),
      status: field(fc.constantFrom('success', 'partial', 'failed')),
      verdict: field(fc.constantFrom('pass', 'reject')),
      reasons: field(fc.array(text, { maxLength: 2 })),
      output: anyJson,
      own: anyJson,
    },
    { requiredKeys: [] },
  ),
)
/** What arrives on a wire: JSON, near to a message. */
const nearMessage = fc.record(
  {
    id: field(id),
    from: field(name),
    intent: field(fc.constantFrom(...Object.keys(conversation.payloads))),
    conversation: field(id),
    to: field(fc.oneof(name, fc.constantFrom('broadcast', 'task', 'TASK'))),
    content: field(text),
    payload: field(payload),
    replyTo: field(fc.option(id)),
    correlationId: field(fc.option(id)),
    sentAt: field(
      fc
        .date({
          min: new Date('0000-01-01T00:00:00Z'),
          max: new Date('9999-12-31T00:00:00Z'),
          noInvalidDate: true,
        })
        .map((date) => date.toISOString()),
    ),
    tokens: field(fc.nat()),
    trace: field(fc.record({ traceparent: text, tracestate: text }, { requiredKeys: [] })),
    schemaVersion: field(fc.constantFrom('1.0', '1.7', '2.0')),
    own: anyJson,
  },
  { requiredKeys: ['id', 'from', 'intent'] },
)

const valid = { id: 'm1', from: 'ana', intent: 'info' }
const assignment = { ...valid, intent: 'assign', payload: { subtask: 't1', owner: 'ben' } }

describe('the JSON Schema of messages', () => {
  it('accepts whatever zod accepts', () => {
    const tally = new Tally()
    fc.assert(
      fc.property(nearMessage, (message) => {
        const sent: unknown = JSON.parse(JSON.stringify(message))
        if (!zodMessage.safeParse(sent).success) return
        tally.add(String(message.intent))
        if (!accepts(MESSAGE, sent)) throw new Error(JSON.stringify(validators.get(MESSAGE)?.errors))
      }),
      parameters(3000),
    )
    expect(tally.below(10, Object.keys(conversation.payloads))).toEqual([])
  })

  it('accepts what zod makes of it, once more', () => {
    fc.assert(
      fc.property(nearMessage, (message) => {
        const parsed = zodMessage.safeParse(message)
        if (parsed.success) expect(accepts(MESSAGE, JSON.parse(JSON.stringify(parsed.data)))).toBe(true)
      }),
      parameters(500),
    )
  })

  it('accepts an id that only its normal form makes short enough', () => {
    const message = { ...valid, from: 'e\u0301'.repeat(128) }
    expect(zodMessage.safeParse(message).success).toBe(true)
    expect(accepts(MESSAGE, message)).toBe(true)
  })

  it.each([
    ['no object', null],
    ['a list', [valid]],
    ['no id', { from: 'ana', intent: 'info' }],
    ['an empty id', { ...valid, id: '' }],
    ['an id that is too long', { ...valid, id: 'x'.repeat(129) }],
    ['an id that is a number', { ...valid, id: 7 }],
    ['no sender', { id: 'm1', intent: 'info' }],
    ['an empty sender', { ...valid, from: '' }],
    ['no intent', { id: 'm1', from: 'ana' }],
    ['an unknown intent', { ...valid, intent: 'dance' }],
    ['a control event for an intent', { ...valid, intent: 'deadline' }],
    ['content that is no text', { ...valid, content: 5 }],
    ['content that is too long', { ...valid, content: 'x'.repeat((1 << 20) + 1) }],
    ['a payload that is a list', { ...valid, payload: [] }],
    ['a payload that is null', { ...valid, payload: null }],
    ['an empty reply', { ...valid, replyTo: '' }],
    ['negative tokens', { ...valid, tokens: -1 }],
    ['half a token', { ...valid, tokens: 0.5 }],
    ['a time without milliseconds', { ...valid, sentAt: '2025-01-01T00:00:00Z' }],
    ['a time with a zone', { ...valid, sentAt: '2025-01-01T00:00:00.000+01:00' }],
    ['a day that no calendar has', { ...valid, sentAt: '2025-02-30T00:00:00.000Z' }],
    ['another major version', { ...valid, schemaVersion: '2.0' }],
    ['a trace that is no object', { ...valid, trace: 'x' }],
    ['an assignment without a payload', { ...valid, intent: 'assign' }],
    ['an assignment to nobody', { ...assignment, payload: { subtask: 't1' } }],
    ['a plan that is no list', { ...valid, intent: 'proposal', payload: { subtasks: {} } }],
    ['a plan of nothing', { ...valid, intent: 'proposal', payload: { subtasks: [null] } }],
    ['a decision in words', { ...valid, intent: 'agree', payload: { decisive: 'true' } }],
    ['an unknown status', { ...valid, intent: 'result', payload: { status: 'done' } }],
    ['an unknown verdict', { ...valid, intent: 'verdict', payload: { verdict: 'PASS' } }],
    ['reasons that are no text', { ...valid, intent: 'reject', payload: { reasons: [1] } }],
  ])('rejects %s, as zod does', (_what, message) => {
    expect(zodMessage.safeParse(message).success).toBe(false)
    expect(accepts(MESSAGE, message)).toBe(false)
  })
})

describe('the JSON Schema of policies', () => {
  it('accepts whatever zod accepts, whole or in part', () => {
    const group = members.map((ids) => ({ members: ids, lead: ids[0] ?? null }))
    fc.assert(
      fc.property(
        group.chain((given) => policyFor(given)),
        (policy) => {
          const parsed = conversation.policySchema.safeParse(policy)
          expect(parsed.success).toBe(true)
          expect(accepts(POLICY, JSON.parse(JSON.stringify(policy)))).toBe(true)
          expect(accepts(POLICY, JSON.parse(JSON.stringify(parsed.data)))).toBe(true)
        },
      ),
      parameters(500),
    )
  })

  it.each([
    ['an unknown key', { maxRejects: 1 }],
    ['an unknown state', { turnLimit: { discusion: 1 } }],
    ['no turn at all', { turnLimit: { review: 0 } }],
    ['half a rejection', { maxReject: 0.5 }],
    ['a ratio of nothing', { agreeRatio: 0 }],
    ['more than all', { agreeRatio: 1.5 }],
    ['an unknown choice', { reviewers: 'nobody' }],
    ['talk in no state', { talk: ['closed'] }],
  ])('rejects %s, as zod does', (_what, policy) => {
    expect(conversation.policySchema.safeParse(policy).success).toBe(false)
    expect(accepts(POLICY, policy)).toBe(false)
  })
})

describe('the JSON Schemas of records and snapshots', () => {
  it('accept what a conversation writes', () => {
    fc.assert(
      fc.property(scenario({ maxActs: 0 }), fc.array(nearMessage, { maxLength: 10 }), (given, messages) => {
        const { talk } = begin(given)
        const [first] = given.group.members
        for (const message of messages) talk.receive({ ...message, from: first })
        if (first !== undefined) talk.fault(first, 'timed out')
        talk.join('somebody else')
        talk.cancel()
        for (const line of talk.record())
          expect(accepts(LINE, JSON.parse(JSON.stringify(line))), JSON.stringify(line)).toBe(true)
        expect(accepts(SNAPSHOT, JSON.parse(JSON.stringify(talk.snapshot())))).toBe(true)
      }),
      parameters(200),
    )
  })

  const open = { type: 'open', at: 0, id: 'c1', members: ['ana'] }

  it.each([
    ['no event', {}],
    ['an unknown event', { type: 'dance', at: 0 }],
    ['an event without a time', { type: 'cancel' }],
    ['a time before time', { type: 'cancel', at: -1 }],
    ['a time past time', { type: 'cancel', at: 8.64e15 + 1 }],
    ['a member who is nobody', { type: 'join', at: 0, member: '' }],
    ['an opening without members', { type: 'open', at: 0, id: 'c1' }],
    ['a policy that is no object', { ...open, policy: 5 }],
  ])('reject %s, as zod does', (_what, line) => {
    expect(openEvent.safeParse(line).success || happening.safeParse(line).success).toBe(false)
    expect(accepts(LINE, line)).toBe(false)
  })

  it.each([
    ['another format', { format: 2 }],
    ['a place before the first', { seq: -1 }],
    ['a sender without a message', { known: [['m1']] }],
    ['no state', { state: '' }],
  ])('reject %s, as zod does', (_what, change) => {
    const whole = conversationSnapshot()
    expect(snapshotSchema.safeParse(whole).success).toBe(true)
    expect(accepts(SNAPSHOT, whole)).toBe(true)
    expect(snapshotSchema.safeParse({ ...whole, ...change }).success).toBe(false)
    expect(accepts(SNAPSHOT, { ...whole, ...change })).toBe(false)
  })
})

const conversationSnapshot = (): object => {
  const group = { members: ['ana'], lead: null }
  return JSON.parse(JSON.stringify(begin({ group, policy: {}, at: 0, acts: [] }).talk.snapshot())) as object
}
