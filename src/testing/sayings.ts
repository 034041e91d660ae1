/** What may be said under rules of which only the payload schemas are known: every intent, with payloads made from its schema. */
import type { z } from 'zod'
import type { Protocol, Saying } from '../engine/protocol.ts'

/** Most payloads of one intent. */
const MOST = 64

/** The parts of a zod schema that samples are made from. */
interface Def {
  readonly type: string
  readonly innerType?: Schema
  readonly shape?: Readonly<Record<string, Schema>>
  readonly entries?: Readonly<Record<string, unknown>>
  readonly values?: readonly unknown[]
  readonly options?: readonly Schema[]
  readonly element?: Schema
  readonly in?: Schema
}
interface Schema {
  readonly def: Def
}

const hasDef = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && 'def' in value

/** Some values of a schema: few, and of every kind that it tells apart. Texts are taken from those given. */
const samples = (schema: unknown, texts: readonly string[]): readonly unknown[] => {
  if (!hasDef(schema)) return []
  const { def } = schema
  switch (def.type) {
    case 'string':
      return texts
    case 'number':
    case 'int':
      return numbersOf(schema)
    case 'boolean':
      return [true, false]
    case 'null':
      return [null]
    case 'enum':
      return Object.values(def.entries ?? {})
    case 'literal':
      return def.values ?? []
    case 'array':
      return [[], ...samples(def.element, texts).map((item) => [item])]
    case 'union':
      return (def.options ?? []).flatMap((option) => samples(option, texts))
    case 'optional':
    case 'default':
    case 'prefault':
      return [undefined, ...samples(def.innerType, texts)]
    case 'nullable':
      return [null, ...samples(def.innerType, texts)]
    case 'readonly':
    case 'catch':
    case 'nonoptional':
      return samples(def.innerType, texts)
    case 'pipe':
      return samples(def.in, texts)
    case 'object':
      return objects(def.shape ?? {}, texts)
    default:
      return ['x']
  }
}

/** The limits of a number's schema, and a few about 0. What the schema refuses is left out later. */
const numbersOf = (schema: Schema): readonly number[] => {
  const { minValue, maxValue } = schema as { readonly minValue?: unknown; readonly maxValue?: unknown }
  const limits = [minValue, maxValue].filter((value): value is number => Number.isFinite(value))
  return [...new Set([1, 0, 2, -1, ...limits])]
}

/** Objects with the first sample of each field, and one for each other sample; all combinations while these are few. */
const objects = (
  shape: Readonly<Record<string, Schema>>,
  texts: readonly string[],
): readonly Record<string, unknown>[] => {
  let found: Record<string, unknown>[] = [{}]
  for (const [key, schema] of Object.entries(shape)) {
    const values = samples(schema, texts)
    const wider = found.flatMap((object) =>
      values.map((value) => (value === undefined ? object : { ...object, [key]: value })),
    )
    found =
      wider.length <= MOST
        ? wider
        : [
            ...found.map((object) => (values[0] === undefined ? object : { ...object, [key]: values[0] })),
            ...values.slice(1).map((value) => ({ ...found[0], [key]: value })),
          ].slice(0, MOST)
  }
  return found
}

/** Every text in a context, as far as there are few. */
const textsIn = (value: unknown, found: Set<string>): void => {
  if (found.size >= 12) return
  if (typeof value === 'string') found.add(value)
  else if (Array.isArray(value)) for (const item of value) textsIn(item, found)
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) {
      found.add(key)
      textsIn(inner, found)
    }
}

/** Makes sayings for a protocol that does not tell its own. */
export const sayingsOf = (
  protocol: Protocol,
  isMessageId: (text: string) => boolean,
): ((context: object, members: readonly string[]) => readonly Saying[]) => {
  const made = new Map<string, readonly Saying[]>()
  const schemas = Object.entries(protocol.payloads) as [string, z.ZodType<Record<string, unknown>>][]
  /** An intent whose schema takes nothing but objects without fields says the same whatever texts there are. */
  const usesTexts = schemas.some(
    ([, schema]) => samples(schema, ['x']).length !== samples(schema, ['x', 'y']).length,
  )
  return (context, members) => {
    const table = new Set<string>()
    textsIn(context, table)
    const ids = [...table].filter(isMessageId)
    const texts = usesTexts ? [...new Set([...members, ...ids, 'x'])] : ['x']
    const key = JSON.stringify([ids, texts])
    const known = made.get(key)
    if (known !== undefined) return known
    const sayings = schemas.flatMap(([intent, schema]) =>
      samples(schema, texts).flatMap((sample): Saying[] => {
        const parsed = schema.safeParse(sample)
        if (!parsed.success) return []
        const saying = { intent, payload: parsed.data }
        return [saying, ...ids.map((replyTo) => ({ ...saying, replyTo }))]
      }),
    )
    if (made.size > 1_000) made.clear()
    made.set(key, sayings)
    return sayings
  }
}
