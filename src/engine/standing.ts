/** How a conversation stands, as a journal keeps it beside the events. */
import type { Standing } from '../journals/journal.ts'
import type { Conversation } from './conversation.ts'

export const standingOf = ({
  state,
  dueAt,
  outcome,
}: Pick<Conversation, 'state' | 'dueAt' | 'outcome'>): Standing => ({ state, dueAt, outcome })
