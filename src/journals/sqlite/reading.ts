/** What is read of a conversation. */
import type { RecordEvent } from '../../schema/record.ts'
import { saidIn } from '../common/said.ts'
import { eventOf, questionOf, snapshotOf } from '../common/stored.ts'
import type { Loaded, PendingQuestion } from '../journal.ts'
import { archived, bodiesOf } from './archive.ts'
import { corrupt, type Row, type Sqlite, textOf } from './database.ts'

/** Reads of one moment; the caller sees to that. */
export const readingOf = (database: Sqlite) => {
  const sound = <Found>(found: Found | string, conversation: string, what: string): Found => {
    if (typeof found !== 'string') return found
    throw corrupt(database.name, conversation, `${what}: ${found}`)
  }
  const eventsOf = (conversation: string, bodies: readonly string[], from: number): RecordEvent[] =>
    bodies.map((body, index) => sound(eventOf(body, from + index), conversation, `event ${from + index}`))

  const rowOf = (conversation: string): Row | undefined =>
    database.get('SELECT num, length FROM colloquy_conversations WHERE id = ? AND length > 0', conversation)

  /** The events from a place on, and the ids of the messages before it. */
  const events = (conversation: string, { num, length }: Row, from: number) => {
    const rows = bodiesOf(database, Number(num), from)
    // A compact record has no rows; nor has one whose snapshot is of its newest event.
    const packed = rows.length === 0 ? archived(database, conversation, Number(num)) : null
    const bodies = packed === null ? rows : packed.slice(from)
    if (bodies.length !== Number(length) - from)
      sound(`has ${bodies.length} of ${Number(length) - from} events`, conversation, `from event ${from} on`)
    const known = (): [string, string][] =>
      packed === null
        ? knownOf(Number(num), from)
        : eventsOf(conversation, packed.slice(0, from), 0).flatMap((event): [string, string][] => {
            const message = saidIn(event)
            return message === null ? [] : [[message.id, message.from]]
          })
    return { events: eventsOf(conversation, bodies, from), known }
  }

  const knownOf = (num: number, before: number): [string, string][] => {
    // One text in place of many rows: SQLite writes it faster than rows are carried over.
    const row = database.get(
      `SELECT json_group_array(json_array(message, sender)) AS known FROM colloquy_events
      WHERE conversation = ? AND seq < ? AND message IS NOT NULL`,
      num,
      before,
    )
    return JSON.parse(String(row?.known)) as [string, string][]
  }

  const questions = (num: number | null): readonly PendingQuestion[] =>
    database
      .all(
        `SELECT CAST(c.id AS BLOB) AS id, q.body, q.answer FROM colloquy_questions q
        JOIN colloquy_conversations c ON c.num = q.conversation
        ${num === null ? '' : 'WHERE q.conversation = ?'} ORDER BY q.at, q.num`,
        ...(num === null ? [] : [num]),
      )
      .map(({ id, body, answer }) =>
        sound(
          questionOf(String(body), answer === null ? null : String(answer)),
          textOf(id),
          'one of its questions',
        ),
      )

  return {
    read(conversation: string): RecordEvent[] {
      const row = rowOf(conversation)
      return row === undefined ? [] : events(conversation, row, 0).events
    },
    load(conversation: string): Loaded | null {
      const row = rowOf(conversation)
      if (row === undefined) return null
      const num = Number(row.num)
      const stored = database.get('SELECT body FROM colloquy_snapshots WHERE conversation = ?', num)
      const snapshot =
        stored === undefined ? null : sound(snapshotOf(String(stored.body)), conversation, 'its snapshot')
      const found = events(conversation, row, snapshot === null ? 0 : snapshot.seq + 1)
      return {
        snapshot: snapshot === null ? null : { ...snapshot, known: found.known() },
        events: found.events,
        length: Number(row.length),
        questions: questions(num),
        warnings: [],
      }
    },
    questions(conversation: string | undefined): readonly PendingQuestion[] {
      if (conversation === undefined) return questions(null)
      const row = rowOf(conversation)
      return row === undefined ? [] : questions(Number(row.num))
    },
  }
}
