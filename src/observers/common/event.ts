/**
 * What may be told of an event. A message comes as somebody sent it, not yet checked: nothing in it is sure to be there,
 * or to be what its name says.
 */
import type { Happening } from '../../schema/record.ts'
import type { Trace } from '../observer.ts'
import { CONTENT_SHOWN, shortened } from './text.ts'

/** An event's parts that are not content. */
export interface Outline {
  /** Of a message. */
  readonly id?: string
  readonly from?: string
  readonly intent?: string
  readonly trace?: Trace
  /** Who joined, left or failed. */
  readonly member?: string
}

/** Most UTF-16 units of an id that we take: 128 characters, two of them each. */
const ID_UNITS = 256
/** Most of a W3C `traceparent` of any version that we look at, and of a `tracestate`. */
const TRACE_UNITS = 512

const text = (value: unknown, name: string, limit: number): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  const found: unknown = Reflect.get(value, name)
  return typeof found === 'string' && found.length <= limit ? found : undefined
}

const traceOf = (message: unknown): Trace | undefined => {
  if (typeof message !== 'object' || message === null) return undefined
  const trace: unknown = Reflect.get(message, 'trace')
  const traceparent = text(trace, 'traceparent', TRACE_UNITS)
  if (traceparent === undefined) return undefined
  const tracestate = text(trace, 'tracestate', TRACE_UNITS)
  return { traceparent, ...(tracestate === undefined ? {} : { tracestate }) }
}

export const outlineOf = (event: Happening): Outline => {
  if (event.type !== 'message') return 'member' in event ? { member: shortened(event.member) } : {}
  const { message } = event
  const id = text(message, 'id', ID_UNITS)
  const from = text(message, 'from', ID_UNITS)
  const intent = text(message, 'intent', ID_UNITS)
  const trace = traceOf(message)
  return {
    ...(id === undefined ? {} : { id }),
    ...(from === undefined ? {} : { from }),
    ...(intent === undefined ? {} : { intent }),
    ...(trace === undefined ? {} : { trace }),
  }
}

/** What was said, where content is wanted; each part is cut at 8,192 characters. */
export const contentOf = (event: Happening): { readonly content?: string; readonly payload?: string } => {
  if (event.type !== 'message' || typeof event.message !== 'object' || event.message === null) return {}
  const content: unknown = Reflect.get(event.message, 'content')
  const payload: unknown = Reflect.get(event.message, 'payload')
  return {
    ...(typeof content === 'string' ? { content: shortened(content, CONTENT_SHOWN) } : {}),
    ...(payload === undefined ? {} : { payload: jsonOf(payload) }),
  }
}

/** Any value as JSON, cut at 8,192 characters. */
export const jsonOf = (value: unknown): string => {
  try {
    return shortened(JSON.stringify(value) ?? '', CONTENT_SHOWN)
  } catch {
    return ''
  }
}
