/** Every protocol that colloquy brings. Tests, command line and drawings go by this list. */
import type { Protocol } from '../src/engine/protocol.ts'
import { ainet } from './ainet/index.ts'
import { contractNet } from './contract-net/index.ts'
import { conversation } from './conversation/index.ts'
import { ioa } from './ioa/index.ts'

export const catalogue = {
  conversation,
  ioa,
  'contract-net': contractNet,
  ainet,
} as const satisfies Readonly<Record<string, Protocol>>
