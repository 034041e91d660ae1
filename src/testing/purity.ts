/** Watches whether something asks the clock or for randomness while it runs: what decides must do neither. */

/** What was asked, such as `Date.now`; null: nothing. */
export interface Watched<T> {
  readonly result: T
  readonly asked: string | null
}

/** Does what may ask: it is no part of what is watched. */
export type Pause = (work: () => void) => void

/** Runs something that must be pure. Synchronous: nothing else can run meanwhile. What is asked is answered as ever. */
export const watching = <T>(run: (askedSoFar: () => string | null, pause: Pause) => T): Watched<T> => {
  let asked: string | null = null
  let paused = false
  const ask = (name: string): void => {
    if (!paused) asked ??= name
  }
  const pause: Pause = (work) => {
    paused = true
    try {
      work()
    } finally {
      paused = false
    }
  }
  const restores: (() => void)[] = []
  const watch = <Owner extends object>(owner: Owner, key: keyof Owner & string, name: string): void => {
    const original: unknown = owner[key]
    if (typeof original !== 'function') return
    const own = Object.getOwnPropertyDescriptor(owner, key)
    const watched = (...args: unknown[]): unknown => {
      ask(name)
      return Reflect.apply(original, owner, args)
    }
    // Such as `bigint` of `process.hrtime`.
    Object.defineProperties(watched, {
      ...Object.getOwnPropertyDescriptors(original),
      ...Object.getOwnPropertyDescriptors(watched),
    })
    Object.defineProperty(owner, key, { configurable: true, writable: true, value: watched })
    restores.push(() => {
      if (own === undefined) Reflect.deleteProperty(owner, key)
      else Object.defineProperty(owner, key, own)
    })
  }
  const RealDate = globalThis.Date
  globalThis.Date = new Proxy(RealDate, {
    construct(target, args, newTarget) {
      if (args.length === 0) ask('new Date()')
      return Reflect.construct(target, args, newTarget === globalThis.Date ? target : newTarget) as object
    },
    apply() {
      ask('Date()')
      return RealDate()
    },
  })
  restores.push(() => {
    globalThis.Date = RealDate
  })
  watch(RealDate, 'now', 'Date.now')
  watch(performance, 'now', 'performance.now')
  watch(Math, 'random', 'Math.random')
  watch(crypto, 'randomUUID', 'crypto.randomUUID')
  watch(crypto, 'getRandomValues', 'crypto.getRandomValues')
  watch(process, 'hrtime', 'process.hrtime')
  watch(process.hrtime, 'bigint', 'process.hrtime.bigint')
  watch(process, 'uptime', 'process.uptime')
  try {
    return { result: run(() => asked, pause), asked }
  } finally {
    for (const restore of restores.reverse()) restore()
  }
}
