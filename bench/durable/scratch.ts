/** Folders and processes of one run: nothing of them is left, however it ends. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atTheLatest } from '../../scripts/servers/leftovers.ts'
import type { Running } from '../../scripts/servers/native.ts'
import { postgres } from '../../scripts/servers/postgres.ts'
import { startServer } from '../../scripts/servers/start.ts'

const remove = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })

/** Does something with an empty folder, which then goes. */
export const inFolder = async <Result>(act: (folder: string) => Promise<Result>): Promise<Result> => {
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-bench-'))
  const calledOff = atTheLatest(() => remove(folder))
  try {
    return await act(folder)
  } finally {
    calledOff()
    remove(folder)
  }
}

/** Does something with a PostgreSQL of its own, which then stops. */
export const withPostgres = async <Result>(act: (server: Running) => Promise<Result>): Promise<Result> => {
  const server = await startServer(postgres)
  try {
    return await act(server)
  } finally {
    await server.stop()
  }
}
