/** The examples of embedding, run for real: their own packages, their own processes. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { conversation } from '../../machines/conversation/index.ts'
import { replay } from '../../src/engine/replay.ts'
import { built } from '../support/build.ts'

const root = join(import.meta.dirname, '../..')
const scratch = mkdtempSync(join(realpathSync(tmpdir()), 'colloquy-embedding-'))
const run = promisify(execFile)

/** Most ms for a package's dependencies to arrive. */
const INSTALL_TIME = 240_000
/** Tracing would send runs of the graph to a service: off, whatever the environment says. */
const env = { ...process.env, LANGSMITH_TRACING: 'false', LANGCHAIN_TRACING_V2: 'false' }

/** Whether what is installed is what the lock file says. */
const isInstalled = (folder: string): boolean => {
  const mark = join(folder, 'node_modules/.package-lock.json')
  return existsSync(mark) && statSync(mark).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs
}

/** An example with its own dependencies and colloquy as these sources are now, in a folder of its own. */
const exampleOf = (name: string): string => {
  const origin = join(root, 'examples', name)
  if (!isInstalled(origin)) {
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
    execFileSync('npm', args, { cwd: origin, timeout: INSTALL_TIME, stdio: 'pipe' })
  }
  const folder = join(scratch, name)
  const modules = join(folder, 'node_modules')
  mkdirSync(modules, { recursive: true })
  for (const file of readdirSync(origin)) {
    if (/\.mjs$|^package\.json$/.test(file)) cpSync(join(origin, file), join(folder, file))
  }
  for (const dependency of readdirSync(join(origin, 'node_modules'))) {
    const target = dependency === 'colloquy' ? built() : join(origin, 'node_modules', dependency)
    if (!dependency.startsWith('.')) symlinkSync(target, join(modules, dependency), 'junction')
  }
  return folder
}

const examples = { langgraph: '', service: '' }
beforeAll(() => {
  examples.langgraph = exampleOf('langgraph')
  examples.service = exampleOf('http-service')
}, 2 * INSTALL_TIME)
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

test.each(['langgraph', 'http-service'])('%s finds colloquy by its name', (name) => {
  expect(realpathSync(join(root, 'examples', name, 'node_modules/colloquy'))).toBe(realpathSync(root))
})

describe('a conversation in a graph', () => {
  test('an invoice that adds up is published, another waits for a person', async () => {
    const { stdout } = await run(process.execPath, ['main.mjs'], { cwd: examples.langgraph, env })
    const lines = stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { number: 'plain', status: 'accepted', rejections: 0, asked: null, end: 'published' },
      { number: 'rounded', status: 'accepted', rejections: 1, asked: null, end: 'published' },
      {
        number: 'wrong',
        status: 'rejects_exhausted',
        asked: {
          status: 'rejects_exhausted',
          objections: Array(2).fill('ada: 5950 cents, but it says 6000.'),
        },
        end: 'refused',
      },
    ])
  })

  /** Runs a module beside the graph; what it prints, parsed. */
  const beside = async (code: string): Promise<unknown> => {
    const prelude = `import { Command, MemorySaver } from '@langchain/langgraph'
      import { invoices } from './graph.mjs'
      const invoice = { lines: [{ amount: 2, price: 50 }], rate: 20, total: 120 }\n`
    const args = ['--input-type=module', '-e', prelude + code]
    const { stdout } = await run(process.execPath, args, { cwd: examples.langgraph, env, timeout: 20_000 })
    return JSON.parse(stdout)
  }

  test('the record in the state replays to the same outcome', async () => {
    const state = await beside('console.log(JSON.stringify(await invoices().invoke({ invoice })))')
    const { outcome, record } = state as { outcome: object; record: object[] }
    const lines = record.map((value, index) => ({ line: index + 1, value }))
    expect(replay(lines, { conversation }).talk.outcome).toEqual(outcome)
  })

  test('a person may pay all the same; the conversation is not held again', async () => {
    const state = await beside(`
      const thread = { configurable: { thread_id: '1' } }
      const graph = invoices({ checkpointer: new MemorySaver() })
      const before = await graph.invoke({ invoice: { ...invoice, total: 1 } }, thread)
      const after = await graph.invoke(new Command({ resume: 'pay' }), thread)
      console.log(JSON.stringify({ before, after }))`)
    const { before, after } = state as Record<'before' | 'after', { end?: string; record: { id?: string }[] }>
    expect(before.end).toBeUndefined()
    expect(after.end).toBe('published')
    expect(after.record).toEqual(before.record)
  })

  test('whoever aborts the graph stops the agents', async () => {
    const told = await beside(`
      const told = []
      const hangs = (turn, signal) => new Promise((_, reject) => {
        signal.addEventListener('abort', () => { told.push(turn.member); reject(signal.reason) })
        setTimeout(() => controller.abort(), 50)
      })
      const controller = new AbortController()
      const graph = invoices({ group: () => ({ ada: hangs, ben: hangs }) })
      const error = await graph.invoke({ invoice }, { signal: controller.signal }).catch((thrown) => thrown)
      await new Promise((resolve) => setTimeout(resolve, 50))
      console.log(JSON.stringify([error.name, ...told]))`)
    expect(told).toEqual(['AbortError', 'ada'])
  })
})

