/** What a host has in memory, and what becomes of it when it is given back, taken up again, or lost. */

import { describe, expect, it } from 'vitest'
import { contractNet } from '../../machines/contract-net/index.ts'
import { conversation } from '../../machines/conversation/index.ts'
import {
  createHost,
  type Fact,
  type Host,
  type Journal,
  memoryJournal,
  memoryTransport,
} from '../../src/index.ts'
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

describe('a journal that is slow, or fails', () => {
  it('answers each sender as soon as what it sent is kept, however many speak after it', async () => {
    const goOn: (() => void)[] = []
    const before = (): Promise<void> => new Promise((resolve) => goOn.push(resolve))
    const memory = memoryJournal()
    const other = await createHost({ journal: memory })
    await other.open({ id: 'c', members, policy })
    await other.close()
    const host = await started({ journal: interfered(memory, { before }) })
    const answered: string[] = []
    const send = (id: string) => void host.send('c', info(id, 'ana')).then(() => answered.push(id))
    send('m0')
    await settled()
    for (let n = 1; n < 5; n++) {
      send(`m${n}`)
      await settled()
      goOn.shift()?.()
      await settled()
      expect(answered.at(-1)).toBe(`m${n - 1}`)
    }
    goOn.shift()?.()
    await settled()
    expect(answered).toHaveLength(5)
  })

  it('asks a person again whose question could not be kept', async () => {
    const { clock, pass } = byHand()
    const memory = memoryJournal({ now: clock.now })
    const before = (nth: number): void => {
      if (nth === 1) throw new Error('ENOSPC: no space left on device')
    }
    const host = await started({ journal: interfered(memory, { before }), clock, people: ['ana'] })
    await host.open({ id: 'c', members, policy })
    await pass(3_000)
    expect(await host.questions('c')).toMatchObject([{ member: 'ana' }])
    expect((await host.show('c'))?.questions).toMatchObject([{ member: 'ana' }])
  })

  it('tells of rules that throw while somebody is to be asked', async () => {
    const told: unknown[] = []
    const floor = (): never => {
      throw new Error('No floor')
    }
    const host = await started({
      journal: memoryJournal(),
      agents: { ana: () => 'hello' },
      floor,
      observers: [{ happened: (fact) => void told.push(fact) }],
    })
    await host.open({ id: 'c', members })
    await settled()
    expect(told).toContainEqual(expect.objectContaining({ type: 'failed', conversation: 'c' }))
  })
})

describe('whoever follows', () => {
  const broken = () => {
    const { clock, pass } = byHand()
    const memory = memoryJournal({ now: clock.now })
    const state = { isBroken: false }
    const after = (): void => {
      if (state.isBroken) throw new Error('EIO: i/o error')
    }
    return { clock, pass, memory, state, journal: interfered(memory, { after }) }
  }

  const following = (host: Host) => {
    const heard: (number | string)[] = []
    void (async () => {
      try {
        for await (const { seq } of host.follow('c')) heard.push(seq)
        heard.push('end')
      } catch (error) {
        heard.push((error as { readonly code: string }).code)
      }
    })()
    return heard
  }

  it('hears what an append had written before it failed, in its place', async () => {
    const { clock, state, journal } = broken()
    const host = await started({ clock, journal })
    await host.open({ id: 'c', members, policy })
    const heard = following(host)
    await settled()
    state.isBroken = true
    await expect(host.send('c', info('m1', 'ana'))).rejects.toMatchObject({ code: 'JOURNAL_FAILED' })
    state.isBroken = false
    await host.send('c', info('m2', 'ana'))
    await settled()
    expect(heard).toEqual([0, 1, 2])
  })

  it('hears the end that an append had written before it failed', async () => {
    const { clock, pass, state, journal } = broken()
    const host = await started({ clock, journal })
    await host.open({ id: 'c', members, policy })
    const heard = following(host)
    await settled()
    state.isBroken = true
    await expect(host.cancel('c')).rejects.toMatchObject({ code: 'JOURNAL_FAILED' })
    state.isBroken = false
    await pass(3_000)
    expect(heard).toEqual([0, 1, 'end'])
  })

  it('is told when another host has taken the conversation over', async () => {
    const { clock, pass, memory } = broken()
    const stopped = byHand()
    const first = await started({ journal: memory, clock: stopped.clock })
    await first.open({ id: 'c', members, policy })
    const heard = following(first)
    await settled()
    const second = await started({ journal: memory, clock })
    await pass(20_000, 20)
    await second.send('c', info('m1', 'ana'))
    await stopped.pass(20_000, 20)
    expect(heard).toEqual([0, 'CONVERSATION_HELD'])
  })
})

