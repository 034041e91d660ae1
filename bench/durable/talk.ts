/** What is said in the conversations that are measured: short messages of four members who never come to an end. */
import type { RecordEvent } from '../../src/schema/record.ts'

export const MEMBERS = ['ada', 'bo', 'cy', 'dee'] as const
/** A policy by which nothing ends a discussion while it is measured. */
export const LIMITLESS = { turnLimit: { discussion: null }, deadline: { discussion: 3_600_000 } }
const CONTENT = 'The tide tables of the harbour are in the second volume, after the list of lights.'

/** Message number `place` of a conversation, as it is sent. */
export const messageOf = (place: number) => ({
  id: `m${place}`,
  from: MEMBERS[place % MEMBERS.length] ?? 'ada',
  intent: 'info',
  content: CONTENT,
  tokens: 20,
})

const AT = 1_700_000_000_000

/** Event number `seq` of a conversation, as a journal keeps it; `open` is 0. */
export const eventOf = (conversation: string, seq: number): RecordEvent =>
  seq === 0
    ? {
        type: 'open',
        at: AT,
        id: conversation,
        machine: 'conversation',
        version: 1,
        goal: '',
        members: [...MEMBERS],
        lead: null,
        policy: {},
      }
    : { type: 'message', at: AT + seq, message: messageOf(seq) }
