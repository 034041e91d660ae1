/** Leases in one process, for journals that only one uses at a time. */
import type { Lease } from '../journal.ts'
import { leaseLost } from './conflict.ts'
import { freshLeaseId, leasePrefixOf } from './lease-id.ts'

/** An open conversation that may have to be looked after. */
export interface Waiting {
  readonly id: string
  readonly dueAt: number | null
  readonly isAnswered: boolean
}

export interface LeaseBook {
  /** @throws ColloquyError `LEASE_LOST` when the writer may not append to it */
  check(conversation: string, lease: string | undefined): void
  /** The lasting lease that has taken it; null: none. */
  holderOf(conversation: string): string | null
  begin(ttl: number, name?: string): Lease
  /** Tells that a lease which nobody remembers had taken it, so that somebody looks after it. */
  abandon(conversation: string): void
}

/** A lease of a process that has ended: it never lasts. */
const FORGOTTEN = ''

/**
 * The leases of a journal.
 * @param now ms
 * @param waiting all open conversations, as they are
 */
export const leaseBook = (now: () => number, waiting: () => Iterable<Waiting>): LeaseBook => {
  const until = new Map<string, number>()
  const holders = new Map<string, string>()

  const lasts = (lease: string): boolean => (until.get(lease) ?? Number.NEGATIVE_INFINITY) > now()
  const holderOf = (conversation: string): string | null => {
    const holder = holders.get(conversation)
    return holder !== undefined && lasts(holder) ? holder : null
  }
  const refuseEnded = (lease: string): void => {
    if (!lasts(lease)) throw leaseLost(lease)
  }

  const begin = (ttl: number, name?: string): Lease => {
    if (name !== undefined)
      for (const earlier of [...until.keys()])
        if (earlier.startsWith(leasePrefixOf(name))) until.delete(earlier)
    const id = freshLeaseId(name)
    until.set(id, now() + ttl)
    const isUrgent = (conversation: Waiting, before: number): boolean => {
      const holder = holders.get(conversation.id)
      if (holder === id) return conversation.isAnswered
      if (holder !== undefined) return !lasts(holder)
      return conversation.isAnswered || (conversation.dueAt !== null && conversation.dueAt < before)
    }
    return {
      id,
      async renew() {
        refuseEnded(id)
        until.set(id, now() + ttl)
      },
      async take(conversation) {
        refuseEnded(id)
        if ((holderOf(conversation) ?? id) !== id) return false
        holders.set(conversation, id)
        return true
      },
      async drop(conversations) {
        for (const conversation of conversations)
          if (holders.get(conversation) === id) holders.delete(conversation)
      },
      async takeUrgent(before, limit) {
        refuseEnded(id)
        const urgent = [...waiting()]
          .filter((conversation) => isUrgent(conversation, before))
          .sort((a, b) => (a.dueAt ?? Number.POSITIVE_INFINITY) - (b.dueAt ?? Number.POSITIVE_INFINITY))
          .slice(0, limit)
        for (const { id: conversation } of urgent) holders.set(conversation, id)
        return urgent.map(({ id: conversation }) => conversation)
      },
      async release() {
        until.delete(id)
      },
    }
  }

  return {
    check(conversation, lease) {
      const holder = holderOf(conversation)
      if (holder === null ? lease !== undefined : holder !== lease)
        throw leaseLost(lease ?? 'none', conversation, holder)
    },
    holderOf,
    begin,
    abandon: (conversation) => void holders.set(conversation, FORGOTTEN),
  }
}
