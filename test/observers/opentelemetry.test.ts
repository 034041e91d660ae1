import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Begun, ColloquyError, type Observer, openTelemetry, type Work } from '../../src/index.ts'
import { parameters } from '../support/property.ts'
import { facts, LEAKS, leaking, works } from './happenings.ts'
import { telemetry, withActive } from './telemetry.ts'

let stop = (): void => {}
beforeAll(() => {
  stop = withActive()
})
afterAll(() => stop())

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const PARENT = `00-${TRACE}-${SPAN}-01`

const processing = (message: object = {}, conversation = 'c'): Work => ({
  type: 'process',
  conversation,
  protocol: 'poll',
  event: { type: 'message', at: 0, message: { id: 'm', from: 'ana', intent: 'tell', ...message } },
})
const turn: Work = {
  type: 'turn',
  conversation: 'c',
  protocol: 'poll',
  member: 'ana',
  state: 's',
  task: 'speak',
}
const append: Work = { type: 'append', conversation: 'c', events: 2 }
const decision = { effect: 'applied', reason: 'told', from: 'a', to: 'b' }

const begin = ({ began }: Observer, work: Work): Begun => {
  const begun = began?.(work)
  if (begun === undefined) throw new Error('nothing was begun')
  return begun
}

const only = (spans: readonly ReadableSpan[]): ReadableSpan => {
  const [span] = spans
  if (span === undefined || spans.length > 1) throw new Error(`${spans.length} spans`)
  return span
}

describe('spans', () => {
  it('tell of an event what it was and what was decided, as messaging systems do', async () => {
    const { observer, spans } = await telemetry()
    begin(observer, processing()).end({ decision })
    expect(only(spans())).toMatchObject({ name: 'process poll', kind: SpanKind.CONSUMER })
    expect(only(spans()).attributes).toEqual({
      'messaging.system': 'colloquy',
      'messaging.system.name': 'colloquy',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'poll',
      'messaging.message.id': 'm',
      'messaging.message.conversation_id': 'c',
      'colloquy.protocol': 'poll',
      'colloquy.event': 'message',
      'colloquy.member': 'ana',
      'colloquy.intent': 'tell',
      'colloquy.effect': 'applied',
      'colloquy.reason': 'told',
      'colloquy.state.before': 'a',
      'colloquy.state': 'b',
    })
    expect(only(spans()).status.code).toBe(SpanStatusCode.UNSET)
  })

  it('tell of a turn who took it, what it cost and how it failed', async () => {
    const { observer, spans } = await telemetry()
    begin(observer, turn).end({ tokens: 12 })
    begin(observer, turn).end({ error: new ColloquyError('AGENT_TIMEOUT', 'secret') })
    const [taken, failed] = spans()
    expect(taken).toMatchObject({ name: 'invoke_agent ana', kind: SpanKind.INTERNAL })
    expect(taken?.attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'ana',
      'gen_ai.conversation.id': 'c',
      'colloquy.protocol': 'poll',
      'colloquy.state': 's',
      'colloquy.tokens': 12,
    })
    expect(failed?.attributes).toMatchObject({ 'error.type': 'AGENT_TIMEOUT' })
    expect(failed?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'AGENT_TIMEOUT' })
    expect(failed?.events).toMatchObject([
      { name: 'exception', attributes: { 'exception.type': 'AGENT_TIMEOUT' } },
    ])
  })

  it('of what an agent does are within those of its turns, and of its messages come after them', async () => {
    const { observer, spans, tracers } = await telemetry()
    const begun = begin(observer, turn)
    const answer = await begun.within?.(async () => {
      await Promise.resolve()
      tracers.getTracer('model').startSpan('chat').end()
      return 'answer'
    })
    expect(answer).toBe('answer')
    begun.end({})
    begin(observer, processing({ trace: begun.trace })).end({ decision })
    const [chat, invoked, processed] = spans()
    expect(chat?.parentSpanContext?.spanId).toBe(invoked?.spanContext().spanId)
    expect(processed?.parentSpanContext?.spanId).toBe(invoked?.spanContext().spanId)
    expect(processed?.spanContext().traceId).toBe(invoked?.spanContext().traceId)
  })

  it('go on with the trace of a message, or link to it where something is under way already', async () => {
    const { observer, spans, tracers } = await telemetry()
    const work = processing({ trace: { traceparent: PARENT, tracestate: 'a=1' } })
    begin(observer, work).end({ decision })
    const request = tracers.getTracer('server').startSpan('request')
    context.with(trace.setSpan(context.active(), request), () => begin(observer, work).end({ decision }))
    const [alone, within] = spans()
    expect(alone?.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: SPAN, isRemote: true })
    expect(alone?.spanContext().traceState?.serialize()).toBe('a=1')
    expect(within?.parentSpanContext?.spanId).toBe(request.spanContext().spanId)
    for (const span of [alone, within])
      expect(span?.links).toMatchObject([{ context: { traceId: TRACE, spanId: SPAN } }])
  })

  it.each([
    ['nothing', undefined],
    ['no text', 7],
    ['empty', ''],
    ['no hexadecimal', PARENT.replace('4bf9', 'zzzz')],
    ['upper case', PARENT.toUpperCase()],
    ['too short', PARENT.slice(0, -1)],
    ['too long', `${PARENT}-00`],
    ['the version that is none', PARENT.replace(/^00/, 'ff')],
    ['a trace of zeros', PARENT.replace(TRACE, '0'.repeat(32))],
    ['a span of zeros', PARENT.replace(SPAN, '0'.repeat(16))],
    ['with a line end', `${PARENT}\n`],
    ['huge', `01-${TRACE}-${SPAN}-01-${'x'.repeat(1_000_000)}`],
  ])('ignore a trace that is none: %s', async (_, traceparent) => {
    const { observer, spans } = await telemetry()
    begin(observer, processing({ trace: { traceparent } })).end({ decision })
    expect(only(spans()).parentSpanContext).toBeUndefined()
    expect(only(spans()).links).toEqual([])
  })

  it('understand a version to come', async () => {
    const { observer, spans } = await telemetry()
    begin(observer, processing({ trace: { traceparent: `01-${TRACE}-${SPAN}-01-more` } })).end({ decision })
    expect(only(spans()).spanContext().traceId).toBe(TRACE)
  })

  it('of an append are within the event that it keeps, and link to the others', async () => {
    const { observer, spans } = await telemetry()
    const elsewhere = begin(observer, processing({}, 'd'))
    const works = [begin(observer, processing()), begin(observer, processing())]
    begin(observer, append).end({})
    const later = begin(observer, processing())
    begin(observer, append).end({ error: new Error('no space') })
    for (const work of [...works, later, elsewhere]) work.end({ decision })
    begin(observer, append).end({})
    const [kept, failed, first, second, third] = spans()
    const alone = spans().at(-1)
    expect(kept).toMatchObject({ name: 'append', attributes: { 'colloquy.events': 2 } })
    expect(kept?.parentSpanContext?.spanId).toBe(first?.spanContext().spanId)
    expect(kept?.links.map((link) => link.context.spanId)).toEqual([second?.spanContext().spanId])
    expect(failed?.parentSpanContext?.spanId).toBe(third?.spanContext().spanId)
    expect(failed?.status.code).toBe(SpanStatusCode.ERROR)
    expect(alone).toMatchObject({ name: 'append', links: [] })
    expect(alone?.parentSpanContext).toBeUndefined()
  })
})

