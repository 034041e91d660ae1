/** Every benchmark of what lasts by its name, in the order in which they run. */
import type { Figure } from '../measure.ts'
import { jsonlAppends, postgresAppends, sqliteAppends } from './appends.ts'
import { postgresHosts } from './hosts.ts'
import { memoryMany, sqliteMany } from './many.ts'
import { restate } from './restate.ts'
import { resume } from './resume.ts'

export const benchmarks: Readonly<Record<string, () => Promise<Figure[]>>> = {
  jsonl: () => jsonlAppends(),
  sqlite: () => sqliteAppends(),
  postgres: () => postgresAppends(),
  resume: () => resume(),
  'many-memory': () => memoryMany(),
  'many-sqlite': () => sqliteMany(),
  hosts: () => postgresHosts(),
  restate,
}
