/** A conversation as it is told to whoever asks. */
import type { Conversation, ConversationView } from 'colloquy'
import { pendingOf } from './asked.ts'
import type { Head } from './state.ts'

/** @param talk as it stands in `head` */
export const viewOf = (talk: Conversation, { asked }: Pick<Head, 'asked'>): ConversationView => {
  const { id, goal, protocol, state, members, lead, seq, at, dueAt, outcome } = talk
  const questions = asked.filter(({ by }) => by === 'person').map((one) => pendingOf(id, goal, one))
  const { name, version } = protocol
  const next = talk.isClosed
    ? []
    : protocol.floor(talk.context, { capabilities: new Map(), talk: 'round_robin' }, state)
  return { id, protocol: name, version, goal, state, members, lead, seq, at, dueAt, outcome, next, questions }
}
