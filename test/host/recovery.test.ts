/** What a host does when the journal fails, when it dies between any two writes, and when another host takes over. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createHost,
  type Host,
  type Journal,
  memoryJournal,
  type RecordEvent,
  resumeConversation,
} from '../../src/index.ts'
import { parameters } from '../support/property.ts'
import { byHand, info, interfered, settled, started } from './stage.ts'

const members = ['ana', 'ben', 'cy']
const policy = { turnLimit: { discussion: 100 }, deadline: { discussion: 600_000 } }
const LEASE = 15_000

const idsIn = (record: readonly RecordEvent[]): string[] =>
  record.flatMap((event) => (event.type === 'message' ? [(event.message as { id: string }).id] : []))

describe('a journal that fails', () => {
  it.each([
    ['before it has written', 'before'],
    ['after it has written', 'after'],
  ] as const)(
    '%s: the sender hears it, and the conversation goes on from what the journal has',
    async (_, when) => {
      let isBroken = false
      const fail = (): void => {
        if (isBroken) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
      }
      const memory = memoryJournal()
      const host = await started({ journal: interfered(memory, { [when]: fail }) })
      await host.open({ id: 'c', members, policy })
      await host.send('c', info('m1', 'ana'))
      isBroken = true
      const failed = await Promise.allSettled([
        host.send('c', info('m2', 'ana')),
        host.send('c', info('m3', 'ben')),
      ])
      for (const result of failed)
        expect(result).toMatchObject({ status: 'rejected', reason: { code: 'JOURNAL_FAILED' } })
      isBroken = false
      const kept = idsIn((await memory.read('c')).events)
      expect((await host.show('c'))?.seq).toBe(kept.length)
      // Sent again, each has its one effect.
      for (const [id, from] of [
        ['m2', 'ana'],
        ['m3', 'ben'],
      ] as const)
        expect((await host.send('c', info(id, from))).reason).toBe(
          kept.includes(id) ? 'duplicate' : 'continue',
        )
      expect(idsIn(await host.record('c')).sort()).toEqual(['m1', 'm2', 'm3'])
    },
  )

  it('keeps trying to fire a deadline, and fires it once', async () => {
    const { clock, pass } = byHand()
    let isBroken = false
    const memory = memoryJournal({ now: clock.now })
    const journal = interfered(memory, {
      before: () => {
        if (isBroken) throw new Error('EIO: i/o error')
      },
    })
    const host = await started({ journal, clock })
    await host.open({ id: 'c', members, policy: { deadline: { discussion: 10_000 } } })
    isBroken = true
    await pass(15_000, 30)
    expect((await memory.read('c')).events).toHaveLength(1)
    isBroken = false
    await pass(3_000, 6)
    expect((await memory.read('c')).events.map(({ type }) => type)).toEqual(['open', 'deadline'])
  })
})

/** What is done to a host: messages, and time that passes. */
const acts = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        conversation: fc.constantFrom('a', 'b'),
        id: fc.integer({ min: 0, max: 12 }).map((n) => `m${n}`),
        from: fc.constantFrom(...members, 'zoe'),
        intent: fc.constantFrom(
          'info',
          'proposal',
          'agree',
          'accept',
          'result',
          'verdict',
          'reject',
          'object',
        ),
      }),
    },
    { weight: 1, arbitrary: fc.record({ pass: fc.integer({ min: 1, max: 200_000 }) }) },
  ),
  { minLength: 1, maxLength: 25 },
)

/** A journal of a process that dies at its nth append, before or after it is written: nothing is heard of it from then on. */
const dying = (
  journal: Journal,
  at: number,
  when: 'before' | 'after',
): { journal: Journal; died: Promise<void> } => {
  let die = (): void => {}
  const died = new Promise<void>((resolve) => (die = resolve))
  let isDead = false
  const never = new Promise<never>(() => {})
  let appends = 0
  const stop = (): Promise<never> => {
    isDead = true
    die()
    return never
  }
  const guarded: Journal = {
    ...journal,
    async append(...args) {
      if (isDead) return never
      const nth = appends++
      if (nth === at && when === 'before') return stop()
      await journal.append(...args)
      if (nth === at) return stop()
    },
    lease: async (ttl, name) => {
      const lease = await journal.lease(ttl, name)
      const alive =
        <Args extends unknown[], Result>(act: (...args: Args) => Promise<Result>) =>
        (...args: Args): Promise<Result> =>
          isDead ? never : act(...args)
      return {
        id: lease.id,
        renew: alive(lease.renew),
        take: alive(lease.take),
        drop: alive(lease.drop),
        takeUrgent: alive(lease.takeUrgent),
        // The dead release nothing.
        release: async () => {},
      }
    },
  }
  return { journal: guarded, died }
}

