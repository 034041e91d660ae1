/** Following a conversation: what was, then what comes, each event once and in order. */
import type { ConversationEvent } from './events.ts'

/** What is followed. */
interface Followed {
  /** Events so far. */
  readonly past: readonly ConversationEvent[]
  readonly isClosed: boolean
  /** Tells of each further event, and of the end; returns how to stop. */
  listen(onEvent: (event: ConversationEvent) => void, onEnd: () => void): () => void
}

/** Events after a `seq`, the past ones first, then as they happen; ends after the one that closes. A slow reader loses nothing. */
export const follow = (
  { past, isClosed, listen }: Followed,
  after: number,
): AsyncIterableIterator<ConversationEvent> => {
  const waiting = past.filter(({ seq }) => seq > after)
  // A listener that sends and then follows finds its event here, and is told of it once more.
  const seen = waiting.at(-1)?.seq ?? after
  let wake: (() => void) | null = null
  let isOver = isClosed
  const stop = listen(
    (event) => {
      if (event.seq <= seen) return
      waiting.push(event)
      wake?.()
    },
    () => {
      isOver = true
      wake?.()
    },
  )
  let taken = 0
  // Not by Array#shift, which moves all that wait: a long record would take quadratic time.
  const take = (): ConversationEvent | undefined => {
    const event = waiting[taken]
    if (event !== undefined) taken++
    if (taken * 2 > waiting.length) {
      waiting.splice(0, taken)
      taken = 0
    }
    return event
  }
  const end = (): IteratorResult<ConversationEvent, undefined> => {
    stop()
    isOver = true
    waiting.length = 0
    taken = 0
    wake?.()
    return { done: true, value: undefined }
  }
  const next = async (): Promise<IteratorResult<ConversationEvent, undefined>> => {
    while (waiting.length === taken && !isOver) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
      wake = null
    }
    const value = take()
    return value === undefined ? end() : { done: false, value }
  }
  let chain: Promise<unknown> = Promise.resolve()
  return {
    // One after the other, so that calls that overlap get different events, in order.
    next: () => {
      const result = chain.then(next)
      chain = result
      return result
    },
    return: async () => end(),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
