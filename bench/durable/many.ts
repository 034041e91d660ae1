/** Very many open conversations in one host: what each takes, how long a start takes, and what a message costs. */
import { join } from 'node:path'
import { alternate, type Figure, ratios } from '../measure.ts'
import { type HostProcess, withHosts } from './host-process.ts'
import { type Answers, conversationOf, type HostSettings } from './orders.ts'
import { inFolder } from './scratch.ts'

export interface ManySizes {
  /** Conversations in each of three hosts. */
  readonly few: number
  readonly more: number
  readonly most: number
  /** Conversations in memory where not all of them are. */
  readonly resident: number
  readonly rounds: number
  readonly warmUps: number
  /** ms that each host is sent messages in each round. */
  readonly ms: number
  /** Messages under way at once. */
  readonly loops: number
}

const SIZES: ManySizes = {
  few: 1_000,
  more: 10_000,
  most: 100_000,
  resident: 1_000,
  rounds: 7,
  warmUps: 1,
  ms: 600,
  loops: 256,
}

/** Growth of what a message costs: nearly nothing may depend on how many conversations there are. */
const GROWTH = { atMost: 1.5 }
const NAME = 'open'

type Kind = 'memory' | 'sqlite'
type Memory = Answers['memory']

const textOf = (count: number): string => count.toLocaleString('en')

export interface Many {
  readonly sizes: ManySizes
  /** The compiled hosted.ts, where it is not beside this. */
  readonly script?: string
}

/** One run of a journal: its figures are named after it. */
const figuring = (kind: Kind, { sizes }: Many) => {
  const of = `${textOf(sizes.most)} conversations, ${kind}`
  const info = (name: string, unit: Figure['unit'], values: readonly number[], note?: string): Figure => ({
    name: `${of}, ${name}`,
    unit,
    wanted: null,
    values,
    ...(note === undefined ? {} : { note }),
  })
  return {
    info,
    memory: (name: string, before: Memory, after: Memory): Figure[] => [
      info(`${name}: heap of each`, 'bytes', [(after.heap - before.heap) / sizes.most]),
      info(`${name}: RSS of each`, 'bytes', [(after.rss - before.rss) / sizes.most]),
    ],
    started: (name: string, { answered, watched }: Answers['start']): Figure[] => [
      info(`${name}: first message answered after`, 'ms', answered === null ? [] : [answered]),
      info(`${name}: all looked after, after`, 's', [watched / 1_000]),
    ],
  }
}

const settingsOf = (journal: Kind, place: string, resident: number): HostSettings => ({
  journal,
  place,
  name: 'many',
  resident,
})

/** ms that a message takes among all that are sent at once. */
const cost = async (host: HostProcess, among: number, { loops, ms: limit }: ManySizes): Promise<number> => {
  const { count, ms } = await host.ask<'send'>({ type: 'send', name: NAME, among, loops, ms: limit })
  return ms / count
}

const rates = (took: readonly number[]): readonly number[] => took.map((ms) => 1_000 / ms)

/** Rates of one host alone. */
const ratesOf = async (host: HostProcess, sizes: ManySizes): Promise<readonly number[]> => {
  const { messages } = await alternate({ messages: () => cost(host, sizes.most, sizes) }, sizes)
  return rates(messages)
}

