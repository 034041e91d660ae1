/** Many deadlines, one timer: whoever is due first is waited for. Times are absolute, so nothing is lost by a restart. */
import { ColloquyError } from '../errors.ts'
import { type Clock, Heap } from './clock.ts'

export interface Deadlines<Key> {
  /** When `key` is due, in ms of the clock; null: not any more. A time already past is due at once, but never during this call. */
  set(key: Key, at: number | null): void
  /** How many are set. */
  readonly size: number
  /** Forgets all of them and stops the timer. */
  stop(): void
}

/**
 * Deadlines over a clock. Each fires once and is forgotten; equal times fire in the order in which they were set.
 * What `onDue` throws reaches the clock's caller after the others that were due have fired.
 */
export const deadlines = <Key>(clock: Clock, onDue: (key: Key, now: number) => void): Deadlines<Key> => {
  interface Entry {
    readonly key: Key
    readonly at: number
    readonly order: number
  }
  const heap = new Heap<Entry>((a, b) => a.at - b.at || a.order - b.order)
  const entries = new Map<Key, Entry>()
  let order = 0
  let armed: { readonly at: number; readonly disarm: () => void } | null = null

  const arm = (): void => {
    const first = heap.peek()
    if (armed !== null && armed.at === first?.at) return
    armed?.disarm()
    armed = first === undefined ? null : { at: first.at, disarm: clock.wake(first.at, fire) }
  }

  const fire = (): void => {
    armed = null
    const now = clock.now()
    const due: Entry[] = []
    for (let first = heap.peek(); first !== undefined && first.at <= now; first = heap.peek()) {
      heap.pop()
      due.push(first)
    }
    const errors: unknown[] = []
    for (const entry of due) {
      // One before it may have set it anew, unset it, or stopped all.
      if (entries.get(entry.key) !== entry) continue
      entries.delete(entry.key)
      try {
        onDue(entry.key, now)
      } catch (error) {
        errors.push(error)
      }
    }
    arm()
    if (errors.length > 0) throw errors[0]
  }

  return {
    set(key, at) {
      if (Number.isNaN(at))
        throw new ColloquyError('USAGE', 'The time of a deadline is NaN', {
          remedy: 'Give ms, or null for none.',
        })
      const before = entries.get(key)
      if (before !== undefined) {
        if (before.at === at) return
        heap.remove(before)
        entries.delete(key)
      }
      if (at !== null) {
        const entry = { key, at, order: order++ }
        entries.set(key, entry)
        heap.push(entry)
      }
      arm()
    },
    get size() {
      return heap.size
    },
    stop() {
      armed?.disarm()
      armed = null
      entries.clear()
      while (heap.size > 0) heap.pop()
    },
  }
}
