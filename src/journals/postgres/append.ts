/** Appends, many in one statement: what waits while one runs goes together with the next. */
import { ColloquyError } from '../../errors.ts'
import { knownMessage, leaseLost, refuseConflict } from '../common/conflict.ts'
import { saidIn } from '../common/said.ts'
import { appendSql } from './append-sql.ts'
import { type Asked, valuesOf } from './asked.ts'
import { failed, type Run, sqlState } from './queries.ts'
import { quoted } from './schema.ts'
import { restored, stored } from './texts.ts'

/** Does appends to different conversations. By their place: null, or why one was refused. */
export type Writer = (all: readonly Asked[]) => Promise<readonly (ColloquyError | null)[]>

/** Errors of what was sent, not of the server: classes of SQLSTATE. One such append must not harm the others. */
const OF_ONE = /^(?:21|22|23|40)/

const UNIQUE = '23505'

export const writer = (run: Run, schema: string, sync: boolean): Writer => {
  const s = quoted(schema)
  const statement = appendSql(schema)
  const standsSql = `
    SELECT (SELECT c.length FROM ${s}.conversations AS c WHERE c.id = $1)::integer AS length, (
      SELECT l.id FROM ${s}.conversations AS c JOIN ${s}.leases AS l ON l.id = c.holder
      WHERE c.id = $1 AND l.until > clock_timestamp()) AS holder`
  const knownSql = `
    SELECT message FROM ${s}.events
    WHERE conversation = $1 AND message = ANY ($2::text[]) ORDER BY seq LIMIT 1`

  /** The places of those that were done. */
  const write = async (all: readonly Asked[]): Promise<ReadonlySet<number>> => {
    const rows = await run('append', statement, valuesOf(all, sync))
    return new Set(rows.map((row) => (row as { readonly place: number }).place))
  }

  /** Why an append was not done; null: nothing is against it now. */
  const against = async ({ conversation, seq, lease }: Asked): Promise<ColloquyError | null> => {
    const [row] = await run('stands', standsSql, [stored(conversation)])
    const { length, holder } = row as { readonly length: number | null; readonly holder: string | null }
    if (holder === null ? lease !== undefined : holder !== lease)
      return leaseLost(lease ?? 'none', conversation, holder)
    try {
      refuseConflict(conversation, seq, length ?? 0)
    } catch (error) {
      if (error instanceof ColloquyError) return error
      throw error
    }
    return null
  }

  /** Which of its messages is there already, or twice in it. */
  const repeated = async ({ conversation, events }: Asked): Promise<ColloquyError> => {
    const ids = events.flatMap((event) => saidIn(event)?.id ?? [])
    const twice = ids.find((id, index) => ids.indexOf(id) < index)
    if (twice !== undefined) return knownMessage(conversation, twice)
    const [row] = await run('known', knownSql, [stored(conversation), ids.map(stored)])
    const { message } = (row ?? {}) as { readonly message?: string }
    return message === undefined ? changing(conversation) : knownMessage(conversation, restored(message))
  }

  const alone = async (asked: Asked): Promise<ColloquyError | null> => {
    // Twice, because what was against it may be over by the time that it is looked for.
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        if ((await write([asked])).size > 0) return null
      } catch (error) {
        return sqlState(error) === UNIQUE ? repeated(asked) : failed('append', error)
      }
      const reason = await against(asked)
      if (reason !== null) return reason
      // Nothing of a conversation that is not there: nothing is to be done.
      if (asked.seq === 0 && asked.events.length === 0) return null
    }
    return changing(asked.conversation)
  }

  return async (all) => {
    let done: ReadonlySet<number> = new Set()
    if (all.length > 1) {
      try {
        done = await write(all)
      } catch (error) {
        const reason = failed('append', error)
        if (!OF_ONE.test(sqlState(error) ?? '')) return all.map(() => reason)
      }
    }
    const results: (ColloquyError | null)[] = []
    for (const [place, asked] of all.entries())
      results.push(
        done.has(place) ? null : await alone(asked).catch((error: unknown) => failed('append', error)),
      )
    return results
  }
}

const changing = (conversation: string): ColloquyError =>
  new ColloquyError(
    'JOURNAL_CONFLICT',
    `The conversation "${conversation}" changed while it was being appended to`,
  )
