/** Time as an argument: the port, the system's clock, and one that is set by hand. */

/** A clock: tells the time and wakes somebody at a time. */
export interface Clock {
  /** ms: since the epoch, or of a simulated time. */
  now(): number
  /** Calls `act` once, as soon as `now()` has reached `at`, never during this call; returns how to take that back. */
  wake(at: number, act: () => void): () => void
  /** Calls `act` once, in so many ms, however the time is set meanwhile. Absent: `wake` does as well, since nobody sets it. */
  after?(ms: number, act: () => void): () => void
}

/** Calls `act` once in so many ms: for what has to happen every so often, whatever the time is. */
export const after = (clock: Clock, ms: number, act: () => void): (() => void) =>
  clock.after === undefined ? clock.wake(clock.now() + ms, act) : clock.after(ms, act)

/** Timers of more ms than this fire at once in every JavaScript engine, so longer waits are taken in parts. */
const LONGEST_TIMER = 2 ** 31 - 1

/** The system's clock. Its timers keep the process alive, as an open conversation should. */
export const systemClock: Clock = {
  now: () => Date.now(),
  wake(at, act) {
    let timer: ReturnType<typeof setTimeout>
    const wait = (): void => {
      const left = at - Date.now()
      // A timer may fire a millisecond early against the wall clock, or long before `at` when that is set back.
      timer = setTimeout(
        () => (Date.now() >= at ? act() : wait()),
        Math.min(Math.max(left, 0), LONGEST_TIMER),
      )
    }
    wait()
    return () => clearTimeout(timer)
  },
  after(ms, act) {
    const timer = setTimeout(act, Math.min(ms, LONGEST_TIMER))
    return () => clearTimeout(timer)
  },
}

/** A clock that stands still until it is told to go on. */
export interface SimulatedClock extends Clock {
  /** Goes on by so many ms, waking on the way, in the order of the times, everybody who is due. */
  advance(ms: number): void
  /** Goes on to the next time at which somebody is to be woken; false when nobody is. */
  advanceToNext(): boolean
}

/** A simulated clock, at `start` ms. Equal times wake in the order in which they were asked for. */
export const simulatedClock = (start = 0): SimulatedClock => {
  let now = start
  let asked = 0
  const sleepers = new Heap<{ readonly at: number; readonly order: number; readonly act: () => void }>(
    (a, b) => a.at - b.at || a.order - b.order,
  )
  const wakeNext = (): void => {
    const sleeper = sleepers.pop()
    if (sleeper === undefined) return
    now = Math.max(now, sleeper.at)
    sleeper.act()
  }
  return {
    now: () => now,
    wake(at, act) {
      const sleeper = { at, order: asked++, act }
      sleepers.push(sleeper)
      return () => sleepers.remove(sleeper)
    },
    advance(ms) {
      const end = now + ms
      for (let next = sleepers.peek(); next !== undefined && next.at <= end; next = sleepers.peek())
        wakeNext()
      now = Math.max(now, end)
    },
    advanceToNext() {
      if (sleepers.peek() === undefined) return false
      wakeNext()
      return true
    },
  }
}

/** A binary heap that finds each item again, so that one can be removed or moved in O(log n). */
export class Heap<Item extends object> {
  readonly #before: (a: Item, b: Item) => number
  readonly #items: Item[] = []
  readonly #places = new Map<Item, number>()

  /** @param before negative when the first comes before the second */
  constructor(before: (a: Item, b: Item) => number) {
    this.#before = before
  }

  get size(): number {
    return this.#items.length
  }

  peek(): Item | undefined {
    return this.#items[0]
  }

  push(item: Item): void {
    this.#items.push(item)
    this.#rise(this.#items.length - 1, item)
  }

  pop(): Item | undefined {
    const first = this.#items[0]
    if (first !== undefined) this.remove(first)
    return first
  }

  remove(item: Item): void {
    const place = this.#places.get(item)
    if (place === undefined) return
    this.#places.delete(item)
    const last = this.#items.pop()
    if (last === undefined || last === item) return
    this.#sink(place, last)
    this.#rise(this.#places.get(last) ?? place, last)
  }

  #put(place: number, item: Item): void {
    this.#items[place] = item
    this.#places.set(item, place)
  }

  #rise(from: number, item: Item): void {
    let place = from
    while (place > 0) {
      const parent = (place - 1) >> 1
      const above = this.#items[parent]
      if (above === undefined || this.#before(above, item) <= 0) break
      this.#put(place, above)
      place = parent
    }
    this.#put(place, item)
  }

  #sink(from: number, item: Item): void {
    let place = from
    for (;;) {
      let child = 2 * place + 1
      let below = this.#items[child]
      if (below === undefined) break
      const right = this.#items[child + 1]
      if (right !== undefined && this.#before(right, below) < 0) {
        child++
        below = right
      }
      if (this.#before(item, below) <= 0) break
      this.#put(place, below)
      place = child
    }
    this.#put(place, item)
  }
}
