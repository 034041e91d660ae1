/** Work that is done for a time by a number of loops, each of which begins again when it is through. */

/** Lets the event loop have its turn, as waiting for the next request does: without, timers such as a lease's would wait for ever. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Works until the time is over.
 * @param loops at once
 * @param ms at least
 * @param work told which loop it is
 * @returns how often it was done, and how many ms that took
 */
export const keepGoing = async (
  loops: number,
  ms: number,
  work: (loop: number) => Promise<unknown>,
): Promise<{ readonly count: number; readonly ms: number }> => {
  const begun = performance.now()
  let count = 0
  await Promise.all(
    Array.from({ length: loops }, async (_, loop) => {
      while (performance.now() - begun < ms) {
        await work(loop)
        count++
        await nextTurn()
      }
    }),
  )
  return { count, ms: performance.now() - begun }
}
