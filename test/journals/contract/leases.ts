/** The suite of journals: one writer for each conversation, also when another believes that it is still the one. */
import { expect, it } from 'vitest'
import type { Lease } from '../../../src/journals/journal.ts'
import { type Bench, cancel, opened, opening, standing, TTL, taken } from './samples.ts'

const LOST = { code: 'LEASE_LOST' }

export const leasesContract = (prepare: () => Bench): void => {
  it('let only the holder append while it lasts', async () => {
    const journal = opened(prepare())
    const [one, other] = [await journal.lease(TTL), await journal.lease(TTL)]
    expect(one.id).not.toBe(other.id)
    expect(await one.take('c')).toBe(true)
    expect(await one.take('c')).toBe(true)
    expect(await other.take('c')).toBe(false)
    await expect(journal.append('c', 0, [opening('c')], { lease: other.id })).rejects.toMatchObject(LOST)
    await expect(journal.append('c', 0, [opening('c')])).rejects.toMatchObject(LOST)
    await journal.append('c', 0, [opening('c')], { lease: one.id })
    expect(await journal.list()).toMatchObject([{ length: 1, holder: one.id }])
  })

  it('refuse whoever appends under one that has not taken the conversation', async () => {
    const journal = opened(prepare())
    const lease = await journal.lease(TTL)
    await journal.append('c', 0, [opening('c')])
    for (const id of [lease.id, 'nobody'])
      await expect(journal.append('c', 1, [cancel(1)], { lease: id })).rejects.toMatchObject(LOST)
    await journal.append('c', 1, [cancel(1)])
  })

  it('refuse before they look at the place', async () => {
    const journal = opened(prepare())
    await taken(journal, 'c')
    await expect(journal.append('c', 9, [cancel(1)])).rejects.toMatchObject(LOST)
  })

  it('give back what they drop, and nothing of others', async () => {
    const journal = opened(prepare())
    const [one, other] = [await taken(journal, 'c'), await taken(journal, 'd')]
    await other.drop(['c', 'nobody'])
    expect(await other.take('c')).toBe(false)
    await one.drop(['c', 'd'])
    await expect(journal.append('c', 1, [cancel(1)], { lease: one.id })).rejects.toMatchObject(LOST)
    expect(await other.take('c')).toBe(true)
    expect(await one.take('d')).toBe(false)
  })

  it('of a name end the earlier ones of that name at once, and no others', async () => {
    const journal = opened(prepare())
    const names = ['worker', 'worker:1', 'work', '智', '%']
    const earlier = new Map<string, Lease>()
    for (const [index, name] of names.entries()) {
      const lease = await journal.lease(TTL, name)
      earlier.set(name, lease)
      await lease.take(`c${index}`)
      await journal.append(`c${index}`, 0, [opening(`c${index}`)], { standing: standing(), lease: lease.id })
    }
    const unnamed = await journal.lease(TTL)
    await unnamed.take('d')
    const again = await journal.lease(TTL, 'worker')
    expect(again.id).not.toBe(earlier.get('worker')?.id)
    await expect(earlier.get('worker')?.renew()).rejects.toMatchObject(LOST)
    await expect(
      journal.append('c0', 1, [cancel(1)], { lease: earlier.get('worker')?.id ?? '' }),
    ).rejects.toMatchObject(LOST)
    // What the earlier one had is left, and found at once; the others keep theirs.
    expect(await again.takeUrgent(0, 10)).toEqual(['c0'])
    for (const name of names.slice(1)) await earlier.get(name)?.renew()
    await unnamed.renew()
    expect(await again.take('c1')).toBe(false)
    expect(await again.take('d')).toBe(false)
  })

  it('of a name end those of that name also after a restart, or in another process', async (test) => {
    const bench = prepare()
    const before = bench.open()
    if (!before.capabilities.durable) test.skip('this journal is not durable')
    const killed = await before.lease(TTL, 'worker')
    await killed.take('c')
    await before.append('c', 0, [opening('c')], { standing: standing(), lease: killed.id })
    if (!before.capabilities.shared) await before.close()
    const after = opened(bench)
    const again = await after.lease(TTL, 'worker')
    expect(await again.takeUrgent(0, 10)).toEqual(['c'])
    for (const lease of [killed.id, undefined])
      await expect(
        after.append('c', 1, [cancel(1)], lease === undefined ? {} : { lease }),
      ).rejects.toMatchObject(LOST)
    if (before.capabilities.shared) {
      await expect(killed.take('c')).rejects.toMatchObject(LOST)
      await expect(
        before.append('c', 1, [cancel(1)], { lease: killed.id, standing: standing() }),
      ).rejects.toMatchObject(LOST)
      await before.close()
    }
    await after.append('c', 1, [cancel(1)], { lease: again.id })
  })

  it('last as long as they are renewed', async () => {
    const bench = prepare()
    const journal = opened(bench)
    const lease = await taken(journal, 'c')
    for (let seq = 1; seq < 4; seq++) {
      await bench.pass(TTL * 0.6)
      await lease.renew()
      await journal.append('c', seq, [cancel(seq)], { lease: lease.id, standing: standing() })
    }
    expect(await (await journal.lease(TTL)).take('c')).toBe(false)
  })

  it('end when they are not renewed, for all that they could do', async () => {
    const bench = prepare()
    const journal = opened(bench)
    const lease = await taken(journal, 'c')
    await bench.pass(TTL * 1.2)
    expect(await journal.list()).toMatchObject([{ holder: null }])
    await expect(journal.append('c', 1, [cancel(1)], { lease: lease.id })).rejects.toMatchObject(LOST)
    await expect(lease.renew()).rejects.toMatchObject(LOST)
    await expect(lease.take('c')).rejects.toMatchObject(LOST)
    await expect(lease.takeUrgent(9_999, 9)).rejects.toMatchObject(LOST)
    await journal.append('c', 1, [cancel(1)])
  })

  it('never write again once another has taken the conversation', async () => {
    const bench = prepare()
    const journal = opened(bench)
    const late = await taken(journal, 'c')
    await bench.pass(TTL * 1.2)
    const next = await journal.lease(TTL)
    expect(await next.take('c')).toBe(true)
    await expect(late.renew()).rejects.toMatchObject(LOST)
    await expect(late.take('c')).rejects.toMatchObject(LOST)
    await late.drop(['c'])
    await expect(journal.append('c', 1, [cancel(1)], { lease: late.id })).rejects.toMatchObject(LOST)
    await next.release()
    await expect(journal.append('c', 1, [cancel(1)], { lease: late.id })).rejects.toMatchObject(LOST)
    expect((await journal.read('c')).events).toHaveLength(1)
  })

  it('are released at once, and twice without harm', async () => {
    const journal = opened(prepare())
    const [lease, next] = [await taken(journal, 'c'), await journal.lease(TTL)]
    await lease.release()
    await lease.release()
    await expect(lease.renew()).rejects.toMatchObject(LOST)
    await expect(journal.append('c', 1, [cancel(1)], { lease: lease.id })).rejects.toMatchObject(LOST)
    expect(await next.take('c')).toBe(true)
  })

  it('hold also against hosts in other processes', async (test) => {
    const bench = prepare()
    const [here, there] = [opened(bench), opened(bench)]
    if (!here.capabilities.shared) test.skip('this journal is for one process at a time')
    const lease = await taken(here, 'c')
    const other = await there.lease(TTL)
    expect(await other.take('c')).toBe(false)
    await expect(there.append('c', 1, [cancel(1)])).rejects.toMatchObject(LOST)
    await bench.pass(TTL * 0.6)
    await other.renew()
    await bench.pass(TTL * 0.6)
    expect(await other.takeUrgent(0, 9)).toEqual(['c'])
    await expect(here.append('c', 1, [cancel(1)], { lease: lease.id })).rejects.toMatchObject(LOST)
    await there.append('c', 1, [cancel(1)], { lease: other.id })
  })
}