/** Three hosts with few, more and most conversations, all of them in memory; `after` goes on with the one that has most. */
const grown = (
  kind: Kind,
  folder: string,
  { sizes, script }: Many,
  after: (host: HostProcess, before: Memory) => Promise<readonly Figure[]>,
): Promise<Figure[]> =>
  withHosts(
    3,
    async ([few, more, most]) => {
      if (few === undefined || more === undefined || most === undefined) throw new Error('No hosts')
      const { info, memory } = figuring(kind, { sizes })
      const counts = new Map([
        [few, sizes.few],
        [more, sizes.more],
        [most, sizes.most],
      ])
      let before: Memory = { heap: 0, rss: 0 }
      let opening = 0
      for (const [host, count] of counts) {
        const place = join(folder, `${count}.sqlite`)
        const settings = settingsOf(kind, place, sizes.most)
        await host.ask<'start'>({ type: 'start', settings, first: null })
        // What the first one brings to life is not the others' cost.
        await host.ask<'open'>({ type: 'open', name: 'first', from: 0, count: 1 })
        before = await host.ask<'memory'>({ type: 'memory' })
        const { ms } = await host.ask<'open'>({ type: 'open', name: NAME, from: 0, count })
        opening = (count / ms) * 1_000
      }
      const open = await most.ask<'memory'>({ type: 'memory' })
      const took = await alternate(
        {
          few: () => cost(few, sizes.few, sizes),
          more: () => cost(more, sizes.more, sizes),
          most: () => cost(most, sizes.most, sizes),
        },
        sizes,
      )
      const growth = (count: number, values: readonly number[]): Figure => ({
        name: `a message among ${textOf(count)} / among ${textOf(sizes.few)}, ${kind}`,
        unit: '×',
        wanted: GROWTH,
        values: ratios(values, took.few),
      })
      await Promise.all([few.kill(), more.kill()])
      return [
        info('opened', '/s', [opening]),
        ...memory('all in memory', before, open),
        info('all in memory: messages', '/s', rates(took.most)),
        growth(sizes.more, took.more),
        growth(sizes.most, took.most),
        ...(await after(most, before)),
      ]
    },
    script,
  )

const FIRST = conversationOf(NAME, 0)

/** A journal in memory: other hosts take it over in the same process, when the one before has given it back. */
export const memoryMany = (many: Many = { sizes: SIZES }): Promise<Figure[]> =>
  grown('memory', '', many, async (host, before) => {
    const { sizes } = many
    const { info, started } = figuring('memory', many)
    const figures: Figure[] = []
    for (const [name, resident] of [
      ['after a close', sizes.most],
      [`${textOf(sizes.resident)} in memory`, sizes.resident],
    ] as const) {
      const settings = settingsOf('memory', '', resident)
      figures.push(
        ...started(name, await host.ask<'start'>({ type: 'start', settings, first: FIRST })),
        info(`${name}: messages`, '/s', await ratesOf(host, sizes)),
      )
      // The host before has made the process as large as it is: only what is in use tells of this one.
      if (resident < sizes.most) {
        const { heap } = await host.ask<'memory'>({ type: 'memory' })
        figures.push(
          info(`${name}, the others in the journal: heap of each`, 'bytes', [
            (heap - before.heap) / sizes.most,
          ]),
        )
      }
    }
    return figures
  })

/** A journal in a file: the host is killed, and others of its name go on in processes of their own. */
export const sqliteMany = (many: Many = { sizes: SIZES }): Promise<Figure[]> =>
  inFolder(async (folder) => {
    const { sizes, script } = many
    const { info, memory, started } = figuring('sqlite', many)
    const figures = [...(await grown('sqlite', folder, many, async () => []))]
    for (const [name, resident] of [
      ['after a kill', sizes.most],
      [`after a kill, ${textOf(sizes.resident)} in memory`, sizes.resident],
    ] as const) {
      figures.push(
        ...(await withHosts(
          1,
          async ([host]) => {
            if (host === undefined) throw new Error('No host')
            const before = await host.ask<'memory'>({ type: 'memory' })
            const place = join(folder, `${sizes.most}.sqlite`)
            const settings = settingsOf('sqlite', place, resident)
            const start = await host.ask<'start'>({ type: 'start', settings, first: FIRST })
            const after = await host.ask<'memory'>({ type: 'memory' })
            return [
              ...started(name, start),
              ...memory(name, before, after),
              info(`${name}: messages`, '/s', await ratesOf(host, sizes)),
            ]
          },
          script,
        )),
      )
    }
    return figures
  })
