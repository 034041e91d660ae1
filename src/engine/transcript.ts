/** What was said, as members see it: bounded, newest last; the journal keeps all. */
import type { TranscriptEntry } from '../agents/agent.ts'
import type { Message } from '../schema/message.ts'
import type { ConversationEvent } from './events.ts'

/** How much of the transcript an agent is shown. */
export interface View {
  /** Most messages. Default: 40. */
  readonly messages?: number
  /** Most characters of all contents and payloads together; the newest message is always shown, cut where it alone is longer. Default: 24,000. */
  readonly characters?: number
}

/** The newest part of what was said: what fits is kept, the rest only counted. */
export interface Transcript {
  add(heard: ConversationEvent): void
  /** The newest entries that fit, oldest first, and how many older ones are left out. */
  view(): { readonly transcript: readonly TranscriptEntry[]; readonly omitted: number }
}

const entryOf = ({ event, decision }: ConversationEvent): TranscriptEntry | null => {
  if (event.type !== 'message' || decision === null) return null
  const { id, from, intent, content, payload, replyTo } = event.message as Message
  const { effect, reason } = decision
  return { id, from, intent, content, payload, replyTo, state: decision.from, at: event.at, effect, reason }
}

const MARK = ' […]'

const sizeOf = ({ content, payload }: TranscriptEntry): number =>
  content.length + JSON.stringify(payload).length

/** A transcript without entries. Each entry is measured once, when it is added, and dropped when it fits no more. */
export const emptyTranscript = ({ messages = 40, characters = 24_000 }: View = {}): Transcript => {
  const fitting: { readonly entry: TranscriptEntry; readonly size: number }[] = []
  let newest: TranscriptEntry | null = null
  let length = 0
  let count = 0
  return {
    add(heard) {
      const entry = entryOf(heard)
      if (entry === null) return
      newest = entry
      count++
      const size = sizeOf(entry)
      fitting.push({ entry, size })
      length += size
      while (fitting.length > messages || length > characters) length -= fitting.shift()?.size ?? length
    },
    view() {
      const transcript = fitting.map(({ entry }) => entry)
      if (transcript.length === 0 && newest !== null && messages > 0)
        transcript.push(shortened(newest, characters))
      return { transcript, omitted: count - transcript.length }
    },
  }
}

/** One entry that alone is too long: its content cut, its payload left out where even that does not fit. */
const shortened = (entry: TranscriptEntry, characters: number): TranscriptEntry => {
  const payload = JSON.stringify(entry.payload).length > characters / 2 ? {} : entry.payload
  const room = Math.max(0, characters - JSON.stringify(payload).length - MARK.length)
  const content =
    entry.content.length > room ? entry.content.slice(0, room).toWellFormed() + MARK : entry.content
  return { ...entry, content, payload }
}
