/**
 * Measures conversations on Restate beside a bare counter object, on one server, in turns.
 *
 *     npm run bench [-- --seconds 4 --rounds 5 --loops 32 --open 2000]
 *
 * Figures that matter are ratios within a run; the others depend on the machine and on what else it does.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { clusterHost } from '../src/host.ts'
import { ingressOf } from '../src/ingress.ts'
import { type Restate, register, startRestate } from '../src/server.ts'
import { bytesOf } from './bytes.ts'
import { cpuOf } from './cpu.ts'
import { keepSending, type Load, medianOf, quantileOf } from './load.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
    loops: { type: 'string', default: '32' },
    open: { type: 'string', default: '2000' },
  },
})
const [ms, rounds, loops, open] = [
  Number(values.seconds) * 1_000,
  Number(values.rounds),
  Number(values.loops),
  Number(values.open),
]

const MEMBERS = ['ada', 'bo', 'cy', 'dee']
const LIMITLESS = { turnLimit: { discussion: null } }
const CONTENT = 'The tide tables of the harbour are in the second volume, after the list of lights.'
const KEYS = 64

const round = (value: number): string => value.toFixed(value < 10 ? 2 : 0)

const measure = async (restate: Restate, app: ChildProcess): Promise<void> => {
  const host = clusterHost(restate)
  const calling = { signal: new AbortController().signal, isReading: false }
  const counters = ingressOf(restate, 'counter')
  const clocked = ingressOf(restate, 'clocked')
  const conversations = Array.from({ length: KEYS }, (_, index) => `bench-${index}`)
  for (const id of conversations) await host.open({ id, members: MEMBERS, policy: LIMITLESS })

  let messages = 0
  const talk: Load = async (index) => {
    const id = `m${messages++}`
    const from = MEMBERS[messages % MEMBERS.length]
    const message = { id, from, intent: 'info', content: CONTENT, tokens: 20 }
    const { effect } = await host.send(conversations[index % KEYS] ?? '', message)
    if (effect !== 'applied') throw new Error(`A message was ${effect}`)
  }
  const loads: Readonly<Record<string, Load>> = {
    counter: (index) => counters(`c${index % KEYS}`, 'count', null, calling),
    'counter with the time': (index) => clocked(`c${index % KEYS}`, 'count', null, calling),
    conversation: talk,
  }
  for (const [what, at] of [
    [`${loops} at once`, loops],
    ['one at a time', 1],
  ] as const) {
    const names = Object.keys(loads)
    const taken = new Map(
      names.map((name) => [
        name,
        { rates: [] as number[], times: [] as number[], cpu: [0, 0] as [number, number] },
      ]),
    )
    for (let turn = -1; turn < rounds; turn++) {
      // Neither always runs in the other's wake.
      for (const name of turn % 2 === 0 ? names : names.toReversed()) {
        const before = [cpuOf(restate.pid), cpuOf(app.pid)] as const
        const { rate, times } = await keepSending(loads[name] as Load, at, turn < 0 ? ms / 2 : ms)
        if (turn < 0) continue
        const cpu = taken.get(name)?.cpu ?? [0, 0]
        cpu[0] += cpuOf(restate.pid) - before[0]
        cpu[1] += cpuOf(app.pid) - before[1]
        taken.get(name)?.rates.push(rate)
        taken.get(name)?.times.push(...times)
      }
    }
    console.log(`\n${what}:`)
    const bare = taken.get('counter')?.rates ?? []
    for (const [name, { rates, times, cpu }] of taken) {
      const ratio = medianOf(rates.map((rate, index) => rate / (bare[index] ?? Number.NaN)))
      const [p50, p99] = [quantileOf(times, 0.5), quantileOf(times, 0.99)]
      const [server, its] = cpu.map((spent) => round(spent / times.length))
      console.log(
        `  ${name}: ${round(medianOf(rates))}/s, ${round(ratio)} × the counter, p50 ${round(p50)} ms, p99 ${round(p99)} ms; CPU ms each: server ${server}, app ${its}`,
      )
    }
  }

  console.log('\nOne conversation, one message at a time:')
  await host.open({ id: 'long', members: MEMBERS, policy: LIMITLESS })
  for (let length = 0, next = 0; next < 2_000; next += 500) {
    const times: number[] = []
    for (; length < next + 500; length++) {
      const begun = performance.now()
      await host.send('long', {
        id: `l${length}`,
        from: MEMBERS[length % 4],
        intent: 'info',
        content: CONTENT,
      })
      times.push(performance.now() - begun)
    }
    console.log(`  messages ${next}–${next + 500}: p50 ${round(quantileOf(times, 0.5))} ms`)
  }

  console.log(`\n${open} open conversations:`)
  const before = await bytesOf(restate)
  const begun = performance.now()
  let opened = 0
  await Promise.all(
    Array.from({ length: loops }, async () => {
      while (opened < open) await host.open({ id: `open-${opened++}`, members: MEMBERS, policy: LIMITLESS })
    }),
  )
  const took = (performance.now() - begun) / 1_000
  const after = await bytesOf(restate)
  console.log(`  opened ${round(open / took)}/s`)
  console.log(`  state: ${round((after.state - before.state) / open)} B each`)
  console.log(`  in all conversations: ${round(after.messageState)} B of state for each event`)
  await host.close()
}

let app: ChildProcess | undefined
const restate = await startRestate()
// The server is in a group of its own: whoever ends this does not reach it.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    app?.kill()
    void restate.stop('SIGKILL').finally(() => process.exit(1))
  })
try {
  app = fork(fileURLToPath(new URL('app.js', import.meta.url)))
  const [url] = (await once(app, 'message')) as [string]
  await register(restate.admin, url)
  await measure(restate, app)
} finally {
  await restate.stop()
  app?.disconnect()
}
