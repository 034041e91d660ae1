/** Appends: everything is looked at before anything is written, so that a refusal leaves no trace. */
import type { RecordEvent } from '../../schema/record.ts'
import type { AppendOptions, Standing } from '../journal.ts'
import { knownMessage, leaseLost, refuseConflict } from '../shared/conflict.ts'
import { saidIn } from '../shared/said.ts'
import { bareOf } from '../shared/stored.ts'
import { restored } from './archive.ts'
import { type Sqlite, textOf } from './database.ts'
import type { LeaseTable } from './leases.ts'

export interface Append extends AppendOptions {
  readonly conversation: string
  readonly seq: number
  readonly events: readonly RecordEvent[]
}

const statusOf = (outcome: object | null): string | null => {
  const { status } = (outcome ?? {}) as { readonly status?: unknown }
  return typeof status === 'string' ? status : null
}

/** @throws ColloquyError `LEASE_LOST`, `JOURNAL_CONFLICT`; nothing is written then */
export const append = (
  database: Sqlite,
  leases: LeaseTable,
  { conversation, seq, events, standing, lease }: Append,
): void => {
  const row = database.get(
    'SELECT num, length, holder FROM colloquy_conversations WHERE id = ?',
    conversation,
  )
  const holder = leases.lasting(row?.holder)
  if (holder === null ? lease !== undefined : holder !== lease)
    throw leaseLost(lease ?? 'none', conversation, holder)
  const length = Number(row?.length ?? 0)
  refuseConflict(conversation, seq, length)
  const messages = events.map(saidIn)
  if (row !== undefined && events.length > 0) restored(database, Number(row.num), length)
  refuseKnown(database, conversation, row?.num, messages)
  if (length + events.length === 0) return

  const num = row === undefined || length === 0 ? begun(database, conversation, events[0]) : Number(row.num)
  for (const [index, event] of events.entries()) {
    const message = messages[index] ?? null
    database.run(
      'INSERT INTO colloquy_events (conversation, seq, body, message, sender) VALUES (?, ?, ?, ?, ?)',
      num,
      length + index,
      JSON.stringify(event),
      message?.id ?? null,
      message?.from ?? null,
    )
  }
  const last = events.at(-1)
  if (last !== undefined)
    database.run(
      'UPDATE colloquy_conversations SET length = ?, at = ? WHERE num = ?',
      length + events.length,
      last.at,
      num,
    )
  if (standing !== undefined) stand(database, num, standing)
}

/** Refuses a message that is there, or that comes twice. */
const refuseKnown = (
  database: Sqlite,
  conversation: string,
  num: unknown,
  messages: readonly ({ readonly id: string } | null)[],
): void => {
  const ids = new Set<string>()
  for (const message of messages) {
    if (message === null) continue
    const { id } = message
    const isKnown =
      ids.has(id) ||
      (num !== undefined &&
        database.get(
          'SELECT 1 AS found FROM colloquy_events WHERE conversation = ? AND message = ?',
          Number(num),
          id,
        ) !== undefined)
    if (isKnown) throw knownMessage(conversation, id)
    ids.add(id)
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

const stand = (
  database: Sqlite,
  num: number,
  { state, dueAt, outcome, snapshot, questions }: Standing,
): void => {
  database.run(
    'UPDATE colloquy_conversations SET state = ?, due_at = ?, outcome = ?, status = ? WHERE num = ?',
    state,
    dueAt,
    outcome === null ? null : JSON.stringify(outcome),
    statusOf(outcome),
    num,
  )
  if (snapshot !== undefined)
    database.run(
      'INSERT OR REPLACE INTO colloquy_snapshots (conversation, seq, body) VALUES (?, ?, ?)',
      num,
      snapshot.seq,
      JSON.stringify(bareOf(snapshot)),
    )
  if (questions !== undefined) ask(database, num, questions)
}

/** Keeps the questions that wait now: answers stay with those that waited before. */
const ask = (database: Sqlite, num: number, questions: NonNullable<Standing['questions']>): void => {
  const left = new Set(questions.map(({ id }) => id))
  const waiting = database.all(
    'SELECT num, CAST(id AS BLOB) AS id FROM colloquy_questions WHERE conversation = ?',
    num,
  )
  for (const { num: question, id } of waiting)
    if (!left.has(textOf(id))) database.run('DELETE FROM colloquy_questions WHERE num = ?', Number(question))
  for (const question of questions)
    database.run(
      `INSERT INTO colloquy_questions (id, conversation, at, body) VALUES (?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET conversation = excluded.conversation, at = excluded.at, body = excluded.body`,
      question.id,
      num,
      question.at,
      JSON.stringify(question),
    )
}
