/** Appends through each durable journal, beside its bare driver that inserts the same events. */
import { join } from 'node:path'
import { type Journal, jsonlJournal, postgresJournal, sqliteJournal } from '../../src/index.ts'
import { alternate, type Figure, ratios } from '../measure.ts'
import { type Bare, bareFiles, barePostgres, bareSqlite } from './bare.ts'
import { keepGoing } from './keep-going.ts'
import { inFolder, withPostgres } from './scratch.ts'
import { eventOf } from './talk.ts'

export interface AppendSizes {
  readonly rounds: number
  readonly warmUps: number
  /** ms for each side in each round. */
  readonly ms: number
  /** Conversations that are appended to at once. */
  readonly conversations: number
}

const SIZES: AppendSizes = { rounds: 5, warmUps: 1, ms: 250, conversations: 200 }

const WANTED = { atLeast: 0.6 }
const LEASE = 3_600_000

/** A journal and its rival, both empty. */
interface Pair {
  readonly journal: Journal
  readonly bare: Bare
}

/** Appends as a host does: under a lease, one event and how the conversation stands then. */
const appending = async (journal: Journal, conversations: readonly string[]) => {
  const lease = await journal.lease(LEASE)
  const lengths = new Map<string, number>()
  const append = async (id: string): Promise<void> => {
    const seq = lengths.get(id) ?? 0
    lengths.set(id, seq + 1)
    const standing = { state: 'discussion', dueAt: 1_700_000_000_000 + seq, outcome: null }
    await journal.append(id, seq, [eventOf(id, seq)], { lease: lease.id, standing })
  }
  await Promise.all(
    conversations.map(async (id) => {
      await lease.take(id)
      await append(id)
    }),
  )
  return append
}

const compare = async (name: string, pair: Pair, sizes: AppendSizes): Promise<Figure[]> => {
  const { journal, bare } = pair
  const { conversations } = sizes
  const ids = Array.from({ length: conversations + 1 }, (_, index) => `c${index}`)
  const append = await appending(journal, ids)
  const seqs = new Map<number, number>()
  const rowOf = (conversation: number) => {
    const seq = seqs.get(conversation) ?? 0
    seqs.set(conversation, seq + 1)
    return { conversation, seq, event: eventOf(`c${conversation}`, seq) }
  }
  const each = async (loops: number, work: (loop: number) => Promise<void>, done = 1): Promise<number> => {
    const { count, ms } = await keepGoing(loops, sizes.ms, work)
    return ms / (count * done)
  }

  // The last conversation is the one that is appended to alone.
  const alone = await alternate(
    {
      journal: () => each(1, () => append(`c${conversations}`)),
      bare: () => each(1, () => bare.insert(rowOf(conversations))),
    },
    sizes,
  )
  const { insertAll } = bare
  const together = await alternate(
    {
      journal: () => each(conversations, (loop) => append(`c${loop}`)),
      bare: () => each(conversations, (loop) => bare.insert(rowOf(loop))),
      batch: async () =>
        insertAll === null
          ? Number.NaN
          : each(
              1,
              () => insertAll(Array.from({ length: conversations }, (_, loop) => rowOf(loop))),
              conversations,
            ),
    },
    sizes,
  )
  const rate = (of: string, took: readonly number[]): Figure => ({
    name: `${name}, ${of}`,
    unit: '/s',
    wanted: null,
    values: took.map((ms) => 1_000 / ms),
  })
  const ratio = (of: string, rival: readonly number[], took: readonly number[]): Figure => ({
    name: `${name}, ${of}`,
    unit: '×',
    wanted: WANTED,
    values: ratios(rival, took),
  })
  const many = `${conversations} conversations`
  return [
    rate('one conversation', alone.journal),
    ratio('one conversation / bare single inserts', alone.bare, alone.journal),
    rate(many, together.journal),
    ratio(`${many} / bare single inserts`, together.bare, together.journal),
    ...(insertAll === null
      ? []
      : [
          ratio(
            `${many} / bare inserts of ${conversations} in one transaction`,
            together.batch,
            together.journal,
          ),
        ]),
  ]
}

const closing = async (pair: Pair, act: (pair: Pair) => Promise<Figure[]>): Promise<Figure[]> => {
  try {
    return await act(pair)
  } finally {
    await pair.journal.close()
    await pair.bare.close()
  }
}

const SYNCS = [true, false] as const
const nameOf = (journal: string, sync: boolean): string => `append, ${journal}, sync ${sync ? 'on' : 'off'}`

const bySync = async (
  journal: string,
  sizes: AppendSizes,
  pairOf: (sync: boolean) => Promise<Pair> | Pair,
): Promise<Figure[]> => {
  const figures: Figure[] = []
  for (const sync of SYNCS)
    figures.push(
      ...(await closing(await pairOf(sync), (pair) => compare(nameOf(journal, sync), pair, sizes))),
    )
  return figures
}

export const jsonlAppends = (sizes = SIZES): Promise<Figure[]> =>
  inFolder((folder) =>
    bySync('jsonl', sizes, (sync) => ({
      journal: jsonlJournal(join(folder, `journal-${sync}`), { sync }),
      bare: bareFiles(join(folder, `bare-${sync}`), sync),
    })),
  )

export const sqliteAppends = (sizes = SIZES): Promise<Figure[]> =>
  inFolder((folder) =>
    bySync('sqlite', sizes, (sync) => ({
      journal: sqliteJournal(join(folder, `journal-${sync}`), { sync }),
      bare: bareSqlite(join(folder, `bare-${sync}`), sync),
    })),
  )

export const postgresAppends = (sizes = SIZES): Promise<Figure[]> =>
  withPostgres(({ url }) =>
    bySync('postgres', sizes, async (sync) => ({
      journal: postgresJournal(url, { schema: `journal_${sync}`, sync }),
      bare: await barePostgres(url, `bare_${sync}`, sync),
    })),
  )
