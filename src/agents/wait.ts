/** Waiting that adapters share: until something is done or the turn is over, and one after the other. */

/**
 * The promise's outcome, or a rejection with `signal.reason` once the signal aborts, whichever is first.
 * Leaves no listener behind; what the promise does afterwards is ignored.
 */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** The promise settled, or `ms` have passed; leaves no timer behind. */
export async function within(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([promise.catch(() => {}), late])
  clearTimeout(timer)
}

/** Runs tasks one after the other, in the order asked. One that is aborted while it waits rejects with `signal.reason`. */
export type Queue = <T>(signal: AbortSignal, task: () => Promise<T>) => Promise<T>

export function queue(): Queue {
  let last: Promise<unknown> = Promise.resolve()
  return async (signal, task) => {
    const before = last
    let leave = (): void => {}
    const mine = new Promise<void>((resolve) => {
      leave = resolve
    })
    last = before.then(() => mine)
    try {
      await untilAborted(before, signal)
      return await task()
    } finally {
      leave()
    }
  }
}
