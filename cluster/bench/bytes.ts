/** What a server keeps of conversations. */
import type { Restate } from '../src/server.ts'

export interface Bytes {
  /** Keys and values of all conversations. */
  readonly state: number
  /** The same without heads, for each message. */
  readonly messageState: number
}

export const bytesOf = async ({ admin }: Restate): Promise<Bytes> => {
  const query = `SELECT
      CAST(sum(octet_length(value_utf8) + octet_length(key) + octet_length(service_key)) AS BIGINT) AS bytes,
      CAST(sum(CASE WHEN key = 'head' THEN 0 ELSE octet_length(value_utf8) + octet_length(key) + octet_length(service_key) END) AS BIGINT) AS rest,
      CAST(sum(CASE WHEN key LIKE 'said/%' THEN 1 ELSE 0 END) AS BIGINT) AS said
    FROM state WHERE service_name = 'colloquy'`
  const response = await fetch(`${admin}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query }),
  })
  if (!response.ok) throw new Error(await response.text())
  const { rows } = (await response.json()) as {
    readonly rows: readonly { readonly bytes: number; readonly rest: number; readonly said: number }[]
  }
  const { bytes = 0, rest = 0, said = 1 } = rows[0] ?? {}
  return { state: bytes, messageState: rest / said }
}