describe('metrics', () => {
  it('count decisions, times, costs, conversations and failures, by few attributes', async () => {
    const { observer, metrics } = await telemetry()
    begin(observer, processing()).end({ decision })
    begin(observer, processing()).end({ decision: { ...decision, effect: 'rejected', reason: 'invalid' } })
    begin(observer, processing()).end({ error: new ColloquyError('JOURNAL_FAILED', 'x') })
    begin(observer, append).end({})
    begin(observer, turn).end({ tokens: 5 })
    observer.happened?.({
      type: 'transition',
      conversation: 'c',
      protocol: 'poll',
      from: 'a',
      to: 'b',
      reason: 'r',
    })
    observer.happened?.({ type: 'asked', conversation: 'c', question: 'q', member: 'ana' })
    observer.happened?.({ type: 'warning', conversation: 'c', text: 'x' })
    observer.happened?.({ type: 'failed', conversation: 'c', error: new ColloquyError('LEASE_LOST', 'x') })
    const found = await metrics()
    const protocol = { 'colloquy.protocol': 'poll' }
    const messaging = {
      'messaging.system': 'colloquy',
      'messaging.system.name': 'colloquy',
      'messaging.operation.name': 'process',
      'messaging.destination.name': 'poll',
    }
    const series = (name: string, unit: string, attributes: object, value = 1) => ({
      name,
      unit,
      attributes,
      value,
    })
    const told = { ...protocol, 'colloquy.event': 'message' }
    expect(found).toHaveLength(11)
    expect(found).toEqual(
      expect.arrayContaining([
        series('messaging.process.duration', 's', messaging, 2),
        series('messaging.process.duration', 's', { ...messaging, 'error.type': 'JOURNAL_FAILED' }),
        series('gen_ai.invoke_agent.duration', 's', {
          'gen_ai.operation.name': 'invoke_agent',
          ...protocol,
          'colloquy.state': 's',
        }),
        series('colloquy.journal.append.duration', 's', {}),
        series('colloquy.decisions', '{decision}', {
          ...told,
          'colloquy.effect': 'applied',
          'colloquy.reason': 'told',
          'colloquy.intent': 'tell',
        }),
        series('colloquy.decisions', '{decision}', {
          ...told,
          'colloquy.effect': 'rejected',
          'colloquy.reason': 'invalid',
        }),
        series('colloquy.tokens', '{token}', protocol, 5),
        series('colloquy.transitions', '{transition}', {
          ...protocol,
          'colloquy.state.before': 'a',
          'colloquy.state': 'b',
          'colloquy.reason': 'r',
        }),
        series('colloquy.questions', '{question}', {}),
        series('colloquy.warnings', '{warning}', {}),
        series('colloquy.failures', '{failure}', { 'error.type': 'LEASE_LOST' }),
      ]),
    )
  })

  it('count each conversation once, however often it is taken up or its end is told', async () => {
    const { observer, metrics } = await telemetry()
    const happened = (type: 'opened' | 'resumed' | 'closed', conversation: string): void => {
      const about = { conversation, protocol: 'poll' }
      if (type === 'opened') observer.happened?.({ type, ...about, members: 1 })
      else if (type === 'resumed') observer.happened?.({ type, ...about })
      else observer.happened?.({ type, ...about, outcome: { status: 'done' } })
    }
    happened('opened', 'a')
    happened('resumed', 'a')
    happened('resumed', 'b')
    happened('opened', 'c')
    happened('closed', 'a')
    happened('closed', 'a')
    const counts = (await metrics()).map(({ name, attributes, value }) => [
      name,
      attributes['colloquy.status'],
      value,
    ])
    expect(counts).toEqual([
      ['colloquy.conversations.opened', undefined, 2],
      ['colloquy.conversations.closed', 'done', 1],
      ['colloquy.conversations.open', undefined, 2],
    ])
  })

  it('never grow with ids, and hardly with names: of each attribute 100 values are told apart', async () => {
    const { observer, metrics } = await telemetry()
    const name = (index: number): string => `n${index}`.padEnd(index % 7 === 0 ? 100 : 1, '.')
    for (let index = 0; index < 1_000; index++) {
      const conversation = `c${index}`
      const member = `member${index}`
      const protocol = name(index)
      begin(observer, {
        type: 'process',
        conversation,
        protocol,
        event: { type: 'message', at: 0, message: { id: `m${index}`, from: member, intent: name(index) } },
      }).end({ decision: { effect: 'applied', reason: name(index), from: name(index), to: name(index) } })
      begin(observer, { type: 'turn', conversation, protocol, member, state: name(index), task: '' }).end({})
      const about = { conversation, protocol }
      observer.happened?.({ type: 'opened', ...about, members: 1 })
      observer.happened?.({ type: 'closed', ...about, outcome: { status: name(index) } })
      const error = Object.assign(new Error('x'), { name: `Error${index}` })
      observer.happened?.({ type: 'failed', conversation, error })
    }
    const found = await metrics()
    const values = new Map<string, Set<unknown>>()
    for (const { attributes } of found)
      for (const [key, value] of Object.entries(attributes))
        values.set(key, (values.get(key) ?? new Set()).add(value))
    const text = JSON.stringify(found)
    expect(text).not.toMatch(/"(?:c|m|member)\d+"/)
    for (const [key, each] of values) expect(each.size, key).toBeLessThanOrEqual(101)
    expect(values.get('colloquy.intent')?.has('_OTHER')).toBe(true)
    expect(values.get('error.type')?.size).toBe(101)
  })
})