describe('a host that dies', () => {
  it('between any two writes: what was acknowledged is there, nothing twice, deadlines fire once and none early', async () => {
    await fc.assert(
      fc.asyncProperty(
        acts,
        fc.integer({ min: 0, max: 25 }),
        fc.constantFrom('before', 'after'),
        async (all, at, when) => {
          const { clock, pass } = byHand()
          const memory = memoryJournal({ now: clock.now })
          const acknowledged = new Map<string, string>()
          const { journal, died } = dying(memory, at, when)
          let isDead = false
          void died.then(() => {
            isDead = true
          })
          const act = async (host: Host, one: (typeof all)[number]): Promise<void> => {
            if ('pass' in one) return pass(one.pass, 4)
            const { conversation, ...message } = one
            const { effect } = await host.send(conversation, message)
            if (effect === 'applied' || effect === 'recorded')
              acknowledged.set(`${conversation} ${message.id}`, message.from)
          }
          // Whoever is dead is not closed.
          const first = await createHost({ journal, clock, lease: LEASE, snapshotEvery: 3 })
          const life = (async () => {
            for (const id of ['a', 'b']) await first.open({ id, members, policy, lead: 'ana' })
            for (const one of all) await act(first, one)
          })()
          await Promise.race([life, died])
          await settled()
          if (!isDead) await first.close()
          await pass(LEASE, 5)
          const second = await started({ journal: memory, clock, lease: LEASE, snapshotEvery: 3 })
          await pass(2_000, 4)
          for (const id of ['a', 'b']) {
            const { events } = await memory.read(id)
            if (events.length === 0) {
              await second.open({ id, members, policy, lead: 'ana' })
              continue
            }
            const ids = idsIn(events)
            expect(new Set(ids).size).toBe(ids.length)
            for (const key of acknowledged.keys())
              if (key.startsWith(`${id} `)) expect(ids).toContain(key.slice(2))
            const replayed = resumeConversation(events, { clock })
            expect(await second.show(id)).toMatchObject({
              state: replayed.state,
              seq: replayed.seq,
              dueAt: replayed.dueAt,
              outcome: replayed.outcome,
              members: replayed.members,
            })
            // Deadlines that were overdue have been fired.
            expect(replayed.dueAt === null || replayed.dueAt > clock.now()).toBe(true)
          }
          // Whatever was said is said again, and the rest goes on: as if nothing had happened.
          for (const one of all) await act(second, one)
          for (const id of ['a', 'b']) {
            const { events } = await memory.read(id)
            const replayed = resumeConversation(events, { clock })
            // A deadline that does nothing is never in a record.
            expect(replayed.record()).toEqual(events)
            expect(new Set(idsIn(events)).size).toBe(idsIn(events).length)
          }
          await second.close()
        },
      ),
      parameters(150),
    )
  })

  it('hands its conversations over when its lease has ended, and can never write to them again', async () => {
    const { clock, pass } = byHand()
    const memory = memoryJournal({ now: clock.now })
    // A process that stands still: its timers do not fire, so it renews nothing.
    const stopped = byHand()
    const first = await started({ journal: memory, clock: stopped.clock, lease: LEASE })
    await first.open({ id: 'c', members, policy: { ...policy, deadline: { discussion: 60_000 } } })
    await first.send('c', info('m1', 'ana'))
    const second = await started({ journal: memory, clock, lease: LEASE })
    await expect(second.send('c', info('m2', 'ben'))).rejects.toMatchObject({ code: 'CONVERSATION_HELD' })
    await pass(LEASE, 15)
    expect(await second.send('c', info('m2', 'ben'))).toMatchObject({ effect: 'applied', seq: 2 })
    // The first one wakes up and goes on as if nothing had been.
    await expect(first.send('c', info('m3', 'cy'))).rejects.toMatchObject({ code: 'LEASE_LOST' })
    await expect(first.cancel('c')).rejects.toMatchObject({ code: 'LEASE_LOST' })
    await stopped.pass(LEASE, 5)
    await expect(first.send('c', info('m3', 'cy'))).rejects.toMatchObject({ code: 'CONVERSATION_HELD' })
    await pass(60_000, 60)
    expect((await memory.read('c')).events.map(({ type }) => type)).toEqual([
      'open',
      'message',
      'message',
      'deadline',
    ])
  })

  it('goes on at once when it has a name', async () => {
    const { clock, pass } = byHand()
    const memory = memoryJournal({ now: clock.now })
    const { journal } = dying(memory, 99, 'before')
    const first = await createHost({ journal, clock, name: 'worker' })
    await first.open({ id: 'c', members, policy: { deadline: { discussion: 1_000 } } })
    await first.send('c', info('m1', 'ana'))
    const second = await started({ journal: memory, clock, name: 'worker' })
    expect(await second.send('c', info('m2', 'ana'))).toMatchObject({ effect: 'applied', seq: 2 })
    await expect(first.send('c', info('m3', 'ana'))).rejects.toMatchObject({ code: 'LEASE_LOST' })
    await pass(2_000)
    expect((await memory.read('c')).events.at(-1)).toMatchObject({ type: 'deadline' })
    await first.close()
  })

  it('is followed by one that asks again, once, whoever was being asked', async () => {
    const { clock, pass } = byHand()
    const memory = memoryJournal({ now: clock.now })
    const { journal, died } = dying(memory, 2, 'before')
    const calls: string[] = []
    const agents = (name: string, answers: boolean) => ({
      ana: () => {
        calls.push(`${name}: ana`)
        return '[info] hello'
      },
      ben: async () => {
        calls.push(`${name}: ben`)
        if (!answers) await new Promise(() => {})
        return '[info] hello'
      },
    })
    // Whoever is dead is not closed.
    const first = await createHost({
      journal,
      clock,
      lease: LEASE,
      agents: agents('first', false),
      stopTimeout: 10,
    })
    await first.open({ id: 'c', members: ['ana', 'ben'], policy: { turnLimit: { discussion: 1 } } })
    await settled()
    void first.cancel('c').catch(() => {})
    await died
    expect(calls).toEqual(['first: ana', 'first: ben'])
    const second = await started({ journal: memory, clock, lease: LEASE, agents: agents('second', true) })
    await settled()
    expect(calls).toHaveLength(2)
    await pass(LEASE + 2_000, 17)
    // What ana had said is kept: only ben, whose turn was open, is asked again.
    expect(calls).toEqual(['first: ana', 'first: ben', 'second: ben'])
    expect((await second.show('c'))?.outcome).toMatchObject({ status: 'timeout', cause: 'turns' })
  })
})
