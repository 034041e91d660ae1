/**
 * What concerns all conversations at once, from Restate's own tables: no index has to be kept, and none can be wrong.
 * It reads the head of every conversation, so it is for people and not for every message.
 */
import { ColloquyError, type ListFilter, type PendingQuestion, type Summary } from 'colloquy'
import { pendingOf } from './asked.ts'
import { keyOf } from './keys.ts'
import { HEAD, type Head } from './state.ts'

export interface IntrospectionOptions {
  /** The address of Restate's admin API, such as `http://localhost:9070`. */
  readonly admin: string
  readonly headers: Readonly<Record<string, string>>
  /** The virtual object's name. */
  readonly object: string
}

/** Rows of a page, unless a longer one is asked for. */
const ROWS = 200

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

const query = async (
  { admin, headers }: IntrospectionOptions,
  sql: string,
  signal: AbortSignal,
): Promise<readonly Head[]> => {
  const url = `${admin.replace(/\/+$/, '')}/query`
  let text: string
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query: sql }),
      signal,
    })
    text = await response.text()
    if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 500)}`)
  } catch (error) {
    signal.throwIfAborted()
    const why = error instanceof Error ? error.message : String(error)
    const remedy = 'See that the address is that of the admin API, and that it may be reached from here.'
    throw new ColloquyError('JOURNAL_FAILED', `Restate's tables cannot be read at ${url}: ${why}`, {
      cause: error,
      remedy,
    })
  }
  const { rows } = JSON.parse(text) as { readonly rows: readonly { readonly value_utf8: string }[] }
  return rows.map(({ value_utf8 }) => JSON.parse(value_utf8) as Head)
}

/** The heads after a conversation, in the order of their ids' bytes. */
const heads = (
  options: IntrospectionOptions,
  after: string | undefined,
  limit: number,
  signal: AbortSignal,
) => {
  const from = after === undefined ? '' : ` AND service_key > ${quoted(keyOf(after) ?? '')}`
  const sql = `SELECT value_utf8 FROM state WHERE service_name = ${quoted(options.object)} AND key = ${quoted(HEAD)}${from} ORDER BY service_key LIMIT ${limit}`
  return query(options, sql, signal)
}

const summaryOf = ({ snapshot, openedAt, dueAt, asked }: Head): Summary => {
  const { id, machine, version, goal, seq, at, state, outcome = null } = snapshot
  const questions = asked.filter(({ by }) => by === 'person').length
  return {
    id,
    machine,
    version,
    goal,
    length: seq + 1,
    openedAt,
    at,
    state,
    dueAt,
    outcome,
    questions,
    holder: null,
  }
}

const statusOf = (outcome: object | null): unknown =>
  (outcome as { readonly status?: unknown } | null)?.status

const matches = (summary: Summary, { closed, machine, state, status }: ListFilter): boolean =>
  (closed === undefined || closed === (summary.outcome !== null)) &&
  (machine === undefined || machine === summary.machine) &&
  (state === undefined || state === summary.state) &&
  (status === undefined || status === statusOf(summary.outcome))

/** @throws ColloquyError `JOURNAL_FAILED` */
export const listed = async (
  options: IntrospectionOptions,
  filter: ListFilter,
  signal: AbortSignal,
): Promise<readonly Summary[]> => {
  const { limit = Number.POSITIVE_INFINITY } = filter
  const rows = Math.max(ROWS, Math.min(limit, 10 * ROWS))
  const found: Summary[] = []
  let { after } = filter
  while (found.length < limit) {
    const page = await heads(options, after, rows, signal)
    found.push(...page.map(summaryOf).filter((summary) => matches(summary, filter)))
    after = page.at(-1)?.snapshot.id
    if (page.length < rows) break
  }
  return found.slice(0, limit)
}

/** Questions of all conversations, the oldest first. @throws ColloquyError `JOURNAL_FAILED` */
export const allQuestions = async (
  options: IntrospectionOptions,
  signal: AbortSignal,
): Promise<readonly PendingQuestion[]> => {
  const service = quoted(options.object)
  const found = await query(
    options,
    `SELECT value_utf8 FROM state WHERE service_name = ${service} AND key = ${quoted(HEAD)} AND value_utf8 LIKE '%"by":"person"%'`,
    signal,
  )
  return found
    .flatMap(({ snapshot: { id, goal }, asked }) =>
      asked.filter(({ by }) => by === 'person').map((one) => pendingOf(id, goal, one)),
    )
    .sort((a, b) => a.at - b.at)
}
