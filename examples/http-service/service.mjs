/**
 * Conversations over HTTP. Settings in the environment: PORT (default 3000; 0: any), DATA (the journal's folder).
 * Who may speak as whom is for your authentication to say: set `from` and `tokens` of a message by it.
 */
import { serve } from '@hono/node-server'
import { ColloquyError, jsonlJournal } from 'colloquy'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { HTTPException } from 'hono/http-exception'
import { streamSSE } from 'hono/streaming'
import { keeperOf } from './keeper.mjs'

const { PORT = '3000', DATA = '.colloquy' } = process.env
const BODY_LIMIT = 64 * 1024
const HEARTBEAT = 15_000

const keeper = keeperOf(jsonlJournal(DATA))
/** What is being followed; ended on shutdown. */
const streams = new Set()

const bodyOf = async (c) => {
  const body = await c.req.json().catch(() => null)
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  throw new HTTPException(400, { message: 'The body must be a JSON object' })
}

const roomOf = async (c) => {
  const room = await keeper.find(c.req.param('id'))
  if (room !== undefined) return room
  throw new HTTPException(404, { message: 'There is no such conversation' })
}

/** A conversation as it is now; `next`: whom the rules would ask to speak, and for what. */
const viewOf = (talk) => {
  const { id, goal, state, members, lead, seq, dueAt, outcome } = talk
  const next = talk.protocol.floor(talk.context, { capabilities: new Map(), talk: 'round_robin' })
  return { id, goal, state, members, lead, seq, dueAt, next, outcome }
}

/** What was decided, once the journal has it. Sent again, a message is answered `duplicate` and changes nothing. */
const decide = async (c, { talk, saved }, decision) => {
  const { state, outcome } = talk
  await saved
  const status = decision.reason === 'invalid' ? 422 : decision.effect === 'rejected' ? 409 : 200
  return c.json({ ...decision, state, outcome }, status)
}

const app = new Hono()
app.use(
  bodyLimit({ maxSize: BODY_LIMIT, onError: (c) => c.json({ error: `At most ${BODY_LIMIT} bytes` }, 413) }),
)

app.post('/conversations', async (c) => {
  const { talk } = await keeper.open(await bodyOf(c))
  return c.json(viewOf(talk), 201, { Location: `/conversations/${talk.id}` })
})

app.get('/conversations/:id', async (c) => {
  const { talk, saved } = await roomOf(c)
  const view = viewOf(talk)
  await saved
  return c.json(view)
})

app.post('/conversations/:id/messages', async (c) => {
  const message = await bodyOf(c)
  const room = await roomOf(c)
  const decision = room.talk.receive(message)
  return decide(c, room, decision)
})

app.delete('/conversations/:id', async (c) => {
  const room = await roomOf(c)
  const decision = room.talk.cancel()
  return decide(c, room, decision)
})

/** Server-sent events without a gap: a client that comes back says by Last-Event-ID how far it got. */
app.get('/conversations/:id/events', async (c) => {
  const room = await roomOf(c)
  const last = c.req.header('Last-Event-ID') ?? ''
  const after = /^\d{1,15}$/.test(last) ? Number(last) : -1
  // All was heard: 204 tells an EventSource to stop coming back.
  if (room.talk.isClosed && after >= room.talk.seq) return c.body(null, 204)
  return streamSSE(c, async (stream) => {
    const events = room.talk.follow(after)
    const heartbeat = setInterval(() => stream.write(': still here\n\n'), HEARTBEAT)
    stream.onAbort(() => events.return())
    streams.add(events)
    try {
      for await (const event of events) {
        await room.saved
        await stream.writeSSE({ id: String(event.seq), data: JSON.stringify(event) })
      }
    } finally {
      clearInterval(heartbeat)
      streams.delete(events)
    }
  })
})

app.notFound((c) => c.json({ error: 'There is nothing here' }, 404))
app.onError((error, c) => {
  if (error instanceof HTTPException) return c.json({ error: error.message }, error.status)
  if (!(error instanceof ColloquyError)) console.error(error)
  else if (error.issues.length > 0) return c.json({ error: error.code, issues: error.issues }, 422)
  else return c.json({ error: error.code, message: error.remedy }, 503)
  return c.json({ error: 'INTERNAL' }, 500)
})

await keeper.resume()
const server = serve({ fetch: app.fetch, port: Number(PORT), hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
)

/** Takes no more, ends the streams, lets requests under way finish; who still talks after 5 s is cut off. */
const shutDown = () => {
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  server.close(() => {
    clearInterval(sweep)
    return keeper.close()
  })
  for (const events of streams) events.return()
  setTimeout(() => server.closeAllConnections(), 5_000).unref()
}
process.once('SIGTERM', shutDown).once('SIGINT', shutDown)
