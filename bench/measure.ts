/** Ratios by rounds: all sides take turns within one run, so that whatever else the machine does hits them alike. */

/** What was measured: one value for each round, and what it should be. */
export interface Figure {
  readonly name: string
  readonly unit: '×' | 'bytes' | 'µs' | 'ms' | 's' | '/s'
  /** Null: measured for information only. */
  readonly wanted: { readonly atLeast: number } | { readonly atMost: number } | null
  /** Empty when it could not be measured; `note` says why. */
  readonly values: readonly number[]
  /** What has to be known to read them. */
  readonly note?: string
}

export const medianOf = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const upper = sorted[sorted.length >> 1] ?? Number.NaN
  const lower = sorted[(sorted.length - 1) >> 1] ?? Number.NaN
  return (upper + lower) / 2
}

export const isMet = ({ wanted, values }: Figure): boolean => {
  if (wanted === null) return true
  const median = medianOf(values)
  return 'atLeast' in wanted ? median >= wanted.atLeast : median <= wanted.atMost
}

/** One side of a comparison: does its work once and says how many ms that took; what it prepares it does not count. */
export type Side = () => number | Promise<number>

export interface Rounds {
  readonly rounds: number
  /** Rounds that only warm up, and are dropped. */
  readonly warmUps: number
  /**
   * How often each side works in each round, of which the fastest counts: whatever else the machine does can only make
   * it slower. The work has to be long enough to bear its share of garbage collection. Default: 1.
   */
  readonly tries?: number
}

/** Lets all sides work in alternating order, round after round, and gives for each side what each round took. */
export const alternate = async <Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  { rounds, warmUps, tries = 1 }: Rounds,
): Promise<Record<Name, readonly number[]>> => {
  const names = Object.keys(sides) as Name[]
  const took = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = -warmUps; round < rounds; round++) {
    const fastest = new Map<Name, number>()
    for (let attempt = 0; attempt < tries; attempt++) {
      // Neither side always runs in the other's wake.
      for (const name of (round + attempt) % 2 === 0 ? names : names.toReversed())
        fastest.set(name, Math.min(await sides[name](), fastest.get(name) ?? Number.POSITIVE_INFINITY))
    }
    if (round >= 0) for (const name of names) took[name].push(fastest.get(name) ?? Number.NaN)
  }
  return took
}

/** How many times as long each round of `of` took as the same round of `to`. */
export const ratios = (of: readonly number[], to: readonly number[]): readonly number[] =>
  of.map((ms, round) => ms / (to[round] ?? Number.NaN))

/** ms that some work takes. It returns a number made of all its results, which must be as expected: so nothing of it can be left out. */
export const time = (work: () => number, expected: number): number => {
  const start = performance.now()
  const got = work()
  const ms = performance.now() - start
  if (got !== expected) throw new Error(`The work came to ${got}, not to ${expected}`)
  return ms
}
