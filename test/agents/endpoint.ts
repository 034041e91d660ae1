/** A chat endpoint for tests: each request gets the next of the replies given, the last one again and again. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Request {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: object
  readonly at: number
}

export type Reply = (response: ServerResponse, request: IncomingMessage) => void

export interface Endpoint {
  readonly url: string
  readonly requests: Request[]
  /** Requests whose reply neither ended nor lost its connection. */
  running(): number
  close(): Promise<void>
}

export const endpoint = async (...replies: readonly [Reply, ...Reply[]]): Promise<Endpoint> => {
  const requests: Request[] = []
  let running = 0
  const server = createServer((request, response) => {
    running++
    response.on('close', () => running--)
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const at = Math.min(requests.length, replies.length - 1)
      const { authorization } = request.headers
      requests.push({ path: request.url ?? '', authorization, body: JSON.parse(body), at: performance.now() })
      replies[at]?.(response, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    running: () => running,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`

export const delta = (content: string, finish_reason: string | null = null): string =>
  event({
    id: 'x',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { content }, finish_reason }],
  })

export const usage = (prompt_tokens: number, completion_tokens: number): string =>
  event({
    choices: [],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  })

export const DONE = 'data: [DONE]\n\n'

const startStream = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
}

/** A stream of the parts given, then its end. */
export const streamed =
  (...parts: readonly string[]): Reply =>
  (response) => {
    startStream(response)
    response.end(parts.join(''))
  }

/** A whole answer with its usage. */
export const answer = (text: string): Reply =>
  streamed(...[...text].map((letter) => delta(letter)), delta('', 'stop'), usage(10, 5), DONE)

/** Parts, then a broken connection. */
export const broken =
  (...parts: readonly string[]): Reply =>
  (response) => {
    startStream(response)
    response.write(parts.join('') || ':\n\n', () => setTimeout(() => response.destroy(), 20))
  }

/** Parts, then nothing more, for ever. */
export const stalled =
  (...parts: readonly string[]): Reply =>
  (response) => {
    startStream(response)
    response.write(parts.join('') || ':\n\n')
  }

export const refusal =
  (status: number, error: unknown, headers: Readonly<Record<string, string>> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof error === 'string' ? error : JSON.stringify({ error }))
  }

/** No reply at all. */
export const silence: Reply = () => {}
