/** The host of a cluster, for whoever uses it: the same interface as in one process. */
import type { Host } from 'colloquy'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterHost } from '../src/index.ts'
import { type Cluster, registerApp, startCluster } from './cluster.ts'
import { thrown } from './thrown.ts'

let cluster: Cluster
let host: Host

beforeAll(async () => {
  cluster = await startCluster()
  await registerApp(cluster, await cluster.startApp('second'))
  host = cluster.host()
})
afterAll(() => cluster.stop())

const answer = (id: string, from: string) => ({ id, from, intent: 'answer' })
const poll = (id: string, members: readonly string[] = ['ana', 'ben']) =>
  host.open({ id, protocol: 'poll', members })

describe('a list', () => {
  beforeAll(async () => {
    for (const id of ['l-1', 'l-2', 'l-3', 'l-é', 'l-🙂', 'l-\uff5e']) await poll(id)
    await host.send('l-2', answer('m1', 'ana'))
    await host.open({ id: 'l-4', protocol: 'conversation', members: ['ana'], goal: 'Talk' })
  })

  it('is in the order of the bytes of ids', async () => {
    const ids = (await host.list({ after: 'l-' })).map(({ id }) => id)
    expect(ids).toEqual([...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
    expect(ids).toEqual(['l-1', 'l-2', 'l-3', 'l-4', 'l-é', 'l-\uff5e', 'l-🙂'])
  })

  it('comes in pages', async () => {
    const ids: string[] = []
    for (let after = 'l-'; ; after = ids.at(-1) ?? '') {
      const page = await host.list({ after, limit: 2 })
      ids.push(...page.map(({ id }) => id))
      if (page.length < 2) break
    }
    expect(ids).toEqual((await host.list({ after: 'l-' })).map(({ id }) => id))
  })

  it('holds what is asked for', async () => {
    const ids = async (filter: object) => (await host.list({ after: 'l-', ...filter })).map(({ id }) => id)
    expect(await ids({ closed: true })).toEqual(['l-2'])
    expect(await ids({ closed: false, limit: 2 })).toEqual(['l-1', 'l-3'])
    expect(await ids({ machine: 'conversation' })).toEqual(['l-4'])
    expect(await ids({ state: 'done' })).toEqual(['l-2'])
    expect(await ids({ status: 'accepted' })).toEqual([])
  })

  it('tells how each conversation stands', async () => {
    const [summary] = await host.list({ machine: 'conversation' })
    const view = await host.show('l-4')
    expect(summary).toMatchObject({ id: 'l-4', goal: 'Talk', version: 1, length: 1, outcome: null })
    expect(summary).toMatchObject({
      dueAt: view?.dueAt,
      at: view?.at,
      openedAt: view?.at,
      state: view?.state,
    })
  })

  it('needs the address of the admin API', async () => {
    const { ingress } = cluster.restate()
    const blind = clusterHost({ ingress })
    expect((await thrown(blind.list())).code).toBe('ENDPOINT_INVALID')
    expect((await thrown(blind.questions())).code).toBe('ENDPOINT_INVALID')
    await blind.close()
  })
})

describe('whoever follows', () => {
  it('hears the past, then what happens, and the end', async () => {
    await poll('heard', ['ana', 'ben', 'cy'])
    const heard: string[] = []
    const following = (async () => {
      for await (const { seq, decision } of host.follow('heard')) heard.push(`${seq} ${decision?.to}`)
    })()
    await host.send('heard', answer('m1', 'ana'))
    await following
    expect(heard).toEqual(['0 undefined', '1 done'])
  })

  it('stops when it is told to, and when the host closes', async () => {
    await poll('silent')
    const controller = new AbortController()
    const seen: number[] = []
    for await (const { seq } of host.follow('silent', { signal: controller.signal })) {
      seen.push(seq)
      controller.abort()
    }
    expect(seen).toEqual([0])
    const other = cluster.host()
    const events = other.follow('silent')
    await events.next()
    const next = events.next()
    await other.close()
    expect(await next).toMatchObject({ done: true })
  })
})

describe('a host', () => {
  it('that is closed takes nothing, and may be closed again', async () => {
    const other = cluster.host()
    const sent = other.open({ id: 'last', members: ['ana'] })
    await other.close()
    expect((await sent).id).toBe('last')
    expect((await thrown(other.send('last', answer('m1', 'ana')))).code).toBe('HOST_CLOSED')
    expect((await thrown(other.list())).code).toBe('HOST_CLOSED')
    await other.close()
  })

  it('that reaches nobody says so', async () => {
    const lost = clusterHost({ ingress: 'http://127.0.0.1:1', admin: 'http://127.0.0.1:1', patience: 100 })
    expect((await thrown(lost.open({ members: ['ana'] }))).code).toBe('JOURNAL_FAILED')
    expect((await thrown(lost.list())).code).toBe('JOURNAL_FAILED')
    await lost.close()
  })

  it('whose app was never registered says so', async () => {
    const lost = cluster.host({ name: 'nobody' })
    expect((await thrown(lost.open({ members: ['ana'] }))).code).toBe('JOURNAL_FAILED')
  })
})
