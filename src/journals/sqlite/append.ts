/** Appends: everything is looked at before anything is written, so that a refusal leaves no trace. */
import type { RecordEvent } from '../../schema/record.ts'
import type { AppendOptions, Standing } from '../journal.ts'
import { knownMessage, leaseLost, refuseConflict } from '../shared/conflict.ts'
import { saidIn } from '../shared/said.ts'
import { bareOf } from '../shared/stored.ts'
import { type EventRow, insertEvent, restore, unpacked } from './archive.ts'
import { type Sqlite, textOf } from './database.ts'

/** An append with all its texts, so that nothing but the database can fail while others wait. */
export interface Append {
  readonly conversation: string
  readonly seq: number
  readonly events: readonly EventRow[]
  readonly first: RecordEvent | undefined
  /** ms: when the last event happened; null: there is none. */
  readonly at: number | null
  readonly lease: string | undefined
  readonly standing: Stand | null
}

interface Stand {
  readonly state: string
  readonly dueAt: number | null
  readonly outcome: string | null
  readonly status: string | null
  readonly snapshot: { readonly seq: number; readonly body: string } | null
  /** Null: those of before. */
  readonly questions: readonly { readonly id: string; readonly at: number; readonly body: string }[] | null
}

const statusOf = (outcome: object | null): string | null => {
  const { status } = (outcome ?? {}) as { readonly status?: unknown }
  return typeof status === 'string' ? status : null
}

const standOf = ({ state, dueAt, outcome, snapshot, questions }: Standing): Stand => ({
  state,
  dueAt,
  outcome: outcome === null ? null : JSON.stringify(outcome),
  status: statusOf(outcome),
  snapshot: snapshot === undefined ? null : { seq: snapshot.seq, body: JSON.stringify(bareOf(snapshot)) },
  questions:
    questions?.map((question) => ({ id: question.id, at: question.at, body: JSON.stringify(question) })) ??
    null,
})

/** Makes the texts. @throws TypeError for what is no JSON, such as a number of type bigint */
export const appendOf = (
  conversation: string,
  seq: number,
  events: readonly RecordEvent[],
  { standing, lease }: AppendOptions = {},
): Append => ({
  conversation,
  seq,
  events: events.map((event) => ({ body: JSON.stringify(event), said: saidIn(event) })),
  first: events[0],
  at: events.at(-1)?.at ?? null,
  lease,
  standing: standing === undefined ? null : standOf(standing),
})

/** @param now ms @throws ColloquyError `LEASE_LOST`, `JOURNAL_CONFLICT`, `JOURNAL_CORRUPT`; nothing is written then */
export const append = (database: Sqlite, now: number, entry: Append): void => {
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
