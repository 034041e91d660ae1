/** An agent of a language model behind any OpenAI-compatible chat endpoint. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenAI } from 'openai'
import { ColloquyError, messageOf } from '../errors.ts'
import type { Agent, Turn } from './agent.ts'
import { oneLine, renderTurn } from './render.ts'
import { untilAborted } from './wait.ts'

/** One message to the model. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** What one request cost, the failed ones that had begun to answer included. */
export interface ChatUsage {
  readonly model: string
  readonly promptTokens: number
  readonly completionTokens: number
  readonly totalTokens: number
  /** True when the endpoint did not say, and the numbers are characters / 4, rounded up. */
  readonly estimated: boolean
  /** False when the answer broke off, and the request was repeated or given up. */
  readonly complete: boolean
}

export interface ChatOptions {
  /** The model's name at the endpoint. */
  readonly model: string
  /** Address up to and without `/chat/completions`. Default: `OPENAI_BASE_URL`, else the package's own default. */
  readonly baseURL?: string
  /** The environment variable that holds the key; null: send none. Default: `OPENAI_API_KEY`. */
  readonly apiKeyEnv?: string | null
  readonly temperature?: number
  /** Most tokens of an answer. */
  readonly maxTokens?: number
  /** ms for one request, from sending it to the end of its answer, so that no stream idles or runs for ever. Default: 60000. */
  readonly timeout?: number
  /** How often a failed request is repeated. Default: 3. */
  readonly retries?: number
  /** Called after each request that was answered, wholly or in part. */
  readonly onUsage?: (usage: ChatUsage) => void
}

export interface OpenAIOptions extends ChatOptions {
  /** A system message before the turn. */
  readonly system?: string
  /** Makes the messages of a turn, in place of `system` and the text of `renderTurn`. */
  readonly prompt?: (turn: Turn<unknown>) => readonly ChatMessage[]
  /** What the agent can do, matched with what a piece of work requires. */
  readonly capabilities?: readonly string[]
  /** Limit for one turn in ms, all requests and pauses included; null: only the state's deadline. Default: the group's. */
  readonly turnTimeout?: number | null
}

/** Sends messages, resolves to the answer and what it cost. */
export type Chat = (
  messages: readonly ChatMessage[],
  signal?: AbortSignal,
) => Promise<{ text: string; tokens: number }>

const KEY_ENV = 'OPENAI_API_KEY'
const URL_ENV = 'OPENAI_BASE_URL'
/** Most bytes of one response: no answer is longer, and no endpoint may fill the memory. */
const RESPONSE_LIMIT = 16 << 20
/** Most bytes without a blank line, that is of one event: the package reads such again and again. */
const EVENT_LIMIT = 4 << 20
/** Most characters of the endpoint's own words in an error. */
const QUOTE_LIMIT = 500
/** ms that a finished answer waits for its usage. */
const USAGE_WAIT = 2000
const FIRST_PAUSE = 500
const LONGEST_PAUSE = 8000

// --- Configuration ---

const invalid = (message: string, remedy?: string): ColloquyError =>
  new ColloquyError('ENDPOINT_INVALID', message, remedy === undefined ? {} : { remedy })

const readURL = (given: string | undefined): URL | null => {
  const text = given ?? (process.env[URL_ENV]?.trim() || undefined)
  if (text === undefined) return null
  const source = given === undefined ? `The environment variable ${URL_ENV}` : 'The option baseURL'
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw invalid(`${source} is not an http or https address`)
  if (url.username !== '' || url.password !== '') {
    throw invalid(
      `${source} must not hold a user name or password`,
      'Put the key into its environment variable.',
    )
  }
  return url
}

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  /^127\./.test(hostname) ||
  hostname === '[::1]'

