/** What observers hear of a group that is convened, and of one in a host. */
import { trace } from '@opentelemetry/api'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type Agent,
  type Board,
  convene,
  createHost,
  type Ended,
  type Fact,
  type Message,
  memoryJournal,
  type Observer,
  type Work,
} from '../../src/index.ts'
import { telemetry, withActive } from './telemetry.ts'

let stop = (): void => {}
beforeAll(() => {
  stop = withActive()
})
afterAll(() => stop())

/** Ana proposes, whoever is asked agrees, and the rest is as it comes. */
const speaker: Agent<object> = async ({ state }) => {
  if (state === 'discussion')
    return { intent: 'proposal', tokens: 3, payload: { subtasks: [{ id: 'x', title: 't' }] } }
  if (state === 'proposal') return 'I agree.'
  if (state === 'assign') return 'Yes.'
  if (state === 'execution') return 'Done: 42'
  return 'Looks good, approved.'
}

const agents = { ana: speaker, ben: speaker, cy: speaker }

const listening = () => {
  const works: { readonly work: Work; ended: Ended | null }[] = []
  const facts: Fact[] = []
  const observer: Observer = {
    began(work) {
      const entry: (typeof works)[number] = { work, ended: null }
      works.push(entry)
      return {
        end(ended) {
          expect(entry.ended, 'work ends once').toBeNull()
          entry.ended = ended
        },
      }
    },
    happened: (fact) => facts.push(fact),
  }
  const ended = (type: Work['type']): readonly Ended[] =>
    works.filter(({ work }) => work.type === type).map(({ ended }) => ended ?? { error: 'has not ended' })
  return { observer, works, facts, ended }
}

describe('a group that is convened', () => {
  it('is observed from its opening to its end: each event, append, turn and change of state', async () => {
    const { observer, facts, ended } = listening()
    const paths: string[] = []
    const { record, outcome } = await convene({
      id: 'c',
      agents,
      lead: 'ana',
      journal: memoryJournal(),
      observers: [observer],
      on: { transition: ({ to }) => paths.push(to) },
    })
    const about = { conversation: 'c', protocol: 'conversation' }
    expect(facts[0]).toEqual({ type: 'opened', ...about, members: 3 })
    expect(facts.at(-1)).toEqual({ type: 'closed', ...about, outcome })
    expect(facts.flatMap((fact) => (fact.type === 'transition' ? [fact.to] : []))).toEqual(paths)
    const decisions = ended('process').flatMap(({ decision }) => (decision === undefined ? [] : [decision]))
    expect(decisions).toHaveLength(ended('process').length)
    const taken = decisions.filter(({ effect }) => effect === 'applied' || effect === 'recorded')
    expect(taken).toHaveLength(record.length - 1)
    expect(ended('append').every(({ error }) => error === undefined)).toBe(true)
    expect(ended('append').length).toBeGreaterThan(1)
    expect(ended('turn').some(({ tokens }) => tokens === 3)).toBe(true)
    expect(ended('turn').length).toBeGreaterThanOrEqual(taken.length)
  })

  it('is told to be gone on with when it is, and what it refuses is told too', async () => {
    const first = await convene({ id: 'c', agents, lead: 'ana' })
    const { observer, facts, ended } = listening()
    const resume = first.record.slice(0, 2)
    const again = await convene({
      agents,
      resume,
      observers: [observer],
      on: {
        opened: (talk) => {
          talk.send({ id: 'stranger', from: 'zoe', intent: 'info' })
        },
      },
    })
    expect(again.outcome).toMatchObject({ status: 'accepted' })
    expect(facts[0]).toMatchObject({ type: 'resumed' })
    const refused = ended('process').map(({ decision }) => decision?.reason)
    expect(refused).toContain('not_member')
    expect(ended('append')).toEqual([])
  })

  it('is told as failed where the journal fails', async () => {
    const { observer, ended } = listening()
    const journal = memoryJournal()
    let appends = 0
    const failing: typeof journal = {
      ...journal,
      append: async (...args) => {
        if (appends++ > 0) throw new Error('no space')
        return journal.append(...args)
      },
    }
    await expect(convene({ agents, journal: failing, observers: [observer] })).rejects.toThrow('no space')
    expect(ended('append').map(({ error }) => error === undefined)).toEqual([true, false])
    expect(ended('process').every(({ error }) => error !== undefined)).toBe(true)
  })

  it('has one trace for each turn: its agent, its messages, and the append of these', async () => {
    const { observer, spans } = await telemetry()
    const during: (string | undefined)[] = []
    const traced: Agent<Board> = async (turn, signal) => {
      during.push(trace.getActiveSpan()?.spanContext().spanId)
      return speaker(turn, signal)
    }
    const group = { ana: traced, ben: traced, cy: traced }
    const { record } = await convene({
      agents: group,
      lead: 'ana',
      journal: memoryJournal(),
      observers: [observer],
    })
    const named = (name: RegExp) => spans().filter((span) => name.test(span.name))
    const turns = named(/^invoke_agent /)
    expect(during.toSorted()).toEqual(turns.map((span) => span.spanContext().spanId).toSorted())
    const messages = record.flatMap((event) => (event.type === 'message' ? [event.message as Message] : []))
    for (const message of messages) {
      const processed = named(/^process /).find(
        (span) => span.attributes['messaging.message.id'] === message.id,
      )
      const [parent] = turns.filter((span) => message.trace?.traceparent?.includes(span.spanContext().spanId))
      expect(parent?.attributes['gen_ai.agent.name']).toBe(message.from)
      expect(processed?.parentSpanContext?.spanId).toBe(parent?.spanContext().spanId)
    }
    const appends = named(/^append$/)
    expect(appends.length).toBeGreaterThan(messages.length / 3)
    // The opening is kept for nobody.
    expect(appends.filter((span) => span.parentSpanContext === undefined)).toHaveLength(1)
  })

  it('is warned of an agent that does not stop, whose words stay out of the warning', async () => {
    const { observer, facts } = listening()
    const told: string[] = []
    const close = async (): Promise<void> => {
      throw new Error('secret')
    }
    const stubborn: Agent<Board> = Object.assign((...turn: Parameters<Agent<Board>>) => speaker(...turn), {
      close,
    })
    const group = { ...agents, cy: stubborn }
    await convene({
      agents: group,
      lead: 'ana',
      observers: [observer],
      on: { warning: (text) => told.push(text) },
    })
    expect(told).toEqual(['An agent failed to stop: secret'])
    const [warning] = facts.filter(({ type }) => type === 'warning')
    expect(warning).toMatchObject({ text: 'An agent failed to stop', error: new Error('secret') })
  })

  it('ends as it would without observers that throw', async () => {
    const broken = (): never => {
      throw new Error('broken observer')
    }
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const observers: Observer[] = [
      { began: broken, happened: broken },
      { began: () => ({ end: broken, within: broken }) },
    ]
    const { outcome } = await convene({ agents, lead: 'ana', observers })
    expect(outcome).toMatchObject({ status: 'accepted' })
    expect(warning.mock.calls.length).toBeGreaterThan(3)
    warning.mockRestore()
  })
})

