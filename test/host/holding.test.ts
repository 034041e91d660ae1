/** What a host has in memory, and what becomes of it when it is given back, taken up again, or lost. */
import { describe, expect, it } from 'vitest'
import { createHost, type Journal, memoryJournal } from '../../src/index.ts'
import { info, settled, started } from './stage.ts'

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
