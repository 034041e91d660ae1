/**
 * Traces and metrics by the OpenTelemetry API: what is sent where is up to the SDK that the program sets up. Without one
 * the API does nothing, and without this observer it is not even loaded. Names are in docs/observing.md.
 */
import type { Attributes, Link, MeterProvider, Span, TracerProvider } from '@opentelemetry/api'
import { ColloquyError } from '../errors.ts'
import { contentOf, outlineOf } from './common/event.ts'
import { failureOf, wholeText } from './common/failure.ts'
import { CONTENT_SHOWN, shortened } from './common/text.ts'
import type { Begun, Ended, Observer, Work } from './observer.ts'
import { type Measures, measuresOf } from './opentelemetry/metrics.ts'
import * as names from './opentelemetry/names.ts'
import { spanContextOf, traceOf } from './opentelemetry/trace-context.ts'

export interface OpenTelemetryOptions {
  /** Default: the global one. */
  readonly tracerProvider?: TracerProvider
  /** Default: the global one; the SDK must have set it before. */
  readonly meterProvider?: MeterProvider
  /** Whether spans tell what was said, and what errors say. Default: false. */
  readonly captureContent?: boolean
}

type Api = typeof import('@opentelemetry/api')
type Of<Type extends Work['type']> = Extract<Work, { readonly type: Type }>

const SCOPE = 'colloquy'

const load = async (): Promise<Api> => {
  try {
    return await import('@opentelemetry/api')
  } catch (cause) {
    throw new ColloquyError(
      'DEPENDENCY_MISSING',
      'Traces and metrics need the package "@opentelemetry/api", which could not be loaded',
      { cause, remedy: 'Run: npm install @opentelemetry/api' },
    )
  }
}

/**
 * An observer that makes spans and metrics, for `convene` and `createHost`.
 * @throws ColloquyError `DEPENDENCY_MISSING` without the package `@opentelemetry/api`
 */
export const openTelemetry = async (options: OpenTelemetryOptions = {}): Promise<Observer> => {
  const api = await load()
  const { tracerProvider = api.trace, meterProvider = api.metrics, captureContent = false } = options
  const tracer = tracerProvider.getTracer(SCOPE)
  const measures = measuresOf(meterProvider.getMeter(SCOPE))
  /** By conversation, events under way that no append has taken up yet: the next one keeps them. */
  const unkept = new Map<string, Set<Span>>()

  const fail = (span: Span, error: unknown): void => {
    const { type, cause } = failureOf(error)
    span.setAttribute(names.ERROR_TYPE, type)
    if (captureContent) span.recordException(error instanceof Error ? error : wholeText(error))
    // Without its text and stack, which quote what was said.
    else span.recordException({ code: cause ?? type, name: type })
    const message = captureContent ? shortened(wholeText(error), CONTENT_SHOWN) : type
    span.setStatus({ code: api.SpanStatusCode.ERROR, message })
  }

  const finish = (span: Span, { error }: Ended, attributes: Attributes): void => {
    span.setAttributes(attributes)
    if (error !== undefined) fail(span, error)
    span.end()
  }

  const process = (work: Of<'process'>): Begun => {
    const { conversation, protocol, event } = work
    const { id, from, member, intent, trace } = outlineOf(event)
    const origin = spanContextOf(api, trace)
    const active = api.context.active()
    // The one who sends may be active here; its message may come from elsewhere all the same.
    const isRoot = api.trace.getSpan(active) === undefined
    const parent = origin !== undefined && isRoot ? api.trace.setSpanContext(active, origin) : active
    const links: Link[] = origin === undefined ? [] : [{ context: origin }]
    const attributes = {
      ...names.MESSAGING,
      [names.DESTINATION]: protocol,
      [names.MESSAGE_CONVERSATION]: conversation,
      [names.PROTOCOL]: protocol,
      [names.EVENT]: event.type,
    }
    const span = tracer.startSpan(
      `process ${protocol}`,
      { kind: api.SpanKind.CONSUMER, attributes, links },
      parent,
    )
    const waiting = unkept.get(conversation) ?? new Set()
    unkept.set(conversation, waiting.add(span))
    const began = performance.now()
    return {
      end(ended) {
        if (unkept.get(conversation)?.delete(span) && unkept.get(conversation)?.size === 0)
          unkept.delete(conversation)
        const { decision } = ended
        const isInvalid = decision?.reason === names.INVALID
        finish(span, ended, {
          ...(decision === undefined
            ? {}
            : {
                [names.EFFECT]: decision.effect,
                [names.REASON]: decision.reason,
                [names.STATE_BEFORE]: decision.from,
                [names.STATE]: decision.to,
              }),
          ...(isInvalid
            ? {}
            : present({
                [names.MESSAGE_ID]: id,
                [names.MEMBER]: from ?? member,
                [names.INTENT]: intent,
              })),
          ...(captureContent ? whatWasSaid(work) : {}),
        })
        measures.processed(work, ended, secondsSince(began))
      },
      within: (act) => api.context.with(api.trace.setSpan(api.context.active(), span), act),
      ...traced(api, span),
    }
  }

  const append = (work: Of<'append'>): Begun => {
    const active = api.context.active()
    const [first, ...others] = unkept.get(work.conversation) ?? []
    unkept.delete(work.conversation)
    const parent = first === undefined ? active : api.trace.setSpan(active, first)
    const span = tracer.startSpan(
      'append',
      {
        attributes: { [names.CONVERSATION]: work.conversation, [names.EVENTS]: work.events },
        links: others.map((other) => ({ context: other.spanContext() })),
      },
      parent,
    )
    return plain(span, measures.appended)
  }

  const turn = (work: Of<'turn'>): Begun => {
    const { conversation, protocol, member, state, task } = work
    const span = tracer.startSpan(`invoke_agent ${shortened(member)}`, {
      kind: api.SpanKind.INTERNAL,
      attributes: {
        ...names.INVOKE,
        [names.AGENT_NAME]: member,
        [names.CONVERSATION]: conversation,
        [names.PROTOCOL]: protocol,
        [names.STATE]: state,
        ...(captureContent ? { [names.TASK]: shortened(task, CONTENT_SHOWN) } : {}),
      },
    })
    return {
      ...plain(span, (ended, seconds) => measures.spoke(work, ended, seconds)),
      within: (act) => api.context.with(api.trace.setSpan(api.context.active(), span), act),
      ...traced(api, span),
    }
  }

  const plain = (span: Span, measure: Measures['appended']): Begun => {
    const began = performance.now()
    return {
      end(ended) {
        finish(span, ended, ended.tokens === undefined ? {} : { [names.TOKENS]: ended.tokens })
        measure(ended, secondsSince(began))
      },
    }
  }

  return {
    began(work) {
      switch (work.type) {
        case 'process':
          return process(work)
        case 'append':
          return append(work)
        case 'turn':
          return turn(work)
      }
    },
    happened: measures.happened,
  }
}

const secondsSince = (began: number): number => (performance.now() - began) / 1_000

const traced = (api: Api, span: Span): Pick<Begun, 'trace'> => {
  const trace = traceOf(api, span.spanContext())
  return trace === undefined ? {} : { trace }
}

/** Without what is not there. */
const present = (attributes: Readonly<Record<string, string | undefined>>): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))

const whatWasSaid = ({ event }: Of<'process'>): Attributes => {
  const { content, payload } = contentOf(event)
  const fault = event.type === 'fault' ? event.error : undefined
  return present({
    [names.CONTENT]: content,
    [names.PAYLOAD]: payload,
    [names.FAULT]: fault === undefined ? undefined : shortened(fault, CONTENT_SHOWN),
  })
}
