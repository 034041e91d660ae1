/** Hosts behind a transport, and agents that hosts ask. */
import { describe, expect, it } from 'vitest'
import {
  type ConversationEvent,
  memoryJournal,
  memoryTransport,
  type Observer,
  type Told,
  type Work,
} from '../../src/index.ts'
import { byHand, info, interfered, settled, started } from './stage.ts'

const members = ['ana', 'ben', 'cy']

describe('a host behind a transport', () => {
  it('decides what is carried to it, and tells what happened and what was refused', async () => {
    const transport = memoryTransport()
    const host = await started({ journal: memoryJournal(), transport })
    const told: Told[] = []
    const stop = await transport.listen('c', (one) => told.push(one))
    await host.open({ id: 'c', members })
    const requests = [
      { type: 'message', conversation: 'c', message: info('m1', 'ana') },
      { type: 'message', conversation: 'c', message: info('m1', 'ana') },
      { type: 'message', conversation: 'c', message: { id: 7 } },
      { type: 'join', conversation: 'c', member: 'dee' },
      { type: 'leave', conversation: 'c', member: 'ben' },
      { type: 'cancel', conversation: 'c' },
      { type: 'message', conversation: 'nowhere', message: info('m1', 'ana') },
      // What comes from outside may be anything.
      { type: 'close', conversation: 'nowhere' } as never,
    ] as const
    const elsewhere: Told[] = []
    await transport.listen(null, (one) => elsewhere.push(one))
    for (const request of requests) await transport.send(request)
    await settled()
    expect(told.map(({ seq, decision }) => [seq, (decision as { reason?: string } | null)?.reason])).toEqual([
      [0, undefined],
      [1, 'continue'],
      [null, 'duplicate'],
      [null, 'invalid'],
      [2, 'joined'],
      [3, 'left'],
      [4, 'cancelled'],
    ])
    expect(elsewhere.find(({ conversation }) => conversation === 'nowhere')).toMatchObject({
      seq: null,
      decision: { effect: 'rejected', reason: 'CONVERSATION_UNKNOWN' },
    })
    const reasons = elsewhere.map(({ decision }) => (decision as { reason?: string } | null)?.reason)
    expect(reasons).toContain('USAGE')
    await stop()
    await host.open({ id: 'c2', members })
    expect(told).toHaveLength(7)
    await transport.close()
  })

  it('tries again what the journal could not take, and keeps the order', async () => {
    let isBroken = false
    const journal = interfered(memoryJournal(), {
      before: () => {
        if (isBroken) throw new Error('EIO')
      },
    })
    const transport = memoryTransport({ retryAfter: 1 })
    const host = await started({ journal, transport })
    await host.open({ id: 'c', members, policy: { turnLimit: { discussion: 100 } } })
    isBroken = true
    for (let index = 0; index < 10; index++)
      await transport.send({ type: 'message', conversation: 'c', message: info(`m${index}`, 'ana') })
    await settled()
    expect(await host.record('c')).toHaveLength(1)
    isBroken = false
    const events = host.follow('c', { after: 0 })
    const ids: string[] = []
    while (ids.length < 10) {
      const { value } = await events.next()
      ids.push(((value as ConversationEvent).event as { message: { id: string } }).message.id)
    }
    await events.return?.()
    expect(ids).toEqual(Array.from({ length: 10 }, (_, index) => `m${index}`))
    await transport.close()
  })

  it('finishes what it has begun when it is closed, and takes nothing more', async () => {
    const transport = memoryTransport()
    const journal = memoryJournal()
    const host = await started({ journal: interfered(journal, { before: settled }), transport, prefetch: 1 })
    await host.open({ id: 'a', members })
    await host.open({ id: 'b', members })
    for (const conversation of ['a', 'b'])
      await transport.send({ type: 'message', conversation, message: info('m', 'ana') })
    const closing = host.close()
    await closing
    const lengths = (await journal.list()).map(({ length }) => length)
    expect(lengths.reduce((a, b) => a + b)).toBe(3)
    // The other one is there for the next host.
    const next = await started({ journal, transport })
    await settled()
    expect((await journal.list()).map(({ length }) => length)).toEqual([2, 2])
    await next.close()
    await transport.close()
  })

  it('shares the requests with other hosts; each has its effect once', async () => {
    const { clock, pass } = byHand()
    const journal = memoryJournal({ now: clock.now })
    const transport = memoryTransport({ retryAfter: 1 })
    const hosts = [await started({ journal, transport, clock }), await started({ journal, transport, clock })]
    const ids = Array.from({ length: 6 }, (_, index) => `c${index}`)
    for (const [index, id] of ids.entries())
      await hosts[index % 2]?.open({ id, members, policy: { turnLimit: { discussion: 100 } } })
    for (let round = 0; round < 5; round++)
      for (const conversation of ids)
        await transport.send({ type: 'message', conversation, message: info(`m${round}`, 'ana') })
    // Whatever comes to the host that does not hold it goes round until it comes to the one that does.
    while ((await journal.list()).some(({ length }) => length < 6)) await pass(100, 1)
    for (const id of ids)
      expect(
        (await journal.read(id)).events
          .slice(1)
          .map((event) => (event as { message: { id: string } }).message.id),
      ).toEqual(['m0', 'm1', 'm2', 'm3', 'm4'])
    await transport.close()
  })
})

