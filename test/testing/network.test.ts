/** Networks do what they say: so many messages late, lost, doubled and held up, and the same for the same seed. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drawOf } from '../../src/testing/draw.ts'
import {
  type Fate,
  type Network,
  network,
  scheduled,
  schedules,
  unhurried,
} from '../../src/testing/network.ts'
import { parameters, Tally } from '../support/property.ts'

const MESSAGES = 10_000

const fatesOf = (net: Network, seed = 1): readonly Fate[] =>
  Array.from({ length: MESSAGES }, (_, place) =>
    net({ from: 'ana', at: 0, place, timeLeft: null }, drawOf(seed, place)),
  )

const shareOf = (fates: readonly Fate[], is: (fate: Fate) => boolean): number =>
  fates.filter(is).length / fates.length

describe('a network', () => {
  it('delivers everything once and at once, unless told otherwise', () => {
    expect(new Set(fatesOf(network()).map(String))).toEqual(new Set(['0']))
  })

  it('takes as long as it is told to, and every time between', () => {
    const times = fatesOf(network({ delay: [10, 14] })).map(([ms]) => ms)
    expect([...new Set(times)].sort()).toEqual([10, 11, 12, 13, 14])
    expect(new Set(fatesOf(network({ delay: 7 })).map(String))).toEqual(new Set(['7']))
  })

  it.each([0.05, 0.5, 1])('loses a share of %d', (drop) => {
    expect(shareOf(fatesOf(network({ drop })), (fate) => fate.length === 0)).toBeCloseTo(drop, 1)
  })

  it.each([0.05, 0.5, 1])('doubles a share of %d, the second copy after the first', (duplicate) => {
    const fates = fatesOf(network({ duplicate, hold: 20 }))
    expect(shareOf(fates, ({ length }) => length === 2)).toBeCloseTo(duplicate, 1)
    for (const [first = 0, second = first + 1] of fates) expect(second - first).toBeGreaterThan(0)
  })

  it.each([0.05, 0.5, 1])('holds up a share of %d, for as long as it is told at most', (reorder) => {
    const fates = fatesOf(network({ delay: 5, reorder, hold: 20 }))
    expect(shareOf(fates, ([ms = 0]) => ms > 5)).toBeCloseTo(reorder, 1)
    expect(Math.max(...fates.map(([ms = 0]) => ms))).toBe(25)
  })

  it('does the same to the same message of the same seed, whatever was sent between', () => {
    const net = network({ delay: [0, 500], drop: 0.2, duplicate: 0.2, reorder: 0.2 })
    expect(fatesOf(net)).toEqual(fatesOf(net))
    expect(fatesOf(net, 1)).not.toEqual(fatesOf(net, 2))
    expect(net({ from: 'ben', at: 9, place: 77, timeLeft: 5 }, drawOf(1, 77))).toEqual(fatesOf(net)[77])
  })
})

describe('an unhurried network', () => {
  it.each([
    [null, 15_000],
    [600_000, 60_000],
    [100, 25],
    [3, 1],
    [0, 1],
  ])('with %s ms left takes %d', (timeLeft, ms) => {
    expect(unhurried({ from: 'ana', at: 0, place: 0, timeLeft }, drawOf(0))).toEqual([ms])
  })
})

describe('a schedule', () => {
  it('is kept message by message, and then nothing happens any more', () => {
    const net = scheduled([[5], [], [0, 9]])
    expect(fatesOf(net).slice(0, 5)).toEqual([[5], [], [0, 9], [0], [0]])
    expect(fatesOf(scheduled([[5]], () => [30]))[1]).toEqual([30])
    expect(fc.stringify(net)).toBe('scheduled([[5],[],[0,9]])')
  })

  it('comes with messages that are late, lost and doubled, and shrinks to none', () => {
    const met = new Tally()
    fc.assert(
      fc.property(schedules(), (fates) => {
        for (const fate of fates)
          met.add(
            fate.length === 0 ? 'lost' : fate.length === 2 ? 'doubled' : fate[0] === 0 ? 'at once' : 'late',
          )
      }),
      parameters(200),
    )
    expect(met.below(50, ['lost', 'doubled', 'at once', 'late'])).toEqual([])
    const { counterexample } = fc.check(
      fc.property(schedules(), (fates) => fates.every(({ length }) => length > 0)),
    )
    expect(counterexample).toEqual([[[]]])
  })
})
