import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type ChatOptions, type ChatUsage, chat, openai } from '../../src/agents/openai.ts'
import { renderTurn } from '../../src/agents/render.ts'
import { ColloquyError } from '../../src/errors.ts'
import { compiled } from './compiled.ts'
import {
  answer,
  broken,
  DONE,
  delta,
  type Endpoint,
  endpoint,
  event,
  type Reply,
  refusal,
  silence,
  stalled,
  streamed,
  usage,
} from './endpoint.ts'
import { quiet, turn } from './turn.ts'

const KEY = 'sk-test-Hush0123456789+/='
const ASK = [{ role: 'user', content: 'What is it?' }] as const

/** All that was printed. Watched from the start, for the package keeps the functions that it finds first. */
const printed: unknown[] = []
beforeAll(() => {
  for (const way of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, way).mockImplementation((...words) => printed.push(...words))
  }
})
afterAll(() => vi.restoreAllMocks())

let open: Endpoint[] = []
beforeEach(() => {
  vi.stubEnv('OPENAI_API_KEY', KEY)
  vi.stubEnv('OPENAI_BASE_URL', undefined)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  expect(printed.splice(0)).toEqual([])
  const served = open
  open = []
  // Whatever became of a request, its connection must not be left open.
  await vi
    .waitFor(() => expect(served.map((one) => one.running()).filter(Boolean)).toEqual([]))
    .finally(() => Promise.all(served.map((one) => one.close())))
})

const serve = async (...replies: readonly [Reply, ...Reply[]]): Promise<Endpoint> => {
  const one = await endpoint(...replies)
  open.push(one)
  return one
}

const asking = (one: Endpoint, options: Partial<ChatOptions> = {}) =>
  chat({ model: 'tune-1', baseURL: one.url, ...options })

const failureOf = async (promise: Promise<unknown>): Promise<ColloquyError> => {
  const thrown: unknown = await promise.then(
    (value) => new Error(`It should have failed; it gave ${inspect(value)}`),
    (reason: unknown) => reason,
  )
  if (thrown instanceof ColloquyError) return thrown
  throw thrown
}

/** All that a logger could print of an error. */
const allOf = (error: ColloquyError): string =>
  `${inspect(error, { depth: 20, showHidden: true })}${error.stack}${JSON.stringify(error)}`

/** Timers that keep node running. */
const timers = (): string[] => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout')