describe('agents that a host asks', () => {
  const agents = (calls: string[]) => ({
    ana: Object.assign(
      ({ state }: { state: string }) => {
        calls.push(`ana ${state}`)
        return state === 'discussion'
          ? { intent: 'proposal', payload: { subtasks: [{ id: 't' }] } }
          : state === 'assign'
            ? '[accept]'
            : '[result] done'
      },
      {
        close: async () => {
          calls.push('closed')
        },
      },
    ),
    ben: ({ state }: { state: string }) => {
      calls.push(`ben ${state}`)
      return state === 'review' ? '[verdict] pass' : '[agree]'
    },
  })

  it('lead each conversation that they are in to its end, and are closed once, with the host', async () => {
    const calls: string[] = []
    const host = await started({ journal: memoryJournal(), agents: agents(calls) })
    for (const id of ['a', 'b', 'c']) await host.open({ id, members: ['ana', 'ben'], lead: 'ana' })
    await host.open({ id: 'd', members: ['zoe'] })
    for (const id of ['a', 'b', 'c']) {
      const events = []
      for await (const event of host.follow(id)) events.push(event)
      expect(events.at(-1)?.decision?.reason).toBe('accepted')
    }
    expect(calls).toHaveLength(15)
    expect((await host.show('d'))?.seq).toBe(0)
    await host.close()
    expect(calls.filter((call) => call === 'closed')).toHaveLength(1)
  })

  it('are told what everybody said, also what came by message, and what came before a restart', async () => {
    const journal = memoryJournal()
    const seen: string[][] = []
    const listening = {
      ana: ({ transcript }: { transcript: readonly { content: string }[] }) => {
        seen.push(transcript.map(({ content }) => content))
        return '[info] I am here'
      },
    }
    const policy = { turnLimit: { discussion: 2 } }
    const first = await started({ journal, agents: listening })
    await first.open({ id: 'c', members: ['ana', 'zoe'], policy })
    await settled()
    await first.send('c', info('m1', 'zoe', 'hello from outside'))
    await settled()
    await first.close()
    const second = await started({ journal, agents: listening })
    await settled()
    await second.send('c', info('m2', 'zoe', 'again'))
    await settled()
    expect(seen.flat()).toContain('hello from outside')
    expect((await second.show('c'))?.outcome).toMatchObject({ status: 'timeout', cause: 'turns' })
  })

  it('are asked from the moment that they join, and see what was said before', async () => {
    const seen: string[][] = []
    const ana = ({ transcript }: { transcript: readonly { content: string }[] }) => {
      seen.push(transcript.map(({ content }) => content))
      return '[info] Here I am'
    }
    const host = await started({ journal: memoryJournal(), agents: { ana }, talk: 'all_at_once' })
    await host.open({ id: 'c', members: ['zoe'], policy: { turnLimit: { discussion: 1 } } })
    await host.send('c', info('m1', 'zoe', 'Is anybody there?'))
    expect((await host.show('c'))?.outcome).not.toBeNull()
    await host.open({ id: 'd', members: ['zoe', 'yan'], policy: { turnLimit: { discussion: 1 } } })
    await host.send('d', info('m1', 'zoe', 'Is anybody there?'))
    await host.join('d', 'ana')
    await settled()
    expect(seen).toEqual([['Is anybody there?']])
    expect((await host.record('d')).at(-1)).toMatchObject({ message: { from: 'ana', content: 'Here I am' } })
  })

  it('are observed: turns, appends, decisions, and what happens', async () => {
    const works: string[] = []
    const facts: string[] = []
    const observer: Observer = {
      began(work: Work) {
        works.push(work.type)
        return { end: () => works.push(`${work.type} ended`), trace: { traceparent: 'made here' } }
      },
      happened: ({ type }) => {
        facts.push(type)
      },
    }
    const failing: Observer = {
      began() {
        throw new Error('no')
      },
    }
    const warnings: Error[] = []
    const warn = (warning: Error): number => warnings.push(warning)
    process.on('warning', warn)
    const host = await started({
      journal: memoryJournal(),
      agents: agents([]),
      observers: [failing, observer],
    })
    await host.open({ id: 'a', members: ['ana', 'ben'], lead: 'ana' })
    for await (const _ of host.follow('a'));
    await host.open({ id: 'b', members: ['zoe'] })
    await host.send('b', info('m', 'zoe'))
    await settled()
    process.off('warning', warn)
    for (const kind of ['turn', 'append', 'process']) {
      const begun = works.filter((work) => work === kind).length
      expect(begun).toBeGreaterThan(0)
      expect(works.filter((work) => work === `${kind} ended`)).toHaveLength(begun)
    }
    expect(facts.filter((fact) => fact === 'opened')).toHaveLength(2)
    expect(facts.filter((fact) => fact === 'transition')).toHaveLength(5)
    expect(facts.filter((fact) => fact === 'closed')).toHaveLength(1)
    expect(warnings.map(({ message }) => message)).toContain('An observer threw: no')
    const [, said] = await host.record('a')
    expect(said).toMatchObject({ message: { trace: { traceparent: 'made here' } } })
  })
})
