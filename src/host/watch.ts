/** What a host does by itself: it keeps its lease, and looks after conversations that nobody looks after. */
import type { Clock } from '../engine/clock.ts'
import { ColloquyError } from '../errors.ts'
import type { Journal, Lease } from '../journals/journal.ts'

export interface WatchOptions {
  readonly journal: Journal
  readonly clock: Clock
  /** ms that the lease lasts unless renewed; renewed three times as often. */
  readonly ttl: number
  /** ms between looks at what must be looked after. */
  readonly poll: number
  /** Takes up conversations, or those questions in them that were answered. */
  urgent(conversations: readonly string[]): Promise<void>
  /** The lease has ended, such as when the process was stopped for too long, and there is a new one: all is to be taken anew. */
  lost(): void
  failed(error: unknown): void
}

export interface Watch {
  lease(): Lease
  /** Looks now. */
  look(): void
  /** Resolves when nothing is under way any more. The lease lasts. */
  stop(): Promise<void>
}

/** So many are taken at once. */
const BATCH = 256

/** Begins a lease, and watches. @throws what the journal throws when it cannot be used */
export const watch = async (options: WatchOptions): Promise<Watch> => {
  const { journal, clock, ttl, poll } = options
  let lease = await journal.lease(ttl)
  let isStopped = false
  let looking: Promise<void> | null = null
  let renewing: Promise<void> | null = null
  let stopLookTimer = (): void => {}
  let stopRenewTimer = (): void => {}

  const renewOnce = async (): Promise<void> => {
    try {
      await lease.renew()
    } catch (error) {
      if (!(error instanceof ColloquyError && error.code === 'LEASE_LOST')) throw error
      lease = await journal.lease(ttl)
      options.lost()
    }
  }

  const lookOnce = async (): Promise<void> => {
    // A little ahead, so that each is in memory when it is due.
    const before = clock.now() + 2 * poll
    for (;;) {
      const taken = await lease.takeUrgent(before, BATCH)
      if (taken.length > 0) await options.urgent(taken)
      if (taken.length < BATCH || isStopped) return
    }
  }

  const guarded = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      // A lease that has ended is found by the next renewal; everything else is tried again as well.
      if (!(error instanceof ColloquyError && error.code === 'LEASE_LOST')) options.failed(error)
    }
  }

  const look = (): void => {
    if (isStopped || looking !== null) return
    stopLookTimer()
    looking = guarded(lookOnce).finally(() => {
      looking = null
      if (!isStopped) stopLookTimer = clock.wake(clock.now() + poll, look)
    })
  }

  const renew = (): void => {
    renewing = guarded(renewOnce).finally(() => {
      renewing = null
      if (!isStopped) stopRenewTimer = clock.wake(clock.now() + ttl / 3, renew)
    })
  }

  stopRenewTimer = clock.wake(clock.now() + ttl / 3, renew)
  look()

  return {
    lease: () => lease,
    look,
    async stop() {
      isStopped = true
      stopLookTimer()
      stopRenewTimer()
      await Promise.all([looking, renewing])
    },
  }
}