const readKey = (name: string | null, url: URL | null): string | null => {
  if (name === null) return null
  const key = process.env[name]?.trim() ?? ''
  if (key === '') {
    if (url !== null && isLoopback(url)) return null
    throw invalid(
      `The endpoint's key is missing: the environment variable ${name} is not set`,
      `Set ${name}, or name another variable as apiKeyEnv; null sends no key.`,
    )
  }
  // A header cannot hold other characters, and the error of whoever tries would quote the key.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw invalid(
      `The environment variable ${name} holds white space or other characters that a key cannot have`,
    )
  }
  return key
}

/** Takes the key out of a text. What is shorter than 4 characters is no secret, only a placeholder. */
const masking =
  (key: string | null) =>
  (text: string): string =>
    key === null || key.length < 4 ? text : text.replaceAll(key, '***')

/** Takes out whatever begins as the key does, for an endpoint may quote only a part; too eager for answers. */
const maskingParts = (key: string | null) => {
  const mask = masking(key)
  if (key === null || key.length < 12) return mask
  const start = key.slice(0, 8).replace(/\W/g, '\\$&')
  const begun = new RegExp(`${start}[\\w.~+/=*-]*`, 'g')
  return (text: string): string => mask(text).replace(begun, '***')
}

const load = async (): Promise<typeof OpenAI> => {
  try {
    return (await import('openai')).OpenAI
  } catch (cause) {
    throw new ColloquyError(
      'DEPENDENCY_MISSING',
      'A chat endpoint needs the package "openai", which could not be loaded',
      {
        cause,
        remedy: 'Run: npm install openai',
      },
    )
  }
}

/** The platform's fetch with an end to every response. */
const boundedFetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const response = await fetch(input, init)
  if (response.body === null) return response
  let size = 0
  let event = 0
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.length
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
      const blank = Math.max(bytes.lastIndexOf('\n\n'), bytes.lastIndexOf('\r\n\r\n'))
      event = blank === -1 ? event + chunk.length : chunk.length - blank
      if (size > RESPONSE_LIMIT || event > EVENT_LIMIT) controller.error(new TooLong())
      else controller.enqueue(chunk)
    },
  })
  return new Response(response.body.pipeThrough(count), response)
}

class TooLong extends Error {
  override readonly name = 'TooLong'
}

// --- One request ---

interface Settings {
  readonly client: OpenAI
  readonly options: ChatOptions
  readonly timeout: number
  /** What this endpoint turned out not to know. */
  readonly quirks: { streamOptions: boolean; completionTokens: boolean }
}

/** A failed request: what to say of it, and whether another may do better. */
class Failure extends Error {
  readonly status: number | null
  readonly retry: boolean
  /** ms that the endpoint asks to wait. */
  readonly wait: number | null
  readonly code: 'ENDPOINT_FAILED' | 'AGENT_EMPTY' = 'ENDPOINT_FAILED'

  constructor(message: string, retry: boolean, status: number | null = null, wait: number | null = null) {
    super(message)
    this.status = status
    this.retry = retry
    this.wait = wait
  }
}

class Empty extends Failure {
  override readonly code = 'AGENT_EMPTY'
}

const retryAfter = (headers: Headers): number | null => {
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '')
  if (ms >= 0) return ms
  const text = headers.get('retry-after')?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now())
}

const isRetried = (status: number, code: unknown): boolean =>
  (status === 408 || status === 409 || status === 429 || status >= 500) && code !== 'insufficient_quota'

/** The innermost cause's words: fetch says no more than "fetch failed" itself. */
const causeOf = (thrown: unknown): string => {
  let innermost = thrown
  for (let depth = 0; depth < 5 && innermost instanceof Error && innermost.cause instanceof Error; depth++) {
    innermost = innermost.cause
  }
  return messageOf(innermost)
}

const has = <Name extends string>(value: unknown, name: Name): value is Record<Name, unknown> =>
  typeof value === 'object' && value !== null && name in value

