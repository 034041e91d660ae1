/**
 * What Restate keeps of a conversation. State is read key by key (`enableLazyState`), so a message costs the same however
 * long the conversation is:
 *
 * - `head`: what it needs to go on, and the newest events that are in no page yet
 * - `page/<first>`: PAGE events from that place on
 * - `event/<place>`: an event that is too large to be written anew with its neighbours
 * - `said/<message id>`: who sent it; there for as long as the conversation is
 *
 * Keys are written before the head that tells of them, so that readers, who do not wait for writers, find them.
 */
import type { ConversationEvent, OpenEvent, Snapshot } from 'colloquy'
import type { Asked } from './asked.ts'
import { terminalOf } from './failure.ts'

export interface Head {
  /** Of the snapshot, `known` is empty: that is in keys of its own. */
  readonly snapshot: Snapshot
  /** ms: when it was opened. */
  readonly openedAt: number
  /** ms: when the state's time is up; null: never. */
  readonly dueAt: number | null
  /** ms: when the next deadline call comes; null: none is under way. */
  readonly armed: number | null
  /** Who was asked and has not answered. */
  readonly asked: readonly Asked[]
  /** Failures of each agent in a row. */
  readonly failures: Readonly<Record<string, number>>
  /** What was wrong with each member's last answer. */
  readonly notices: Readonly<Record<string, string>>
  /** Messages so far. */
  readonly said: number
  readonly tail: readonly Entry[]
}

/** An event, or its place where it is in a key of its own. */
export type Entry = ConversationEvent | number

/** Events in a page: more make heads larger, which are written for each message; fewer make reading slower. */
export const PAGE = 8
/** UTF-16 units of JSON from which on an event gets a key of its own. */
const LARGE = 2_048

/** The part of Restate's context that is needed to read. */
export interface Reads {
  get<Value>(key: string): Promise<Value | null>
}

/** The part that is needed to write. */
export interface Writes {
  set<Value>(key: string, value: Value): void
}

export const HEAD = 'head'
export const saidKey = (message: string): string => `said/${message}`
const pageKey = (first: number): string => `page/${first}`
const eventKey = (place: number): string => `event/${place}`

/** Writes new events where they belong; gives the new tail. */
export const keep = (
  state: Writes,
  tail: readonly Entry[],
  events: readonly ConversationEvent[],
): readonly Entry[] => {
  let entries = [...tail]
  for (const told of events) {
    const { seq, event } = told
    if (event.type === 'message') {
      const { id, from } = event.message as { id: string; from: string }
      state.set(saidKey(id), from)
    }
    const isLarge = JSON.stringify(told).length > LARGE
    if (isLarge) state.set(eventKey(seq), told)
    entries.push(isLarge ? seq : told)
    if (entries.length === PAGE) {
      state.set(pageKey(seq + 1 - PAGE), entries)
      entries = []
    }
  }
  return entries
}

/** How it was opened. */
export const openOf = async (state: Reads, head: Head): Promise<OpenEvent> => {
  const [open] = await eventsOf(state, head, -1, 1)
  return open?.event as OpenEvent
}

/**
 * Events of a conversation in their order.
 * @param after place; -1: from `open` on
 * @param limit most of them
 */
export const eventsOf = async (
  state: Reads,
  { snapshot, tail }: Head,
  after: number,
  limit: number,
): Promise<readonly ConversationEvent[]> => {
  const [from, end] = [after + 1, Math.min(snapshot.seq + 1, after + 1 + limit)]
  const tailFrom = snapshot.seq + 1 - tail.length
  const firsts: number[] = []
  for (let first = from - (from % PAGE); first < Math.min(end, tailFrom); first += PAGE) firsts.push(first)
  const pages = await Promise.all(firsts.map((first) => state.get<readonly Entry[]>(pageKey(first))))
  const paged = pages.flatMap((page) => page ?? [])
  const start = firsts[0] ?? tailFrom
  const entries = [...paged, ...tail].slice(from - start, end - start)
  return Promise.all(
    entries.map(async (entry) => {
      if (typeof entry !== 'number') return entry
      const event = await state.get<ConversationEvent>(eventKey(entry))
      if (event === null) throw terminalOf(new Error(`The event ${entry} of "${snapshot.id}" is missing`))
      return event
    }),
  )
}
