/**
 * The queue of appends. Those of one conversation keep their order: one at a time is being written. Others go together,
 * in a few statements at once.
 */
import type { ColloquyError } from '../../errors.ts'
import type { Writer } from './append.ts'
import type { Asked } from './asked.ts'

/** Statements at once: while the disk works for one, the server works for another. */
const LANES = 2
/** Most appends in one statement. */
const MOST = 200
/** Most characters of events in one statement, unless a single append has more. */
const LARGEST = 1 << 20

interface Waiting extends Asked {
  readonly size: number
  settle(reason: ColloquyError | null): void
}

export interface Batches {
  /** Resolves when it is written, and rejects when it is refused. */
  add(asked: Asked): Promise<void>
  /** Resolves when nothing is being written any more. */
  idle(): Promise<void>
}

export const batches = (write: Writer): Batches => {
  /** By conversation, the first of each being written or ready. */
  const queues = new Map<string, Waiting[]>()
  /** First of their conversations, and not being written. */
  let ready: Waiting[] = []
  let lanes = 0
  let isDue = false
  let onIdle: (() => void)[] = []

  const next = (): Waiting[] => {
    let [count, size] = [0, 0]
    for (const waiting of ready) {
      size += waiting.size
      if (count === MOST || (count > 0 && size > LARGEST)) break
      count++
    }
    const batch = ready.slice(0, count)
    ready = ready.slice(count)
    return batch
  }

  const finish = (waiting: Waiting, reason: ColloquyError | null): void => {
    const queue = queues.get(waiting.conversation) ?? []
    queue.shift()
    const [following] = queue
    if (following === undefined) queues.delete(waiting.conversation)
    else ready.push(following)
    waiting.settle(reason)
  }

  const run = async (): Promise<void> => {
    lanes++
    while (ready.length > 0) {
      const batch = next()
      if (ready.length > 0) start()
      const reasons = await write(batch)
      for (const [place, waiting] of batch.entries()) finish(waiting, reasons[place] ?? null)
    }
    lanes--
    if (lanes > 0 || queues.size > 0) return
    for (const resolve of onIdle) resolve()
    onIdle = []
  }

  /** Begins to write after whatever is asked for in the same breath, so that it goes together. */
  const start = (): void => {
    if (isDue || lanes === LANES) return
    isDue = true
    queueMicrotask(() => {
      isDue = false
      if (ready.length > 0 && lanes < LANES) void run()
    })
  }

  return {
    add: (asked) =>
      new Promise((resolve, reject) => {
        const waiting: Waiting = {
          ...asked,
          size: asked.bodies.reduce((sum, body) => sum + body.length, 0),
          settle: (reason) => (reason === null ? resolve() : reject(reason)),
        }
        const queue = queues.get(asked.conversation)
        if (queue === undefined) {
          queues.set(asked.conversation, [waiting])
          ready.push(waiting)
          start()
        } else queue.push(waiting)
      }),
    idle: () =>
      new Promise((resolve) => {
        if (queues.size === 0) resolve()
        else onIdle.push(resolve)
      }),
  }
}
