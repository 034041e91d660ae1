/** How long it takes until a conversation of 1,000 events can go on, as a host takes it up from its journal. */
import { strictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { standingOf } from '../../src/engine/standing.ts'
import { protocolsOf } from '../../src/host/protocols.ts'
import { takingUp } from '../../src/host/taking-up.ts'
import {
  conversation,
  type Journal,
  jsonlJournal,
  memoryJournal,
  openConversation,
  postgresJournal,
  sqliteJournal,
  systemClock,
} from '../../src/index.ts'
import { type Figure, medianOf } from '../measure.ts'
import { inFolder, withPostgres } from './scratch.ts'
import { LIMITLESS, MEMBERS, messageOf } from './talk.ts'

export interface ResumeSizes {
  /** Of each conversation. */
  readonly events: number
  /** Events between snapshots. */
  readonly every: number
  /** Conversations, each of which is taken up once in each round. */
  readonly conversations: number
  readonly rounds: number
}

const SIZES: ResumeSizes = { events: 1_000, every: 100, conversations: 40, rounds: 5 }

const WANTED = { atMost: 5 }
const idOf = (index: number): string => `long-${index}`

/** Keeps a conversation with its newest snapshot as far back as it may be. */
const keep = async (journal: Journal, id: string, { events, every }: ResumeSizes): Promise<void> => {
  const talk = openConversation({ id, members: MEMBERS, policy: LIMITLESS })
  const snapshotAt = events - every
  const say = (until: number): void => {
    while (talk.seq < until) strictEqual(talk.send(messageOf(talk.seq)).effect, 'applied')
  }
  say(snapshotAt)
  const before = talk.record()
  await journal.append(id, 0, before, { standing: { ...standingOf(talk), snapshot: talk.snapshot() } })
  say(events - 1)
  await journal.append(id, before.length, talk.record().slice(before.length), { standing: standingOf(talk) })
}

/** p50 of what each of them takes, in ms, by a journal that has just been opened. */
const round = async (
  open: () => Journal,
  { conversations, events }: ResumeSizes,
): Promise<{ readonly loaded: number; readonly read: number }> => {
  const journal = open()
  const taking = takingUp({
    journal,
    protocols: protocolsOf([conversation]),
    clock: systemClock,
    contentLimit: undefined,
  })
  const loaded: number[] = []
  const read: number[] = []
  try {
    // Whatever else the first one opens.
    await journal.load('nobody')
    for (let index = 0; index < conversations; index++) {
      const begun = performance.now()
      const found = await journal.load(idOf(index))
      const talk = found === null ? null : taking.fromLoaded(found)
      loaded.push(performance.now() - begun)
      strictEqual(talk?.seq, events - 1)
    }
    for (let index = 0; index < conversations; index++) {
      const begun = performance.now()
      const whole = await taking.fromRecord(idOf(index))
      read.push(performance.now() - begun)
      strictEqual(whole?.talk.seq, events - 1)
    }
  } finally {
    await journal.close()
  }
  return { loaded: medianOf(loaded), read: medianOf(read) }
}

const measure = async (name: string, open: () => Journal, sizes: ResumeSizes): Promise<Figure[]> => {
  const journal = open()
  for (let index = 0; index < sizes.conversations; index++) await keep(journal, idOf(index), sizes)
  await journal.close()
  const rounds: { readonly loaded: number; readonly read: number }[] = []
  // The first round only warms up.
  for (let count = 0; count <= sizes.rounds; count++) rounds.push(await round(open, sizes))
  const of = `resume of ${sizes.events.toLocaleString('en')} events, ${name}`
  const measured = rounds.slice(1)
  return [
    {
      name: `${of}, ${sizes.every - 1} after the snapshot, p50`,
      unit: 'ms',
      wanted: WANTED,
      values: measured.map(({ loaded }) => loaded),
    },
    {
      name: `${of}, from the whole record, p50`,
      unit: 'ms',
      wanted: null,
      values: measured.map(({ read }) => read),
    },
  ]
}

export const resume = (sizes = SIZES): Promise<Figure[]> =>
  inFolder((folder) =>
    withPostgres(async ({ url }) => {
      const inMemory = { ...memoryJournal(), close: async () => {} }
      return [
        ...(await measure('memory', () => inMemory, sizes)),
        ...(await measure('jsonl', () => jsonlJournal(join(folder, 'jsonl'), { sync: false }), sizes)),
        ...(await measure('sqlite', () => sqliteJournal(join(folder, 'sqlite'), { sync: false }), sizes)),
        ...(await measure('postgres', () => postgresJournal(url, { sync: false }), sizes)),
      ]
    }),
  )
