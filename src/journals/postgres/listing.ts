/** Lists of conversations, and of what is asked. */
import type { ListFilter, PendingQuestion, Summary } from '../journal.ts'
import type { Run } from './queries.ts'
import { pending } from './reading.ts'
import { quoted } from './schema.ts'
import { restored, stored } from './texts.ts'

const optional = (text: string | undefined): string | null => (text === undefined ? null : stored(text))

const restoredOr = (text: string | null): string | null => (text === null ? null : restored(text))

interface Row {
  readonly id: string
  readonly machine: string
  readonly version: number | null
  readonly goal: string
  readonly length: number
  readonly opened_at: number
  readonly at: number
  readonly state: string | null
  readonly due_at: number | null
  readonly outcome: string | null
  readonly questions: number
  readonly holder: string | null
}

const summaryOf = (row: Row): Summary => ({
  id: restored(row.id),
  machine: restored(row.machine),
  version: row.version,
  goal: restored(row.goal),
  length: row.length,
  openedAt: row.opened_at,
  at: row.at,
  state: restoredOr(row.state),
  dueAt: row.due_at,
  outcome: row.outcome === null ? null : JSON.parse(row.outcome),
  questions: row.questions,
  holder: row.holder,
})

export const listing = (run: Run, schema: string) => {
  const s = quoted(schema)
  const listSql = `
    SELECT c.id, c.machine, c.version::double precision, c.goal, c.length, c.opened_at, c.at, c.state, c.due_at,
      c.outcome::text,
      (SELECT count(*)::integer FROM ${s}.questions AS q WHERE q.conversation = c.id) AS questions,
      (SELECT l.id FROM ${s}.leases AS l WHERE l.id = c.holder AND l.until > clock_timestamp()) AS holder
    FROM ${s}.conversations AS c
    WHERE c.machine IS NOT NULL
      AND ($1::boolean IS NULL OR (c.outcome IS NOT NULL) = $1)
      AND ($2::text IS NULL OR c.machine = $2)
      AND ($3::text IS NULL OR c.state = $3)
      AND ($4::text IS NULL OR c.status = $4)
      AND ($5::text IS NULL OR c.id > $5)
    ORDER BY c.id LIMIT $6::integer`
  const questionsSql = `
    SELECT body::text, answer::text FROM ${s}.questions
    WHERE $1::text IS NULL OR conversation = $1 ORDER BY at, conversation, place`

  return {
    async list(filter: ListFilter = {}): Promise<readonly Summary[]> {
      const { closed = null, machine, state, status, after, limit = null } = filter
      const texts = [machine, state, status, after].map(optional)
      const rows = await run('list', listSql, [closed, ...texts, limit])
      return rows.map((row) => summaryOf(row as Row))
    },

    async questions(conversation?: string): Promise<readonly PendingQuestion[]> {
      const rows = await run('list questions', questionsSql, [optional(conversation)])
      return rows.map((row) => {
        const { body, answer } = row as { readonly body: string; readonly answer: string | null }
        return pending([body, answer])
      })
    },
  }
}