describe('an answer', () => {
  test("streamed, put together, with the endpoint's count", async () => {
    const one = await serve(answer('[hum] la là 🎵'))
    const agent = openai({
      model: 'tune-1',
      baseURL: one.url,
      system: 'Be brief',
      temperature: 0.5,
      maxTokens: 99,
      capabilities: ['sing'],
      turnTimeout: 5,
    })
    expect(await agent(turn(), quiet())).toEqual({ text: '[hum] la là 🎵', tokens: 15 })
    expect(one.requests).toMatchObject([
      {
        path: '/v1/chat/completions',
        authorization: `Bearer ${KEY}`,
        body: {
          model: 'tune-1',
          stream: true,
          stream_options: { include_usage: true },
          temperature: 0.5,
          max_tokens: 99,
          messages: [
            { role: 'system', content: 'Be brief' },
            { role: 'user', content: renderTurn(turn()) },
          ],
        },
      },
    ])
    expect(agent.capabilities).toEqual(['sing'])
    expect(agent.timeout).toBe(5)
  })

  test('own messages', async () => {
    const one = await serve(answer('la'))
    const agent = openai({
      model: 'm',
      baseURL: one.url,
      system: 'unused',
      prompt: ({ goal }) => [{ role: 'user', content: goal }],
    })
    await agent(turn(), quiet())
    expect(one.requests[0]?.body).toMatchObject({ messages: [{ role: 'user', content: 'Name the tune' }] })
    expect(one.requests[0]?.body).not.toHaveProperty('temperature')
    expect(one.requests[0]?.body).not.toHaveProperty('max_tokens')
  })

  test('JSON stays as it is', async () => {
    const one = await serve(answer('{"intent": "hum"}'))
    expect((await asking(one)(ASK)).text).toBe('{"intent": "hum"}')
  })

  test('without usage the cost is estimated over prompt and answer', async () => {
    const one = await serve(streamed(delta('la la'), delta('', 'stop'), DONE))
    const costs: ChatUsage[] = []
    const { tokens } = await asking(one, { onUsage: (cost) => costs.push(cost) })(ASK)
    expect(tokens).toBe(Math.ceil(('What is it?'.length + 'la la'.length) / 4))
    expect(costs).toEqual([
      {
        model: 'tune-1',
        promptTokens: 3,
        completionTokens: 1,
        totalTokens: 4,
        estimated: true,
        complete: true,
      },
    ])
  })

  test.each([
    ['negative', { prompt_tokens: -5, completion_tokens: 5, total_tokens: 0 }],
    ['no numbers', { prompt_tokens: 'many', completion_tokens: null }],
  ])('usage of %s is not believed', async (_, wrong) => {
    const one = await serve(streamed(delta('la', 'stop'), event({ choices: [], usage: wrong }), DONE))
    expect((await asking(one)(ASK)).tokens).toBe(4)
  })

  test('a stream that stays open after the answer does not hold it up', async () => {
    const one = await serve(stalled(delta('la', 'stop')))
    const start = performance.now()
    expect((await asking(one, { timeout: 300 })(ASK)).text).toBe('la')
    expect(performance.now() - start).toBeLessThan(1500)
  })

  test('a connection that breaks after the end of the answer takes nothing from it', async () => {
    const one = await serve(broken(delta('la', 'stop')))
    expect((await asking(one)(ASK)).text).toBe('la')
    expect(one.requests).toHaveLength(1)
  })

  test('what comes after the end of the answer is no part of it', async () => {
    const one = await serve(streamed(delta('la', 'stop'), delta(' and more', 'stop'), usage(1, 1), DONE))
    expect(await asking(one)(ASK)).toEqual({ text: 'la', tokens: 2 })
  })

  test('slow, but in time', async () => {
    const one = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const parts = [delta('l'), delta('a'), delta('!', 'stop'), usage(1, 1), DONE]
      const timer = setInterval(() => {
        const part = parts.shift()
        if (part !== undefined) response.write(part)
        else {
          clearInterval(timer)
          response.end()
        }
      }, 40)
    })
    expect(await asking(one, { timeout: 1000 })(ASK)).toEqual({ text: 'la!', tokens: 2 })
  })

  test('cut at the limit of tokens: prose is taken, JSON is not', async () => {
    const prose = await serve(streamed(delta('la la', 'length'), usage(1, 1), DONE))
    expect((await asking(prose)(ASK)).text).toBe('la la')
    const json = await serve(streamed(delta(' {"intent": "hu', 'length'), usage(1, 1), DONE))
    const error = await failureOf(asking(json, { maxTokens: 7 })(ASK))
    expect(error.code).toBe('ENDPOINT_FAILED')
    expect(error.message).toContain('maxTokens, 7')
    expect(json.requests).toHaveLength(1)
  })

  test('no text at all', async () => {
    const one = await serve(streamed(delta('', 'tool_calls'), DONE))
    const error = await failureOf(asking(one)(ASK))
    expect(error.code).toBe('AGENT_EMPTY')
    expect(error.message).toContain('tool_calls')
  })

  test('withheld by a filter', async () => {
    const one = await serve(streamed(delta('la'), delta('', 'content_filter'), DONE))
    expect((await failureOf(asking(one)(ASK))).message).toContain('content filter')
  })
})

