/** Every protocol that colloquy brings. Tests, command line and drawings go by this list. */
import type { Protocol } from '../src/engine/protocol.ts'
import { conversation } from './conversation/index.ts'

export const catalogue = { conversation } as const satisfies Readonly<Record<string, Protocol>>
