/** What a host has in memory, and what becomes of it when it is given back, taken up again, or lost. */
import { describe, expect, it } from 'vitest'
import { createHost, type Journal, memoryJournal } from '../../src/index.ts'
import { byHand, info, interfered, settled, started } from './stage.ts'

const members = ['ana', 'ben']
const policy = { turnLimit: { discussion: 1_000 } }

const saidIn = async (journal: Journal, conversation: string): Promise<string[]> =>
  (await journal.read(conversation)).events.flatMap((event) =>
    event.type === 'message' ? [(event.message as { id: string }).id] : [],
  )

describe('a host with little room', () => {
  it('keeps all that it acknowledges in conversations that come and go', async () => {
    const journal = memoryJournal()
    const host = await started({ journal, resident: 1 })
    const ids = ['a', 'b', 'c']
    for (const id of ids) await host.open({ id, members, policy })
    const said = Array.from({ length: 30 }, (_, n) => ({ id: ids[n % 3] as string, message: `m${n}` }))
    await Promise.all(said.map(({ id, message }) => host.send(id, info(message, 'ana'))))
    for (const id of ids)
      expect(await saidIn(journal, id)).toEqual(said.flatMap((one) => (one.id === id ? [one.message] : [])))
  })

  it('does not give back what it has just taken up where all the others are needed', async () => {
    const journal = memoryJournal()
    const other = await createHost({ journal })
    await other.open({ id: 'x', members })
    await other.close()
    const host = await started({ journal, resident: 2 })
    for (const id of ['a', 'b']) {
      await host.open({ id, members })
      void host.follow(id).next()
    }
    await settled()
    expect(await host.send('x', info('m1', 'ana'))).toMatchObject({ effect: 'applied' })
    expect(await saidIn(journal, 'x')).toEqual(['m1'])
  })

  it('gives back those that were used least lately', async () => {
    const journal = memoryJournal()
    const host = await started({ journal, resident: 10 })
    for (let n = 0; n < 10; n++) await host.open({ id: `c${n}`, members })
    await host.send('c0', info('m1', 'ana'))
    await host.open({ id: 'c10', members })
    await settled()
    const held = (await journal.list()).flatMap(({ id, holder }) => (holder === null ? [] : [id]))
    expect(held).toContain('c0')
    expect(held).not.toContain('c1')
  })

  it('takes up again what it is still giving back only when that is done', async () => {
    const journal = memoryJournal()
    const slow: Journal = {
      ...journal,
      async lease(ttl, name) {
        const lease = await journal.lease(ttl, name)
        const drop = async (ids: readonly string[]): Promise<void> => {
          await settled()
          await lease.drop(ids)
        }
        return { ...lease, drop }
      },
    }
    const host = await started({ journal: slow, resident: 2 })
    for (const id of ['a', 'b', 'c']) await host.open({ id, members, policy })
    expect(await host.send('a', info('m1', 'ana'))).toMatchObject({ effect: 'applied' })
    await settled()
    expect(await host.send('a', info('m2', 'ana'))).toMatchObject({ effect: 'applied' })
    expect(await saidIn(journal, 'a')).toEqual(['m1', 'm2'])
  })
})

describe('a host whose lease ends', () => {
  it('asks nobody twice in a conversation that it was taking up meanwhile, and stops all whom it asked', async () => {
    const { clock, pass } = byHand()
    const journal = memoryJournal({ now: clock.now })
    const before = await createHost({ journal, clock })
    await before.open({ id: 'c', members: ['bot', 'ben'], policy })
    await before.close()
    let goOn = (): void => {}
    let isFirst = true
    let ends = false
    const slow: Journal = {
      ...journal,
      async load(id) {
        const waits = isFirst
        isFirst = false
        if (waits) await new Promise<void>((resolve) => (goOn = resolve))
        return journal.load(id)
      },
      async lease(ttl, name) {
        const lease = await journal.lease(ttl, name)
        const renew = async (): Promise<void> => {
          if (ends) await lease.release()
          ends = false
          return lease.renew()
        }
        return { ...lease, renew }
      },
    }
    const asked: AbortSignal[] = []
    const bot = (_: object, signal: AbortSignal) => {
      asked.push(signal)
      return new Promise<never>(() => {})
    }
    const host = await createHost({ journal: slow, clock, agents: { bot }, stopTimeout: 20 })
    await settled()
    ends = true
    await pass(6_000, 6)
    goOn()
    await pass(3_000, 3)
    expect(asked).toHaveLength(1)
    await host.close()
    expect(asked[0]?.aborted).toBe(true)
  })
})

