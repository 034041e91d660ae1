/** What a host does by itself: it keeps its lease, and looks after conversations that nobody looks after. */
import { after, type Clock } from '../engine/clock.ts'
import { ColloquyError } from '../errors.ts'
import type { Journal, Lease } from '../journals/journal.ts'

export interface WatchOptions {
  readonly journal: Journal
  readonly clock: Clock
  /** ms that the lease lasts unless renewed; renewed three times as often. */
  readonly ttl: number
  /** Of the host; an earlier life of it is over. */
  readonly name: string | undefined
  /** ms between looks at what must be looked after. */
  readonly poll: number
  /** Takes up conversations, or those questions in them that were answered. */
  urgent(conversations: readonly string[]): Promise<void>
  /** After a failure of which nobody knows what it left behind: finds what the lease has taken and nobody looks after. */
  sweep(lease: string): Promise<void>
  /** The lease has ended, such as when the process was stopped for too long, and there is a new one: all is to be taken anew. */
  lost(): void
  failed(error: unknown): void
}

export interface Watch {
  lease(): Lease
  /** Begins to watch. */
  begin(): void
  /** Looks now. */
  look(): void
  /** Something may have been taken that nobody looks after. */
  doubt(): void
  /** Resolves when nothing is under way any more. The lease lasts. */
  stop(): Promise<void>
}

/** So many are taken at once. */
const BATCH = 1_000

/** Begins a lease; it is watched from `begin` on. @throws what the journal throws when it cannot be used */
export const watch = async (options: WatchOptions): Promise<Watch> => {
  const { journal, clock, ttl, name, poll } = options
  let lease = await journal.lease(ttl, name)
  let isStopped = false
  let isInDoubt = false
  let looking: Promise<void> | null = null
  let renewing: Promise<void> | null = null
  let stopLookTimer = (): void => {}
  let stopRenewTimer = (): void => {}

  const renewOnce = async (): Promise<void> => {
    try {
      await lease.renew()
    } catch (error) {
      if (!(error instanceof ColloquyError && error.code === 'LEASE_LOST')) throw error
      lease = await journal.lease(ttl, name)
      options.lost()
    }
  }

  const lookOnce = async (): Promise<void> => {
    // A little ahead, so that each is in memory when it is due.
    const before = clock.now() + 2 * poll
    if (isInDoubt) {
      await options.sweep(lease.id)
      isInDoubt = false
    }
    // An answer that nobody here can take is told of again and again.
    const seen = new Set<string>()
    for (;;) {
      const taken = await lease.takeUrgent(before, BATCH)
      const fresh = taken.filter((id) => !seen.has(id))
      for (const id of fresh) seen.add(id)
      if (fresh.length > 0) await options.urgent(fresh)
      if (taken.length < BATCH || fresh.length === 0 || isStopped) return
    }
  }

  const guarded = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      // A lease that has ended is found by the next renewal; everything else is tried again as well.
      if (error instanceof ColloquyError && error.code === 'LEASE_LOST') return
      isInDoubt = true
      options.failed(error)
    }
  }

  const look = (): void => {
    if (isStopped || looking !== null) return
    stopLookTimer()
    looking = guarded(lookOnce).finally(() => {
      looking = null
      if (!isStopped) stopLookTimer = after(clock, poll, look)
    })
  }

  const renew = (): void => {
    renewing = guarded(renewOnce).finally(() => {
      renewing = null
      if (!isStopped) stopRenewTimer = after(clock, ttl / 3, renew)
    })
  }

  return {
    lease: () => lease,
    begin() {
      stopRenewTimer = after(clock, ttl / 3, renew)
      look()
    },
    look,
    doubt() {
      isInDoubt = true
    },
    async stop() {
      isStopped = true
      stopLookTimer()
      stopRenewTimer()
      await Promise.all([looking, renewing])
    },
  }
}
