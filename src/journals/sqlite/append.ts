/** Appends: everything is looked at before anything is written, so that a refusal leaves no trace. */
import type { RecordEvent } from '../../schema/record.ts'
import { knownMessage, leaseLost, refuseConflict } from '../common/conflict.ts'
import { type EventRow, insertEvent, restore, unpacked } from './archive.ts'
import { type Sqlite, textOf } from './database.ts'
import type { Append, Stand } from './texts.ts'

/** @param now ms @throws ColloquyError `LEASE_LOST`, `JOURNAL_CONFLICT`, `JOURNAL_CORRUPT`; nothing is written then */
export const append = (database: Sqlite, now: number, entry: Append): void => {
  if (!appendPlain(database, now, entry)) appendAny(database, now, entry)
}

/** Where an event more may be appended, which ends nothing. */
const FREE = `c.id = ? AND c.length = ?
  AND (SELECT l.id FROM colloquy_leases l WHERE l.num = c.holder AND l.until > ?) IS ?
  AND NOT EXISTS (SELECT 1 FROM colloquy_archives a WHERE a.conversation = c.num)
  AND NOT EXISTS (SELECT 1 FROM colloquy_events e WHERE e.conversation = c.num AND e.message = ?)`
const FURTHER = `UPDATE colloquy_conversations AS c SET length = length + 1, at = ? WHERE ${FREE}`
const FURTHER_OPEN = `UPDATE colloquy_conversations AS c SET length = length + 1, at = ?, state = ?, due_at = ?
  WHERE ${FREE} AND c.outcome IS NULL`
const EVENT = `INSERT INTO colloquy_events (conversation, seq, body, message, sender)
  VALUES ((SELECT num FROM colloquy_conversations WHERE id = ?), ?, ?, ?, ?)`

const isPlain = ({ outcome, snapshot, questions }: Stand): boolean =>
  outcome === null && snapshot === null && questions === null

/**
 * What nearly every append is, one event more that ends nothing, in two statements: the first one looks, and changes the
 * row when nothing is against it. False: it is no such append, or refused; why, the other way tells.
 */
const appendPlain = (database: Sqlite, now: number, entry: Append): boolean => {
  const { conversation, seq, events, at, lease = null, standing } = entry
  const [event] = events
  if (event === undefined || events.length > 1 || seq === 0) return false
  if (standing !== null && !isPlain(standing)) return false
  const { body, said } = event
  const free = [conversation, seq, now, lease, said?.id ?? null]
  const changed =
    standing === null
      ? database.change(FURTHER, at, ...free)
      : database.change(FURTHER_OPEN, at, standing.state, standing.dueAt, ...free)
  if (changed === 0) return false
  database.run(EVENT, conversation, seq, body, said?.id ?? null, said?.from ?? null)
  return true
}

const appendAny = (database: Sqlite, now: number, entry: Append): void => {
  const { conversation, seq, events, first, at, standing, lease } = entry
  const row = database.get(
    `SELECT c.num, c.length, c.outcome IS NOT NULL AS closed, l.id AS holder,
      EXISTS (SELECT 1 FROM colloquy_archives a WHERE a.conversation = c.num) AS compact
    FROM colloquy_conversations c LEFT JOIN colloquy_leases l ON l.num = c.holder AND l.until > ? WHERE c.id = ?`,
    now,
    conversation,
  )
  const holder = row?.holder == null ? null : String(row.holder)
  if (holder === null ? lease !== undefined : holder !== lease)
    throw leaseLost(lease ?? 'none', conversation, holder)
  const length = Number(row?.length ?? 0)
  refuseConflict(conversation, seq, length)
  const known = row === undefined ? null : Number(row.num)
  const packed =
    known !== null && Number(row?.compact) === 1 && events.length > 0
      ? unpacked(database, conversation, known)
      : []
  refuseKnown(database, conversation, known, packed, events)
  if (length + events.length === 0) return

  const num = known === null || length === 0 ? begun(database, conversation, first) : known
  if (packed.length > 0) restore(database, num, packed)
  for (const [index, event] of events.entries()) insertEvent(database, num, length + index, event)
  stand(database, num, { length: length + events.length, at, standing, wasClosed: Number(row?.closed) === 1 })
  if (standing !== null) keep(database, num, standing)
}

