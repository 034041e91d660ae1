/** Conversations as the journal has them, ready to go on. */
import type { Clock } from '../engine/clock.ts'
import type { Conversation } from '../engine/conversation.ts'
import type { ConversationEvent } from '../engine/events.ts'
import { restoreConversation } from '../engine/opening.ts'
import { resumeConversation } from '../engine/replay.ts'
import { ColloquyError } from '../errors.ts'
import type { Journal, Loaded } from '../journals/journal.ts'
import type { Happening, RecordEvent } from '../schema/record.ts'
import type { Protocols } from './protocols.ts'

export interface TakingUpOptions {
  readonly journal: Journal
  readonly protocols: Protocols
  readonly clock: Clock
  readonly contentLimit: number | undefined
}

export interface TakingUp {
  /** From its newest snapshot and what followed. @throws ColloquyError `SNAPSHOT_INVALID`, `RECORD_INVALID`, `PROTOCOL_UNKNOWN` */
  fromLoaded(loaded: Loaded): Conversation
  /** From its whole record, with what each event led to. Null when the journal does not know it. */
  fromRecord(
    id: string,
  ): Promise<{ readonly talk: Conversation; readonly past: readonly ConversationEvent[] } | null>
}

export const takingUp = ({ journal, protocols, clock, contentLimit }: TakingUpOptions): TakingUp => {
  const common = { clock, ...(contentLimit === undefined ? {} : { contentLimit }) }

  const fromEvents = (events: readonly RecordEvent[], retain: boolean): Conversation => {
    const [open] = events
    if (open?.type !== 'open')
      throw new ColloquyError('RECORD_INVALID', 'The record does not begin with its "open" event')
    const protocol = protocols.of(open.machine, open.version)
    return resumeConversation(events, { ...common, protocol, retain })
  }

  return {
    fromLoaded({ snapshot, events }) {
      if (snapshot === null) return fromEvents(events, false)
      const protocol = protocols.of(snapshot.machine, snapshot.version)
      const talk = restoreConversation(snapshot, { ...common, protocol, retain: false })
      for (const event of events) talk.apply(event as Happening)
      return talk
    },
    async fromRecord(id) {
      const { events } = await journal.read(id)
      if (events.length === 0) return null
      const talk = fromEvents(events, true)
      const past = talk.events()
      talk.forget()
      return { talk, past }
    },
  }
}
