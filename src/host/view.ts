/** A conversation as whoever asks a host sees it. */
import type { Conversation } from '../engine/conversation.ts'
import type { Question } from '../schema/question.ts'
import type { ConversationView } from './host.ts'

export const viewOf = (
  { id, protocol, goal, state, members, lead, seq, at, dueAt, outcome }: Conversation,
  questions: readonly Question[],
): ConversationView => ({
  id,
  protocol: protocol.name,
  version: protocol.version,
  goal,
  state,
  members,
  lead,
  seq,
  at,
  dueAt,
  outcome,
  questions,
})