describe('a conversation that was taken to be opened', () => {
  const deadline = { deadline: { discussion: 60_000 } }

  it('is looked after when there was another one of that id', async () => {
    const { clock, pass } = byHand()
    const journal = memoryJournal({ now: clock.now })
    const before = await createHost({ journal, clock })
    await before.open({ id: 'c', members, policy: deadline })
    await before.close()
    const host = await started({ journal, clock })
    const opening = host.open({ id: 'c', goal: 'another', members })
    await expect(opening).rejects.toMatchObject({ code: 'CONVERSATION_EXISTS' })
    await pass(60_000, 60)
    expect((await journal.read('c')).events.at(-1)?.type).toBe('deadline')
  })

  it('is looked after when the journal failed after it had written', async () => {
    const { clock, pass } = byHand()
    const memory = memoryJournal({ now: clock.now })
    let isBroken = true
    const after = (): void => {
      if (isBroken) throw new Error('EIO: i/o error')
    }
    const host = await started({ journal: interfered(memory, { after }), clock })
    const opening = host.open({ id: 'c', members, policy: deadline })
    await expect(opening).rejects.toMatchObject({ code: 'JOURNAL_FAILED' })
    isBroken = false
    await pass(60_000, 60)
    expect((await memory.read('c')).events.at(-1)?.type).toBe('deadline')
  })
})

describe('a host under steady traffic', () => {
  it('answers each sender when what it said is kept, not when nobody speaks any more', async () => {
    const memory = memoryJournal()
    const journal = interfered(memory, { after: settled })
    const host = await started({ journal })
    await host.open({ id: 'c', members, policy })
    let isOver = false
    let sent = 0
    const traffic = (async () => {
      for (; !isOver && sent < 500; sent++) {
        void host.send('c', info(`t${sent}`, 'ana')).catch(() => {})
        await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    await host.send('c', info('mine', 'ben'))
    isOver = true
    await traffic
    expect(sent).toBeLessThan(100)
  })
})

describe('a host whose journal answers no more', () => {
  it('ends all the same: it renews nothing, and its agents are stopped', async () => {
    const { clock, pass } = byHand()
    const memory = memoryJournal({ now: clock.now })
    let hangs = false
    let renewals = 0
    const journal: Journal = {
      ...interfered(memory, { before: () => (hangs ? new Promise(() => {}) : undefined) }),
      async lease(ttl, name) {
        const lease = await memory.lease(ttl, name)
        const renew = async (): Promise<void> => {
          renewals++
          await lease.renew()
        }
        return { ...lease, renew }
      },
    }
    const signals: AbortSignal[] = []
    const bot = (_: object, signal: AbortSignal) => {
      signals.push(signal)
      return new Promise<never>(() => {})
    }
    const host = await createHost({ journal, clock, agents: { bot }, stopTimeout: 20 })
    await host.open({ id: 'c', members: ['bot', 'ben'], policy })
    await settled()
    hangs = true
    void host.send('c', info('m1', 'ben')).catch(() => {})
    await settled()
    await host.close()
    expect(signals.length).toBeGreaterThan(0)
    expect(signals.every(({ aborted }) => aborted)).toBe(true)
    const before = renewals
    await pass(60_000, 20)
    expect(renewals).toBe(before)
  })
})
