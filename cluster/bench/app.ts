/** The app of the benchmark, in a process of its own: conversations, and the barest object that Restate can have. */
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createEndpointHandler, type ObjectContext, object } from '@restatedev/restate-sdk'
import { conversation } from 'colloquy'
import { conversations } from '../src/app.ts'
import { log } from '../src/log.ts'

const count = async (ctx: ObjectContext): Promise<number> => {
  const next = ((await ctx.get<number>('count')) ?? 0) + 1
  ctx.set('count', next)
  return next
}

const counter = object({ name: 'counter', handlers: { count }, options: { journalRetention: 0 } })

/** What no exactly-once handler with a clock of its own can do without: state read by key, and the time. */
const clockedCounter = object({
  name: 'clocked',
  handlers: {
    count: async (ctx: ObjectContext): Promise<number> => {
      const [kept, now] = await Promise.all([ctx.get<{ count: number }>('count'), ctx.date.now()])
      const next = (kept?.count ?? 0) + 1
      ctx.set('count', { count: next, now })
      return next
    },
  },
  options: { journalRetention: 0, enableLazyState: true },
})

const server = createServer(
  createEndpointHandler({
    services: [...conversations({ protocols: [conversation] }), counter, clockedCounter],
    logger: log,
  }),
)
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
// Whoever started it has gone.
process.once('disconnect', () => process.exit())
