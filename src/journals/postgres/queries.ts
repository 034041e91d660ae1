/** What the journal needs of a database, and how it gets it: a pool of its own, or whatever it was given. */
import type { Pool } from 'pg'
import { ColloquyError, messageOf } from '../../errors.ts'

/** Whatever runs a statement: a `Pool` or a `Client` of pg, or a PGlite. Each statement may be run on another connection. */
export interface Queries {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

/**
 * Runs a statement, and gives its rows.
 * @param doing one for each text: what it does, in an error, and the name under which our own connections prepare it
 */
export type Run = (doing: string, text: string, values: readonly unknown[]) => Promise<readonly unknown[]>

/** Statements of one journal. */
export interface Database {
  /** Throws whatever the driver throws. */
  readonly run: Run
  readonly queries: Queries
  /** Ends the connections that are its own. */
  close(): Promise<void>
}

/** ms: most for one statement; a server that has gone silent holds nobody up for longer. */
const LONGEST = 60_000

/**
 * Every statement finds its rows by a key. A plan that was made and kept while a table was small would read all of it
 * for ever; so none may. Where there is no other way it costs a fortune on paper, for which nothing shall be compiled.
 */
const BY_KEY =
  'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off'

/** Connections in use at once: two for appends, the others for what is read meanwhile. */
const CONNECTIONS = 6

const load = async (): Promise<typeof Pool> => {
  try {
    return (await import('pg')).default.Pool
  } catch (cause) {
    const message = 'A journal in PostgreSQL needs the package "pg", which could not be loaded'
    throw new ColloquyError('DEPENDENCY_MISSING', message, { cause, remedy: 'Run: npm install pg' })
  }
}

/** Connections to a server, made as they are needed; one that is lost is replaced by the next statement. */
export const connect = async (url: string): Promise<Database> => {
  const pool = new (await load())({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: LONGEST,
    query_timeout: LONGEST,
    keepAlive: true,
    application_name: 'colloquy',
    verify: (client, done) => {
      client.query(BY_KEY).then(() => done(), done)
    },
  })
  // An idle connection that breaks is gone from the pool; unheard, the error would end the process.
  pool.on('error', () => {})
  return {
    queries: pool,
    run: async (doing, text, values) =>
      (await pool.query({ name: `colloquy ${doing}`, text, values: [...values] })).rows,
    close: () => pool.end(),
  }
}

/** A database that somebody else opened, and closes. Without names: a pooler between might not keep them. */
export const borrow = (queries: Queries): Database => ({
  queries,
  run: async (_, text, values) => (await queries.query(text, [...values])).rows,
  close: async () => {},
})

/** The SQLSTATE of an error of the server, or of what was made of it; null for any other, such as a lost connection. */
export const sqlState = (error: unknown): string | null => {
  const thrown = error instanceof ColloquyError ? error.cause : error
  const { code } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as {
    readonly code?: unknown
  }
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null
}

/** An error of the driver as what callers are told. */
export const failed = (
  doing: string,
  error: unknown,
  remedy = 'Check the server and its address. Whether it was done is not known: read again, then send again.',
): ColloquyError =>
  error instanceof ColloquyError
    ? error
    : new ColloquyError('JOURNAL_FAILED', `PostgreSQL could not ${doing}: ${messageOf(error)}`, {
        cause: error,
        remedy,
      })
