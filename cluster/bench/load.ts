/** Load from a fixed number of loops, each of which sends again when it has its answer. */

/** Sends once; told which loop it is. */
export type Load = (loop: number) => Promise<unknown>

export const keepSending = async (
  load: Load,
  loops: number,
  ms: number,
): Promise<{ readonly rate: number; readonly times: readonly number[] }> => {
  const times: number[] = []
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: loops }, async (_, loop) => {
      while (performance.now() - begun < ms) {
        const sent = performance.now()
        await load(loop)
        times.push(performance.now() - sent)
      }
    }),
  )
  return { rate: (times.length / (performance.now() - begun)) * 1_000, times }
}

export const quantileOf = (values: readonly number[], quantile: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(quantile * (values.length - 1))] ?? Number.NaN

export const medianOf = (values: readonly number[]): number => quantileOf(values, 0.5)
