/**
 * Values made from zod schemas: what a schema would take, choice by choice. Limits of numbers and patterns of texts come
 * from the schema's JSON Schema; what only a refinement knows is tried, so that a value is as its schema wants it at
 * every level, or there is none.
 */
import fc from 'fast-check'
import { z } from 'zod'
import { type Draw, pick, plainest } from './draw.ts'

export interface ValueOptions {
  /** Texts that mean something where the value is used, such as ids; they are taken before any other. */
  readonly texts?: readonly string[]
  /** How far above its least value a number may be. Default: 10,000,000. */
  readonly most?: number
}

type Schema = z.core.$ZodType

/** How often a value is made anew that a refinement refuses. */
const ATTEMPTS = 6
/** Schemas that hold themselves are gone into so deep; from there on everything is as plain as can be. */
const DEPTH = 5
const MOST = 10_000_000
/** Texts need not be longer than the longest id. */
const LONG = 128

/** Texts that mean nothing, plain ones first. */
const WORDS = ['x', 'words of several kinds', '智能体', '1/2', '0', '__proto__', 'é\u2028🤖']

/** What a schema takes, made by these choices; undefined: it was left out, or nothing that it takes was found. */
export const valueFor = (schema: Schema, draw: Draw, options: ValueOptions = {}): unknown =>
  new Maker(options).make(schema, draw, 0)

/** Whether a schema takes a value. */
export const takes = (schema: Schema, value: unknown): boolean => {
  try {
    return z.core.safeParse(schema, value).success
  } catch {
    // A refinement that throws, or that would have to be waited for, takes nothing.
    return false
  }
}

class Maker {
  readonly #texts: readonly string[]
  readonly #most: number

  constructor({ texts = [], most = MOST }: ValueOptions) {
    this.#texts = texts
    this.#most = most
  }

  make(schema: Schema, draw: Draw, depth: number): unknown {
    const drawn = depth > DEPTH ? plainest : draw
    // The types of zod know the base class only; this is how its documentation has libraries look into a schema.
    const { def } = (schema as z.core.$ZodTypes)._zod
    let value = this.#made(schema, def, drawn, depth)
    if (def.checks === undefined || def.checks.length === 0) return value
    for (let attempt = 1; attempt < ATTEMPTS && !takes(schema, value); attempt++)
      value = this.#made(schema, def, drawn, depth)
    return takes(schema, value) ? value : this.#made(schema, def, plainest, depth)
  }

  #made(schema: Schema, def: z.core.$ZodTypes['_zod']['def'], draw: Draw, depth: number): unknown {
    const inner = (part: Schema): unknown => this.make(part, draw, depth + 1)
    if ('shape' in def) return this.#fields(def.shape, draw, depth)
    switch (def.type) {
      case 'optional':
      case 'default':
      case 'prefault':
        return draw(3) === 0 ? undefined : inner(def.innerType)
      case 'nullable':
        return draw(3) === 2 ? null : inner(def.innerType)
      case 'nonoptional':
      case 'readonly':
      case 'catch':
        return inner(def.innerType)
      case 'lazy':
        return inner(def.getter())
      case 'pipe':
        // Of z.preprocess the first half takes anything: what counts is the second.
        return (def.in as z.core.$ZodTypes)._zod.def.type === 'transform' ? inner(def.out) : inner(def.in)
      case 'union':
        return this.#oneOf(def.options, draw, depth)
      case 'intersection': {
        const [left, right] = [inner(def.left), inner(def.right)]
        return isObject(left) && isObject(right) ? { ...left, ...right } : left
      }
      case 'literal':
        return pick(def.values, draw)
      case 'enum':
        return pick(Object.values(def.entries), draw)
      case 'boolean':
        return draw(2) === 1
      case 'number':
        return this.#number(schema, draw)
      case 'string':
      case 'template_literal':
        return this.#text(schema, draw)
      case 'array': {
        const { minItems = 0, maxItems = minItems + 3 } = jsonOf(schema)
        const length = minItems + draw(Math.min(maxItems - minItems, 3) + 1)
        return Array.from({ length }, () => inner(def.element))
      }
      case 'tuple':
        return def.items.map(inner)
      case 'record':
        return this.#entries(def.keyType, def.valueType, draw, depth)
      case 'null':
        return null
      case 'any':
      case 'unknown':
        return pick([null, true, 1, this.#texts[0] ?? 'x', ['x', [1]], { x: { y: null } }], draw)
      default:
        return undefined
    }
  }

  #fields(shape: Readonly<Record<string, Schema>>, draw: Draw, depth: number): Record<string, unknown> {
    const made = Object.entries(shape).map(([key, part]) => [key, this.make(part, draw, depth + 1)] as const)
    return Object.fromEntries(made.filter(([, value]) => value !== undefined))
  }

