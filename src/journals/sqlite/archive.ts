/** Compact records: the events of a closed conversation in one gzipped blob. */
import { promisify } from 'node:util'
import { gunzipSync, gzip } from 'node:zlib'
import { saidIn } from '../common/said.ts'
import { eventOf } from '../common/stored.ts'
import type { Batches } from './batches.ts'
import { bytesOf, corrupt, type Sqlite } from './database.ts'

/** The texts of a compact record's events; null when it is not compact. @throws ColloquyError `JOURNAL_CORRUPT` */
export const archived = (database: Sqlite, conversation: string, num: number): readonly string[] | null => {
  const row = database.get('SELECT body FROM colloquy_archives WHERE conversation = ?', num)
  if (row === undefined) return null
  try {
    return gunzipSync(bytesOf(row.body)).toString('utf8').split('\n')
  } catch (error) {
    throw corrupt(database.name, conversation, 'its compact record cannot be unpacked', error)
  }
}

/** An event as a row has it. */
export interface EventRow {
  readonly body: string
  /** The id and the sender of a message. */
  readonly said: { readonly id: string; readonly from: string } | null
}

export const insertEvent = (database: Sqlite, num: number, seq: number, { body, said }: EventRow): void =>
  database.run(
    'INSERT INTO colloquy_events (conversation, seq, body, message, sender) VALUES (?, ?, ?, ?, ?)',
    num,
    seq,
    body,
    said?.id ?? null,
    said?.from ?? null,
  )

/** The events of a compact record, to be made rows again. @throws ColloquyError `JOURNAL_CORRUPT` */
export const unpacked = (database: Sqlite, conversation: string, num: number): readonly EventRow[] => {
  const bodies = archived(database, conversation, num) ?? []
  return bodies.map((body, seq) => {
    const event = eventOf(body, seq)
    if (typeof event === 'string') throw corrupt(database.name, conversation, `event ${seq}: ${event}`)
    return { body, said: saidIn(event) }
  })
}

/** Makes rows of a compact record again, so that more can be appended, and each message is found. */
export const restore = (database: Sqlite, num: number, events: readonly EventRow[]): void => {
  for (const [seq, event] of events.entries()) insertEvent(database, num, seq, event)
  database.run('DELETE FROM colloquy_archives WHERE conversation = ?', num)
}

/** A conversation as it is: the texts of its rows, the bytes of its events, and whether it can be made compact. */
const seen = (database: Sqlite, conversation: string) => {
  const row = database.get(
    `SELECT num, outcome IS NOT NULL AS closed, LENGTH(a.body) AS size
    FROM colloquy_conversations c LEFT JOIN colloquy_archives a ON a.conversation = c.num WHERE id = ?`,
    conversation,
  )
  const num = Number(row?.num)
  if (row === undefined) return { num, bodies: [], bytes: 0, isLoose: false }
  if (row.size !== null) return { num, bodies: [], bytes: Number(row.size), isLoose: false }
  const bodies = bodiesOf(database, num)
  const bytes = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0)
  return { num, bodies, bytes, isLoose: Number(row.closed) === 1 }
}

/** @returns bytes of its events before and after */
export const compacted = async (
  database: Sqlite,
  batches: Batches,
  conversation: string,
): Promise<{ readonly before: number; readonly after: number }> => {
  const { num, bodies, bytes, isLoose } = database.reading(() => seen(database, conversation))
  const unchanged = { before: bytes, after: bytes }
  if (!isLoose) return unchanged
  const packed = await promisify(gzip)(bodies.join('\n'))
  if (packed.length >= bytes) return unchanged
  const isDone = await batches.write(() => {
    // Somebody may have appended, opened it again, or made it compact, while it was packed.
    const now = database.get(
      `SELECT COUNT(*) AS events FROM colloquy_events e JOIN colloquy_conversations c ON c.num = e.conversation
      WHERE e.conversation = ? AND c.outcome IS NOT NULL`,
      num,
    )
    if (Number(now?.events) !== bodies.length) return false
    database.run('DELETE FROM colloquy_events WHERE conversation = ?', num)
    database.run('INSERT INTO colloquy_archives (conversation, body) VALUES (?, ?)', num, packed)
    database.exec('PRAGMA incremental_vacuum')
    return true
  })
  return isDone ? { before: bytes, after: packed.length } : unchanged
}

/** The texts of the events that are rows, from a place on. */
export const bodiesOf = (database: Sqlite, num: number, from = 0): readonly string[] =>
  database
    .all('SELECT body FROM colloquy_events WHERE conversation = ? AND seq >= ? ORDER BY seq', num, from)
    .map(({ body }) => String(body))
