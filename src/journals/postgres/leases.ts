/** Leases by the server's clock: whatever the clocks of hosts say, one host at a time may write to a conversation. */

import { leaseLost } from '../common/conflict.ts'
import { freshLeaseId, leasePrefixOf } from '../common/lease-id.ts'
import type { Lease } from '../journal.ts'
import { type Run, sqlState } from './queries.ts'
import { quoted } from './schema.ts'
import { restored, stored } from './texts.ts'

/** The SQLSTATE of a reference to what is not there: a lease that ended so long ago that it was swept. */
const GONE = '23503'

const sqlOf = (schema: string) => {
  const s = quoted(schema)
  /** Whether the lease $1 lasts. */
  const lasts = `EXISTS (SELECT FROM ${s}.leases AS own WHERE own.id = $1 AND own.until > clock_timestamp())`
  /** What ends, as a condition on the lease l. Only a lease that is seen to have ended has: one that began later is not seen. */
  const ended = 'l.until <= clock_timestamp()'
  /** Long after its host was there, nobody can care what it held, unless it must be looked after. */
  const forgotten = `l.until <= clock_timestamp() - interval '1 day'`
  const open = 'c.state IS NOT NULL AND c.outcome IS NULL'
  return {
    begin: `INSERT INTO ${s}.leases (id, until) VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond')`,
    renew: `
      UPDATE ${s}.leases SET until = clock_timestamp() + $2 * interval '1 millisecond'
      WHERE id = $1 AND until > clock_timestamp() RETURNING id`,
    replace: `UPDATE ${s}.leases SET until = least(until, clock_timestamp()) WHERE starts_with(id, $1)`,
    end: `UPDATE ${s}.leases SET until = least(until, clock_timestamp()) WHERE id = $1`,
    take: `
      WITH taken AS (
        INSERT INTO ${s}.conversations AS c (id, length, holder) SELECT $2, 0, $1 WHERE ${lasts}
        ON CONFLICT (id) DO UPDATE SET holder = $1
        WHERE c.holder IS NULL OR c.holder = $1
          OR EXISTS (SELECT FROM ${s}.leases AS l WHERE l.id = c.holder AND ${ended})
        RETURNING 1)
      SELECT ${lasts} AS lasts, EXISTS (SELECT FROM taken) AS taken`,
    drop: `
      WITH emptied AS (
        DELETE FROM ${s}.conversations WHERE id = ANY ($2::text[]) AND holder = $1 AND length = 0)
      UPDATE ${s}.conversations SET holder = NULL WHERE id = ANY ($2::text[]) AND holder = $1 AND length > 0`,
    urgent: `
      WITH due AS (
        SELECT c.id, c.due_at FROM ${s}.conversations AS c
        WHERE ${open} AND c.holder IS NULL AND c.due_at < $2
        ORDER BY c.due_at LIMIT $3 FOR UPDATE SKIP LOCKED
      ), answered AS (
        SELECT c.id, c.due_at FROM ${s}.conversations AS c
        WHERE ${open} AND (c.holder IS NULL OR c.holder = $1) AND c.id IN (
          SELECT q.conversation FROM ${s}.questions AS q WHERE q.answer IS NOT NULL)
        ORDER BY c.due_at LIMIT $3 FOR UPDATE SKIP LOCKED
      ), left_over AS (
        SELECT of_one.id, of_one.due_at FROM ${s}.leases AS l CROSS JOIN LATERAL (
          SELECT c.id, c.due_at FROM ${s}.conversations AS c
          WHERE ${open} AND c.holder = l.id
          ORDER BY c.due_at LIMIT $3 FOR UPDATE SKIP LOCKED
        ) AS of_one WHERE ${ended} AND l.id <> $1
      ), first AS (
        SELECT id, due_at FROM (TABLE due UNION TABLE answered UNION TABLE left_over) AS every
        WHERE ${lasts} ORDER BY due_at LIMIT $3
      ), taken AS (
        UPDATE ${s}.conversations AS c SET holder = $1 FROM first WHERE c.id = first.id
        RETURNING c.id, c.due_at)
      SELECT ${lasts} AS lasts,
        (SELECT json_agg(id ORDER BY due_at)::text FROM taken) AS ids`,
    freed: `
      UPDATE ${s}.conversations AS c SET holder = NULL FROM ${s}.leases AS l
      WHERE l.id = c.holder AND ${forgotten} AND c.length > 0 AND c.outcome IS NOT NULL`,
    emptied: `
      DELETE FROM ${s}.conversations AS c USING ${s}.leases AS l
      WHERE l.id = c.holder AND ${forgotten} AND c.length = 0`,
    swept: `
      DELETE FROM ${s}.leases AS l
      WHERE ${forgotten} AND NOT EXISTS (SELECT FROM ${s}.conversations AS c WHERE c.holder = l.id)`,
  }
}

/** Leases of a journal: begins one that lasts `ttl` ms. */
export const leases = (run: Run, schema: string): ((ttl: number, name?: string) => Promise<Lease>) => {
  const sql = sqlOf(schema)

  /** Nobody looks after what is closed, nor after what was never opened: it must not keep leases for ever. */
  const sweep = async (): Promise<void> => {
    for (const [doing, text] of [
      ['sweep closed', sql.freed],
      ['sweep empty', sql.emptied],
      ['sweep leases', sql.swept],
    ] as const)
      await run(doing, text, []).catch((error: unknown) => {
        // Somebody took under it while it was ending: it is swept the next time.
        if (sqlState(error) !== GONE) throw error
      })
  }

  return async (ttl, name) => {
    await sweep()
    if (name !== undefined) await run('end earlier leases', sql.replace, [leasePrefixOf(name)])
    const id = freshLeaseId(name)
    await run('begin a lease', sql.begin, [id, ttl])
    return {
      id,
      async renew() {
        if ((await run('renew a lease', sql.renew, [id, ttl])).length === 0) throw leaseLost(id)
      },
      async take(conversation) {
        const rows = await run('take', sql.take, [id, stored(conversation)]).catch((error: unknown) => {
          throw sqlState(error) === GONE ? leaseLost(id) : error
        })
        const { lasts, taken } = rows[0] as { readonly lasts: boolean; readonly taken: boolean }
        if (!lasts) throw leaseLost(id)
        return taken
      },
      async drop(conversations) {
        if (conversations.length > 0) await run('drop', sql.drop, [id, conversations.map(stored)])
      },
      async takeUrgent(before, limit) {
        const rows = await run('take urgent', sql.urgent, [id, before, limit])
        const { lasts, ids } = rows[0] as { readonly lasts: boolean; readonly ids: string | null }
        if (!lasts) throw leaseLost(id)
        const taken: readonly string[] = JSON.parse(ids ?? '[]')
        return taken.map(restored)
      },
      async release() {
        await run('end a lease', sql.end, [id])
      },
    }
  }
}
