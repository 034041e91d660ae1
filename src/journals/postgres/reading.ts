/** What is kept of a conversation, read back and checked. */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { ColloquyError } from '../../errors.ts'
import { happening, openEvent, type RecordEvent } from '../../schema/record.ts'
import { snapshotSchema } from '../../schema/snapshot.ts'
import type { JournalRead, Loaded, PendingQuestion } from '../journal.ts'
import type { Run } from './queries.ts'
import { quoted } from './schema.ts'
import { restored, stored } from './texts.ts'

const unpacked = promisify(gunzip)
const packed = promisify(gzip)

interface Kept {
  readonly length: number
  /** The archive, when what is asked for begins within it. */
  readonly archive: Uint8Array | null
  readonly archived: number
  /** JSON: events that are not in the archive. */
  readonly events: string | null
}

const corrupt = (conversation: string, what: string): ColloquyError =>
  new ColloquyError('JOURNAL_CORRUPT', `Conversation "${conversation}" in PostgreSQL: ${what}`, {
    remedy: 'Restore the tables from a copy, or mend the row named.',
  })

const archivedIn = async (conversation: string, archive: Uint8Array): Promise<unknown[]> => {
  try {
    const lines: unknown = JSON.parse((await unpacked(archive)).toString('utf8'))
    if (Array.isArray(lines)) return lines
  } catch {
    // Told below, as what is no list.
  }
  throw corrupt(conversation, 'its archive cannot be read')
}

/** The events from a place on. */
const eventsFrom = async (conversation: string, kept: Kept, from: number): Promise<RecordEvent[]> => {
  const { length, archive, archived, events } = kept
  const old = archive === null ? [] : (await archivedIn(conversation, archive)).slice(0, archived).slice(from)
  const young: unknown = JSON.parse(events ?? '[]')
  const all = [...old, ...(Array.isArray(young) ? young : [])]
  if (all.length !== Math.max(0, length - from))
    throw corrupt(conversation, `has ${all.length} events from place ${from} on in place of ${length - from}`)
  return all.map((value, index): RecordEvent => {
    const parsed = (from + index === 0 ? openEvent : happening).safeParse(value)
    if (parsed.success) return parsed.data
    throw corrupt(conversation, `what is at place ${from + index} is no event`)
  })
}

/** A question with its answer, each as JSON. */
export const pending = ([body, answer]: readonly [string, string | null]): PendingQuestion => ({
  ...JSON.parse(body),
  answer: answer === null ? null : JSON.parse(answer),
})

export const reading = (run: Run, schema: string) => {
  const s = quoted(schema)
  const readSql = `
    SELECT c.length, c.archived, c.archive, c.outcome IS NOT NULL AS closed,
      (SELECT json_agg(e.body ORDER BY e.seq)::text FROM ${s}.events AS e
        WHERE e.conversation = c.id AND e.seq >= c.archived) AS events
    FROM ${s}.conversations AS c WHERE c.id = $1 AND c.length > 0`
  const loadSql = `
    SELECT c.length, c.archived, coalesce(p.seq, -1) + 1 AS start, p.body::text AS snapshot,
      CASE WHEN c.archived > coalesce(p.seq, -1) + 1 THEN c.archive END AS archive,
      (SELECT json_agg(json_build_array(e.message, e.sender) ORDER BY e.seq)::text FROM ${s}.events AS e
        WHERE e.conversation = c.id AND e.seq <= p.seq AND e.message IS NOT NULL) AS known,
      (SELECT json_agg(e.body ORDER BY e.seq)::text FROM ${s}.events AS e
        WHERE e.conversation = c.id AND e.seq > coalesce(p.seq, -1) AND e.seq >= c.archived) AS events,
      (SELECT json_agg(json_build_array(q.body::text, q.answer::text) ORDER BY q.place)::text
        FROM ${s}.questions AS q WHERE q.conversation = c.id) AS questions
    FROM ${s}.conversations AS c LEFT JOIN ${s}.snapshots AS p ON p.conversation = c.id
    WHERE c.id = $1 AND c.length > 0`
  const packSql = `
    WITH packed AS (
      UPDATE ${s}.conversations SET archive = $2, archived = length
      WHERE id = $1 AND length = $3 AND outcome IS NOT NULL RETURNING id
    ), dropped AS (
      DELETE FROM ${s}.events AS e USING packed WHERE e.conversation = packed.id AND e.message IS NULL
    ), emptied AS (
      UPDATE ${s}.events AS e SET body = NULL FROM packed
      WHERE e.conversation = packed.id AND e.message IS NOT NULL)
    SELECT id FROM packed`

  const snapshotOf = (conversation: string, body: string, known: string | null) => {
    const parsed = snapshotSchema.safeParse(JSON.parse(body))
    if (!parsed.success) throw corrupt(conversation, 'its snapshot is none')
    const { outcome, ...snapshot } = parsed.data
    const pairs: readonly (readonly [string, string])[] = JSON.parse(known ?? '[]')
    return {
      ...snapshot,
      known: pairs.map(([id, from]) => [restored(id), restored(from)] as const),
      ...(outcome === undefined ? {} : { outcome }),
    }
  }

  const rowOf = async (conversation: string) => {
    const [row] = await run('read', readSql, [stored(conversation)])
    return row as (Kept & { readonly closed: boolean }) | undefined
  }

  return {
    async read(conversation: string): Promise<JournalRead> {
      const kept = await rowOf(conversation)
      return {
        events: kept === undefined ? [] : await eventsFrom(conversation, kept, 0),
        warnings: [],
      }
    },

    async load(conversation: string): Promise<Loaded | null> {
      const [row] = await run('load', loadSql, [stored(conversation)])
      if (row === undefined) return null
      const kept = row as Kept & {
        readonly start: number
        readonly snapshot: string | null
        readonly known: string | null
        readonly questions: string | null
      }
      const questions: readonly (readonly [string, string | null])[] = JSON.parse(kept.questions ?? '[]')
      return {
        snapshot: kept.snapshot === null ? null : snapshotOf(conversation, kept.snapshot, kept.known),
        events: await eventsFrom(conversation, kept, kept.start),
        length: kept.length,
        questions: questions.map(pending),
        warnings: [],
      }
    },

    async compact(conversation: string): Promise<{ readonly before: number; readonly after: number }> {
      for (;;) {
        const kept = await rowOf(conversation)
        if (kept === undefined) return { before: 0, after: 0 }
        const { length, archived, archive, events, closed } = kept
        const before = (archive?.byteLength ?? 0) + Buffer.byteLength(events ?? '')
        if (!closed || archived === length) return { before, after: before }
        const all = await eventsFrom(conversation, kept, 0)
        const bytes = await packed(JSON.stringify(all))
        const done = await run('compact', packSql, [stored(conversation), bytes, length])
        // Otherwise somebody appended meanwhile: with that, once more.
        if (done.length > 0) return { before, after: bytes.byteLength }
      }
    },
  }
}
