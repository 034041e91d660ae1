/** A host that is killed again and again while it works, and what must hold in its journal afterwards. */
import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Journal, type RecordEvent, resumeConversation } from '../../src/index.ts'
import { built } from '../support/build.ts'

interface Answer {
  readonly ref: string
  readonly effect?: string
  readonly reason?: string
}

export interface Kills {
  readonly kind: 'jsonl' | 'sqlite'
  /** Folder or file of the journal. */
  readonly place: string
  /** A file that is not there yet. */
  readonly asked: string
  readonly times: number
  /** Between 0 and 1. */
  random(): number
  /** The same journal, in this process. */
  journal(): Journal
}

export interface Killed {
  readonly acknowledged: number
  readonly messages: number
  readonly deadlines: number
  readonly asked: number
}

const members = ['ana', 'bot']
const LONG = { turnLimit: { discussion: 1_000_000 }, violationLimit: null }

const idOf = (event: RecordEvent): string | null =>
  event.type === 'message' ? (event.message as { readonly id: string }).id : null

/** Kills a host so many times. @throws Error that says what did not hold */
export const killAgainAndAgain = async ({
  kind,
  place,
  asked,
  times,
  random,
  journal,
}: Kills): Promise<Killed> => {
  const index = join(built(), 'dist/src/index.js')
  /** By conversation: the messages that were acknowledged. */
  const acknowledged = new Map<string, Set<string>>()
  const opened = new Set<string>()
  let count = 0

  const live = async (round: number): Promise<void> => {
    const child: ChildProcess = fork(join(import.meta.dirname, 'victim.mjs'), [index, kind, place, asked], {
      execArgv: [],
    })
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    // Killed at any moment of its life, sometimes before it has begun.
    let timer: ReturnType<typeof setTimeout> | undefined
    const kill = (): void => {
      timer = setTimeout(() => child.kill('SIGKILL'), random() * 120)
    }
    const wanted = new Map<string, () => void>()
    child.on('message', ({ ref, effect }: Answer) => {
      if (ref === 'ready') speak()
      if (effect === 'applied' || effect === 'recorded' || effect === 'opened') wanted.get(ref)?.()
    })
    child.on('error', () => {})
    const ask = (ref: string, request: object, onDone: () => void): void => {
      wanted.set(ref, onDone)
      if (child.connected) child.send({ ref, ...request }, () => {})
    }
    const open = (id: string, policy: object): void =>
      ask(`open ${id}`, { type: 'open', payload: { id, members, policy } }, () => {
        opened.add(id)
        acknowledged.set(id, acknowledged.get(id) ?? new Set())
      })
    const speak = (): void => {
      kill()
      // One that goes on for ever, and one that is due at about the time of the next death.
      open('long', LONG)
      open(`due${round}`, { ...LONG, deadline: { discussion: 20 + Math.floor(random() * 200) } })
      for (let message = 0; message < 40; message++) {
        const conversation = message % 4 === 0 ? `due${round}` : 'long'
        const id = `r${round}m${message}`
        const payload = { id, from: 'ana', intent: 'info', content: 'x'.repeat(random() * 200) }
        const say = (): void =>
          ask(id, { type: 'message', conversation, payload }, () => {
            count++
            acknowledged.get(conversation)?.add(id)
          })
        setTimeout(say, random() * 100)
      }
    }
    // Should it never become ready, that shows as well.
    const patience = setTimeout(() => child.kill('SIGKILL'), 20_000)
    await exited
    clearTimeout(timer)
    clearTimeout(patience)
  }

  for (let round = 0; round < times; round++) await live(round)
  await lastLife(kind, place, asked, index, journal, [...opened])

  const kept = journal()
  let messages = 0
  let deadlines = 0
  for (const id of opened) {
    const { events } = await kept.read(id)
    const ids = events.flatMap((event) => idOf(event) ?? [])
    if (new Set(ids).size !== ids.length) throw new Error(`${id} has a message twice`)
    for (const message of acknowledged.get(id) ?? [])
      if (!ids.includes(message)) throw new Error(`${id} has lost ${message}, which was acknowledged`)
    messages += ids.length
    const talk = resumeConversation(events)
    // What changed nothing is in no record: so no deadline was early.
    if (!isDeepStrictEqual(talk.record(), events)) throw new Error(`${id} has events without effect`)
    const fired = events.filter(({ type }) => type === 'deadline').length
    if (id !== 'long' && (fired !== 1 || !talk.isClosed))
      throw new Error(`${id} was due, and fired ${fired} times`)
    deadlines += fired
    const loaded = await kept.load(id)
    if (loaded?.length !== events.length)
      throw new Error(`${id} has ${events.length} events, or ${loaded?.length}`)
  }
  await kept.close()
  const askings = readFileSync(asked, 'utf8').split('\n').slice(0, -1)
  if (new Set(askings).size !== askings.length) throw new Error('An agent was asked twice for one turn')
  return { acknowledged: count, messages, deadlines, asked: askings.length }
}

/** One that is left alone until everything that is due has been fired. */
const lastLife = async (
  kind: string,
  place: string,
  asked: string,
  index: string,
  journal: () => Journal,
  opened: readonly string[],
): Promise<void> => {
  const child = fork(join(import.meta.dirname, 'victim.mjs'), [index, kind, place, asked], { execArgv: [] })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const looking = journal()
  try {
    for (let look = 0; look < 600; look++) {
      const open = new Set((await looking.list({ closed: false })).map(({ id }) => id))
      if (opened.every((id) => id === 'long' || !open.has(id))) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error('Not everything that was due was fired within 30 s')
  } finally {
    await looking.close()
    child.kill('SIGKILL')
    await exited
  }
}
