/** What may be said under rules of which only the payload schemas are known: every intent, with payloads made from its schema. */
import { z } from 'zod'
import type { Protocol, Saying } from '../engine/protocol.ts'
import { drawOf, plainest } from './draw.ts'
import { takes, valueFor } from './values.ts'

/** Most payloads of one intent. */
const MOST = 64
/** Most message ids, and other texts, that are taken from a context. */
const MOST_IDS = 32
const MOST_TEXTS = 8
/** How often a value is made by chance of a schema from which no sample is known. */
const ATTEMPTS = 8

type Schema = z.core.$ZodType

/** Some values of a schema: few, and of every kind that it tells apart. Texts are taken from those given. */
const samples = (schema: Schema, texts: readonly string[]): readonly unknown[] => {
  const taken = known(schema, texts).filter((value) => value === undefined || takes(schema, value))
  if (taken.some((value) => value !== undefined)) return taken
  const made = [plainest, ...Array.from({ length: ATTEMPTS }, (_, attempt) => drawOf(attempt))]
    .map((draw) => valueFor(schema, draw, { texts, most: 8 }))
    .filter((value) => takes(schema, value))
  return [...taken, ...new Map(made.map((value) => [JSON.stringify(value), value])).values()]
}

/** Those that the kind of a schema tells, as far as it is known. */
const known = (schema: Schema, texts: readonly string[]): readonly unknown[] => {
  // The types of zod know the base class only; this is how its documentation has libraries look into a schema.
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'string':
      return texts
    case 'number':
      return numbersOf(schema)
    case 'boolean':
      return [true, false]
    case 'null':
      return [null]
    case 'enum':
      return Object.values(def.entries)
    case 'literal':
      return def.values
    case 'array':
      return [[], ...samples(def.element, texts).map((item) => [item])]
    case 'union':
      return def.options.flatMap((option) => samples(option, texts))
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
      return objects(def.shape, texts)
    default:
      return []
  }
}

/** The limits of a number's schema, and a few about 0. What the schema refuses is left out later. */
const numbersOf = (schema: Schema): readonly number[] => {
  const { minValue, maxValue } = schema instanceof z.ZodNumber ? schema : { minValue: null, maxValue: null }
  return [...new Set([1, 0, 2, -1, minValue, maxValue])].filter(
    (limit): limit is number => limit !== null && Number.isFinite(limit),
  )
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

/** Every text in a context, keys included. */
const textsIn = (value: unknown, found: Set<string>): void => {
  if (typeof value === 'string') found.add(value)
  else if (Array.isArray(value)) for (const item of value) textsIn(item, found)
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) {
      found.add(key)
      textsIn(inner, found)
    }
}

/** Every text in a context that is no key. */
const valuesIn = (value: unknown, found: Set<string>): void => {
  if (typeof value === 'string') found.add(value)
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) valuesIn(inner, found)
}

const PROBE = 'probe'

/** Sayings made for a protocol that does not tell its own. */
export class Sayings {
  readonly #schemas: readonly (readonly [string, z.ZodType<Record<string, unknown>>])[]
  readonly #isMessageId: (text: string) => boolean
  /** Where no payload holds a text, the same is said whatever texts there are. */
  readonly #usesTexts: boolean
  readonly #made = new Map<string, readonly Saying[]>()

  constructor(protocol: Protocol, isMessageId: (text: string) => boolean) {
    this.#schemas = Object.entries(protocol.payloads) as [string, z.ZodType<Record<string, unknown>>][]
    this.#isMessageId = isMessageId
    this.#usesTexts = this.#schemas.some(([, schema]) =>
      JSON.stringify(samples(schema, [PROBE])).includes(PROBE),
    )
  }

  /** Intents of which no payload could be made: they are never said. */
  get unsaid(): readonly string[] {
    return this.#schemas.filter(([, schema]) => samples(schema, ['x']).length === 0).map(([intent]) => intent)
  }

  of(context: object, members: readonly string[]): readonly Saying[] {
    const table = new Set<string>()
    textsIn(context, table)
    const ids = [...table].filter((text) => this.#isMessageId(text)).slice(0, MOST_IDS)
    const texts = this.#usesTexts ? this.#textsOf(context, members, ids) : ['x']
    const key = JSON.stringify([ids, texts])
    const known = this.#made.get(key)
    if (known !== undefined) return known
    const sayings = this.#schemas.flatMap(([intent, schema]) => {
      const payloads = samples(schema, texts).flatMap((sample) => {
        const parsed = schema.safeParse(sample)
        return parsed.success ? [parsed.data] : []
      })
      const [first] = payloads
      return [
        ...payloads.flatMap((payload): Saying[] => [
          { intent, payload },
          ...ids.map((replyTo) => ({ intent, payload, replyTo })),
        ]),
        ...(first === undefined ? [] : variants({ intent, payload: first })),
      ]
    })
    if (this.#made.size > 1_000) this.#made.clear()
    this.#made.set(key, sayings)
    return sayings
  }

  #textsOf(context: object, members: readonly string[], ids: readonly string[]): readonly string[] {
    const values = new Set<string>()
    valuesIn(context, values)
    const others = [...values].filter((text) => !this.#isMessageId(text)).slice(0, MOST_TEXTS)
    return [...new Set([...members, ...ids, ...others, 'x'])]
  }
}

/** What else a message tells, in case that a guard looks at it. */
const variants = (saying: Saying): readonly Saying[] => [
  { ...saying, content: 'x' },
  { ...saying, tokens: 1 },
  { ...saying, replyTo: 'unknown' },
]