describe('what was said', () => {
  it('is nowhere, nor what agents and errors say', async () => {
    const { observer, text } = await telemetry()
    await fc.assert(
      fc.asyncProperty(fc.uuid(), works, async (marker, random) => {
        for (const [work, ended] of [...leaking(marker), ...random(marker)]) begin(observer, work).end(ended)
        for (const fact of facts(marker)) observer.happened?.(fact)
        const told = await text()
        expect(told.length).toBeGreaterThan(1_000)
        expect(told).not.toContain(marker)
      }),
      parameters(30),
    )
  })

  it('is told when it is asked for', async () => {
    const { observer, text } = await telemetry({ captureContent: true })
    for (const [work, ended] of leaking('marker')) begin(observer, work).end(ended)
    const told = await text()
    for (const place of LEAKS) expect(told, place).toContain(`marker-${place}`)
  })
})

describe('without an SDK', () => {
  it('nothing is done, and messages carry no trace', async () => {
    const observer = await openTelemetry()
    const begun = begin(observer, turn)
    expect(begun.trace).toBeUndefined()
    expect(begun.within?.(() => 7)).toBe(7)
    begun.end({})
    for (const [work, ended] of leaking('x')) begin(observer, work).end(ended)
    for (const fact of facts('x')) observer.happened?.(fact)
  })
})