describe('a host that closes over a journal that hangs', () => {
  it('lets its lease run out, and stops whom it asks', async () => {
    const memory = memoryJournal()
    let hangs = false
    let renewals = 0
    const journal: Journal = {
      ...interfered(memory, {
        before: () => (hangs ? new Promise<never>(() => {}) : undefined),
      }),
      async lease(ttl, name) {
        const lease = await memory.lease(ttl, name)
        const renew = (): Promise<void> => {
          renewals++
          return lease.renew()
        }
        return { ...lease, renew }
      },
    }
    let isStopped = false
    const bot = (_: object, signal: AbortSignal) =>
      new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => {
          isStopped = true
          reject(signal.reason)
        }),
      )
    const transport = memoryTransport()
    const host = await createHost({ journal, transport, agents: { bot }, lease: 30, stopTimeout: 20 })
    await host.open({ id: 'c', members: ['bot', 'ana'], policy })
    await host.open({ id: 'd', members })
    await settled()
    hangs = true
    await transport.send({ type: 'message', conversation: 'd', message: info('m1', 'ana') })
    await settled()
    await host.close()
    await new Promise((resolve) => setTimeout(resolve, 30))
    const before = renewals
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(renewals).toBe(before)
    expect(isStopped).toBe(true)
  })
})

describe('whoever joins a conversation of which nobody was asked', () => {
  it('is asked, and sees what was said', async () => {
    const seen: string[][] = []
    const bot = ({ transcript }: { readonly transcript: readonly { readonly content: string }[] }) => {
      seen.push(transcript.map(({ content }) => content))
      return '[info] hello'
    }
    const journal = memoryJournal()
    const host = await started({ journal, agents: { bot }, people: ['cy'] })
    await host.open({ id: 'c', members, policy: { turnLimit: { discussion: 2 } } })
    await host.send('c', info('m1', 'ana', 'one'))
    await Promise.all([host.join('c', 'bot'), host.send('c', info('m2', 'ben', 'two'))])
    await host.send('c', info('m3', 'ana', 'three'))
    await host.send('c', info('m4', 'ben', 'four'))
    await settled()
    expect(seen[0]?.slice(0, 2)).toEqual(['one', 'two'])
  })

  it('is asked by a question when that is a person', async () => {
    const host = await started({ journal: memoryJournal(), people: ['cy'] })
    await host.open({ id: 'd', members: ['ana'], policy })
    await host.join('d', 'cy')
    await host.send('d', info('m1', 'ana'))
    await settled()
    expect(await host.questions('d')).toMatchObject([{ member: 'cy' }])
  })
})

describe('answers that a host cannot take', () => {
  it('neither keep it busy for ever nor hide what is due', async () => {
    const { clock, pass } = byHand()
    const memory = memoryJournal({ now: clock.now })
    const first = await createHost({ journal: memory, clock, people: ['ana'] })
    for (let n = 0; n < 300; n++)
      await first.open({ id: `c${n}`, members, policy: { deadline: { discussion: 60_000 } } })
    await settled()
    for (const { id } of await memory.questions()) await memory.answer(id, '[info] hello')
    const others = await createHost({ journal: memory, clock })
    await others.open({ id: 'late', members, policy: { deadline: { discussion: 120_000 } } })
    await others.close()
    await first.close()
    let looks = 0
    const journal: Journal = {
      ...memory,
      async lease(ttl, name) {
        const lease = await memory.lease(ttl, name)
        const takeUrgent = async (before: number, limit: number): Promise<readonly string[]> => {
          if (looks++ > 1_000) throw new Error('It goes on for ever')
          return lease.takeUrgent(before, limit)
        }
        return { ...lease, takeUrgent }
      },
    }
    await started({ journal, clock })
    await pass(5_000, 5)
    expect(looks).toBeLessThan(30)
    await pass(120_000, 120)
    expect((await memory.read('late')).events.at(-1)?.type).toBe('deadline')
  })
})

describe('a host that does not know the rules of a conversation', () => {
  it('says so once, and leaves it to one that does', async () => {
    const { clock, pass } = byHand()
    const journal = memoryJournal({ now: clock.now })
    const knowing = await createHost({ journal, clock, protocols: [conversation, contractNet] })
    await knowing.open({ id: 'c', protocol: 'contract-net', members, lead: 'ana' })
    const dueAt = (await knowing.show('c'))?.dueAt ?? 0
    await knowing.close()
    const failures: unknown[] = []
    const happened = (fact: Fact): void => {
      if (fact.type === 'failed') failures.push(fact.error)
    }
    const ignorant = await started({ journal, clock, observers: [{ happened }], lease: 1_000_000_000 })
    await expect(ignorant.send('c', info('m1', 'ana'))).rejects.toMatchObject({ code: 'PROTOCOL_UNKNOWN' })
    await pass(dueAt - clock.now() + 10_000, 50)
    expect(failures).toMatchObject([{ code: 'PROTOCOL_UNKNOWN' }])
    const other = await started({ journal, clock, protocols: [conversation, contractNet] })
    await pass(5_000)
    expect((await other.record('c')).length).toBeGreaterThan(1)
  })
})
