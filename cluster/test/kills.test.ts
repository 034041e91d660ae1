/** `kill -9` of the server and of apps: what was acknowledged is there, nothing happens twice, deadlines fire, none early. */
import { readFileSync } from 'node:fs'
import type { Host, Sent } from 'colloquy'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Cluster, portOf, type RunningApp, registerApp, startCluster } from './cluster.ts'

let cluster: Cluster
let app: RunningApp
let host: Host

beforeEach(async () => {
  cluster = await startCluster()
  app = await cluster.startApp('first')
  await registerApp(cluster, app)
  host = cluster.host({ patience: 90_000 })
})
afterEach(() => cluster.stop())

const killAll = async (): Promise<void> => {
  await Promise.all([cluster.killServer(), app.kill()])
}
const startAll = async (): Promise<void> => {
  app = await cluster.startApp('first', portOf(app))
  await cluster.startServer()
}
const answer = (id: string, from: string) => ({ id, from, intent: 'answer' })

it('deadlines fire, once and not early, also those that were due while everything was dead', async () => {
  const members = ['ana', 'ben']
  const opened = await Promise.all(
    [1_000, 8_000, 20_000].map((ms) =>
      host.open({ id: `due in ${ms}`, protocol: 'poll', members, policy: { ms } }),
    ),
  )
  await killAll()
  while (Date.now() < (opened[0]?.dueAt ?? 0)) await new Promise((resolve) => setTimeout(resolve, 50))
  await startAll()
  for (const { id, dueAt } of opened) {
    const heard: string[] = []
    for await (const { event } of host.follow(id)) heard.push(event.type)
    expect(heard).toEqual(['open', 'deadline'])
    const last = (await host.record(id)).at(-1)
    expect(last?.at).toBeGreaterThanOrEqual(dueAt ?? Number.POSITIVE_INFINITY)
    expect(await host.show(id)).toMatchObject({ state: 'done', outcome: { answered: [] } })
  }
  // The last one was still open when everything had been started again, and nobody has spoken to it.
  const [, , last] = opened
  expect((await host.show(last?.id ?? ''))?.at).toBeGreaterThanOrEqual(
    last?.dueAt ?? Number.POSITIVE_INFINITY,
  )
})

it('an id that is sent five times, before, during and after, has one effect', async () => {
  await host.open({ id: 'once', protocol: 'poll', members: ['ana', 'ben'] })
  const five = (): Promise<Sent>[] => Array.from({ length: 5 }, () => host.send('once', answer('m1', 'ana')))
  const during = five()
  await killAll()
  await startAll()
  const told = await Promise.all(during)
  expect(told.filter(({ effect }) => effect === 'applied')).toHaveLength(1)
  expect(told.filter(({ reason }) => reason === 'duplicate')).toHaveLength(4)
  await killAll()
  await startAll()
  const after = await Promise.all(five())
  expect(after.map(({ reason }) => reason)).toEqual(Array.from({ length: 5 }, () => 'duplicate'))
  expect(await host.record('once')).toHaveLength(2)
})

it('what was acknowledged is there, none of it twice, while the app dies again and again', async () => {
  const members = Array.from({ length: 40 }, (_, index) => `member-${index}`)
  await host.open({ id: 'many', protocol: 'poll', members })
  const sending = members.map((member) => host.send('many', answer(`by ${member}`, member)))
  for (let times = 0; times < 3; times++) {
    await app.kill()
    app = await cluster.startApp('first', portOf(app))
  }
  const told = await Promise.all(sending)
  expect(told.map(({ effect }) => effect)).toEqual(members.map(() => 'applied'))
  const record = await host.record('many')
  const said = record.flatMap((event) =>
    event.type === 'message' ? [(event.message as { from: string }).from] : [],
  )
  expect([...said].sort()).toEqual([...members].sort())
  expect((await host.show('many'))?.state).toBe('done')
})

it('an agent with whom its app died is asked once more, and its answer counts once', async () => {
  await host.open({ id: 'mortal', protocol: 'poll', members: ['mortal'] })
  await app.ended
  app = await cluster.startApp('first', portOf(app))
  for await (const _ of host.follow('mortal'));
  expect(await host.show('mortal')).toMatchObject({ outcome: { answered: ['mortal'] } })
  expect(readFileSync(cluster.asks, 'utf8')).toBe('mortal\nmortal\n')
  expect(await host.record('mortal')).toHaveLength(2)
})
