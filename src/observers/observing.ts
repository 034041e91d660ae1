/** Several observers as one: each hears everything, and what one throws harms nobody. */
import { messageOf } from '../errors.ts'
import type { Begun, Observer } from './observer.ts'

const guarded = <Result>(act: () => Result): Result | undefined => {
  try {
    return act()
  } catch (error) {
    process.emitWarning(`An observer threw: ${messageOf(error)}`)
    return undefined
  }
}

/** Does something within each piece of work, the first outermost. */
const nested = <Result>(begun: readonly Begun[], act: () => Result): Result => {
  const [first, ...others] = begun
  if (first === undefined) return act()
  return first.within === undefined ? nested(others, act) : first.within(() => nested(others, act))
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
