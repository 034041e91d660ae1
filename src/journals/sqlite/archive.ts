/** Compact records: the events of a closed conversation in one gzipped blob. */
import { promisify } from 'node:util'
import { gunzipSync, gzip } from 'node:zlib'
import type { RecordEvent } from '../../schema/record.ts'
import { saidIn } from '../shared/said.ts'
import type { Batches } from './batches.ts'
import { bytesOf, type Sqlite } from './database.ts'

/** The texts of a compact record's events; null when it is not compact. */
export const archived = (database: Sqlite, num: number): readonly string[] | null => {
  const row = database.get('SELECT body FROM colloquy_archives WHERE conversation = ?', num)
  return row === undefined ? null : gunzipSync(bytesOf(row.body)).toString('utf8').split('\n')
}

/** Makes rows of a compact record again, so that more can be appended, and each message is found. */
export const restored = (database: Sqlite, num: number, length: number): void => {
  // A record that is not compact has its newest event as a row.
  const isPlain =
    database.get(
      'SELECT 1 AS found FROM colloquy_events WHERE conversation = ? AND seq = ?',
      num,
      length - 1,
    ) !== undefined
  const bodies = isPlain ? null : archived(database, num)
  if (bodies === null) return
  for (const [seq, body] of bodies.entries()) {
    const message = saidIn(JSON.parse(body) as RecordEvent)
    database.run(
      'INSERT INTO colloquy_events (conversation, seq, body, message, sender) VALUES (?, ?, ?, ?, ?)',
      num,
      seq,
      body,
      message?.id ?? null,
      message?.from ?? null,
    )
  }
  database.run('DELETE FROM colloquy_archives WHERE conversation = ?', num)
}

/** @returns bytes of its events before and after */
export const compacted = async (
  database: Sqlite,
  batches: Batches,
  conversation: string,
): Promise<{ readonly before: number; readonly after: number }> => {
  const row = database.get(
    `SELECT num, outcome IS NOT NULL AS closed, LENGTH(a.body) AS size
    FROM colloquy_conversations c LEFT JOIN colloquy_archives a ON a.conversation = c.num WHERE id = ?`,
    conversation,
  )
  if (row === undefined) return { before: 0, after: 0 }
  if (row.size !== null) return { before: Number(row.size), after: Number(row.size) }
  const num = Number(row.num)
  const bodies = bodiesOf(database, num)
  const before = bodies.reduce((bytes, body) => bytes + Buffer.byteLength(body), 0)
  const unchanged = { before, after: before }
  if (row.closed !== 1) return unchanged
  const packed = await promisify(gzip)(bodies.join('\n'))
  if (packed.length >= before) return unchanged
  const isDone = await batches.write(() => {
    // Somebody may have appended, or made it compact, while it was packed.
    const now = database.get('SELECT COUNT(*) AS events FROM colloquy_events WHERE conversation = ?', num)
    if (now?.events !== bodies.length) return false
    database.run('DELETE FROM colloquy_events WHERE conversation = ?', num)
    database.run('INSERT INTO colloquy_archives (conversation, body) VALUES (?, ?)', num, packed)
    return true
  })
  if (!isDone) return unchanged
  database.exec('PRAGMA incremental_vacuum')
  return { before, after: packed.length }
}

/** The texts of the events that are rows, from a place on. */
export const bodiesOf = (database: Sqlite, num: number, from = 0): readonly string[] =>
  database
    .all('SELECT body FROM colloquy_events WHERE conversation = ? AND seq >= ? ORDER BY seq', num, from)
    .map(({ body }) => String(body))