const failureOf = (thrown: unknown, timeout: number, isLate: boolean): Failure => {
  if (thrown instanceof Failure) return thrown
  if (isLate) return new Failure(`did not finish its answer within ${timeout} ms`, true)
  if (thrown instanceof TooLong)
    return new Failure(`sent too much: over ${RESPONSE_LIMIT} bytes, or ${EVENT_LIMIT} in one event`, false)
  if (thrown instanceof SyntaxError) return new Failure('sent a stream that is no valid JSON', true)
  const status = has(thrown, 'status') && typeof thrown.status === 'number' ? thrown.status : null
  if (status !== null) {
    const code = has(thrown, 'code') ? thrown.code : null
    const wait =
      has(thrown, 'headers') && thrown.headers instanceof Headers ? retryAfter(thrown.headers) : null
    const words = messageOf(thrown).replace(/^\d{3} /, '')
    return new Failure(`refused with status ${status}: ${words}`, isRetried(status, code), status, wait)
  }
  return new Failure(`could not be reached or broke off: ${causeOf(thrown)}`, true)
}

const estimated = (text: string): number => Math.ceil(text.length / 4)

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0

const usageOf = (
  { options }: Settings,
  prompt: string,
  text: string,
  said: OpenAI.CompletionUsage | null,
  complete: boolean,
): ChatUsage => {
  const { model } = options
  if (said !== null && isCount(said.prompt_tokens) && isCount(said.completion_tokens)) {
    const sum = said.prompt_tokens + said.completion_tokens
    return {
      model,
      promptTokens: said.prompt_tokens,
      completionTokens: said.completion_tokens,
      totalTokens: isCount(said.total_tokens) ? said.total_tokens : sum,
      estimated: false,
      complete,
    }
  }
  const promptTokens = estimated(prompt)
  const totalTokens = estimated(prompt + text)
  return {
    model,
    promptTokens,
    completionTokens: totalTokens - promptTokens,
    totalTokens,
    estimated: true,
    complete,
  }
}

const bodyOf = ({ options, quirks }: Settings, messages: readonly ChatMessage[]) => ({
  model: options.model,
  messages: messages.map(({ role, content }) => ({ role, content })),
  stream: true as const,
  ...(quirks.streamOptions ? { stream_options: { include_usage: true } } : {}),
  ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
  ...(options.maxTokens === undefined
    ? {}
    : { [quirks.completionTokens ? 'max_completion_tokens' : 'max_tokens']: options.maxTokens }),
})

/** What has arrived of an answer. */
interface Arrived {
  text: string
  /** Why the answer ended; null until it did. */
  finished: string | null
  usage: OpenAI.CompletionUsage | null
}

/** One request. Resolves to the whole answer; `spent` hears what it cost, also when it broke off. */
const request = async (
  settings: Settings,
  messages: readonly ChatMessage[],
  signal: AbortSignal,
  spent: (usage: ChatUsage) => void,
): Promise<string> => {
  signal.throwIfAborted()
  const prompt = messages.map(({ content }) => content).join('\n')
  const arrived: Arrived = { text: '', finished: null, usage: null }
  const over = new AbortController()
  let isLate = false
  const late = (): void => {
    isLate = true
    over.abort()
  }
  let timer = setTimeout(late, settings.timeout)
  const abort = (): void => over.abort()
  signal.addEventListener('abort', abort, { once: true })

  const read = async (): Promise<void> => {
    const { completions } = settings.client.chat
    const stream = await completions.create(bodyOf(settings, messages), { signal: over.signal })
    for await (const chunk of stream) {
      arrived.usage = chunk.usage ?? arrived.usage
      if (arrived.finished !== null) continue
      const choice = chunk.choices?.[0]
      arrived.text += choice?.delta?.content ?? choice?.delta?.refusal ?? ''
      if (!choice?.finish_reason) continue
      arrived.finished = choice.finish_reason
      clearTimeout(timer)
      timer = setTimeout(late, Math.min(USAGE_WAIT, settings.timeout))
    }
  }
  try {
    // Aborting ends the stream quietly; and should the library not heed it, the turn is over all the same.
    await untilAborted(read(), over.signal)
  } catch (thrown) {
    signal.throwIfAborted()
    // A finished answer is whole, whatever became of its usage.
    if (arrived.finished === null) throw failureOf(thrown, settings.timeout, isLate)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    const { text, usage, finished } = arrived
    if (text !== '' || usage !== null) spent(usageOf(settings, prompt, text, usage, finished !== null))
  }
  signal.throwIfAborted()
  const { text, finished } = arrived
  if (finished === null) throw new Failure('broke off its answer, or does not stream', true)
  return whole(text, finished, settings.options)
}

