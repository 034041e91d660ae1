/**
 * Calls through Restate's ingress. Each call has an idempotency key of its own, with which it is repeated when the
 * connection broke: Restate does it once and tells every repetition the same. A message that somebody sends again is
 * another call, and the engine's `duplicate`.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ColloquyError } from 'colloquy'
import { toldBy } from './failure.ts'

export interface IngressOptions {
  /** The address of Restate's ingress, such as `http://localhost:8080`. */
  readonly ingress: string
  /** Sent with every request, such as an authorization. */
  readonly headers?: Readonly<Record<string, string>>
  /** ms that a call is repeated while Restate or the app cannot be reached. Default: 30,000. */
  readonly patience?: number
}

export interface Calling {
  /** Ends the call; what it was to do may have been done. */
  readonly signal: AbortSignal
  /** Whether it only reads, so that its answer need not be kept. */
  readonly isReading: boolean
}

/** Calls a handler of an object, and gives what it answers. */
export type Ingress = (key: string, handler: string, input: unknown, calling: Calling) => Promise<unknown>

const PATIENCE = 30_000
const FIRST_PAUSE = 25
const LONGEST_PAUSE = 1_000

/**
 * @param object the virtual object's name
 * @throws ColloquyError what the object threw; `JOURNAL_FAILED` when it did not answer, or the ingress refused
 */
export const ingressOf = (
  { ingress, headers = {}, patience = PATIENCE }: IngressOptions,
  object: string,
): Ingress => {
  const base = ingress.replace(/\/+$/, '')
  return async (key, handler, input, { signal, isReading }) => {
    const url = `${base}/${object}/${encodeURIComponent(key)}/${handler}`
    const idempotency: Record<string, string> = isReading ? {} : { 'idempotency-key': randomUUID() }
    const request = {
      method: 'POST',
      headers: { ...headers, ...idempotency, 'content-type': 'application/json' },
      body: JSON.stringify(input) ?? 'null',
    }
    const end = performance.now() + patience
    let pause = FIRST_PAUSE
    for (;;) {
      const left = Math.max(1, Math.ceil(end - performance.now()))
      const tried = await attempt(url, {
        ...request,
        signal: AbortSignal.any([signal, AbortSignal.timeout(left)]),
      })
      if (tried.answer !== undefined) return tried.answer.value
      signal.throwIfAborted()
      if (tried.isFinal || performance.now() + pause > end) throw tried.error
      await sleep(pause, undefined, { signal })
      pause = Math.min(pause * 2, LONGEST_PAUSE)
    }
  }
}

type Tried =
  | { readonly answer: { readonly value: unknown } }
  | { readonly answer?: never; readonly error: Error; readonly isFinal: boolean }

const attempt = async (url: string, request: RequestInit): Promise<Tried> => {
  try {
    const response = await fetch(url, request)
    const text = await response.text()
    if (response.ok) return { answer: { value: text === '' ? null : (JSON.parse(text) as unknown) } }
    const { status } = response
    const told = toldBy(messageIn(text))
    if (told !== null) return { error: told, isFinal: true }
    const message = `Restate answered ${status} to ${url}: ${messageIn(text).slice(0, QUOTE)}`
    return { error: failed(message), isFinal: status < 500 && status !== 429 }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    return { error: failed(`Restate did not answer at ${url}: ${cause}`, error), isFinal: false }
  }
}

/** Most characters of Restate's own words in an error. */
const QUOTE = 500

const failed = (message: string, cause?: unknown): ColloquyError =>
  new ColloquyError('JOURNAL_FAILED', message, {
    cause,
    remedy: 'Nothing was acknowledged. See that Restate runs and the app is registered, then send again.',
  })

/** Restate tells what a handler threw in the field `message`. */
const messageIn = (text: string): string => {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown }
    return typeof message === 'string' ? message : text
  } catch {
    return text
  }
}
