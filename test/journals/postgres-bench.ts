/** What the suite of journals needs to try one in PostgreSQL: each case has a schema of its own. */

import type { Queries } from '../../src/journals/postgres/queries.ts'
import { quoted } from '../../src/journals/postgres/schema.ts'
import { postgresJournal } from '../../src/journals/postgres.ts'
import type { Bench } from './contract.ts'

let schemas = 0

/** A name that no schema has yet; it needs quoting. */
export const freshSchema = (): string => `Test "${++schemas}"`

/** @param connection what the journals use; `pool` is the same database */
export const preparing = (connection: string | { readonly pool: Queries }, pool: Queries) => (): Bench => {
  const schema = freshSchema()
  const table = `${quoted(schema)}.leases`
  return {
    open: () => postgresJournal(connection, { schema }),
    async pass(ms) {
      // Where nothing was done yet there are no tables, and no leases.
      const { rows } = await pool.query('SELECT WHERE to_regclass($1) IS NOT NULL', [table])
      if (rows.length === 0) return
      await pool.query(`UPDATE ${table} SET until = until - $1 * interval '1 millisecond'`, [ms])
    },
  }
}
