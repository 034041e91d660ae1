/** The journal in PostgreSQL without a server: in PGlite, which runs PostgreSQL in this process. */
import { PGlite } from '@electric-sql/pglite'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { migrate } from '../../src/journals/postgres/migrate.ts'
import { quoted, STEPS } from '../../src/journals/postgres/schema.ts'
import { restored, stored } from '../../src/journals/postgres/texts.ts'
import { postgresJournal } from '../../src/journals/postgres.ts'
import { parameters } from '../support/property.ts'
import { closed, opened, opening, said } from './contract/samples.ts'
import { journalContract } from './contract.ts'
import { freshSchema, preparing } from './postgres-bench.ts'

const pool = await PGlite.create()
afterAll(() => pool.close())

journalContract('postgres in PGlite', preparing({ pool }, pool))

describe('the tables', () => {
  /** What a version of these tables held, as it wrote it. */
  const FIRST = (s: string): readonly string[] => [
    `INSERT INTO ${s}.conversations (id, length, machine, version, goal, opened_at, at, state, outcome, status)
      VALUES ('c', 2, 'conversation', 1, 'goal – 目标', 0, 1, 'closed', '{"status":"completed"}', 'completed')`,
    `INSERT INTO ${s}.events (conversation, seq, message, sender, body) VALUES
      ('c', 0, NULL, NULL, '${JSON.stringify(opening('c'))}'),
      ('c', 1, 'm1', 'a', '${JSON.stringify(said('m1'))}')`,
  ]

  it.each(STEPS.map((_, index) => index + 1))('of version %i are brought to the newest', async (version) => {
    const schema = freshSchema()
    await migrate(pool, schema, version)
    for (const sql of FIRST(quoted(schema))) await pool.query(sql)
    const journal = opened({ open: () => postgresJournal({ pool }, { schema }), pass: () => {} })
    expect((await journal.read('c')).events).toEqual([opening('c'), said('m1')])
    expect(await journal.list({ status: 'completed' })).toMatchObject([{ id: 'c', length: 2 }])
    const { before, after } = await journal.compact('c')
    expect(after).not.toBe(before)
    await expect(journal.append('c', 2, [said('m1')])).rejects.toMatchObject({ code: 'JOURNAL_CONFLICT' })
    await journal.append('c', 2, [said('m2')], { standing: closed() })
    expect((await journal.read('c')).events).toEqual([opening('c'), said('m1'), said('m2')])
  })

  it('are not changed by whoever knows them already, and need no right to make any then', async () => {
    const schema = freshSchema()
    await migrate(pool, schema)
    const steps = () => pool.query(`SELECT * FROM ${quoted(schema)}.migrations ORDER BY number`)
    const { rows } = await steps()
    expect(rows).toHaveLength(STEPS.length)
    await migrate(pool, schema)
    expect((await steps()).rows).toEqual(rows)
  })

  it('of a newer version are refused, with both versions told', async () => {
    const schema = freshSchema()
    await migrate(pool, schema)
    await pool.query(`INSERT INTO ${quoted(schema)}.migrations (number) VALUES ($1)`, [STEPS.length + 1])
    const journal = opened({ open: () => postgresJournal({ pool }, { schema }), pass: () => {} })
    await expect(journal.list()).rejects.toMatchObject({
      code: 'JOURNAL_VERSION',
      message: expect.stringMatching(new RegExp(`${STEPS.length + 1}.*${STEPS.length}`)),
    })
  })

  it.each(['', 'pg_own', 'x'.repeat(64), 'a\u0000b'])('are in no schema of the name %j', (schema) => {
    expect(() => postgresJournal({ pool }, { schema })).toThrow(expect.objectContaining({ code: 'USAGE' }))
  })
})

describe('a record that somebody has damaged', () => {
  const damaged = async (sql: (s: string) => string) => {
    const schema = freshSchema()
    const journal = opened({ open: () => postgresJournal({ pool }, { schema }), pass: () => {} })
    await journal.append('c', 0, [opening('c'), said('m1'), said('m2')], { standing: closed() })
    await journal.compact('d')
    await pool.query(sql(quoted(schema)))
    return journal
  }

  it.each([
    ['an event is none', (s: string) => `UPDATE ${s}.events SET body = '{}' WHERE seq = 1`, 'place 1'],
    ['an event is gone', (s: string) => `DELETE FROM ${s}.events WHERE seq = 1`, '2 events'],
    [
      'an archive is none',
      (s: string) => `UPDATE ${s}.conversations SET archive = '\\x00', archived = 3`,
      'archive',
    ],
  ])('is refused with its place: %s', async (_, sql, place) => {
    const journal = await damaged(sql)
    for (const reading of [() => journal.read('c'), () => journal.load('c')])
      await expect(reading()).rejects.toMatchObject({
        code: 'JOURNAL_CORRUPT',
        message: expect.stringContaining(place),
      })
  })
})

describe('texts in columns', () => {
  const texts = fc.string({ unit: fc.constantFrom('\u0000', '\u0001', '\u0002', 'a', '智', '🙂') })

  it('come back as they were, and hold no NUL', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(restored(stored(text))).toBe(text)
        expect(stored(text)).not.toContain('\u0000')
      }),
      parameters(500),
    )
  })

  it('keep their order by bytes', () => {
    const order = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        expect(order(stored(a), stored(b))).toBe(order(a, b))
      }),
      parameters(500),
    )
  })
})

describe('what is advised', () => {
  it('fits a server that cannot be reached, and a journal that was closed', async () => {
    const lost = postgresJournal('postgres://127.0.0.1:1/talks')
    await expect(lost.list()).rejects.toMatchObject({
      code: 'JOURNAL_FAILED',
      message: expect.stringContaining('ECONNREFUSED'),
      remedy: 'Check the address and the server. Nothing was done.',
    })
    await lost.close()
    await expect(lost.list()).rejects.toMatchObject({
      code: 'JOURNAL_FAILED',
      remedy: expect.stringMatching(/^Nothing was done\. Make the journal anew/),
    })
  })
})
