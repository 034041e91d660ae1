/**
 * A journal in PostgreSQL, for any number of hosts in any number of processes. One statement does an append, or a
 * hundred at once; leases go by the server's clock. Nothing waits for notifications: hosts look for what is urgent.
 */
import { ColloquyError } from '../errors.ts'
import { answeredQuestion, unknownQuestion } from './common/conflict.ts'
import type { Journal } from './journal.ts'
import { writer } from './postgres/append.ts'
import { batches } from './postgres/batches.ts'
import { leases } from './postgres/leases.ts'
import { listing } from './postgres/listing.ts'
import { migrate } from './postgres/migrate.ts'
import { borrow, connect, type Database, failed, type Queries, type Run } from './postgres/queries.ts'
import { reading } from './postgres/reading.ts'
import { quoted } from './postgres/schema.ts'
import { stored } from './postgres/texts.ts'

export interface PostgresOptions {
  /** Where its tables are; made when it does not exist. Default: `colloquy`. */
  readonly schema?: string
  /**
   * Whether each append waits until the server's disk has it (`synchronous_commit`). Without, a crash of the server may
   * lose the newest second, in order: never one event and not a later one. Default: true.
   */
  readonly sync?: boolean
}

/** A database to use in place of an address: a `Pool` of pg, or anything else that runs statements. `close` leaves it open. */
export interface PostgresPool {
  readonly pool: Queries
}

/** Bytes: PostgreSQL cuts longer names, and two would be one. */
const LONGEST_NAME = 63

const refuseName = (schema: string): void => {
  const isName = schema !== '' && !schema.includes('\u0000') && Buffer.byteLength(schema) <= LONGEST_NAME
  if (isName && !schema.startsWith('pg_')) return
  throw new ColloquyError('USAGE', `No schema of PostgreSQL can have the name "${schema}"`, {
    remedy: `Take a name of 1 to ${LONGEST_NAME} bytes that does not begin with "pg_".`,
  })
}

/**
 * A journal in a PostgreSQL database. It connects, and makes its tables, when it is first used; a connection that is
 * lost is made anew by what is done next.
 * @param connection `postgres://user:password@host:port/database`, or a pool that somebody else ends
 * @throws ColloquyError `USAGE` when the schema can have no such name. Whatever is done with the journal may throw
 * `DEPENDENCY_MISSING`, `JOURNAL_VERSION` when a newer colloquy made the tables, and `JOURNAL_FAILED`: what was being
 * appended may have been written then, or not
 */
export const postgresJournal = (
  connection: string | PostgresPool,
  { schema = 'colloquy', sync = true }: PostgresOptions = {},
): Journal => {
  refuseName(schema)
  let opening: Promise<Database> | null = null
  let closing: Promise<void> | null = null

  const open = async (): Promise<Database> => {
    const database = typeof connection === 'string' ? await connect(connection) : borrow(connection.pool)
    try {
      await migrate(database.queries, schema)
      return database
    } catch (error) {
      await database.close()
      throw failed('open the journal', error, 'Check the address and the server. Nothing was done.')
    }
  }
  /** Open, or being opened; what could not be opened is tried again the next time. */
  const opened = async (): Promise<Database> => {
    opening ??= open()
    try {
      return await opening
    } catch (error) {
      opening = null
      throw error
    }
  }
  const refuseClosed = (): void => {
    if (closing !== null)
      throw new ColloquyError('JOURNAL_FAILED', 'The journal is closed', {
        remedy: 'Nothing was done. Make the journal anew, and close it after the hosts that use it.',
      })
  }
  const run: Run = async (doing, text, values) => {
    refuseClosed()
    const database = await opened()
    try {
      return await database.run(doing, text, values)
    } catch (error) {
      throw failed(doing, error)
    }
  }
  const appends = batches(
    writer(async (doing, text, values) => (await opened()).run(doing, text, values), schema, sync),
  )
  const { read, load, compact } = reading(run, schema)
  const { list, questions } = listing(run, schema)
  const answerSql = `
    WITH told AS (
      UPDATE ${quoted(schema)}.questions SET answer = $2::json WHERE id = $1 AND answer IS NULL RETURNING id)
    SELECT EXISTS (SELECT FROM told) AS told,
      EXISTS (SELECT FROM ${quoted(schema)}.questions WHERE id = $1) AS asked`

  const close = async (): Promise<void> => {
    await appends.idle()
    const database = await opening?.catch(() => null)
    await database?.close()
  }

  return {
    capabilities: { durable: true, shared: true },
    async append(conversation, seq, events, { standing, lease } = {}) {
      refuseClosed()
      const bodies = events.map((event) => JSON.stringify(event))
      await appends.add({ conversation, seq, events, standing, lease, bodies })
    },
    read,
    load,
    list,
    questions,
    async answer(question, answer) {
      const [row] = await run('answer', answerSql, [stored(question), JSON.stringify(answer)])
      const { told, asked } = row as { readonly told: boolean; readonly asked: boolean }
      if (!told) throw asked ? answeredQuestion(question) : unknownQuestion(question)
    },
    lease: leases(run, schema),
    compact,
    close: () => {
      closing ??= close()
      return closing
    },
  }
}
