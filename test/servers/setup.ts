/** Starts what the tests of the project `servers` need, once for all of them, and tells where it is. */
import type { TestProject } from 'vitest/node'
import type { Running } from '../../scripts/servers/native.ts'
import { postgres } from '../../scripts/servers/postgres.ts'
import { startServer } from '../../scripts/servers/start.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address of PostgreSQL. */
    readonly postgres: string
  }
}

let running: Running | null = null

export const setup = async ({ provide }: TestProject): Promise<void> => {
  const given = process.env[postgres.variable]
  if (given === undefined || given === '') running = await startServer(postgres)
  provide('postgres', running?.url ?? given ?? '')
}

export const teardown = async (): Promise<void> => {
  await running?.stop()
}
