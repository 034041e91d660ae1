/**
 * Conversations over HTTP. Settings in the environment: PORT (default 3000; 0: any), DATA (the journal's folder).
 * Who may speak as whom is for your authentication to say: set `from` and `tokens` of a message by it.
 */
import { serve } from '@hono/node-server'
import { ColloquyError, createHost, jsonlJournal } from 'colloquy'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { HTTPException } from 'hono/http-exception'
import { streamSSE } from 'hono/streaming'

const { PORT = '3000', DATA = '.colloquy' } = process.env
const BODY_LIMIT = 64 * 1024
const HEARTBEAT = 15_000
const STATUS = { CONVERSATION_UNKNOWN: 404, CONVERSATION_EXISTS: 409, HOST_BUSY: 429 }

const journal = jsonlJournal(DATA)
/** What goes wrong behind the requests; what goes wrong in one, its answer says. */
const complain = ({ type, conversation, text, error }) => {
  if (type === 'warning') console.error(text)
  if (type === 'failed') console.error(`${conversation ?? 'The host'}: ${error.message}`)
}
const host = await createHost({ journal, observers: [{ happened: complain }] })
/** What is being followed; ended on shutdown. */
const streams = new Set()

const bodyOf = async (c) => {
  const body = await c.req.json().catch(() => null)
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  throw new HTTPException(400, { message: 'The body must be a JSON object' })
}

const viewOf = async (id) => {
  const view = await host.show(id)
  if (view !== null) return view
  throw new HTTPException(404, { message: 'There is no such conversation' })
}

/** What was decided. Sent again, a message is answered `duplicate` and changes nothing. */
const answer = async (c, id, decision) => {
  const { state, outcome } = await viewOf(id)
  const status = decision.reason === 'invalid' ? 422 : decision.effect === 'rejected' ? 409 : 200
  return c.json({ ...decision, state, outcome }, status)
}

const app = new Hono()
app.use(
  bodyLimit({ maxSize: BODY_LIMIT, onError: (c) => c.json({ error: `At most ${BODY_LIMIT} bytes` }, 413) }),
)

app.post('/conversations', async (c) => {
  const { id, goal, members, lead, policy } = await bodyOf(c)
  const view = await host.open({ id, goal, members, lead, policy })
  return c.json(view, 201, { Location: `/conversations/${view.id}` })
})

app.get('/conversations/:id', async (c) => c.json(await viewOf(c.req.param('id'))))

app.post('/conversations/:id/messages', async (c) => {
  const id = c.req.param('id')
  return answer(c, id, await host.send(id, await bodyOf(c)))
})

app.delete('/conversations/:id', async (c) => {
  const id = c.req.param('id')
  return answer(c, id, await host.cancel(id))
})

/** Server-sent events without a gap: a client that comes back says by Last-Event-ID how far it got. */
app.get('/conversations/:id/events', async (c) => {
  const { id, seq, outcome } = await viewOf(c.req.param('id'))
  const last = c.req.header('Last-Event-ID') ?? ''
  const after = /^\d{1,15}$/.test(last) ? Number(last) : -1
  // All was heard: 204 tells an EventSource to stop coming back.
  if (outcome !== null && after >= seq) return c.body(null, 204)
  return streamSSE(c, async (stream) => {
    const leaving = new AbortController()
    const heartbeat = setInterval(() => stream.write(': still here\n\n'), HEARTBEAT)
    stream.onAbort(() => leaving.abort())
    streams.add(leaving)
    try {
      for await (const event of host.follow(id, { after, signal: leaving.signal }))
        await stream.writeSSE({ id: String(event.seq), data: JSON.stringify(event) })
    } finally {
      clearInterval(heartbeat)
      streams.delete(leaving)
    }
  })
})

app.notFound((c) => c.json({ error: 'There is nothing here' }, 404))
app.onError((error, c) => {
  if (error instanceof HTTPException) return c.json({ error: error.message }, error.status)
  if (!(error instanceof ColloquyError)) console.error(error)
  else if (error.issues.length > 0) return c.json({ error: error.code, issues: error.issues }, 422)
  else return c.json({ error: error.code, message: error.remedy }, STATUS[error.code] ?? 503)
  return c.json({ error: 'INTERNAL' }, 500)
})

const server = serve({ fetch: app.fetch, port: Number(PORT), hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
)

/** Takes no more, ends the streams, lets requests under way finish; who still talks after 5 s is cut off. */
const shutDown = () => {
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  server.close(async () => {
    clearInterval(sweep)
    await host.close()
    await journal.close()
  })
  for (const leaving of streams) leaving.abort()
  setTimeout(() => server.closeAllConnections(), 5_000).unref()
}
process.once('SIGTERM', shutDown).once('SIGINT', shutDown)
