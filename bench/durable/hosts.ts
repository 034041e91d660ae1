/** Hosts on one PostgreSQL: one, two and four of them in processes of their own, and inserts of pg alone. */
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { alternate, type Figure, ratios } from '../measure.ts'
import { barePostgres } from './bare.ts'
import { withHosts } from './host-process.ts'
import { keepGoing } from './keep-going.ts'
import { withPostgres } from './scratch.ts'
import { eventOf } from './talk.ts'

export interface HostsSizes {
  readonly rounds: number
  readonly warmUps: number
  /** ms for each side in each round. */
  readonly ms: number
  /** Conversations, and messages under way at once, of all hosts together. */
  readonly conversations: number
  readonly loops: number
}

const SIZES: HostsSizes = { rounds: 5, warmUps: 1, ms: 1_000, conversations: 800, loops: 256 }

const COUNTS = [1, 2, 4] as const
/** ms in a tick of the kernel's accounts. */
const TICK = 10

/** ms of processor time of a server and of the processes that it has begun, those that have ended included; NaN where there is no Linux, or the server is elsewhere. */
const cpuOf = (pid: number | null): number => {
  if (pid === null) return Number.NaN
  const fieldsOf = (id: string): readonly string[] => {
    try {
      return readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    } catch {
      return []
    }
  }
  try {
    let ticks = 0
    for (const id of readdirSync('/proc')) {
      const isServer = id === String(pid)
      if (!/^\d+$/.test(id)) continue
      const fields = fieldsOf(id)
      if (!isServer && fields[1] !== String(pid)) continue
      // Of the server also what its children took who have ended.
      for (const field of isServer ? [11, 12, 13, 14] : [11, 12]) ticks += Number(fields[field] ?? 0)
    }
    return ticks * TICK
  } catch {
    return Number.NaN
  }
}

export const postgresHosts = (sizes = SIZES, script?: string): Promise<Figure[]> =>
  withPostgres(({ url, pid }) =>
    withHosts(
      Math.max(...COUNTS),
      async (hosts) => {
        for (const [index, host] of hosts.entries()) {
          const settings = {
            journal: 'postgres',
            place: url,
            name: `host ${index}`,
            resident: 100_000,
          } as const
          await host.ask<'start'>({ type: 'start', settings, first: null })
        }
        const shareOf = (count: number, all: number): number => Math.ceil(all / count)
        // A host alone needs as many conversations as all have together.
        for (const [index, host] of hosts.entries())
          await host.ask<'open'>({ type: 'open', name: `of ${index}`, from: 0, count: sizes.conversations })
        const bare = await barePostgres(url, 'bare', true)
        const cpu = new Map<number, { host: number; server: number; count: number }>()

        const messages = async (count: number): Promise<number> => {
          const server = cpuOf(pid)
          const begun = performance.now()
          const all = await Promise.all(
            hosts.slice(0, count).map((host, index) =>
              host.ask<'send'>({
                type: 'send',
                name: `of ${index}`,
                among: shareOf(count, sizes.conversations),
                loops: shareOf(count, sizes.loops),
                ms: sizes.ms,
              }),
            ),
          )
          const ms = performance.now() - begun
          const sent = all.reduce((sum, { count: each }) => sum + each, 0)
          const spent = cpu.get(count) ?? { host: 0, server: 0, count: 0 }
          cpu.set(count, {
            host: spent.host + all.reduce((sum, { cpu: each }) => sum + each, 0),
            server: spent.server + cpuOf(pid) - server,
            count: spent.count + sent,
          })
          return ms / sent
        }
        const seqs = new Map<number, number>()
        const insert = async (): Promise<number> => {
          const { count, ms } = await keepGoing(sizes.loops, sizes.ms, (conversation) => {
            const seq = seqs.get(conversation) ?? 0
            seqs.set(conversation, seq + 1)
            return bare.insert({ conversation, seq, event: eventOf(`c${conversation}`, seq) })
          })
          return ms / count
        }
        try {
          const took = await alternate(
            { one: () => messages(1), two: () => messages(2), four: () => messages(4), bare: insert },
            sizes,
          )
          const figures = (count: (typeof COUNTS)[number], values: readonly number[]): Figure[] => {
            const name = `postgres, ${count} host${count === 1 ? '' : 's'}`
            const spent = cpu.get(count) ?? { host: 0, server: 0, count: 0 }
            const info = { wanted: null }
            return [
              { name: `${name}: messages`, unit: '/s', ...info, values: values.map((ms) => 1_000 / ms) },
              ...(count === 1
                ? []
                : [
                    {
                      name: `${name} / one host`,
                      unit: '×',
                      ...info,
                      values: ratios(took.one, values),
                      note: `hosts, server and whatever else runs share the ${availableParallelism()} cores of this machine`,
                    } as const,
                  ]),
              {
                name: `${name} / bare single inserts`,
                unit: '×',
                ...info,
                values: ratios(took.bare, values),
              },
              {
                name: `${name}: processor time of a message, hosts`,
                unit: 'µs',
                ...info,
                values: [(spent.host / spent.count) * 1_000],
              },
              {
                name: `${name}: processor time of a message, server`,
                unit: 'µs',
                ...info,
                values: [(spent.server / spent.count) * 1_000],
              },
            ]
          }
          return [...figures(1, took.one), ...figures(2, took.two), ...figures(4, took.four)]
        } finally {
          await bare.close()
        }
      },
      script,
    ),
  )