describe('a host', () => {
  it('is observed as a group that is convened is: what its members say, and what it refuses', async () => {
    const { observer, facts, ended } = listening()
    let begin = (): void => {}
    const beginning = new Promise<void>((resolve) => {
      begin = resolve
    })
    const waiting: Agent<object> = async (turn, signal) => {
      await beginning
      return speaker(turn, signal)
    }
    const host = await createHost({
      journal: memoryJournal(),
      agents: { ana: waiting, ben: waiting, cy: waiting },
      observers: [observer],
    })
    await host.open({ id: 'c', members: ['ana', 'ben', 'cy'], lead: 'ana' })
    await host.send('c', {})
    begin()
    const record: unknown[] = []
    for await (const { event } of host.follow('c')) record.push(event)
    await host.close()
    const about = { conversation: 'c', protocol: 'conversation' }
    expect(facts[0]).toEqual({ type: 'opened', ...about, members: 3 })
    expect(facts.at(-1)).toMatchObject({ type: 'closed', ...about, outcome: { status: 'accepted' } })
    const effects = ended('process').map(({ decision }) => decision?.effect)
    expect(effects.filter((effect) => effect === 'applied' || effect === 'recorded')).toHaveLength(
      record.length - 1,
    )
    expect(effects).toContain('rejected')
    expect(effects).not.toContain(undefined)
    expect(ended('turn').length).toBeGreaterThanOrEqual(record.length - 1)
    for (const type of ['process', 'append', 'turn'] as const)
      for (const { error } of ended(type)) expect(error, type).toBeUndefined()
  })

  it('has each append within the event that it keeps, and no conversation open at the end', async () => {
    const { observer, spans, metrics } = await telemetry()
    const host = await createHost({ journal: memoryJournal(), observers: [observer] })
    await host.open({ id: 'c', members: ['ana', 'ben'] })
    await host.send('c', { id: 'm', from: 'ana', intent: 'info', content: 'hello' })
    await host.cancel('c')
    await host.close()
    const kept = spans().filter(({ name }) => name === 'append')
    const decided = spans().filter(({ name }) => name === 'process conversation')
    expect(decided.map(({ attributes }) => attributes['colloquy.event'])).toEqual(['message', 'cancel'])
    expect(kept.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([
      undefined,
      ...decided.map((span) => span.spanContext().spanId),
    ])
    const open = (await metrics()).find(({ name }) => name === 'colloquy.conversations.open')
    expect(open?.value).toBe(0)
  })

  it('does not go on with what is closed, whatever is sent to it afterwards', async () => {
    const { observer, metrics } = await telemetry()
    const { observer: listener, facts } = listening()
    const host = await createHost({ journal: memoryJournal(), observers: [observer, listener] })
    await host.open({ id: 'c', members: ['ana', 'ben'] })
    await host.cancel('c')
    const late = { id: 'late', from: 'ana', intent: 'info', content: 'x' }
    expect(await host.send('c', late)).toMatchObject({ reason: 'closed' })
    await host.close()
    expect(facts.map(({ type }) => type)).not.toContain('resumed')
    const open = (await metrics()).find(({ name }) => name === 'colloquy.conversations.open')
    expect(open?.value).toBe(0)
  })
})
