/** JSON Schema 2020-12 of everything that crosses the edge, generated from the zod schemas; file names and contents. */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { catalogue } from '../machines/catalogue.ts'
import { CONTENT_LIMIT, messageSchema } from '../src/schema/message.ts'
import { happening, openEvent } from '../src/schema/record.ts'
import { snapshotSchema } from '../src/schema/snapshot.ts'

export type JsonSchema = z.core.JSONSchema.JSONSchema

/** One character in NFC comes from at most so many: an id that is normalised on entry may be that much longer before. */
const LONGEST_DECOMPOSITION = 4

const isNormalised = (schema: z.core.$ZodType): boolean => {
  const { checks } = schema._zod.def as { checks?: readonly z.core.$ZodCheck[] }
  return checks?.some((check) => check._zod.def.check === 'overwrite') ?? false
}

/** What zod says only in code, as far as JSON Schema can say it. It never refuses what zod accepts. */
const refine = ({
  zodSchema,
  jsonSchema,
  path,
}: {
  zodSchema: z.core.$ZodTypes
  jsonSchema: JsonSchema
  path: readonly (string | number)[]
}): void => {
  if (isNormalised(zodSchema) && jsonSchema.maxLength !== undefined) {
    const most = jsonSchema.maxLength
    jsonSchema.maxLength = most * LONGEST_DECOMPOSITION
    jsonSchema.$comment = `At most ${most} characters once it is NFC-normalised.`
  }
  // An empty object stands in for what is left out; where that is not enough, it may not be left out.
  for (const [key, value] of Object.entries(jsonSchema.properties ?? {})) {
    if (typeof value !== 'object' || !isDeepStrictEqual(value.default, {})) continue
    if ((value.required ?? []).length === 0) continue
    delete value.default
    jsonSchema.required = [...(jsonSchema.required ?? []), key]
  }
  if (path.at(-1) === 'content' && jsonSchema.type === 'string') {
    jsonSchema.maxLength = CONTENT_LIMIT
    jsonSchema.$comment = `At most ${CONTENT_LIMIT} bytes of UTF-8 unless the host says otherwise.`
  }
}

/** What the branches of a union all have stands once, beside it. */
const hoisted = (schema: JsonSchema): JsonSchema => {
  const branches = schema.oneOf
  const [first] = branches ?? []
  if (branches === undefined || first?.properties === undefined) return schema
  const shared = Object.fromEntries(
    Object.entries(first.properties).filter(([key, value]) =>
      branches.every((branch) => isDeepStrictEqual(branch.properties?.[key], value)),
    ),
  )
  const required = (first.required ?? []).filter((key) =>
    branches.every((branch) => branch.required?.includes(key)),
  )
  const oneOf = branches.map(
    ({ type: _, properties = {}, required: own = [], additionalProperties, ...rest }) => ({
      ...rest,
      required: own.filter((key) => !required.includes(key) || !(key in shared)),
      properties: Object.fromEntries(Object.entries(properties).filter(([key]) => !(key in shared))),
      // An empty schema says nothing; any other would not see the hoisted properties.
      ...(isDeepStrictEqual(additionalProperties, {}) || additionalProperties === undefined
        ? {}
        : { additionalProperties }),
    }),
  )
  return { ...schema, type: 'object', properties: shared, required, oneOf }
}

const generated = (name: string, title: string, schema: z.ZodType): [string, JsonSchema] => {
  const file = `${name}.schema.json`
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    override: refine,
  })
  const own = hoisted(rest as JsonSchema)
  return [file, { ...($schema === undefined ? {} : { $schema }), $id: file, title, ...own }]
}

/** Every generated schema, by file name: of each protocol its messages and its policy; a line of a record; a snapshot. */
export const jsonSchemas = (): ReadonlyMap<string, JsonSchema> =>
  new Map([
    ...Object.values(catalogue).flatMap(({ name, payloads, policySchema }) => [
      generated(`${name}.message`, `A message of the ${name} protocol`, messageSchema(payloads)),
      generated(`${name}.policy`, `A policy of the ${name} protocol, whole or in part`, policySchema),
    ]),
    generated('record-line', 'One line of a record', z.union([openEvent, ...happening.options])),
    generated('snapshot', 'A snapshot of a conversation', snapshotSchema),
  ])

/** A schema as its file holds it. */
export const fileText = (schema: JsonSchema): string => `${JSON.stringify(schema, null, 2)}\n`
