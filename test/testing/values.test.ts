/** What the kit makes from schemas: it is as the schema wants it, of every kind, and plain when nothing was chosen. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { choicesOf, drawFrom, drawOf, plainest } from '../../src/testing/draw.ts'
import { takes, valueFor } from '../../src/testing/values.ts'
import { parameters, Tally } from '../support/property.ts'

interface Tree {
  readonly name: string
  readonly inner?: readonly Tree[] | undefined
}
const tree: z.ZodType<Tree> = z.object({ name: z.string(), inner: z.lazy(() => z.array(tree)).optional() })

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  'a number': z.number(),
  'a share': z.number().gt(0).lte(1),
  'a number below': z.number().lt(-3),
  'an integer': z.int().min(-3).max(3),
  'an even integer above': z.int().gt(3).multipleOf(2),
  'any integer': z.int(),
  'a text': z.string(),
  'a text of a length': z.string().min(30).max(40),
  'a text of a pattern': z.string().regex(/^[a-c]{2,5}-\d$/),
  'an address': z.email(),
  'a time': z.iso.datetime(),
  'a template': z.templateLiteral(['v', z.int().min(1).max(9)]),
  'a fraction, by a refinement': z.string().refine((text) => /^\d+\/\d+$/.test(text)),
  'one of a few': z.enum(['a', 'b', 'c']),
  'a literal': z.literal([1, 'x', null]),
  'nothing or a text': z.string().nullable(),
  'a list': z.array(z.int().min(1)).min(2).max(4),
  'a list without repeats': z
    .array(z.enum(['a', 'b', 'c']))
    .refine((list) => new Set(list).size === list.length),
  'a pair': z.tuple([z.string(), z.boolean()]),
  'a record': z.record(z.string(), z.int()),
  'a record of known keys': z.record(z.enum(['a', 'b']), z.int()),
  'one or the other': z.union([z.literal('auto'), z.int().min(5)]),
  'told apart by a field': z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a'), size: z.int() }),
    z.object({ kind: z.literal('b'), name: z.string() }),
  ]),
  both: z.intersection(z.object({ a: z.int() }), z.object({ b: z.string() })),
  'with defaults': z.strictObject({
    a: z.int().default(1),
    b: z.strictObject({ c: z.string().default('x') }).prefault({}),
  }),
  'holding itself': tree,
  'changed on the way': z.object({ at: z.string().transform((text) => text.length) }),
  'prepared on the way': z.preprocess((given) => given, z.int().min(7)),
  anything: z.unknown(),
}

describe('a value of a schema', () => {
  it.each(Object.entries(SCHEMAS))('%s is as the schema wants it', (_name, schema) => {
    fc.assert(
      fc.property(choicesOf(40), (choices) => {
        const value = valueFor(schema, drawFrom(choices))
        expect(takes(schema, value), JSON.stringify(value)).toBe(true)
      }),
      parameters(200),
    )
  })

  it('comes in every kind that the schema tells apart', () => {
    const met = new Tally()
    const schema = z.strictObject({
      a: z.enum(['x', 'y']).optional(),
      b: z
        .union([z.literal('auto'), z.int().min(1)])
        .nullable()
        .default('auto'),
      c: z.array(z.boolean()),
      d: z.array(z.enum(['x', 'y', 'z'])).refine((list) => new Set(list).size === list.length),
    })
    for (let seed = 0; seed < 300; seed++) {
      const value = schema.parse(valueFor(schema, drawOf(seed)))
      met.add(`a ${value.a}`)
      met.add(`b ${typeof value.b === 'number' ? (value.b > 1000 ? 'large' : 'small') : value.b}`)
      met.add(`c ${value.c.length}`)
      met.add(`d ${value.d.length}`)
    }
    const kinds = [
      'a x',
      'a y',
      'a undefined',
      'b auto',
      'b null',
      'b small',
      'b large',
      'c 0',
      'c 1',
      'c 3',
      'd 0',
      'd 2',
      'd 3',
    ]
    expect(met.below(5, kinds)).toEqual([])
  })

  it('is plain when nothing was chosen: what may be left out is left out', () => {
    const schema = z.object({
      a: z.string(),
      b: z.int().min(4),
      c: z.string().optional(),
      d: z.array(z.int()),
    })
    expect(valueFor(schema, plainest)).toEqual({ a: 'x', b: 4, d: [] })
  })

  it('takes texts that mean something before any other, and numbers no larger than asked', () => {
    const schema = z.object({ who: z.string(), many: z.int().min(2) })
    let named = 0
    for (let seed = 0; seed < 200; seed++) {
      const value = schema.parse(valueFor(schema, drawOf(seed), { texts: ['ana', 'ben'], most: 3 }))
      if (['ana', 'ben'].includes(value.who)) named++
      expect(value.many).toBeLessThanOrEqual(5)
    }
    expect(named).toBeGreaterThan(120)
  })

  it('is made anew where a refinement refuses it', () => {
    const odd = z
      .int()
      .min(0)
      .refine((value) => value % 2 === 1)
    const made = Array.from({ length: 300 }, (_, seed) => takes(odd, valueFor(odd, drawOf(seed))))
    expect(made.filter(Boolean).length).toBeGreaterThan(280)
  })

  it('is not made up where nothing fits', () => {
    expect(valueFor(z.never(), plainest)).toBeUndefined()
    expect(
      valueFor(
        z.string().refine(() => false),
        plainest,
      ),
    ).toBeUndefined()
  })
})

describe('choices', () => {
  it('are the same for the same seed, differ for others, and stay below the limit', () => {
    const list = (...parts: number[]): number[] => {
      const draw = drawOf(...parts)
      return Array.from({ length: 50 }, () => draw(1_000))
    }
    expect(list(1, 2)).toEqual(list(1, 2))
    expect(list(1, 2)).not.toEqual(list(2, 1))
    expect(list(0)).not.toEqual(list(0, 0))
    expect(Math.max(...list(3))).toBeLessThan(1_000)
    const draw = drawOf(7)
    const counts = [0, 0, 0, 0, 0]
    for (let index = 0; index < 10_000; index++) counts[draw(5)] = (counts[draw(5)] ?? 0) + 1
    for (const count of counts) expect(count).toBeGreaterThan(1_700)
  })

  it('of a list are used up in their order, and then the plainest', () => {
    const draw = drawFrom([7, 3])
    expect([draw(5), draw(5), draw(5), draw(1)]).toEqual([2, 3, 0, 0])
  })
})
