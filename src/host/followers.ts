/** Those who follow conversations: what was, from the journal, then what comes, each event once and in order. */
import type { ConversationEvent } from '../engine/events.ts'

/** Events that may wait for a slow follower; beyond them it reads the journal again when it gets there. */
const MOST_WAITING = 1_000

interface Follower {
  /** Reads the journal again. */
  again(): void
  heard(events: readonly ConversationEvent[]): void
  /** Nothing comes any more. */
  end(): void
}

/** What a follower reads. */
export interface Past {
  readonly events: readonly ConversationEvent[]
  readonly isClosed: boolean
}

export interface Followers {
  /** Tells what is kept, and whether the conversation is closed by it. */
  tell(conversation: string, events: readonly ConversationEvent[], isClosed: boolean): void
  has(conversation: string): boolean
  /** The conversation was taken up anew: there may be more in the journal than was told. */
  again(conversation: string): void
  /**
   * @param after place after which events are told
   * @param read all that the journal has of the conversation
   */
  follow(
    conversation: string,
    after: number,
    signal: AbortSignal | undefined,
    read: () => Promise<Past>,
  ): AsyncIterableIterator<ConversationEvent>
  /** Ends all. */
  end(): void
}

export const followersOf = (): Followers => {
  const all = new Map<string, Set<Follower>>()

  const add = (conversation: string, follower: Follower): (() => void) => {
    const followers = all.get(conversation) ?? new Set()
    all.set(conversation, followers.add(follower))
    return () => {
      followers.delete(follower)
      if (followers.size === 0 && all.get(conversation) === followers) all.delete(conversation)
    }
  }

  async function* follow(
    conversation: string,
    after: number,
    signal: AbortSignal | undefined,
    read: () => Promise<Past>,
  ): AsyncGenerator<ConversationEvent, undefined> {
    const waiting: ConversationEvent[] = []
    let last = after
    let isBehind = true
    const isAborted = (): boolean => signal?.aborted === true
    let isOver = isAborted()
    let wake = (): void => {}
    const end = (): void => {
      isOver = true
      wake()
    }
    // Heard from now on, before what was is read: nothing falls between.
    const leave = add(conversation, {
      heard(events) {
        if (waiting.length + events.length > MOST_WAITING) {
          waiting.length = 0
          isBehind = true
        } else waiting.push(...events)
        wake()
      },
      again() {
        isBehind = true
        wake()
      },
      end,
    })
    signal?.addEventListener('abort', end, { once: true })
    try {
      while (!isAborted()) {
        if (isBehind) {
          isBehind = false
          const { events, isClosed } = await read()
          for (const event of events) {
            if (event.seq <= last) continue
            if (isAborted()) return
            last = event.seq
            yield event
          }
          if (isClosed) return
        }
        for (const event of waiting.splice(0)) {
          if (event.seq <= last) continue
          // What lies between was kept, but not told: an append that failed may have been written.
          if (event.seq > last + 1) {
            isBehind = true
            break
          }
          if (isAborted()) return
          last = event.seq
          yield event
        }
        if (isBehind || waiting.length > 0) continue
        if (isOver) return
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    } finally {
      signal?.removeEventListener('abort', end)
      leave()
    }
  }

  return {
    tell(conversation, events, isClosed) {
      for (const follower of all.get(conversation) ?? []) {
        follower.heard(events)
        if (isClosed) follower.end()
      }
    },
    has: (conversation) => all.has(conversation),
    again(conversation) {
      for (const follower of all.get(conversation) ?? []) follower.again()
    },
    follow,
    end() {
      for (const followers of all.values()) for (const follower of followers) follower.end()
    },
  }
}