describe('again and again', () => {
  test('429 with Retry-After: it waits that long, then has the answer', async () => {
    const one = await serve(refusal(429, { message: 'Slow down' }, { 'retry-after': '1' }), answer('la'))
    expect((await asking(one)(ASK)).text).toBe('la')
    const [first, second] = one.requests
    const waited = (second?.at ?? 0) - (first?.at ?? 0)
    expect(waited).toBeGreaterThanOrEqual(990)
    expect(waited).toBeLessThan(1400)
  })

  test('Retry-After as a date, and in ms', async () => {
    const date = new Date(Date.now() + 2000).toUTCString()
    const one = await serve(
      refusal(503, 'busy', { 'retry-after': date }),
      refusal(503, 'busy', { 'retry-after-ms': '30' }),
      answer('la'),
    )
    expect((await asking(one)(ASK)).text).toBe('la')
    const [first, second, third] = one.requests.map(({ at }) => at)
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(600)
    expect((third ?? 0) - (second ?? 0)).toBeLessThan(400)
  })

  test('who asks to wait longer than a request may take is given up', async () => {
    const one = await serve(refusal(429, { message: 'Come back tomorrow' }, { 'retry-after': '86400' }))
    const error = await failureOf(asking(one)(ASK))
    expect(error.message).toContain('asks to wait 86400 s')
    expect(one.requests).toHaveLength(1)
  })

  test('an empty purse is not asked again', async () => {
    const one = await serve(refusal(429, { message: 'You exceeded your quota', code: 'insufficient_quota' }))
    expect((await failureOf(asking(one)(ASK))).message).toContain('exceeded your quota')
    expect(one.requests).toHaveLength(1)
  })

  test("500s: pauses grow, then the endpoint's words", async () => {
    const one = await serve(refusal(500, { message: 'The pipes burst' }))
    const error = await failureOf(asking(one, { retries: 2 })(ASK))
    expect(error).toMatchObject({ code: 'ENDPOINT_FAILED' })
    expect(error.message).toBe(
      `The chat endpoint ${new URL(one.url).origin} refused with status 500: The pipes burst (3 requests)`,
    )
    const [first = 0, second = 0, third = 0] = one.requests.map(({ at }) => at)
    expect(one.requests).toHaveLength(3)
    expect(second - first).toBeGreaterThan(370)
    expect(third - second).toBeGreaterThan(740)
  })

  const SOON = { 'retry-after': '0' }

  test('a broken stream is asked again, and its half is not in the answer', async () => {
    const one = await serve(broken(delta('half a tu')), answer('whole'))
    const costs: ChatUsage[] = []
    expect(await asking(one, { onUsage: (cost) => costs.push(cost) })(ASK)).toEqual({
      text: 'whole',
      tokens: 15 + 5,
    })
    expect(costs).toMatchObject([
      { complete: false, estimated: true, totalTokens: 5 },
      { complete: true, estimated: false, totalTokens: 15 },
    ])
  })

  test.each<[string, Reply, RegExp]>([
    ['broken in the middle', broken(delta('half')), /broke off/],
    ['broken before the first part', broken(), /broke off/],
    ['ended early, in order', streamed(delta('half')), /broke off/],
    ['ended early, said to be done', streamed(delta('half'), DONE), /broke off/],
    ['of broken JSON', streamed(delta('half'), 'data: {"choices": [{"del\n\n'), /no valid JSON/],
    ['of no events', streamed('<html>Welcome to the proxy</html>'), /broke off/],
    ['of an error', streamed(delta('half'), event({ error: { message: 'GPU on fire' } })), /GPU on fire/],
    ['finished with an error', streamed(delta('half', 'error'), DONE), /with an error/],
    [
      'that is one JSON object',
      refusal(200, '{"choices":[{"message":{"content":"la"}}]}'),
      /does not stream/,
    ],
    ['that never comes', silence, /within 200 ms/],
    ['that stalls', stalled(delta('half')), /within 200 ms/],
  ])('a stream %s: asked again, never half an answer', async (_, reply, message) => {
    const one = await serve(reply)
    const error = await failureOf(asking(one, { retries: 1, timeout: 200 })(ASK))
    expect(error.code).toBe('ENDPOINT_FAILED')
    expect(error.message).toMatch(message)
    expect(one.requests).toHaveLength(2)
    expect((await asking(await serve(reply, answer('la')), { timeout: 200 })(ASK)).text).toBe('la')
  })

  test('a stream without end is ended in time', async () => {
    let timer: NodeJS.Timeout | undefined
    const one = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      timer = setInterval(() => response.write(delta('la ')), 10)
      response.on('close', () => clearInterval(timer))
    })
    const start = performance.now()
    expect((await failureOf(asking(one, { retries: 0, timeout: 300 })(ASK))).message).toContain(
      'within 300 ms',
    )
    expect(performance.now() - start).toBeLessThan(800)
  })

  test.each([
    ['of many events', delta('la'.repeat(20_000))],
    ['of one line', 'la'.repeat(20_000)],
  ])('a flood %s does not fill the memory', async (_, part) => {
    const one = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(part.startsWith('data') ? '' : 'data: ')
      const pour = (): void => {
        while (!response.destroyed && response.write(part)) {}
      }
      response.on('drain', pour)
      pour()
    })
    const error = await failureOf(asking(one, { timeout: 20_000 })(ASK))
    expect(error.message).toMatch(/sent too much/)
    expect(one.requests).toHaveLength(1)
  })

  test('nobody there', async () => {
    const one = await serve(answer('la'))
    await one.close()
    open = []
    const error = await failureOf(asking(one, { retries: 1 })(ASK))
    expect(error.code).toBe('ENDPOINT_FAILED')
    expect(error.message).toMatch(/ECONNREFUSED.*\(2 requests\)/)
  })

  test.each([400, 401, 403, 404, 422])('%d is not asked again', async (status) => {
    const one = await serve(refusal(status, { message: 'The model `tune-1` does not exist' }))
    const error = await failureOf(asking(one)(ASK))
    expect(error.message).toContain(`status ${status}: The model \`tune-1\` does not exist`)
    expect(one.requests).toHaveLength(1)
    if (status === 404) expect(error.remedy).toContain('"tune-1"')
    if (status === 401) expect(error.remedy).toContain('OPENAI_API_KEY')
  })

  test('what the endpoint does not know is left out', async () => {
    const one = await serve(
      refusal(400, { message: 'Unrecognized request argument supplied: stream_options' }),
      refusal(400, { message: "Use 'max_completion_tokens' instead of 'max_tokens'" }),
      answer('la'),
    )
    const send = asking(one, { maxTokens: 9, retries: 0 })
    expect((await send(ASK)).text).toBe('la')
    expect((await send(ASK)).text).toBe('la')
    expect(one.requests).toHaveLength(4)
    for (const { body } of one.requests.slice(2)) {
      expect(body).not.toHaveProperty('stream_options')
      expect(body).not.toHaveProperty('max_tokens')
      expect(body).toHaveProperty('max_completion_tokens', 9)
    }
  })

  test("the endpoint's words are bounded and on one line", async () => {
    const one = await serve(refusal(500, `\u001b[31m${'long\n'.repeat(100_000)}`, SOON))
    const { message } = await failureOf(asking(one, { retries: 0 })(ASK))
    expect(message.length).toBeLessThan(700)
    expect(message).not.toMatch(/\p{Cc}/u)
  })
})

