/** How property tests are run: again by a seed, and longer when asked. fast-check prints the seed of a failure. */
const numberOf = (name: string): number | null => {
  const text = process.env[name]
  return text === undefined || text === '' ? null : Number(text)
}

/**
 * Parameters for `fc.assert` and `fc.check`.
 * @param numRuns multiplied by `COLLOQUY_RUNS`; `COLLOQUY_SEED` repeats a run
 */
export const parameters = (numRuns: number): { readonly numRuns: number; readonly seed?: number } => {
  const seed = numberOf('COLLOQUY_SEED')
  const times = numberOf('COLLOQUY_RUNS') ?? 1
  return { numRuns: Math.ceil(numRuns * times), ...(seed === null ? {} : { seed }) }
}

/** Counts what property tests came across, so that a generator that reaches nothing is noticed. */
export class Tally {
  readonly #counts = new Map<string, number>()

  add(name: string, times = 1): void {
    this.#counts.set(name, this.of(name) + times)
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  /** Those of the names that were met fewer times than the floor. */
  below(floor: number, names: readonly string[]): string[] {
    return names.filter((name) => this.of(name) < floor).map((name) => `${name}: ${this.of(name)}`)
  }

  /** Printed when `COLLOQUY_REPORT` is set. */
  report(title: string): void {
    if (numberOf('COLLOQUY_REPORT') === null) return
    const lines = [...this.#counts]
      .sort(([, a], [, b]) => b - a)
      .map(([name, count]) => `  ${count}  ${name}`)
    process.stdout.write(`${title}\n${lines.join('\n')}\n`)
  }
}
