/**
 * The searches of `colloquy check`: one for each lead, each in a thread of its own. So two cores are used, Ctrl-C is
 * heard meanwhile, and a search that outgrows its memory ends alone.
 */
import { Worker } from 'node:worker_threads'
import { catalogue } from '../../machines/catalogue.ts'
import type { Protocol } from '../engine/protocol.ts'
import { ColloquyError, type ErrorCode, type Issue } from '../errors.ts'
import { check } from '../testing/check.ts'
import { merged } from '../testing/merge.ts'
import type { CheckReport } from '../testing/report.ts'
import type { Progress } from '../testing/search.ts'

const protocols: Readonly<Record<string, Protocol>> = catalogue

/** One search, as plain data. */
export interface Order {
  /** The name of a protocol of the catalogue. */
  readonly protocol: string
  readonly members: readonly string[]
  readonly lead: string | null
  readonly policy: unknown
  readonly size: number
  readonly joins: boolean
  readonly maxStates: number
}

/** What a thread says. */
export type Answer =
  | { readonly progress: Progress }
  | { readonly report: CheckReport }
  | {
      readonly refused: {
        readonly code: ErrorCode
        readonly message: string
        readonly issues: readonly Issue[]
        readonly remedy: string
      }
    }

export interface SearchOptions {
  /** Whether each search has a thread; else they run here, one after the other. */
  readonly threads: boolean
  /** Most MiB of memory for each thread. */
  readonly memory: number
  tell(search: number, progress: Progress): void
}

/** Memory that a thread takes before it explores anything, and for each 1,000 states, in MiB. */
const MEMORY = { base: 256, perThousand: 1.25 } as const

/** MiB for what lives shortly: most of what is made for a state is garbage when the next is explored. */
const YOUNG = 192

/** MiB that are enough for so many states, as a rule. */
export const memoryFor = (states: number): number =>
  Math.ceil(MEMORY.base + (states / 1000) * MEMORY.perThousand)

/** One search, here. */
export const searched = (order: Order, onProgress: (progress: Progress) => void): CheckReport =>
  check({ ...order, protocol: protocolOf(order), onProgress })

/** Does all searches; what they found as one report. */
export const searchedAll = async (
  orders: readonly [Order, ...Order[]],
  { threads, memory, tell }: SearchOptions,
): Promise<CheckReport> => {
  // Taken before the checker watches whether anybody asks the clock.
  const now = performance.now.bind(performance)
  const started = now()
  const workers: Worker[] = []
  const reportOf = (order: Order, index: number): CheckReport | Promise<CheckReport> => {
    if (!threads) return searched(order, (progress) => tell(index, progress))
    const worker = new Worker(new URL('./check-worker.js', import.meta.url), {
      workerData: order,
      resourceLimits: { maxOldGenerationSizeMb: memory, maxYoungGenerationSizeMb: YOUNG },
    })
    workers.push(worker)
    return reportFrom(worker, order, memory, (progress) => tell(index, progress))
  }
  const [first, ...others] = orders
  try {
    const reports = await Promise.all([
      reportOf(first, 0),
      ...others.map((order, index) => reportOf(order, index + 1)),
    ])
    return merged(reports, now() - started)
  } finally {
    // When one search failed, the other is for nothing.
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
}

const reportFrom = (
  worker: Worker,
  order: Order,
  memory: number,
  tell: (progress: Progress) => void,
): Promise<CheckReport> =>
  new Promise((resolve, reject) => {
    let reached: Progress = { states: 0, steps: 0 }
    worker.on('message', (answer: Answer) => {
      if ('progress' in answer) {
        reached = answer.progress
        tell(reached)
      } else if ('report' in answer) resolve(answer.report)
      else reject(new ColloquyError(answer.refused.code, answer.refused.message, answer.refused))
    })
    worker.on('error', (error) => {
      if (codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY') resolve(outgrown(order, reached, memory))
      else reject(error)
    })
    worker.on('exit', (code) =>
      reject(new ColloquyError('INTERNAL', `The search ended with ${code}, and no word`)),
    )
  })

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : null

const protocolOf = ({ protocol: name }: Order): Protocol => {
  const protocol = Object.hasOwn(protocols, name) ? protocols[name] : undefined
  if (protocol === undefined) throw new ColloquyError('PROTOCOL_UNKNOWN', `There is no protocol "${name}"`)
  return protocol
}

/** The report of a search that ended when its memory was used up: nothing is known. */
const outgrown = (order: Order, { states, steps }: Progress, memory: number): CheckReport => {
  const { members, lead, policy, size, joins } = order
  const completed = protocolOf(order).completePolicy(policy, { members, lead })
  const unknown = { most: null, record: null, loop: null }
  return {
    protocol: order.protocol,
    members,
    policy: completed.issues === undefined ? completed.policy : {},
    size,
    joins,
    verdict: 'unproved',
    sampled: false,
    problems: [
      {
        message: `The search was given up after about ${states} states, when ${memory} MiB of memory were used up. Lower the number of members (${members.length}), the size (${size}) or the limits of the policy, or raise the number of states: memory is measured by it.`,
        record: null,
      },
    ],
    counterexample: null,
    turns: unknown,
    messages: unknown,
    ms: unknown,
    formula: null,
    unreachableStates: [],
    unreachableTransitions: [],
    unusedIntents: [],
    statesWithoutDueTime: [],
    rank: { events: 0, holds: false, opening: [] },
    explored: { states, steps, ms: 0 },
  }
}
