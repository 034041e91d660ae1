/**
 * Group commit: whatever is asked for before the event loop comes round is done in one transaction, so that the disk is
 * waited for once. What one of them refuses concerns no other, as long as it looks before it writes; an error of the
 * database concerns all of them, and nothing of the transaction stays.
 */
import { ColloquyError } from '../../errors.ts'
import type { Sqlite } from './database.ts'

interface Job {
  readonly act: () => unknown
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

export interface Batches {
  /** Does it in the next transaction. It may throw a ColloquyError before it has written anything. */
  write<Result>(act: () => Result): Promise<Result>
  /** Does what waits now. */
  flush(): void
}

/** Most of them in one transaction, so that other processes get their turn. */
const MOST = 1_000

export const batches = (database: Sqlite, failure: (error: unknown) => ColloquyError): Batches => {
  let waiting: Job[] = []

  const commit = (jobs: readonly Job[]): void => {
    const settle: (() => void)[] = []
    try {
      database.transaction(() => {
        for (const { act, resolve, reject } of jobs) {
          try {
            const result = act()
            settle.push(() => resolve(result))
          } catch (error) {
            if (!(error instanceof ColloquyError)) throw error
            settle.push(() => reject(error))
          }
        }
      })
    } catch (error) {
      for (const { reject } of jobs) reject(failure(error))
      return
    }
    // Not before the transaction has ended.
    for (const tell of settle) tell()
  }

  const flush = (): void => {
    const jobs = waiting
    waiting = []
    for (let start = 0; start < jobs.length; start += MOST) commit(jobs.slice(start, start + MOST))
  }

  return {
    write: <Result>(act: () => Result) =>
      new Promise<Result>((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush)
        waiting.push({ act, resolve: (result) => resolve(result as Result), reject })
      }),
    flush,
  }
}
