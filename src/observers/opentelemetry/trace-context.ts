/** Trace context as messages carry it. Source: W3C Trace Context, level 1; whatever it does not allow is no context. */
import type { SpanContext } from '@opentelemetry/api'
import type { Trace } from '../observer.ts'

type Api = typeof import('@opentelemetry/api')

const FORM =
  /^(?<version>[0-9a-f]{2})-(?<traceId>[0-9a-f]{32})-(?<spanId>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?<more>-.*)?$/s
const NO_TRACE = '0'.repeat(32)
const NO_SPAN = '0'.repeat(16)
/** The version that must not be. */
const FORBIDDEN = 'ff'
const SAMPLED = 1

/** What a message's trace says; undefined when it says nothing that counts. */
export const spanContextOf = (api: Api, trace: Trace | undefined): SpanContext | undefined => {
  const found = FORM.exec(trace?.traceparent ?? '')?.groups
  if (found === undefined) return undefined
  const { version, traceId = NO_TRACE, spanId = NO_SPAN, flags = '', more } = found
  if (version === FORBIDDEN || traceId === NO_TRACE || spanId === NO_SPAN) return undefined
  // Only versions to come may have more fields.
  if (version === '00' && more !== undefined) return undefined
  const { tracestate } = trace ?? {}
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & SAMPLED,
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: api.createTraceState(tracestate) }),
  }
}

/** What messages carry that come of a span; undefined without a real one. */
export const traceOf = (api: Api, spanContext: SpanContext): Trace | undefined => {
  if (!api.isSpanContextValid(spanContext)) return undefined
  const { traceId, spanId, traceFlags, traceState } = spanContext
  const flags = (traceFlags & SAMPLED).toString(16).padStart(2, '0')
  const tracestate = traceState?.serialize() ?? ''
  return {
    traceparent: `00-${traceId}-${spanId}-${flags}`,
    ...(tracestate === '' ? {} : { tracestate }),
  }
}
