/** The journal in PostgreSQL, without a server: in PGlite, which runs PostgreSQL in this process. */
import { PGlite } from '@electric-sql/pglite'
import { afterAll } from 'vitest'
import { quoted } from '../../src/journals/postgres/schema.ts'
import { postgresJournal } from '../../src/journals/postgres.ts'
import { journalContract } from './contract.ts'

const pool = await PGlite.create()
afterAll(() => pool.close())

let schemas = 0
const fresh = (): string => `test ${++schemas}`

journalContract('postgres in PGlite', () => {
  const schema = fresh()
  return {
    open: () => postgresJournal({ pool }, { schema }),
    pass: async (ms) => {
      // Nothing to move where the tables are not there yet.
      const { rows } = await pool.query(`SELECT WHERE to_regclass($1) IS NOT NULL`, [
        `${quoted(schema)}.leases`,
      ])
      if (rows.length === 0) return
      const sql = `UPDATE ${quoted(schema)}.leases SET until = until - $1 * interval '1 millisecond'`
      await pool.query(sql, [ms])
    },
  }
})
