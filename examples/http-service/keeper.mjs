/**
 * Keeps conversations: in memory while they are open, in the journal always. Nobody hears of an event before the
 * journal has it, so that nothing that was said is unsaid by a crash.
 */
import { deadlines, openConversation, resumeConversation, systemClock } from 'colloquy'

/** @param {import('colloquy').Journal} journal */
export const keeperOf = (journal) => {
  /** Open conversations by their ids. `saved`: the newest append; it fails if an earlier one has. */
  const rooms = new Map()

  const due = deadlines(systemClock, (id) => {
    const room = rooms.get(id)
    room?.talk.tick()
    due.set(id, room?.talk.dueAt ?? null)
  })

  const forget = (room) => {
    if (rooms.get(room.talk.id) !== room) return
    rooms.delete(room.talk.id)
    due.set(room.talk.id, null)
  }

  const settle = (talk) => {
    const room = { talk, saved: Promise.resolve() }
    if (talk.isClosed) return room
    rooms.set(talk.id, room)
    due.set(talk.id, talk.dueAt)
    talk.on('event', ({ seq, event }) => {
      // One after the other, and nothing any more after one that failed: the journal has no gaps.
      const saved = room.saved.then(() => journal.append(talk.id, seq, [event]))
      room.saved = saved
      const onSaved = () => talk.isClosed && room.saved === saved && forget(room)
      // What cannot be kept has not happened: the next request finds the conversation as the journal has it.
      saved.then(onSaved, () => forget(room))
      if (rooms.get(talk.id) === room) due.set(talk.id, talk.dueAt)
    })
    return room
  }

  /** From the journal, as if it had never stopped: the same decisions, the same deadline. */
  const takeUp = async (id) => {
    const { events, warnings } = await journal.read(id)
    for (const warning of warnings) console.error(warning)
    // Another request may have been quicker.
    const room = rooms.get(id)
    if (room !== undefined || events.length === 0) return room
    return settle(resumeConversation(events))
  }

  return {
    /** @throws ColloquyError with each wrong field */
    async open({ goal, members, lead, policy }) {
      const talk = openConversation({ goal, members, lead, policy })
      await journal.append(talk.id, 0, talk.record())
      return settle(talk)
    },
    /** The room of a conversation, or undefined when there is none. */
    find: async (id) => rooms.get(id) ?? takeUp(id),
    /** After a start: takes up whatever is open, for its deadline may be near or past. */
    async resume() {
      for (const id of await journal.list())
        await takeUp(id).catch((error) => console.error(`${id} is left alone: ${error.message}`))
    },
    async close() {
      due.stop()
      await Promise.allSettled([...rooms.values()].map(({ saved }) => saved))
      await journal.close()
    },
  }
}
