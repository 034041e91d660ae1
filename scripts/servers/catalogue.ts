/** The servers that tests use, by the name that the command line calls them. */
import type { ServerKind } from './kind.ts'
import { postgres } from './postgres.ts'

export const catalogue: Readonly<Record<string, ServerKind>> = { postgres }
