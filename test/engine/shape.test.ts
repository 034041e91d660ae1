/** Patches put over objects: generated code, and the spread that it stands for. */
import { beforeEach, describe, expect, it, vi } from 'vitest'

type Shapes = typeof import('../../src/engine/shape.ts')

// What is known is kept for the process, so each test has a module of its own.
let shapes: Shapes
beforeEach(async () => {
  vi.resetModules()
  shapes = await import('../../src/engine/shape.ts')
})

const putting = (from: object, patch: object) => {
  const overlay = shapes.overlayOf(shapes.shapeOf(from), patch)
  return { overlay, put: overlay.put(from, patch) }
}

describe('a patch put over an object', () => {
  it('gives what a spread gives, keys in the same order', () => {
    const cases: [object, object][] = [
      [{ a: 1, b: 2 }, { b: 3 }],
      [{ a: 1 }, { c: 3, b: 2 }],
      [{}, { a: 1 }],
      [{ 'x-y': 1, "it's": 2, '2': 3 }, { 'x-y': undefined }],
      [JSON.parse('{"__proto__": 1, "a": 2}') as object, { a: 3 }],
    ]
    for (const [from, patch] of cases) {
      const { put } = putting(from, patch)
      expect(put).toEqual({ ...from, ...patch })
      expect(Object.keys(put)).toEqual(Object.keys({ ...from, ...patch }))
      expect(Object.getPrototypeOf(put)).toBe(Object.prototype)
    }
  })

  it('is made anew, but where the patch is empty', () => {
    const from = { a: 1 }
    expect(putting(from, {}).put).toBe(from)
    expect(putting(from, { a: 1 }).put).not.toBe(from)
    expect(from).toEqual({ a: 1 })
  })

  it('is known again by its keys, and so is what comes of it', () => {
    const { overlay } = putting({ a: 1, b: 2 }, { b: 3 })
    const again = putting({ a: 5, b: 6 }, { b: 7 }).overlay
    expect(again).toBe(overlay)
    expect(overlay.to).toBe(shapes.shapeOf({ a: 0, b: 0 }))
    expect(overlay.to?.keys).toEqual(['a', 'b'])
    expect(overlay.from).toBe(overlay.to)
    expect(putting({ b: 1, a: 2 }, { b: 3 }).overlay).not.toBe(overlay)
    expect(putting({ a: 1, b: 2 }, { a: 3 }).overlay).not.toBe(overlay)
  })

  it('over an object of no known shape is a spread', () => {
    const overlay = shapes.overlayOf(null, { a: 1 })
    expect([overlay.from, overlay.to, overlay.patchKeys]).toEqual([null, null, []])
    expect(overlay.put({ b: 2 }, { a: 1 })).toEqual({ b: 2, a: 1 })
  })
})

describe('keys', () => {
  it('are those of an object only all of them, in their order', () => {
    expect(shapes.hasKeys({ a: 1, b: 2 }, ['a', 'b'])).toBe(true)
    expect(shapes.hasKeys({ a: 1, b: 2 }, ['b', 'a'])).toBe(false)
    expect(shapes.hasKeys({ a: 1, b: 2 }, ['a'])).toBe(false)
    expect(shapes.hasKeys({ a: 1 }, ['a', 'b'])).toBe(false)
    expect(shapes.hasKeys({}, [])).toBe(true)
  })
})

describe('what is known', () => {
  it('is bounded: what comes after that has no shape, and is put by a spread', () => {
    const known: boolean[] = []
    for (let index = 0; index < 20_000 && known.at(-1) !== false; index++)
      known.push(shapes.shapeOf({ [`k${index}`]: 1 }) !== null)
    expect(known.at(-1)).toBe(false)
    expect(known).toHaveLength(1001)
    // What is known already stays known.
    const first = shapes.shapeOf({ k0: 1 })
    expect(first).not.toBeNull()
    const patch = { more: 1 }
    expect(shapes.overlayOf(first, patch).from).toBeNull()
    expect(shapes.overlayOf(first, patch).put({ k0: 1 }, patch)).toEqual({ k0: 1, more: 1 })
    expect(shapes.overlayOf(first, { k0: 2 }).to).toBeNull()
  })
})
