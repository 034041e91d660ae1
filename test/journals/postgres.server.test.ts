/** The journal in PostgreSQL, at a real server. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quoted } from '../../src/journals/postgres/schema.ts'
import { postgresJournal } from '../../src/journals/postgres.ts'
import { freshDatabase } from '../servers/database.ts'
import { cancel, opened, opening, said, standing } from './contract/samples.ts'
import { journalContract } from './contract.ts'
import { freshSchema, preparing } from './postgres-bench.ts'

const url = await freshDatabase()
const pool = new pg.Pool({ connectionString: url })
// A connection that a test has ended on purpose.
pool.on('error', () => {})
afterAll(() => pool.end())

journalContract('postgres', preparing(url, pool))

describe('a pool that somebody else ends', () => {
  const borrowed = new pg.Pool({ connectionString: url })
  afterAll(() => borrowed.end())

  it('is used, and still open when the journal is closed', async () => {
    const journal = postgresJournal({ pool: borrowed }, { schema: freshSchema() })
    await journal.append('c', 0, [opening('c')])
    await journal.close()
    await expect(journal.read('c')).rejects.toMatchObject({ code: 'JOURNAL_FAILED' })
    expect((await borrowed.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  })
})

describe('hosts that start at once', () => {
  it('make the tables once', async () => {
    const schema = freshSchema()
    const journals = Array.from({ length: 8 }, () => postgresJournal(url, { schema }))
    await Promise.all(
      journals.map((journal, index) => journal.append(`c${index}`, 0, [opening(`c${index}`)])),
    )
    expect(await journals[0]?.list()).toHaveLength(8)
    await Promise.all(journals.map((journal) => journal.close()))
  })

  it('share what is urgent, and none of it goes to two of them', async () => {
    const bench = preparing(url, pool)()
    const [one, other] = [opened(bench), opened(bench)]
    const ids = Array.from({ length: 60 }, (_, index) => `c${index}`)
    await Promise.all(ids.map((id) => one.append(id, 0, [opening(id)], { standing: standing({ dueAt: 1 }) })))
    const leases = await Promise.all([one, other, one, other].map((journal) => journal.lease(100_000)))
    const found: string[] = []
    for (let left = true; left; ) {
      const taken = await Promise.all(leases.map((lease) => lease.takeUrgent(9, 7)))
      found.push(...taken.flat())
      left = taken.some(({ length }) => length > 0)
    }
    expect(found.sort()).toEqual([...ids].sort())
  })
})

describe('many writers', () => {
  it('of many conversations in two journals leave every record whole, each place written once', async () => {
    const bench = preparing(url, pool)()
    const journals = [opened(bench), opened(bench)]
    const ids = Array.from({ length: 20 }, (_, index) => `c${index}`)
    const kept = new Map(ids.map((id) => [id, 0]))
    await Promise.all(
      ids.flatMap((id) =>
        journals.map(async (journal, writer) => {
          for (let count = 0; count < 25; count++) {
            const { events } = await journal.read(id)
            const name = `${writer} ${count}`
            const next = events.length === 0 ? [opening(id), said(name)] : [said(name)]
            try {
              await journal.append(id, events.length, next)
              kept.set(id, (kept.get(id) ?? 0) + 1)
            } catch (error) {
              expect(error).toMatchObject({ code: 'JOURNAL_CONFLICT' })
            }
          }
        }),
      ),
    )
    for (const id of ids) expect((await journals[0]?.read(id))?.events).toHaveLength((kept.get(id) ?? 0) + 1)
  })
})

describe('a connection that is lost', () => {
  const schema = freshSchema()
  const journal = postgresJournal(url, { schema })
  beforeAll(() => journal.append('c', 0, [opening('c')]))
  afterAll(() => journal.close())
  const cut = () =>
    pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'colloquy'`,
    )

  it('is made anew by what is done next', async () => {
    for (let at = 1; at < 5; at++) {
      await cut()
      // The socket of an idle connection tells its end a moment later; until then a statement meets it.
      const tries = async (): Promise<void> => {
        const { length } = (await journal.read('c')).events
        await journal.append('c', length, [cancel(at)])
      }
      await tries().catch(async (error: unknown) => {
        expect(error).toMatchObject({ code: 'JOURNAL_FAILED' })
        await tries()
      })
      expect((await journal.read('c')).events).toHaveLength(at + 1)
    }
  })

  it('in the midst of appends leaves what was acknowledged, in order, and never half of an append', async () => {
    const acknowledged: number[] = []
    let pair = 0
    const write = async (): Promise<void> => {
      const { length } = (await journal.read('d')).events
      const [first, second] = [said(`${pair}a`), said(`${pair}b`)]
      await journal.append('d', length, length === 0 ? [opening('d'), first, second] : [first, second])
      acknowledged.push(pair)
    }
    let failures = 0
    for (; pair < 150; pair++) {
      if (pair % 5 === 2) void cut()
      await write().catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'JOURNAL_FAILED' })
        failures++
      })
    }
    const ids = (await journal.read('d')).events.flatMap((event) =>
      event.type === 'message' ? [(event.message as { id: string }).id] : [],
    )
    const firsts = ids.filter((id) => id.endsWith('a'))
    expect(ids).toEqual(firsts.flatMap((id) => [id, id.replace('a', 'b')]))
    for (const one of acknowledged) expect(ids).toContain(`${one}a`)
    expect(failures).toBeGreaterThan(0)
    expect(acknowledged.length + failures).toBe(150)
  })
})

describe('a server that is not there', () => {
  it('is told as what failed, with the remedy', async () => {
    const journal = postgresJournal('postgres://postgres@127.0.0.1:1/postgres')
    await expect(journal.append('c', 0, [opening('c')])).rejects.toMatchObject({
      code: 'JOURNAL_FAILED',
      message: expect.stringContaining('ECONNREFUSED'),
    })
    await journal.close()
  })
})

describe('leases that ended', () => {
  it('are swept a day later when nothing is held under them any more', async () => {
    const bench = preparing(url, pool)()
    const journal = opened(bench)
    const [gone, holding] = [await journal.lease(100_000), await journal.lease(100_000)]
    await gone.take('never opened')
    await holding.take('c')
    await journal.append('c', 0, [opening('c')], { lease: holding.id, standing: standing() })
    await bench.pass(90_000_000)
    const { id } = await journal.lease(100_000)
    const schema = quoted(await newest())
    const { rows } = await pool.query<{ id: string }>(`SELECT id FROM ${schema}.leases`)
    expect(rows.map((row) => row.id).sort()).toEqual([holding.id, id].sort())
    expect((await pool.query(`SELECT id FROM ${schema}.conversations`)).rows).toEqual([{ id: 'c' }])
  })
})

/** The schema that was made last. */
const newest = async (): Promise<string> => {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'Test%' ORDER BY oid DESC LIMIT 1`,
  )
  return rows[0]?.name ?? ''
}