  /** The one chosen, or the next of which something can be made. */
  #oneOf(options: readonly Schema[], draw: Draw, depth: number): unknown {
    const first = draw(options.length)
    for (const index of options.keys()) {
      const option = options[(first + index) % options.length]
      if (option === undefined) continue
      const value = this.make(option, draw, depth + 1)
      if (takes(option, value)) return value
    }
    return undefined
  }

  #entries(keyType: Schema, valueType: Schema, draw: Draw, depth: number): Record<string, unknown> {
    // Where the keys are known, all of them have to be there.
    const { enum: known } = jsonOf(keyType)
    const keys =
      known?.map(String) ?? Array.from({ length: draw(3) }, () => String(this.make(keyType, draw, depth + 1)))
    return Object.fromEntries(keys.map((key) => [key, this.make(valueType, draw, depth + 1)]))
  }

  #number(schema: Schema, draw: Draw): number {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, type } = jsonOf(schema)
    // An integer of zod's is between the ones that are exact: these are no limits that anybody set.
    const least = limitOf(minimum ?? exclusiveMinimum)
    const greatest = limitOf(maximum ?? exclusiveMaximum)
    // From the least upwards; or, where there is none, from 0 or below it.
    const from = least ?? Math.min(0, greatest ?? 0)
    const isUp = least !== null || greatest === null || greatest > 0
    const span = !isUp || greatest === null ? Number.MAX_SAFE_INTEGER : greatest - from
    const isOpen = isUp ? from === exclusiveMinimum : from === exclusiveMaximum
    const step = multipleOf ?? (type === 'integer' ? 1 : 0)
    if (step === 0) {
      // Thousandths of the way, the ends among them unless they are left out.
      const first = isOpen ? 1 : 0
      const last = isUp && exclusiveMaximum !== undefined ? 999 : 1000
      const way = ((first + draw(last - first + 1)) / 1000) * Math.min(span, 1000)
      return isUp ? from + way : from - way
    }
    const start = isUp ? Math.ceil(from / step) : Math.floor(from / step)
    const first = isOpen && start * step === from ? 1 : 0
    // Small numbers as often as large ones.
    const reach = Math.min([3, 20, 1000, MOST][draw(4)] ?? 3, this.#most, Math.floor(span / step))
    const away = first + Math.floor((draw(CHOICE) / CHOICE) * (Math.max(0, reach - first) + 1))
    return (isUp ? start + away : start - away) * step
  }

  #text(schema: Schema, draw: Draw): string | undefined {
    const { minLength = 0, maxLength = LONG, pattern } = jsonOf(schema)
    const lengths = [minLength, Math.max(minLength, Math.min(maxLength, LONG))]
    const others = [...WORDS, ...lengths.map((length) => 'x'.repeat(length))]
    const candidates = [...this.#texts, ...others]
    const isMeant = this.#texts.length > 0 && draw(4) !== 3
    const first = isMeant ? draw(this.#texts.length) : this.#texts.length + draw(others.length)
    for (const index of candidates.keys()) {
      const text = candidates[(first + index) % candidates.length]
      if (text !== undefined && takes(schema, text)) return text
    }
    return pattern === undefined ? undefined : matching(pattern, draw)
  }
}

const CHOICE = 2 ** 16

/** How many texts of a pattern there are to choose from. */
const MATCHES = 32

const matches = new Map<string, readonly string[]>()

const matching = (pattern: string, draw: Draw): string | undefined => {
  const found = matches.get(pattern) ?? matchesOf(pattern)
  matches.set(pattern, found)
  return pick(found, draw)
}

const matchesOf = (pattern: string): readonly string[] => {
  try {
    return fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), { numRuns: MATCHES, seed: 0 })
  } catch {
    // fast-check knows most patterns, not all.
    return []
  }
}

const limitOf = (limit: number | undefined): number | null =>
  limit === undefined || Math.abs(limit) === Number.MAX_SAFE_INTEGER ? null : limit

/** What is read of a JSON Schema. */
interface Limits {
  readonly type?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
  readonly enum?: readonly unknown[]
}

const known = new WeakMap<Schema, Limits>()

const jsonOf = (schema: Schema): Limits => {
  const before = known.get(schema)
  if (before !== undefined) return before
  const limits = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Limits
  known.set(schema, limits)
  return limits
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
