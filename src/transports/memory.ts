/** A transport within one process: for tests, and for agents that live where the host does. */
import { ColloquyError, messageOf } from '../errors.ts'
import type { Delivery, Request, Told, Transport } from './transport.ts'

export interface MemoryTransportOptions {
  /** Most requests on their way; whoever sends more waits. Default: 1,000. */
  readonly capacity?: number
  /** ms until a request that could not be done is delivered again; doubled with each attempt, to 100 times at most. Default: 50. */
  readonly retryAfter?: number
}

interface Waiting {
  readonly request: Request
  attempts: number
  /** Who could not do it; whenever there is somebody else, it is their turn. */
  tried: Server | null
}

/** The requests of one conversation: one after the other, so that they stay in their order also when one is tried again. */
interface Line {
  readonly waiting: Waiting[]
  isBusy: boolean
}

type OnDelivery = (delivery: Delivery) => Promise<void>

interface Server {
  readonly onDelivery: OnDelivery
  readonly prefetch: number
  readonly begun: Set<Promise<void>>
}

/** A transport that forgets everything with the process. Hosts that serve it share the requests. */
export const memoryTransport = ({
  capacity = 1_000,
  retryAfter = 50,
}: MemoryTransportOptions = {}): Transport => {
  const lines = new Map<string, Line>()
  /** Conversations of which something waits and nothing is under way, in the order in which that came about. */
  const ready = new Set<string>()
  const servers = new Set<Server>()
  const listeners = new Map<string | null, Set<(told: Told) => void>>()
  const senders: (() => void)[] = []
  const pauses = new Set<ReturnType<typeof setTimeout>>()
  let size = 0
  let isClosed = false

  const closed = (): ColloquyError => new ColloquyError('TRANSPORT_CLOSED', 'The transport is closed')

  const lineOf = (conversation: string): Line => {
    const known = lines.get(conversation)
    if (known !== undefined) return known
    const line: Line = { waiting: [], isBusy: false }
    lines.set(conversation, line)
    return line
  }

  /** The line goes on with what waits in it. */
  const next = (conversation: string, line: Line): void => {
    line.isBusy = false
    if (line.waiting.length > 0) ready.add(conversation)
    else lines.delete(conversation)
    deliver()
  }

  const finish = (conversation: string, line: Line): void => {
    line.waiting.shift()
    size--
    senders.shift()?.()
    next(conversation, line)
  }

  const again = (conversation: string, line: Line, waiting: Waiting, server: Server): void => {
    waiting.tried = server
    const pause = retryAfter * Math.min(2 ** waiting.attempts++, 100)
    const timer = setTimeout(() => {
      pauses.delete(timer)
      next(conversation, line)
    }, pause)
    pauses.add(timer)
  }

  const handle = async (server: Server, conversation: string, line: Line): Promise<void> => {
    const [waiting] = line.waiting
    if (waiting === undefined) return
    let isSettled = false
    const settle = async (act: () => void): Promise<void> => {
      if (isSettled) return
      isSettled = true
      act()
    }
    const retry = (): Promise<void> => settle(() => again(conversation, line, waiting, server))
    try {
      await server.onDelivery({
        request: waiting.request,
        attempts: waiting.attempts,
        done: () => settle(() => finish(conversation, line)),
        retry,
      })
    } catch (error) {
      process.emitWarning(`A host failed at a delivery: ${messageOf(error)}`)
    } finally {
      // What was neither done nor put off is as if the host had died over it.
      await retry()
    }
  }

  /** Who takes the next one: the one with the fewest under way, rather not the one that has just failed at it. */
  const serverFor = (tried: Server | null): Server | undefined => {
    const free = [...servers].filter(({ begun, prefetch }) => begun.size < prefetch)
    const others = free.filter((server) => server !== tried)
    return (others.length > 0 ? others : free).sort((a, b) => a.begun.size - b.begun.size)[0]
  }

  const deliver = (): void => {
    for (const conversation of ready) {
      const line = lineOf(conversation)
      const server = serverFor(line.waiting[0]?.tried ?? null)
      if (server === undefined) return
      ready.delete(conversation)
      line.isBusy = true
      const handling = handle(server, conversation, line).finally(() => {
        server.begun.delete(handling)
        deliver()
      })
      server.begun.add(handling)
    }
  }

  const room = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const enter = (): void => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }
      const abort = (): void => {
        senders.splice(senders.indexOf(enter), 1)
        reject(new ColloquyError('CANCELLED', 'The request was given up before there was room for it'))
      }
      signal?.addEventListener('abort', abort, { once: true })
      senders.push(enter)
    })

  return {
    capabilities: { durable: false, replay: false, competing: true, networked: false },
    async send(request, { signal } = {}) {
      if (signal?.aborted === true) throw new ColloquyError('CANCELLED', 'The request was given up')
      while (size >= capacity && !isClosed) await room(signal)
      if (isClosed) throw closed()
      size++
      const line = lineOf(request.conversation)
      line.waiting.push({ request, attempts: 0, tried: null })
      if (!line.isBusy) ready.add(request.conversation)
      deliver()
    },
    async listen(conversation, onTold) {
      if (isClosed) throw closed()
      const all = listeners.get(conversation) ?? new Set()
      listeners.set(conversation, all.add(onTold))
      return async () => {
        all.delete(onTold)
        if (all.size === 0) listeners.delete(conversation)
      }
    },
    async serve(onDelivery, { prefetch }) {
      if (isClosed) throw closed()
      const server: Server = { onDelivery, prefetch, begun: new Set() }
      servers.add(server)
      deliver()
      return async () => {
        servers.delete(server)
        await Promise.all(server.begun)
      }
    },
    async tell(told) {
      for (const to of [told.conversation, null])
        for (const listener of listeners.get(to) ?? [])
          try {
            listener(told)
          } catch (error) {
            process.emitWarning(`A listener of a transport threw: ${messageOf(error)}`)
          }
    },
    async close() {
      isClosed = true
      for (const timer of pauses) clearTimeout(timer)
      pauses.clear()
      for (const enter of senders.splice(0)) enter()
      await Promise.all([...servers].flatMap(({ begun }) => [...begun]))
      servers.clear()
      listeners.clear()
    },
  }
}
