/** What was said, as members see it: bounded, newest last; the journal keeps all. */
import type { TranscriptEntry } from '../agents/agent.ts'
import type { Message } from '../schema/message.ts'
import type { ConversationEvent } from './conversation.ts'

/** How much of the transcript an agent is shown. */
export interface View {
  /** Most messages. Default: 40. */
  readonly messages?: number
  /** Most characters of all contents and payloads together; the newest message is always shown, cut where it alone is longer. Default: 24,000. */
  readonly characters?: number
}

export const entryOf = ({ event, decision }: ConversationEvent): TranscriptEntry | null => {
  if (event.type !== 'message' || decision === null) return null
  const { id, from, intent, content, payload, replyTo } = event.message as Message
  const { effect, reason } = decision
  return { id, from, intent, content, payload, replyTo, state: decision.from, at: event.at, effect, reason }
}

const MARK = ' […]'

const sizeOf = ({ content, payload }: TranscriptEntry): number =>
  content.length + JSON.stringify(payload).length

/** The newest entries that fit, oldest first, and how many older ones are left out. */
export const viewOf = (
  entries: readonly TranscriptEntry[],
  { messages = 40, characters = 24_000 }: View = {},
): { transcript: readonly TranscriptEntry[]; omitted: number } => {
  const shown: TranscriptEntry[] = []
  let left = characters
  for (let index = entries.length - 1; index >= 0 && shown.length < messages; index--) {
    const entry = entries[index] as TranscriptEntry
    const size = sizeOf(entry)
    if (size > left) {
      if (shown.length === 0) shown.push(shortened(entry, characters))
      break
    }
    left -= size
    shown.push(entry)
  }
  return { transcript: shown.reverse(), omitted: entries.length - shown.length }
}

/** One entry that alone is too long: its content cut, its payload left out where even that does not fit. */
const shortened = (entry: TranscriptEntry, characters: number): TranscriptEntry => {
  const payload = JSON.stringify(entry.payload).length > characters / 2 ? {} : entry.payload
  const room = Math.max(0, characters - JSON.stringify(payload).length - MARK.length)
  const content =
    entry.content.length > room ? entry.content.slice(0, room).toWellFormed() + MARK : entry.content
  return { ...entry, content, payload }
}
