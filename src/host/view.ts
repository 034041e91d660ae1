/** A conversation as whoever asks a host sees it. */
import type { Conversation } from '../engine/conversation.ts'
import type { PendingQuestion } from '../journals/journal.ts'
import type { Question } from '../schema/question.ts'
import type { ConversationView } from './host.ts'

export const viewOf = (
  talk: Conversation,
  asked: readonly (Question | PendingQuestion)[],
): ConversationView => {
  const { id, protocol, goal, state, members, lead, seq, at, dueAt, outcome } = talk
  const next = talk.isClosed
    ? []
    : protocol.floor(talk.context, { capabilities: new Map(), talk: 'round_robin' }, state)
  const { name, version } = protocol
  const questions = asked.map((question) => ({ answer: null, ...question }))
  return { id, protocol: name, version, goal, state, members, lead, seq, at, dueAt, outcome, next, questions }
}