describe('abort', () => {
  const DROP = new Error('moved on')
  const aborted = async (one: Endpoint, after: () => Promise<unknown>): Promise<number> => {
    const controller = new AbortController()
    const outcome = asking(one)(ASK, controller.signal).then(
      () => 'answered',
      (reason: unknown) => reason,
    )
    await after()
    const start = performance.now()
    controller.abort(DROP)
    expect(await outcome).toBe(DROP)
    return performance.now() - start
  }
  const asked = (one: Endpoint) => () => vi.waitFor(() => expect(one.requests).toHaveLength(1))

  test.each<[string, Reply]>([
    ['before the first byte', silence],
    ['in the middle', stalled(delta('half'))],
    ['in a pause', refusal(429, 'busy', { 'retry-after': '30' })],
    ['while it waits for usage', stalled(delta('la', 'stop'))],
  ])('%s stops at once and closes the connection', async (_, reply) => {
    const one = await serve(reply)
    const took = await aborted(one, async () => {
      await asked(one)()
      await new Promise((resolve) => setTimeout(resolve, 50))
    })
    expect(took).toBeLessThan(100)
    await vi.waitFor(() => expect(one.running()).toBe(0))
  })

  test('before anything: nothing is sent', async () => {
    const one = await serve(answer('la'))
    await expect(asking(one)(ASK, AbortSignal.abort(DROP))).rejects.toBe(DROP)
    expect(one.requests).toEqual([])
  })

  test('no timer is left, whatever became of it', async () => {
    const before = timers().length
    await asking(await serve(answer('la')))(ASK)
    await failureOf(asking(await serve(refusal(400, 'no')))(ASK))
    await aborted(await serve(silence), async () => {})
    await vi.waitFor(() => expect(timers().length).toBeLessThanOrEqual(before))
  })
})

