/** Versions of a protocol side by side, and versions of the app. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Cluster, portOf, registerApp, startCluster } from './cluster.ts'
import { thrown } from './thrown.ts'

let cluster: Cluster

beforeAll(async () => {
  cluster = await startCluster()
})
afterAll(() => cluster.stop())

const answer = (id: string, from: string) => ({ id, from, intent: 'answer' })

it('open conversations go on by the rules with which they were opened, new ones go by the newest', async () => {
  const members = ['ana', 'ben']
  const host = cluster.host()
  const poll = (id: string, policy = {}) => host.open({ id, protocol: 'poll', members, policy })

  const first = await cluster.startApp('first')
  await registerApp(cluster, first)
  expect(await poll('old')).toMatchObject({ version: 1 })
  expect(await poll('due', { ms: 15_000 })).toMatchObject({ version: 1 })

  // Both apps run now; what is new goes to the second.
  const second = await cluster.startApp('second')
  await registerApp(cluster, second)
  expect(await poll('new')).toMatchObject({ version: 2 })
  expect(await host.send('new', answer('m1', 'ana'))).toMatchObject({ to: 'done' })
  expect(await host.send('old', answer('m1', 'ana'))).toMatchObject({ to: 'asking' })
  expect(await poll('old')).toMatchObject({ version: 1, seq: 1 })
  expect((await host.list({ machine: 'poll' })).map(({ id, version }) => [id, version])).toEqual([
    ['due', 1],
    ['new', 2],
    ['old', 1],
  ])

  // An app that has forgotten the old rules does no harm to who needs them.
  await first.kill()
  const later = await cluster.startApp('later')
  await registerApp(cluster, later)
  expect((await thrown(host.send('old', answer('m2', 'ben')))).code).toBe('PROTOCOL_UNKNOWN')
  expect(await host.open({ id: 'newest', members })).toMatchObject({ version: 2 })

  await second.kill()
  const again = await cluster.startApp('second', portOf(second))
  await registerApp(cluster, again)
  await later.kill()
  expect(await host.send('old', answer('m2', 'ben'))).toMatchObject({ effect: 'applied', to: 'done' })
  const heard: string[] = []
  for await (const { event } of host.follow('due')) heard.push(event.type)
  expect(heard).toEqual(['open', 'deadline'])
})
