/** A database of a test file's own in the server that all of them share. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, inject } from 'vitest'

const administer = async (work: (client: pg.Client) => Promise<unknown>): Promise<void> => {
  const client = new pg.Client({ connectionString: inject('postgres') })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** Connections that are just ending would take it for an error to be cut; one that was forgotten is cut after a while. */
const drop = async (client: pg.Client, name: string): Promise<void> => {
  const inUse = 'SELECT FROM pg_stat_activity WHERE datname = $1'
  for (let look = 0; look < 100 && (await client.query(inUse, [name])).rowCount !== 0; look++) await sleep(20)
  await client.query(`DROP DATABASE ${name} WITH (FORCE)`)
}

/** Makes an empty database, which goes when the file is through; gives its address. */
export const freshDatabase = async (): Promise<string> => {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await administer((client) => client.query(`CREATE DATABASE ${name}`))
  afterAll(() => administer((client) => drop(client, name)))
  const url = new URL(inject('postgres'))
  url.pathname = `/${name}`
  return url.href
}
