/**
 * Where a choice comes from: a list of numbers, which fast-check makes and shrinks, or a seed. Both give the same kind
 * of choice, so that one recipe serves for arbitraries, for acts that are decided when their turn comes, and for agents.
 */
import fc from 'fast-check'

/** A whole number from 0 to below the limit. 0 is the plainest choice. */
export type Draw = (limit: number) => number

/** Choices are numbers below this. */
const CHOICES = 2 ** 16

/** Makes each choice of the list in turn; when it is used up, always the plainest. */
export const drawFrom = (choices: readonly number[]): Draw => {
  let next = 0
  return (limit) => (choices[next++] ?? 0) % Math.max(1, limit)
}

/** Always the plainest choice. */
export const plainest: Draw = () => 0

/**
 * Choices that look random and are the same for the same numbers: mulberry32, started from a mix of all of them.
 * @param parts a seed, and what tells this stream from others of the same seed
 */
export const drawOf = (...parts: readonly number[]): Draw => {
  let state = 0x9e3779b9
  for (const part of parts) state = mixed((state + Math.imul(part | 0, 0x85ebca6b)) | 0)
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0
    return Math.floor((mixed(state) / 2 ** 32) * Math.max(1, limit))
  }
}

/** 32 bits stirred, as a number from 0 to below 2³². */
const mixed = (bits: number): number => {
  let stirred = Math.imul(bits ^ (bits >>> 15), 1 | bits)
  stirred = (stirred + Math.imul(stirred ^ (stirred >>> 7), 61 | stirred)) ^ stirred
  return (stirred ^ (stirred >>> 14)) >>> 0
}

/** One of a list; undefined of an empty one. */
export const pick = <T>(list: readonly T[], draw: Draw): T | undefined => list[draw(list.length)]

/** Choices for `drawFrom`: they shrink to fewer and plainer ones. */
export const choicesOf = (most: number): fc.Arbitrary<number[]> =>
  fc.array(fc.nat({ max: CHOICES - 1 }), { maxLength: most, size: 'max' })
