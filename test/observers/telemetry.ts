/** The real SDKs of OpenTelemetry, with exporters into memory. */
import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { type Histogram, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { type Observer, openTelemetry } from '../../src/index.ts'

/** Collects when it is asked to. */
class Reader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** One series of a metric. */
export interface Series {
  readonly name: string
  readonly unit: string
  readonly attributes: Readonly<Record<string, unknown>>
  /** A sum; of a histogram, how many values it has. */
  readonly value: number
}

export interface Telemetry {
  readonly observer: Observer
  readonly tracers: BasicTracerProvider
  spans(): readonly ReadableSpan[]
  metrics(): Promise<readonly Series[]>
  /** All that was told, as text. */
  text(): Promise<string>
}

export const telemetry = async (options: { readonly captureContent?: boolean } = {}): Promise<Telemetry> => {
  const exporter = new InMemorySpanExporter()
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const reader = new Reader()
  const meters = new MeterProvider({ readers: [reader] })
  const observer = await openTelemetry({ ...options, tracerProvider: tracers, meterProvider: meters })
  const spans = () => exporter.getFinishedSpans()
  const metrics = async () => {
    const { resourceMetrics } = await reader.collect()
    return resourceMetrics.scopeMetrics.flatMap((scope) =>
      scope.metrics.flatMap(({ descriptor: { name, unit }, dataPoints }) =>
        dataPoints.map(({ attributes, value }): Series => {
          const count = typeof value === 'number' ? value : (value as Histogram).count
          return { name, unit, attributes, value: count }
        }),
      ),
    )
  }
  const text = async () => {
    const told = spans().map(({ name, attributes, events, status, links }) => ({
      name,
      attributes,
      events,
      status,
      links,
    }))
    return JSON.stringify([told, await metrics()])
  }
  return { observer, tracers, spans, metrics, text }
}

/** Keeps what is active across promises, as an SDK for Node does; returns how to stop. */
export const withActive = (): (() => void) => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  return () => context.disable()
}
