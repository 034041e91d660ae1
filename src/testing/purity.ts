/** Watches whether something asks the clock or for randomness while it runs: what decides must do neither. */

/** What was asked, such as `Date.now`; null: nothing. */
export interface Watched<T> {
  readonly result: T
  readonly asked: string | null
}

/** Runs something that must be pure. Synchronous: nothing else can run meanwhile. What is asked is answered as ever. */
export const watching = <T>(run: (askedSoFar: () => string | null) => T): Watched<T> => {
  let asked: string | null = null
  const restores: (() => void)[] = []
  const watch = <Owner extends object>(owner: Owner, key: keyof Owner & string, name: string): void => {
    const original: unknown = owner[key]
    if (typeof original !== 'function') return
    const own = Object.getOwnPropertyDescriptor(owner, key)
    Object.defineProperty(owner, key, {
      configurable: true,
      writable: true,
      value(...args: unknown[]): unknown {
        asked ??= name
        return Reflect.apply(original, owner, args)
      },
    })
    restores.push(() => {
      if (own === undefined) Reflect.deleteProperty(owner, key)
      else Object.defineProperty(owner, key, own)
    })
  }
  const RealDate = globalThis.Date
  globalThis.Date = new Proxy(RealDate, {
    construct(target, args, newTarget) {
      if (args.length === 0) asked ??= 'new Date()'
      return Reflect.construct(target, args, newTarget === globalThis.Date ? target : newTarget) as object
    },
    apply() {
      asked ??= 'Date()'
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
  try {
    return { result: run(() => asked), asked }
  } finally {
    for (const restore of restores.reverse()) restore()
  }
}
