/** Lists of conversations, by SQL. */
import type { ListFilter, Summary } from '../journal.ts'
import { corrupt, type Row, type Sqlite, textOf, type Value } from './database.ts'

/** What a filter asks for, as conditions and what stands in them. */
const conditionsOf = ({
  closed,
  machine,
  state,
  status,
  after,
}: ListFilter): readonly (readonly [string, Value?])[] => [
  // One that was only taken, or whose record has no opening, is no conversation to tell of.
  ['machine IS NOT NULL'],
  ...(closed === undefined ? [] : ([[closed ? 'outcome IS NOT NULL' : 'outcome IS NULL']] as const)),
  ...(machine === undefined ? [] : ([['machine = ?', machine]] as const)),
  ...(state === undefined ? [] : ([['state = ?', state]] as const)),
  ...(status === undefined ? [] : ([['status = ?', status]] as const)),
  ...(after === undefined ? [] : ([['id > ?', after]] as const)),
]

const textOrNull = (value: unknown): string | null => (value === null ? null : textOf(value))
const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value))

const outcomeOf = (database: Sqlite, conversation: string, text: string): object => {
  try {
    return JSON.parse(text) as object
  } catch (error) {
    throw corrupt(database.name, conversation, 'its outcome is no JSON', error)
  }
}

const summaryOf = (database: Sqlite, row: Row): Summary => ({
  id: textOf(row.id),
  machine: textOf(row.machine),
  version: numberOrNull(row.version),
  goal: textOf(row.goal),
  length: Number(row.length),
  openedAt: Number(row.opened_at),
  at: Number(row.at),
  state: textOrNull(row.state),
  dueAt: numberOrNull(row.due_at),
  outcome: row.outcome === null ? null : outcomeOf(database, textOf(row.id), String(row.outcome)),
  questions: Number(row.questions),
  holder: row.lease === null ? null : String(row.lease),
})

/** @param now ms @throws ColloquyError `JOURNAL_CORRUPT` */
export const listed = (database: Sqlite, filter: ListFilter, now: number): readonly Summary[] => {
  const conditions = conditionsOf(filter)
  const values = conditions.flatMap(([, value]) => (value === undefined ? [] : [value]))
  return database
    .all(
      `SELECT CAST(id AS BLOB) AS id, CAST(machine AS BLOB) AS machine, version, CAST(goal AS BLOB) AS goal, length,
        opened_at, at, CAST(state AS BLOB) AS state, due_at, outcome,
        (SELECT COUNT(*) FROM colloquy_questions q WHERE q.conversation = c.num) AS questions,
        (SELECT l.id FROM colloquy_leases l WHERE l.num = c.holder AND l.until > ?) AS lease
      FROM colloquy_conversations c WHERE ${conditions.map(([condition]) => condition).join(' AND ')}
      ORDER BY c.id LIMIT ?`,
      now,
      ...values,
      filter.limit ?? -1,
    )
    .map((row) => summaryOf(database, row))
}
