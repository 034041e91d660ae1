/** Real hosts in processes of their own on one PostgreSQL: stopped past their leases and continued, or killed. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { postgresJournal, resumeConversation } from '../../src/index.ts'
import { freshDatabase } from '../servers/database.ts'
import { built } from '../support/build.ts'

const url = await freshDatabase()
const folder = mkdtempSync(join(tmpdir(), 'colloquy-hosts-'))
const journal = postgresJournal(url)
const children = new Set<ChildProcess>()
// A host that is left over would take what another leaves.
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all([...children].map((child) => once(child, 'exit')))
})
afterAll(async () => {
  await journal.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Answer {
  readonly ref: string
  readonly effect: string
  readonly reason: string
}

interface HostProcess {
  readonly child: ChildProcess
  /** What the host answers. */
  ask(type: 'open' | 'send', conversation: string, payload: object): Promise<Answer>
}

let refs = 0
const started = async (): Promise<HostProcess> => {
  const index = join(built(), 'dist/src/index.js')
  const args = [index, 'postgres', url, join(folder, 'asked')]
  const child = fork(join(import.meta.dirname, 'victim.mjs'), args, { execArgv: [] })
  children.add(child)
  child.once('exit', () => children.delete(child))
  const waiting = new Map<string, (answer: Answer) => void>()
  child.on('message', (answer: Answer) => waiting.get(answer.ref)?.(answer))
  await new Promise<Answer>((resolve) => waiting.set('ready', resolve))
  return {
    child,
    ask: (type, conversation, payload) =>
      new Promise((resolve) => {
        const ref = `${refs++}`
        waiting.set(ref, resolve)
        child.send({ ref, type, conversation, payload })
      }),
  }
}

const opening = (id: string) => ({
  id,
  members: ['ana', 'ben'],
  policy: { turnLimit: { discussion: 1_000 } },
})
const info = (id: string) => ({ id, from: 'ana', intent: 'info' })

/** Asks until the host has taken it, since a lease lasts for a while. */
const until = async (effect: string, ask: () => Promise<Answer>): Promise<Answer> => {
  let answer = await ask()
  for (let tries = 0; tries < 400 && answer.effect !== effect; tries++) {
    await sleep(25)
    answer = await ask()
  }
  expect(answer.effect, answer.reason).toBe(effect)
  return answer
}

const idsOf = async (id: string): Promise<string[]> => {
  const { events } = await journal.read(id)
  // Whatever is there follows the rules: no event of a writer that did not know of another's.
  expect(resumeConversation(events).record()).toEqual(events)
  return events.flatMap((event) => (event.type === 'message' ? [(event.message as { id: string }).id] : []))
}

/** How often a host is stopped; fewer by `COLLOQUY_STOPS`. */
const ROUNDS = Number(process.env.COLLOQUY_STOPS ?? 100)

describe('two hosts on one PostgreSQL', () => {
  it(
    'one that was stopped past its lease cannot write to what the other has taken, and goes on with the rest',
    async () => {
      const [first, second] = [await started(), await started()]
      let stopped = 0
      for (let round = 0; stopped < ROUNDS && round < 2 * ROUNDS; round++) {
        const id = `stopped ${round}`
        await until('opened', () => first.ask('open', id, opening(id)))
        const said = await first.ask('send', id, info('m1'))
        const early = await second.ask('send', id, info('early'))
        // On a machine that is too busy to renew a lease of 400 ms it may have ended by itself.
        if (said.effect !== 'applied' || early.reason !== 'CONVERSATION_HELD') continue
        stopped++
        first.child.kill('SIGSTOP')
        await until('applied', () => second.ask('send', id, info('m2')))
        // It wakes up believing that all is as it was.
        const stale = first.ask('send', id, info('stale'))
        first.child.kill('SIGCONT')
        expect(['LEASE_LOST', 'CONVERSATION_HELD']).toContain((await stale).reason)
        await until('applied', () => second.ask('send', id, info('m3')))
        expect(await idsOf(id)).toEqual(['m1', 'm2', 'm3'])
        await until('opened', () => first.ask('open', `fresh ${round}`, opening(`fresh ${round}`)))
      }
      expect(stopped).toBe(ROUNDS)
    },
    ROUNDS * 10_000,
  )

  it('one that is killed hands over within its lease: deadlines fire, agents are asked on, messages are taken', async () => {
    const [first, second] = [await started(), await started()]
    await first.ask('open', 'talked', opening('talked'))
    await first.ask('open', 'due', { ...opening('due'), policy: { deadline: { discussion: 300 } } })
    await first.ask('open', 'asked', {
      id: 'asked',
      members: ['bot'],
      policy: { turnLimit: { discussion: 60 } },
    })
    first.child.kill('SIGKILL')
    await until('applied', () => second.ask('send', 'talked', info('m1')))
    const isOver = async (id: string): Promise<boolean> =>
      (await journal.list({ closed: true })).some((summary) => summary.id === id)
    for (const id of ['due', 'asked'])
      for (let look = 0; look < 400 && !(await isOver(id)); look++) await sleep(25)
    const due = (await journal.read('due')).events
    expect(due.map(({ type }) => type)).toEqual(['open', 'deadline'])
    expect((due[1]?.at ?? 0) - (due[0]?.at ?? 0)).toBeGreaterThanOrEqual(300)
    expect(await idsOf('asked')).toHaveLength(60)
  })
})
