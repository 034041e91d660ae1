/** Leases in tables: any process with the file sees who may write. */

import { leaseLost } from '../common/conflict.ts'
import { freshLeaseId, leasePrefixOf } from '../common/lease-id.ts'
import type { Lease } from '../journal.ts'
import type { Batches } from './batches.ts'
import { type Sqlite, textOf } from './database.ts'

export interface LeaseTable {
  begin(batches: Batches, ttl: number, name: string | undefined): Promise<Lease>
}

/** Open conversations, as the indexes have them. */
const OPEN = 'c.outcome IS NULL AND c.state IS NOT NULL'

/** Of many only the first are sorted out: after a crash each call looks at all that were left. */
const FIRST = 'ORDER BY due_at NULLS LAST LIMIT ?'

/**
 * What is urgent to a lease, each part by an index of its own: what is due, what has an answer, what was left. By CROSS
 * JOIN it goes from the leases that ended to what they had: the other way it would look at all that is taken.
 */
const URGENT = `
  SELECT * FROM (
    SELECT num, due_at FROM colloquy_conversations c
    WHERE ${OPEN} AND c.holder IS NULL AND c.due_at IS NOT NULL AND c.due_at < ?
    ORDER BY due_at LIMIT ?
  )
  UNION
  SELECT * FROM (
    SELECT num, due_at FROM colloquy_conversations c
    WHERE ${OPEN} AND (c.holder IS NULL OR c.holder = ?)
      AND c.num IN (SELECT conversation FROM colloquy_questions WHERE answer IS NOT NULL)
    ${FIRST}
  )
  UNION
  SELECT * FROM (
    SELECT c.num, c.due_at FROM colloquy_leases l CROSS JOIN colloquy_conversations c ON c.holder = l.num
    WHERE l.until <= ? AND ${OPEN} AND c.holder IS NOT NULL
    ${FIRST}
  )`
const FIRST_DUE = `SELECT u.num, CAST(c.id AS BLOB) AS id
  FROM (${URGENT} ${FIRST}) u CROSS JOIN colloquy_conversations c ON c.num = u.num
  ORDER BY u.due_at NULLS LAST`

/** Ended leases are kept as long as anything that is not closed is theirs: by them it is found. */
const FORGET = `DELETE FROM colloquy_leases WHERE until <= ? AND NOT EXISTS (
  SELECT 1 FROM colloquy_conversations c WHERE c.holder = colloquy_leases.num AND c.outcome IS NULL AND c.holder IS NOT NULL)`

/** @param now ms */
export const leaseTable = (database: Sqlite, now: () => number): LeaseTable => {
  const lasts = (num: number): boolean =>
    database.get('SELECT 1 AS found FROM colloquy_leases WHERE num = ? AND until > ?', num, now()) !==
    undefined

  const take = (conversation: string, num: number): boolean => {
    const row = database.get('SELECT holder FROM colloquy_conversations WHERE id = ?', conversation)
    const holder = row?.holder == null ? num : Number(row.holder)
    if (holder !== num && lasts(holder)) return false
    database.run(
      'INSERT INTO colloquy_conversations (id, holder) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET holder = excluded.holder',
      conversation,
      num,
    )
    return true
  }

  const takeUrgent = (before: number, limit: number, num: number): readonly string[] => {
    // One by one, in the order of the text: better-sqlite3 takes no numbered parameters from an array.
    const rows = database.all(FIRST_DUE, before, limit, num, limit, now(), limit, limit)
    for (const row of rows)
      database.run('UPDATE colloquy_conversations SET holder = ? WHERE num = ?', num, Number(row.num))
    database.run(FORGET, now())
    return rows.map(({ id }) => textOf(id))
  }

  const lease = (batches: Batches, ttl: number, id: string, num: number): Lease => {
    /** Does it if the lease lasts. */
    const lasting = <Result>(act: () => Result): Promise<Result> =>
      batches.write(() => {
        if (!lasts(num)) throw leaseLost(id)
        return act()
      })
    return {
      id,
      renew: () =>
        lasting(() => database.run('UPDATE colloquy_leases SET until = ? WHERE num = ?', now() + ttl, num)),
      take: (conversation) => lasting(() => take(conversation, num)),
      takeUrgent: (before, limit) => lasting(() => takeUrgent(before, limit, num)),
      drop: (conversations) =>
        batches.write(() => {
          for (const conversation of conversations) {
            // What was taken and never opened leaves nothing behind.
            database.run(
              'DELETE FROM colloquy_conversations WHERE id = ? AND holder = ? AND length = 0',
              conversation,
              num,
            )
            database.run(
              'UPDATE colloquy_conversations SET holder = NULL WHERE id = ? AND holder = ?',
              conversation,
              num,
            )
          }
        }),
      release: () =>
        batches.write(() => database.run('UPDATE colloquy_leases SET until = 0 WHERE num = ?', num)),
    }
  }

  return {
    begin: (batches, ttl, name) =>
      batches.write(() => {
        const prefix = name === undefined ? null : leasePrefixOf(name)
        if (prefix !== null)
          database.run(
            'UPDATE colloquy_leases SET until = 0 WHERE substr(id, 1, ?) = ?',
            prefix.length,
            prefix,
          )
        const id = freshLeaseId(name)
        const row = database.get(
          'INSERT INTO colloquy_leases (id, until) VALUES (?, ?) RETURNING num',
          id,
          now() + ttl,
        )
        return lease(batches, ttl, id, Number(row?.num))
      }),
  }
}
