/** A host in a process of its own, which does what its parent orders, one order at a time, and ends with it. */
import {
  createHost,
  type Host,
  type Journal,
  memoryJournal,
  postgresJournal,
  sqliteJournal,
} from '../../src/index.ts'
import { collect } from '../memory.ts'
import { randomOf } from '../scripts.ts'
import { keepGoing, nextTurn } from './keep-going.ts'
import { type Answers, conversationOf, type HostSettings, type Order } from './orders.ts'
import { LIMITLESS, MEMBERS, messageOf } from './talk.ts'

/** ms: longer than the longest collection of garbage, which is part of what is measured. */
const LEASE = 60_000
/** Conversations that are opened at once. */
const OPENING = 256

let journal: Journal | null = null
let host: Host | null = null
let sent = 0
const random = randomOf(process.pid)

const running = (): Host => {
  if (host === null) throw new Error('There is no host yet')
  return host
}

const journalOf = ({ journal: kind, place }: HostSettings): Journal => {
  if (kind === 'memory') return journal ?? memoryJournal()
  return kind === 'sqlite' ? sqliteJournal(place) : postgresJournal(place)
}

/** The same journal, which tells when a host that looks for what it must take has taken all. */
const telling = (kept: Journal, calm: () => void): Journal => ({
  ...kept,
  async lease(ttl, name) {
    const lease = await kept.lease(ttl, name)
    return {
      ...lease,
      async takeUrgent(before, limit) {
        const taken = await lease.takeUrgent(before, limit)
        if (taken.length < limit) calm()
        return taken
      },
    }
  },
})

const send = async (id: string): Promise<void> => {
  const place = sent++
  // Another process may have sent to the same conversation before.
  const message = { ...messageOf(place), id: `${process.pid}-${place}` }
  const { effect } = await running().send(id, message)
  if (effect !== 'applied') throw new Error(`A message was ${effect}`)
}

const start = async (settings: HostSettings, first: string | null): Promise<Answers['start']> => {
  await host?.close()
  if (settings.journal !== 'memory') await journal?.close()
  const begun = performance.now()
  const kept = journalOf(settings)
  journal = kept
  let calm = (): void => {}
  const watched = new Promise<number>((resolve) => {
    calm = () => resolve(performance.now() - begun)
  })
  const { resident, name } = settings
  host = await createHost({ journal: telling(kept, calm), resident, name, lease: LEASE })
  if (first !== null) await send(first)
  const answered = performance.now() - begun
  return { answered: first === null ? null : answered, watched: await watched }
}

const open = async (name: string, from: number, count: number): Promise<Answers['open']> => {
  const begun = performance.now()
  let next = from
  const loop = async (): Promise<void> => {
    while (next < from + count) {
      const id = conversationOf(name, next++)
      // New objects each time, as they come from a request.
      await running().open({ id, members: [...MEMBERS], policy: structuredClone(LIMITLESS) })
      await nextTurn()
    }
  }
  await Promise.all(Array.from({ length: OPENING }, loop))
  return { ms: performance.now() - begun }
}

const sendMany = async (
  name: string,
  among: number,
  loops: number,
  limit: number,
): Promise<Answers['send']> => {
  const before = process.cpuUsage()
  const { count, ms } = await keepGoing(loops, limit, () =>
    send(conversationOf(name, Math.floor(random() * among))),
  )
  const { user, system } = process.cpuUsage(before)
  return { count, ms, cpu: (user + system) / 1_000 }
}

const memory = (): Answers['memory'] => {
  collect()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed, rss }
}

const done = (order: Order): Promise<Answers[Order['type']]> | Answers['memory'] => {
  switch (order.type) {
    case 'start':
      return start(order.settings, order.first)
    case 'open':
      return open(order.name, order.from, order.count)
    case 'send':
      return sendMany(order.name, order.among, order.loops, order.ms)
    case 'memory':
      return memory()
  }
}

process.on('message', async (order: Order) => {
  process.send?.(await done(order))
})
process.once('disconnect', () => process.exit())
process.send?.('ready')
