/**
 * One writer for each conversation, whatever becomes of the others: real processes that write to one PostgreSQL, stopped
 * by SIGSTOP past their leases and continued, or killed.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import type { Lease } from '../../src/journals/journal.ts'
import { quoted } from '../../src/journals/postgres/schema.ts'
import { postgresJournal } from '../../src/journals/postgres.ts'
import { freshDatabase } from '../servers/database.ts'
import { built } from '../support/build.ts'
import { said, standing } from './contract/samples.ts'
import { freshSchema } from './postgres-bench.ts'

/** How often; more by `COLLOQUY_FENCINGS`. */
const ROUNDS = Number(process.env.COLLOQUY_FENCINGS ?? 20)
/** ms */
const TTL = 500
const HERE = 600_000

const url = await freshDatabase()
const schema = freshSchema()
const s = quoted(schema)
const journal = postgresJournal(url, { schema })
const pool = new pg.Pool({ connectionString: url })
afterAll(async () => {
  await journal.close()
  await pool.end()
})

interface Host {
  readonly child: ChildProcessWithoutNullStreams
  /** The next thing that it tells. */
  told(): Promise<Record<string, unknown>>
  say(line: string): void
}

const hosts: ChildProcessWithoutNullStreams[] = []
afterAll(async () => {
  for (const child of hosts) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})

const startHost = (): Host => {
  const args = [
    join(import.meta.dirname, 'writing-host.mjs'),
    join(built(), 'dist/src/index.js'),
    url,
    schema,
  ]
  const child = spawn(process.execPath, args)
  hosts.push(child)
  child.stderr.pipe(process.stderr)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    child,
    async told() {
      const { value, done } = await lines.next()
      if (done === true) throw new Error('The other host has ended')
      return JSON.parse(value) as Record<string, unknown>
    },
    say: (line) => {
      child.stdin.write(`${line}\n`)
    },
  }
}

/** What is written to a conversation until it is somebody's: at least some of it. */
const isWriting = async (conversation: string): Promise<void> => {
  while ((await journal.read(conversation)).events.length < 5) await sleep(5)
}

/** What is urgent, as soon as this conversation is: nobody has dropped it, so its lease has ended then. */
const inherited = async (lease: Lease, conversation: string): Promise<void> => {
  while (!(await lease.takeUrgent(0, 100)).includes(conversation)) await sleep(20)
}

/** ms by the server's clock that a lease still lasts. */
const left = async (lease: unknown): Promise<number> => {
  const sql = `SELECT extract(epoch FROM until - clock_timestamp())::float8 * 1000 AS left FROM ${s}.leases WHERE id = $1`
  const { rows } = await pool.query<{ left: number }>(sql, [lease])
  return rows[0]?.left ?? Number.NaN
}

/** Who wrote at each place, by the ids of messages; the rows themselves have no gap and no place twice. */
const writersOf = async (conversation: string): Promise<string[]> => {
  const { rows } = await pool.query<{ seq: number; message: string | null }>(
    `SELECT seq, message FROM ${s}.events WHERE conversation = $1 ORDER BY seq`,
    [conversation],
  )
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index))
  expect((await journal.read(conversation)).events).toHaveLength(rows.length)
  return rows.slice(1).map(({ message }) => message?.split(' ')[0] ?? '')
}

const expectRefused = (answer: Record<string, unknown>): void => {
  const { codes, renewals } = answer as { codes: string[]; renewals: string[] }
  expect(codes).toHaveLength(5)
  expect([...new Set([...codes, ...renewals])]).toEqual(['LEASE_LOST'])
}

describe('a host that was stopped past its lease and goes on', () => {
  it(
    `cannot write to what another has taken, ${ROUNDS} times`,
    async () => {
      const host = startHost()
      for (let round = 0; round < ROUNDS; round++) {
        const conversation = `taken-${round}`
        host.say(`begin ${conversation} ${TTL}`)
        const { lease: late } = await host.told()
        await isWriting(conversation)
        host.child.kill('SIGSTOP')

        const lease = await journal.lease(HERE)
        await inherited(lease, conversation)
        expect(await left(late)).toBeLessThanOrEqual(0)
        const before = (await journal.read(conversation)).events.length
        const options = { lease: lease.id, standing: standing({ dueAt: null }) }
        await journal.append(conversation, before, [said('heir 1')], options)

        host.say('mark')
        host.child.kill('SIGCONT')
        await journal.append(conversation, before + 1, [said('heir 2')], options)
        expectRefused(await host.told())
        await journal.append(conversation, before + 2, [said('heir 3')], options)
        const writers = await writersOf(conversation)
        expect(writers).toEqual([...Array(before - 1).fill('mine'), 'heir', 'heir', 'heir'])
      }
    },
    ROUNDS * 20_000,
  )

  it('cannot write either when nobody has taken it', async () => {
    const host = startHost()
    host.say(`begin alone ${TTL}`)
    const { lease } = await host.told()
    await isWriting('alone')
    host.child.kill('SIGSTOP')
    while ((await left(lease)) > 0) await sleep(20)
    const before = (await journal.read('alone')).events.length
    host.say('mark')
    host.child.kill('SIGCONT')
    expectRefused(await host.told())
    expect(await writersOf('alone')).toHaveLength(before - 1)
  })
})

describe('a host that is killed', () => {
  it('hands over within its lease', async () => {
    const host = startHost()
    host.say(`begin orphan ${TTL}`)
    const { lease: gone } = await host.told()
    await isWriting('orphan')
    host.child.kill('SIGKILL')
    await once(host.child, 'exit')
    expect(await left(gone)).toBeLessThanOrEqual(TTL)
    const lease = await journal.lease(HERE)
    await inherited(lease, 'orphan')
    expect(await left(gone)).toBeLessThanOrEqual(0)
    const { events } = await journal.read('orphan')
    await journal.append('orphan', events.length, [said('heir 1')], { lease: lease.id })
    expect((await writersOf('orphan')).at(-1)).toBe('heir')
  })
})

describe('a host that renews no more, but writes on', () => {
  it('is refused from the moment that its lease has ended', async () => {
    const host = startHost()
    host.say(`begin tired ${TTL}`)
    const { lease } = await host.told()
    await isWriting('tired')
    host.say('rest')
    while ((await left(lease)) > 0) await sleep(20)
    host.say('mark')
    expectRefused(await host.told())
  })
})