describe('conversations over HTTP', () => {
  interface Service {
    readonly url: string
    readonly child: ChildProcess
    readonly errors: string[]
  }
  const running = new Set<ChildProcess>()

  const start = async (data: string): Promise<Service> => {
    const child = spawn(process.execPath, ['service.mjs'], {
      cwd: examples.service,
      env: { ...env, PORT: '0', DATA: data },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    child.once('exit', () => running.delete(child))
    const errors: string[] = []
    child.stderr.on('data', (text) => errors.push(String(text)))
    for await (const url of createInterface({ input: child.stdout })) return { url, child, errors }
    throw new Error(`The service did not start: ${errors.join('')}`)
  }

  const end = async ({ child }: Service, signal: NodeJS.Signals): Promise<number | null> => {
    const exited = once(child, 'exit')
    child.kill(signal)
    const [code] = await exited
    return code as number | null
  }

  afterEach(async () => {
    const left = [...running]
    for (const child of left) child.kill('SIGKILL')
    await Promise.all(left.map((child) => once(child, 'exit')))
  })

  const folder = (): string => mkdtempSync(join(scratch, 'data-'))

  interface Reply {
    readonly status: number
    readonly body: Record<string, unknown> & { readonly id: string }
  }

  const call = async (method: string, url: string, body?: unknown): Promise<Reply> => {
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const response = await fetch(url, { method, ...sent })
    return { status: response.status, body: (await response.json()) as Reply['body'] }
  }

  const open = async ({ url }: Service, more: object = {}): Promise<string> => {
    const opening = { goal: 'Lunch', members: ['ada', 'ben', 'cy'], lead: 'ada', ...more }
    const { status, body } = await call('POST', `${url}/conversations`, opening)
    expect(status).toBe(201)
    return body.id
  }

  interface Heard {
    readonly seq: number
    readonly event: { readonly type: string; readonly at: number; readonly message?: { readonly id: string } }
  }

  /** Follows a conversation until its stream ends, or the service dies. */
  const follow = async (url: string, heard: Heard[], last?: number): Promise<number> => {
    const headers = last === undefined ? {} : { 'Last-Event-ID': String(last) }
    const response = await fetch(`${url}/events`, { headers })
    let text = ''
    const decoder = new TextDecoder()
    try {
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk, { stream: true })
        for (let stop = text.indexOf('\n\n'); stop !== -1; stop = text.indexOf('\n\n')) {
          const fields = new Map(
            text
              .slice(0, stop)
              .split('\n')
              .map((line) => line.split(/: (.*)/s) as [string, string]),
          )
          text = text.slice(stop + 2)
          const event = JSON.parse(fields.get('data') ?? 'null') as Heard
          expect(fields.get('id')).toBe(String(event.seq))
          heard.push(event)
        }
      }
    } catch (error) {
      // The connection of a service that was killed.
      if (!(error instanceof TypeError)) throw error
    }
    return response.status
  }

  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  const places = (heard: readonly Heard[]): number[] => heard.map(({ seq }) => seq)
  const upTo = (last: number): number[] => Array.from({ length: last + 1 }, (_, seq) => seq)

  test('what is wrong is refused, field by field, and changes nothing', async () => {
    const service = await start(folder())
    const { url } = service
    const wrong = { members: ['ada', 'ada', 7], goal: 3 }
    expect(await call('POST', `${url}/conversations`, wrong)).toMatchObject({
      status: 422,
      body: { error: 'OPEN_INVALID', issues: [{ path: 'goal' }, { path: 'members[2]' }] },
    })
    expect(
      await call('POST', `${url}/conversations`, { members: ['ada'], policy: { maxReject: -1, turns: 1 } }),
    ).toMatchObject({
      status: 422,
      body: { error: 'POLICY_INVALID', issues: [{ path: 'policy.maxReject' }, { path: 'policy.turns' }] },
    })
    for (const body of ['no JSON', '[]', 'null', '']) {
      expect((await call('POST', `${url}/conversations`, body)).status).toBe(400)
    }
    const id = await open(service)
    const talk = `${url}/conversations/${id}`
    const send = (message: unknown) => call('POST', `${talk}/messages`, message)
    expect(await send({ id: 'm1', from: 'ada', intent: 'info', tokens: -1 })).toMatchObject({
      status: 422,
      body: { effect: 'rejected', reason: 'invalid', issues: [{ path: 'tokens' }] },
    })
    expect((await send({ id: 'm1', from: 'ada', intent: 'info', content: 'x'.repeat(70_000) })).status).toBe(
      413,
    )
    expect((await send({ id: 'm1', from: 'ada', intent: 'info' })).status).toBe(200)
    expect(await send({ id: 'm1', from: 'ben', intent: 'info' })).toMatchObject({
      status: 409,
      body: { reason: 'id_taken' },
    })
    expect((await call('GET', talk)).body).toMatchObject({
      seq: 1,
      state: 'discussion',
      next: [{ member: 'ben' }],
    })
    expect((await call('GET', `${url}/conversations/nobody`)).status).toBe(404)
    expect((await call('GET', `${url}/nothing`)).status).toBe(404)
    expect((await call('DELETE', talk)).body).toMatchObject({
      effect: 'applied',
      outcome: { status: 'cancelled' },
    })
    expect((await call('DELETE', talk)).body).toMatchObject({ effect: 'ignored', reason: 'closed' })
    expect(service.errors).toEqual([])
  })

  test('killed in the middle, it goes on where it was; who follows misses nothing', async () => {
    const data = folder()
    let service = await start(data)
    const id = await open(service)
    const at = (): string => `${service.url}/conversations/${id}`
    const send = async (from: string, intent: string, more: object = {}): Promise<Reply['body']> => {
      const { status, body } = await call('POST', `${at()}/messages`, {
        id: `${from}-${intent}`,
        from,
        intent,
        ...more,
      })
      expect(status).toBe(200)
      return body
    }
    const first: Heard[] = []
    const second: Heard[] = []
    const third: Heard[] = []
    const following = [follow(at(), first), follow(at(), second)]
    const plan = { payload: { subtasks: [{ id: 'soup' }] } }
    expect(await send('ada', 'proposal', plan)).toMatchObject({ reason: 'proposal_raised', seq: 1 })
    expect(await send('ben', 'agree')).toMatchObject({ reason: 'consensus', state: 'assign', seq: 2 })
    await until(() => first.length === 3 && second.length === 3)
    expect(first).toEqual(second)
    const { body: before } = await call('GET', at())

    await end(service, 'SIGKILL')
    await Promise.all(following)
    service = await start(data)
    expect((await call('GET', at())).body).toEqual(before)
    expect(await send('ada', 'proposal', plan)).toMatchObject({ effect: 'ignored', reason: 'duplicate' })

    const resumed = [follow(at(), first, 2), follow(at(), second, 1), follow(at(), third)]
    expect(await send('ben', 'accept')).toMatchObject({ reason: 'all_assigned', seq: 3 })
    expect(await send('ben', 'result', { payload: { output: 'hot' } })).toMatchObject({
      reason: 'all_reported',
    })
    const { outcome } = await send('cy', 'verdict')
    expect(outcome).toMatchObject({
      status: 'accepted',
      subtasks: [{ id: 'soup', owner: 'ben', output: 'hot' }],
    })
    expect(await Promise.all(resumed)).toEqual([200, 200, 200])
    expect(places(third)).toEqual(upTo(5))
    expect(first).toEqual(third)
    expect(second).toEqual([...third.slice(0, 3), ...third.slice(2)])

    expect((await call('GET', at())).body).toMatchObject({ state: 'closed', dueAt: null, next: [], outcome })
    expect(await follow(at(), [], 5)).toBe(204)
    const again: Heard[] = []
    await follow(at(), again, 3)
    expect(again).toEqual(third.slice(4))
  })

  test('killed under load, it has lost nothing that was answered or heard', async () => {
    const data = folder()
    let service = await start(data)
    const id = await open(service, { policy: { turnLimit: { discussion: 100_000 } } })
    const at = (): string => `${service.url}/conversations/${id}`
    const heard: Heard[] = []
    const following = follow(at(), heard)
    const answered: string[] = []
    const chatter = ['ada', 'ben', 'cy'].map(async (from) => {
      for (let turn = 0; ; turn++) {
        const { body } = await call('POST', `${at()}/messages`, {
          id: `${from}${turn}`,
          from,
          intent: 'info',
        })
        answered.push(body.id)
      }
    })
    const ended = Promise.allSettled(chatter)
    await until(() => answered.length > 60)
    await end(service, 'SIGKILL')
    await following
    const causes = (await ended).map((each) => each.status === 'rejected' && each.reason)
    for (const cause of causes) expect(cause).toBeInstanceOf(TypeError)

    service = await start(data)
    const kept: Heard[] = []
    const followed = follow(at(), kept)
    await call('DELETE', at())
    await followed
    expect(places(kept)).toEqual(upTo(kept.length - 1))
    expect(kept.slice(0, heard.length)).toEqual(heard)
    expect(kept.map(({ event }) => event.message?.id)).toEqual(expect.arrayContaining(answered))
  })

  test('deadlines come after a restart: those of the meantime at once, the others in time', async () => {
    const data = folder()
    let service = await start(data)
    const past = await open(service, { policy: { deadline: { discussion: 1 } } })
    const soon = await open(service, { policy: { deadline: { discussion: 1_500 } } })
    const soonDue = (await call('GET', `${service.url}/conversations/${soon}`)).body.dueAt as number
    const meantime = await open(service, { policy: { deadline: { discussion: 300 } } })
    await end(service, 'SIGKILL')
    await new Promise((resolve) => setTimeout(resolve, 300))
    service = await start(data)
    for (const id of [past, meantime, soon]) {
      const heard: Heard[] = []
      await follow(`${service.url}/conversations/${id}`, heard)
      expect(heard.map(({ event }) => event.type)).toEqual(['open', 'deadline'])
      if (id === soon) expect(heard.at(-1)?.event.at).toBeGreaterThanOrEqual(soonDue)
      const { body } = await call('GET', `${service.url}/conversations/${id}`)
      expect(body.outcome).toMatchObject({ status: 'timeout', cause: 'deadline' })
    }
  })

  test('a line that a crash cut short is dropped, and a file that is no record left alone', async () => {
    const data = folder()
    let service = await start(data)
    const id = await open(service)
    const other = await open(service)
    await end(service, 'SIGKILL')
    for (const name of readdirSync(data)) {
      const path = join(data, name)
      const isOurs = readFileSync(path, 'utf8').includes(`"${id}"`)
      appendFileSync(path, isOurs ? '{"type":"mess' : 'no JSON\n')
    }
    service = await start(data)
    const complains = (text: RegExp): boolean => text.test(service.errors.join(''))
    await until(() => complains(/cut short/) && complains(new RegExp(`${other}: .*is no JSON`)))
    const message = { id: 'm1', from: 'ada', intent: 'info' }
    const sent = await call('POST', `${service.url}/conversations/${id}/messages`, message)
    expect(sent).toMatchObject({ status: 200, body: { seq: 1 } })
    expect((await call('GET', `${service.url}/conversations/${other}`)).status).toBe(503)
  })

  test('SIGTERM ends the streams, lets requests finish, and exits with 0', async () => {
    const data = folder()
    const service = await start(data)
    const id = await open(service)
    const talk = `${service.url}/conversations/${id}`
    const heard: Heard[] = []
    const following = follow(talk, heard)
    await until(() => heard.length === 1)
    const answer = call('POST', `${talk}/messages`, { id: 'm1', from: 'ada', intent: 'info' })
    await until(() => heard.length === 2)
    const started = performance.now()
    expect(await end(service, 'SIGTERM')).toBe(0)
    expect(performance.now() - started).toBeLessThan(2_500)
    expect(await following).toBe(200)
    expect((await answer).body).toMatchObject({ effect: 'applied', seq: 1 })
    await expect(fetch(talk)).rejects.toThrow(TypeError)
    expect(service.errors).toEqual([])
  })
})
