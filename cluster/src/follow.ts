/** Events as they happen, by asking for them again and again: soon after something happened, seldom when nothing does. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConversationEvent } from 'colloquy'
import type { Portion } from './conversations.ts'

const SHORTEST_PAUSE = 25
const LONGEST_PAUSE = 1_000

interface Following {
  /** Place. */
  readonly after: number
  /** Ends it, without an error. */
  readonly ends: AbortSignal
  unknown(): Error
}

export async function* followed(
  read: (after: number) => Promise<Portion | null>,
  { after, ends, unknown }: Following,
): AsyncIterableIterator<ConversationEvent> {
  let place = after
  let pause = SHORTEST_PAUSE
  while (!ends.aborted) {
    const portion = await unlessEnded(() => read(place), ends)
    if (portion === undefined) return
    if (portion === null) throw unknown()
    for (const event of portion.events) {
      if (ends.aborted) return
      place = event.seq
      yield event
    }
    if (place >= portion.seq) {
      if (portion.isClosed) return
      pause = portion.events.length > 0 ? SHORTEST_PAUSE : Math.min(pause * 2, LONGEST_PAUSE)
      await unlessEnded(() => sleep(pause, null, { signal: ends }), ends)
    }
  }
}

/** Undefined: it has ended meanwhile. */
const unlessEnded = async <Result>(
  act: () => Promise<Result>,
  ends: AbortSignal,
): Promise<Result | undefined> => {
  try {
    return await act()
  } catch (error) {
    if (ends.aborted) return undefined
    throw error
  }
}
