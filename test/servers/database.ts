/** A database of a test file's own in the server that all of them share. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, inject } from 'vitest'

const administer = async (sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: inject('postgres') })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** Makes an empty database, which goes when the file is through; gives its address. */
export const freshDatabase = async (): Promise<string> => {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await administer(`CREATE DATABASE ${name}`)
  afterAll(() => administer(`DROP DATABASE ${name} WITH (FORCE)`))
  const url = new URL(inject('postgres'))
  url.pathname = `/${name}`
  return url.href
}
