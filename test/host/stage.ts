/** What tests of hosts share: a clock that is set by hand, hosts that are closed at the end, journals that fail on purpose. */
import { afterEach } from 'vitest'
import {
  type CreateHostOptions,
  createHost,
  type Host,
  type Journal,
  simulatedClock,
} from '../../src/index.ts'

/** Lets everything that is under way go on until it waits for the clock. */
export const settled = async (): Promise<void> => {
  for (let round = 0; round < 5; round++) await new Promise((resolve) => setImmediate(resolve))
}

const hosts: Host[] = []
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()))
})

/** A host that is closed after the test. */
export const started = async (options: CreateHostOptions): Promise<Host> => {
  const host = await createHost(options)
  hosts.push(host)
  return host
}

export const START = 1_000_000

/** A clock by hand, with a way to let time pass and all that follows happen. */
export const byHand = () => {
  const clock = simulatedClock(START)
  const pass = async (ms: number, steps = 10): Promise<void> => {
    for (let step = 0; step < steps; step++) {
      clock.advance(ms / steps)
      await settled()
    }
  }
  return { clock, pass }
}

/** Stands before a journal: what it is told to do instead of an append. */
export interface Interference {
  /** Called before each append; throws, waits, or does nothing. */
  before?(nth: number): Promise<void> | void
  /** Called after each append. */
  after?(nth: number): Promise<void> | void
}

/** A journal of which appends can be held up or made to fail, before or after they are done. */
export const interfered = (journal: Journal, interference: Interference): Journal => {
  let appends = 0
  return {
    ...journal,
    capabilities: journal.capabilities,
    async append(...args) {
      const nth = appends++
      await interference.before?.(nth)
      await journal.append(...args)
      await interference.after?.(nth)
    },
  }
}

export const info = (id: string, from: string, content = '') => ({ id, from, intent: 'info', content })
