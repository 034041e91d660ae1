/** What an open conversation of four members takes, when there are many. */
import { strictEqual } from 'node:assert/strict'
import { openConversation, type PolicyInput } from '../src/index.ts'
import type { Figure } from './measure.ts'

const CONVERSATIONS = 100_000
const WANTED = { atMost: 1_536 }

/** Lets go of all that nobody needs. */
export const collect = (): void => {
  if (globalThis.gc === undefined) throw new Error('Memory is measured under node --expose-gc')
  // What finalisers let go of is collected the next time.
  for (let time = 0; time < 4; time++) globalThis.gc()
}

const bytesEach = (policy?: PolicyInput): number => {
  const open = () =>
    openConversation({
      members: ['ada', 'bo', 'cy', 'dee'],
      // A new object each time, as it comes from a request.
      ...(policy === undefined ? {} : { policy: structuredClone(policy) }),
    })
  const talks = new Array<ReturnType<typeof open> | null>(CONVERSATIONS).fill(null)
  // What the first one brings to life is not the others' cost.
  strictEqual(open().state, 'discussion')
  collect()
  const before = process.memoryUsage().heapUsed
  for (let index = 0; index < CONVERSATIONS; index++) talks[index] = open()
  collect()
  const bytes = process.memoryUsage().heapUsed - before
  strictEqual(talks.filter((talk) => talk?.members.length === 4).length, CONVERSATIONS)
  return bytes / CONVERSATIONS
}

const rounds = (policy?: PolicyInput): number[] => Array.from({ length: 3 }, () => bytesEach(policy))

export const memory = async (): Promise<Figure[]> => [
  { name: 'open conversation, heap', unit: 'bytes', wanted: WANTED, values: rounds() },
  {
    name: 'open conversation with a policy of its own, heap',
    unit: 'bytes',
    wanted: WANTED,
    values: rounds({ turnLimit: { discussion: 10 }, talk: ['discussion', 'execution'], tokenBudget: 50_000 }),
  },
]