/** Refuses a message that is there, or that comes twice. */
const refuseKnown = (
  database: Sqlite,
  conversation: string,
  num: number | null,
  packed: readonly EventRow[],
  events: readonly EventRow[],
): void => {
  const ids = new Set(packed.flatMap(({ said }) => said?.id ?? []))
  for (const { said } of events) {
    if (said === null) continue
    const isKnown =
      ids.has(said.id) ||
      (num !== null &&
        database.get(
          'SELECT 1 AS found FROM colloquy_events WHERE conversation = ? AND message = ?',
          num,
          said.id,
        ) !== undefined)
    if (isKnown) throw knownMessage(conversation, said.id)
    ids.add(said.id)
  }
}

/** The number of a conversation whose first event this is. */
const begun = (database: Sqlite, id: string, first: RecordEvent | undefined): number => {
  const { machine = null, version = null, goal = null, at = null } = first?.type === 'open' ? first : {}
  const row = database.get(
    `INSERT INTO colloquy_conversations (id, machine, version, goal, opened_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET machine = excluded.machine, version = excluded.version, goal = excluded.goal,
      opened_at = excluded.opened_at
    RETURNING num`,
    id,
    machine,
    version,
    goal,
    at,
  )
  return Number(row?.num)
}

interface Change {
  readonly length: number
  readonly at: number | null
  readonly standing: Stand | null
  readonly wasClosed: boolean
}

/** Changes the conversation's row. What stays as it is, is not named: SQLite would write its indexes again. */
const stand = (database: Sqlite, num: number, { length, at, standing, wasClosed }: Change): void => {
  const PLACE = 'length = ?, at = COALESCE(?, at)'
  if (standing === null) {
    database.run(`UPDATE colloquy_conversations SET ${PLACE} WHERE num = ?`, length, at, num)
    return
  }
  const { state, dueAt, outcome, status } = standing
  if (outcome === null && !wasClosed)
    database.run(
      `UPDATE colloquy_conversations SET ${PLACE}, state = ?, due_at = ? WHERE num = ?`,
      length,
      at,
      state,
      dueAt,
      num,
    )
  else
    database.run(
      `UPDATE colloquy_conversations SET ${PLACE}, state = ?, due_at = ?, outcome = ?, status = ? WHERE num = ?`,
      length,
      at,
      state,
      dueAt,
      outcome,
      status,
      num,
    )
}

const keep = (database: Sqlite, num: number, { snapshot, questions }: Stand): void => {
  if (snapshot !== null)
    database.run(
      'INSERT OR REPLACE INTO colloquy_snapshots (conversation, seq, body) VALUES (?, ?, ?)',
      num,
      snapshot.seq,
      snapshot.body,
    )
  if (questions !== null) ask(database, num, questions)
}

/** Keeps the questions that wait now: answers stay with those that waited before. */
const ask = (database: Sqlite, num: number, questions: NonNullable<Stand['questions']>): void => {
  if (questions.length === 0) {
    database.run('DELETE FROM colloquy_questions WHERE conversation = ?', num)
    return
  }
  const left = new Set(questions.map(({ id }) => id))
  const waiting = database.all(
    'SELECT num, CAST(id AS BLOB) AS id FROM colloquy_questions WHERE conversation = ?',
    num,
  )
  for (const { num: question, id } of waiting)
    if (!left.has(textOf(id))) database.run('DELETE FROM colloquy_questions WHERE num = ?', Number(question))
  for (const { id, at, body } of questions)
    database.run(
      `INSERT INTO colloquy_questions (id, conversation, at, body) VALUES (?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET conversation = excluded.conversation, at = excluded.at, body = excluded.body`,
      id,
      num,
      at,
      body,
    )
}