/** The text, unless its end says that it is not all of it. */
const whole = (text: string, finished: string, { maxTokens }: ChatOptions): string => {
  if (finished === 'error') throw new Failure('broke off its answer with an error', true)
  if (finished === 'content_filter')
    throw new Failure('withheld its answer: its content filter stopped it', false)
  if (finished === 'length' && text.trimStart().startsWith('{')) {
    const limit = maxTokens === undefined ? "the endpoint's limit" : `maxTokens, ${maxTokens}`
    throw new Failure(`cut its JSON answer at the limit of tokens (${limit})`, false)
  }
  if (text.trim() === '') {
    throw new Empty(`answered no text (finish reason: ${finished})`, false)
  }
  return text
}

// --- Requests until one does ---

const pauseAfter = (attempt: number, wait: number | null): number =>
  wait ?? Math.min(FIRST_PAUSE * 2 ** attempt, LONGEST_PAUSE) * (1 - Math.random() / 4)

/** Leaves out what the endpoint says it does not know; says whether there was such a thing. */
const learn = (quirks: Settings['quirks'], { status, message }: Failure): boolean => {
  if (status !== 400 && status !== 422) return false
  if (quirks.streamOptions && /stream_options|include_usage/.test(message)) {
    quirks.streamOptions = false
    return true
  }
  if (!quirks.completionTokens && message.includes('max_completion_tokens')) {
    quirks.completionTokens = true
    return true
  }
  return false
}

/**
 * Makes a function that sends messages to an OpenAI-compatible chat endpoint and resolves to its whole answer: what
 * `openai()` is built on, for prompts of your own.
 *
 * Answers are streamed. A request is repeated, after a pause, when the endpoint refuses with 408, 409, 429 or 5xx, cannot
 * be reached, takes longer than `timeout`, or breaks off its answer; never is half an answer returned. The pause is
 * what `Retry-After` asks, else 0.5 s, doubled each time up to 8 s, less up to a quarter by chance. An endpoint that
 * asks for more than `timeout` is given up at once. An answer cut at the limit of tokens is returned when it is
 * prose, and fails when it is JSON. Aborting stops at once, also in a pause.
 *
 * `tokens` is the endpoint's own count of prompt and answer; where it sends none, characters / 4 over both, rounded
 * up. Broken answers before the whole one are counted too, by the same estimate.
 *
 * The key is read from the environment when this function is called, sent to the endpoint as a bearer token, and
 * masked in all that comes back, answers included. An endpoint on loopback may do without.
 * Plain http to another host sends the key unencrypted.
 *
 * @throws ColloquyError `ENDPOINT_INVALID` when the key is missing or the address is none; it names the variable.
 * @returns A function that rejects with `ENDPOINT_FAILED` (status and the endpoint's words, bounded),
 *   `DEPENDENCY_MISSING` without the package `openai`, `AGENT_EMPTY` when the model says nothing, and with
 *   `signal.reason` on abort.
 */
