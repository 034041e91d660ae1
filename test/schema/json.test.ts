/** JSON from outside: bounded, copied, and nothing else let in. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { json, payloadOf } from '../../src/schema/json.ts'
import { parameters } from '../support/property.ts'

const nested = (levels: number, wrap: (inner: unknown) => unknown): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = wrap(value)
  return value
}
const isJson = (value: unknown): boolean => json.safeParse(value).success

describe('a JSON value', () => {
  it('is copied, equal, and shares nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const given = JSON.parse(JSON.stringify(value)) as unknown
        const copy = json.parse(given)
        expect(JSON.stringify(copy)).toBe(JSON.stringify(given))
        const shared = (a: unknown, b: unknown): boolean => {
          if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return false
          if (a === b) return true
          return Object.keys(a).some((key) => shared(a[key as keyof typeof a], b[key as keyof typeof b]))
        }
        expect(shared(given, copy)).toBe(false)
      }),
      parameters(200),
    )
  })

  it.each([
    ['lists', (inner: unknown) => [inner]],
    ['objects', (inner: unknown) => ({ inner })],
  ])('is at most 64 levels deep: %s', (_what, wrap) => {
    expect(isJson(nested(63, wrap))).toBe(true)
    expect(isJson(nested(64, wrap))).toBe(true)
    expect(isJson(nested(65, wrap))).toBe(false)
    expect(isJson(nested(100_000, wrap))).toBe(false)
  })

  it('is no circle', () => {
    const list: unknown[] = []
    list.push(list)
    const object: Record<string, unknown> = {}
    object.object = { object }
    expect([isJson(list), isJson(object)]).toEqual([false, false])
  })

  it('keeps a key named __proto__ a key', () => {
    const given = JSON.parse('{"a":{"__proto__":{"polluted":true}},"constructor":{"prototype":1}}') as unknown
    const copy = json.parse(given) as Record<string, Record<string, unknown>>
    expect(JSON.stringify(copy)).toBe(JSON.stringify(given))
    expect(Object.getPrototypeOf(copy.a)).toBe(Object.prototype)
    expect('polluted' in {}).toBe(false)
    expect(copy.a?.polluted).toBeUndefined()
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['Infinity', Number.NEGATIVE_INFINITY],
    ['a bigint', 1n],
    ['a symbol', Symbol('x')],
    ['a function', () => 1],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['a boxed text', new String('x')],
    ['an instance', new (class Point {})()],
    ['bytes', new Uint8Array(1)],
    ['a regular expression', /x/],
    ['a list with a hole', new Array(2)],
    ['a list with undefined', [undefined]],
  ])('is not %s, alone or inside', (_what, value) => {
    const error = json.safeParse(value).error
    expect(error?.issues[0]?.message).toBe('must be a JSON value, at most 64 levels deep')
    expect(isJson([value])).toBe(false)
    expect(isJson({ a: { b: value } })).toBe(value === undefined)
  })

  it('leaves out fields that are undefined, as JSON does', () => {
    const copy = json.parse({ a: undefined, b: { c: undefined, d: 1 } })
    expect(Object.keys(copy as object)).toEqual(['b'])
    expect(JSON.stringify(copy)).toBe('{"b":{"d":1}}')
  })

  it('may have no prototype', () => {
    expect(json.parse(Object.assign(Object.create(null) as object, { a: 1 }))).toEqual({ a: 1 })
  })
})

describe('a payload', () => {
  const payload = payloadOf({ n: z.number().optional() })

  it('keeps what it does not know, as long as it is JSON', () => {
    expect(payload.parse({ n: 1, more: { a: [1] }, constructor: 1, toString: null })).toEqual({
      n: 1,
      more: { a: [1] },
      constructor: 1,
      toString: null,
    })
    expect(payload.safeParse({ n: 'x' }).success).toBe(false)
    const failed = payload.safeParse({ more: { f: () => 1 } })
    expect(failed.error?.issues[0]?.path).toEqual(['more'])
  })

  it('leaves out a key named __proto__ at the top, as zod does; deeper down it is kept', () => {
    expect(JSON.stringify(payload.parse(JSON.parse('{"__proto__":{"a":1}}')))).toBe('{}')
    const deeper = '{"more":{"__proto__":{"a":1}}}'
    expect(JSON.stringify(payload.parse(JSON.parse(deeper)))).toBe(deeper)
  })

  it('is not poisoned by a key named __proto__', () => {
    const parsed = payload.parse(JSON.parse('{"__proto__":{"n":5}}')) as { n?: number }
    expect(parsed.n).toBeUndefined()
  })

  it('leaves out fields that are undefined', () => {
    expect(payload.safeParse({ more: undefined }).success).toBe(true)
  })
})