describe('the key', () => {
  test.each<[string, Reply]>([
    [
      'in a message',
      refusal(401, { message: `Incorrect API key provided: ${KEY}. Get another.`, code: KEY, param: KEY }),
    ],
    ['in plain text', refusal(403, `Forbidden for Bearer ${KEY}`)],
    ['in parts', refusal(401, { message: `Incorrect API key ${KEY.slice(0, 15)}` })],
    ['broken by a control character', refusal(401, `Key ${KEY.slice(0, 5)}\u0007${KEY.slice(5)}`)],
    ['at the cut', refusal(400, `${'x'.repeat(490)} ${KEY}`)],
    ['in a header', refusal(500, 'no', { 'x-request-id': KEY, 'retry-after': '0' })],
    ['in the stream', streamed(event({ error: { message: `No ${KEY}` } }))],
    ['in broken JSON', streamed(`data: {"${KEY}\n\n`)],
    ['in the finish reason', streamed(delta('', KEY), DONE)],
  ])('echoed %s, it is in no error and on no screen', async (_, reply) => {
    vi.stubEnv('OPENAI_LOG', 'debug')
    const error = await failureOf(asking(await serve(reply), { retries: 1 })(ASK))
    const all = allOf(error) + inspect(printed)
    expect(all).not.toContain(KEY)
    expect(all).not.toContain(KEY.slice(0, 12))
  })

  test('echoed in the answer, it is masked', async () => {
    const one = await serve(answer(`My key is ${KEY}.`))
    expect((await asking(one)(ASK)).text).toBe('My key is ***.')
  })

  test('missing: the variable is named, before anything is asked', () => {
    vi.stubEnv('MY_KEY', '')
    expect(() => openai({ model: 'm', baseURL: 'http://example.test', apiKeyEnv: 'MY_KEY' })).toThrow(
      expect.objectContaining({ code: 'ENDPOINT_INVALID', message: expect.stringContaining('MY_KEY') }),
    )
    vi.stubEnv('OPENAI_API_KEY', undefined)
    expect(() => chat({ model: 'm' })).toThrow(/OPENAI_API_KEY/)
  })

  test('with white space in it: refused, and not quoted', () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-hush\nX-Other: 1')
    expect(() => chat({ model: 'm' })).toThrow(/^The environment variable OPENAI_API_KEY holds [^\n]*$/)
    try {
      chat({ model: 'm' })
    } catch (error) {
      expect(inspect(error)).not.toContain('hush')
    }
  })

  test('none is needed on loopback, and none is sent', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined)
    vi.stubEnv('OPENAI_ADMIN_KEY', 'admin-hush')
    const one = await serve(answer('la'))
    await asking(one)(ASK)
    expect(one.requests[0]?.authorization).toBeUndefined()
  })

  test('another variable; or none by will', async () => {
    vi.stubEnv('MY_KEY', '  other-key-1234\n')
    const one = await serve(answer('la'))
    await asking(one, { apiKeyEnv: 'MY_KEY' })(ASK)
    await asking(one, { apiKeyEnv: null })(ASK)
    expect(one.requests.map(({ authorization }) => authorization)).toEqual([
      'Bearer other-key-1234',
      undefined,
    ])
  })

  test('the address may come from the environment', async () => {
    const one = await serve(answer('la'))
    vi.stubEnv('OPENAI_BASE_URL', `${one.url}/`)
    await chat({ model: 'm' })(ASK)
    expect(one.requests[0]?.path).toBe('/v1/chat/completions')
  })

  test.each(['example.test/v1', 'ftp://example.test', 'file:///etc/passwd', 'http://me:hush@example.test'])(
    '%s is no address',
    (address) => {
      expect(() => chat({ model: 'm', baseURL: address })).toThrow(/^The option baseURL/)
      vi.stubEnv('OPENAI_BASE_URL', address)
      expect(() => chat({ model: 'm' })).toThrow(
        expect.objectContaining({ code: 'ENDPOINT_INVALID', message: expect.not.stringContaining('hush') }),
      )
      expect(() => chat({ model: 'm' })).toThrow(/OPENAI_BASE_URL/)
    },
  )
})

test('without the package openai: its name, and how to install it', () => {
  const dir = mkdtempSync(join(tmpdir(), 'colloquy-openai-'))
  try {
    const module = compiled('openai', dir)
    const file = join(dir, 'main.js')
    writeFileSync(
      file,
      `import { chat } from ${JSON.stringify(module)}
       const send = chat({ model: 'm', baseURL: 'http://127.0.0.1:9' })
       send([]).catch(({ code, message, remedy }) => console.log(JSON.stringify({ code, message, remedy })))`,
    )
    const { stdout, status } = spawnSync(process.execPath, [file], { encoding: 'utf8' })
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      code: 'DEPENDENCY_MISSING',
      message: expect.stringContaining('"openai"'),
      remedy: 'Run: npm install openai',
    })
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})