export function chat(options: ChatOptions): Chat {
  const url = readURL(options.baseURL)
  const key = readKey(options.apiKeyEnv === undefined ? KEY_ENV : options.apiKeyEnv, url)
  const mask = masking(key)
  const maskParts = maskingParts(key)
  const { retries = 3, timeout = 60_000 } = options
  const quirks = { streamOptions: true, completionTokens: false }
  let client: Promise<OpenAI> | undefined

  const connect = async (): Promise<OpenAI> => {
    const Client = await load()
    return new Client({
      ...(url === null ? {} : { baseURL: url.href.replace(/\/$/, '') }),
      apiKey: key ?? 'none',
      adminAPIKey: null,
      ...(key === null ? { defaultHeaders: { Authorization: null } } : {}),
      maxRetries: 0,
      timeout,
      // The package would print malformed chunks.
      logLevel: 'off',
      fetch: boundedFetch,
    })
  }
  const where = url === null ? 'The chat endpoint' : `The chat endpoint ${url.origin}`
  const given = ({ message, status, code }: Failure, attempts: number): ColloquyError => {
    const words = maskParts(oneLine(message))
    const cut = words.length > QUOTE_LIMIT ? `${words.slice(0, QUOTE_LIMIT)}…` : words
    const times = attempts > 1 ? ` (${attempts} requests)` : ''
    return new ColloquyError(code, `${where} ${cut}${times}`, remedyFor(status, options))
  }

  return async (messages, signal = new AbortController().signal) => {
    signal.throwIfAborted()
    client ??= connect()
    const settings: Settings = { client: await client, options, timeout, quirks }
    let tokens = 0
    const spent = (usage: ChatUsage): void => {
      tokens += usage.totalTokens
      options.onUsage?.(usage)
    }
    for (let attempt = 0; ; attempt++) {
      try {
        const text = await request(settings, messages, signal, spent)
        return { text: mask(text), tokens }
      } catch (thrown) {
        if (!(thrown instanceof Failure)) throw thrown
        if (learn(quirks, thrown)) {
          attempt--
          continue
        }
        const { wait } = thrown
        if (!thrown.retry || attempt >= retries) throw given(thrown, attempt + 1)
        if (wait !== null && wait > timeout) {
          const message = `${thrown.message}; it asks to wait ${Math.ceil(wait / 1000)} s`
          throw given(new Failure(message, false, thrown.status), attempt + 1)
        }
        await sleep(pauseAfter(attempt, wait), undefined, { signal }).catch(() => signal.throwIfAborted())
      }
    }
  }
}

const remedyFor = (status: number | null, { model, apiKeyEnv }: ChatOptions): { remedy?: string } => {
  if (status === 401 || status === 403) return { remedy: `Check the key in ${apiKeyEnv ?? KEY_ENV}.` }
  if (status === 404) return { remedy: `Check the address and that the endpoint has the model "${model}".` }
  if (status === 429) return { remedy: 'Wait, or ask the endpoint for a higher rate.' }
  return {}
}

/**
 * Makes an agent of a language model behind any OpenAI-compatible chat endpoint, by the package `openai` (an optional
 * peer dependency, loaded at the first turn). The model gets the text of `renderTurn` as a user message, after
 * `system` where given; or what `prompt` makes. Its answer is plain text with its cost; a JSON object in it is left
 * for the tagger. See {@link chat} for retries, limits, costs and the key.
 *
 * `timeout` bounds one request; a turn may take several with pauses between them, bounded by `turnTimeout`.
 *
 * @throws ColloquyError `ENDPOINT_INVALID` when the key is missing or the address is none; it names the variable.
 */
export function openai(options: OpenAIOptions): Agent<unknown> {
  const send = chat(options)
  const { system, prompt, capabilities, turnTimeout } = options
  const agent: Agent<unknown> = (turn, signal) => {
    const start: ChatMessage[] = system === undefined ? [] : [{ role: 'system', content: system }]
    const messages = prompt?.(turn) ?? [...start, { role: 'user', content: renderTurn(turn) }]
    return send(messages, signal)
  }
  return Object.assign(agent, {
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(turnTimeout === undefined ? {} : { timeout: turnTimeout }),
  })
}
