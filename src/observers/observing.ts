/** Several observers as one: each hears everything, and what one throws harms nobody. */
import { messageOf } from '../errors.ts'
import type { Begun, Observer } from './observer.ts'

const warn = (error: unknown): void => process.emitWarning(`An observer threw: ${messageOf(error)}`)

const guarded = <Result>(act: () => Result): Result | undefined => {
  try {
    return act()
  } catch (error) {
    warn(error)
    return undefined
  }
}

/** What came of an act. */
type Done<Result> = { readonly result: Result } | { readonly thrown: unknown }

const doing = <Result>(act: () => Result): Done<Result> => {
  try {
    return { result: act() }
  } catch (thrown) {
    return { thrown }
  }
}

const opened = <Result>(done: Done<Result>): Result => {
  if ('thrown' in done) throw done.thrown
  return done.result
}

/**
 * Does something within each piece of work, the first outermost: once, and with what comes of it, whatever the observers
 * make of it. One that throws, or does not do it, is passed over.
 */
const nested = <Result>(begun: readonly Begun[], act: () => Result): Result => {
  const [first, ...others] = begun
  if (first === undefined) return act()
  if (first.within === undefined) return nested(others, act)
  const done: Done<Result>[] = []
  const once = (): Result => {
    const came = done[0] ?? doing(() => nested(others, act))
    done[0] = came
    return opened(came)
  }
  const observed = doing(() => first.within?.(once))
  const [came] = done
  // What the act itself throws passes through the observer, and is not its fault.
  const isActs = came !== undefined && 'thrown' in came
  if ('thrown' in observed && !isActs) warn(observed.thrown)
  return once()
}

/** One observer for all of these; null for none, so that there is nothing to call. */
export const observing = (observers: readonly Observer[]): Observer | null => {
  if (observers.length === 0) return null
  return {
    began(work) {
      const begun: Begun[] = []
      for (const observer of observers) {
        const each = guarded(() => observer.began?.(work))
        if (each !== undefined) begun.push(each)
      }
      if (begun.length === 0) return undefined
      const trace = begun.find((each) => each.trace !== undefined)?.trace
      return {
        end(ended) {
          for (const each of begun) guarded(() => each.end(ended))
        },
        within: (act) => nested(begun, act),
        ...(trace === undefined ? {} : { trace }),
      }
    },
    happened(fact) {
      for (const observer of observers) guarded(() => observer.happened?.(fact))
    },
  }
}
