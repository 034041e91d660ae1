import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isoOf } from '../../src/engine/iso.ts'
import { parameters } from '../support/property.ts'

const DAY = 86_400_000

it('a time in ISO 8601 is what a Date says, for every time that a Date holds', () => {
  const around = fc
    .tuple(fc.nat({ max: 100_000_000 - 1 }), fc.constantFrom(0, 1, 999, 1000, 59_999, 60_000, DAY - 1))
    .map(([day, ms]) => day * DAY + ms)
  fc.assert(
    fc.property(
      fc.array(fc.oneof(around, fc.integer({ min: 0, max: 8.64e15 })), { minLength: 1 }),
      (times) => {
        for (const at of times) expect(isoOf(at)).toBe(new Date(at).toISOString())
      },
    ),
    parameters(500),
  )
  for (const at of [0, 8.64e15, 951_782_400_000, 253_402_300_799_999, 253_402_300_800_000])
    expect(isoOf(at)).toBe(new Date(at).toISOString())
})
