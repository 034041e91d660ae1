/** What the commands over journals have in common: where they write, and how they go through conversations. */
import { catalogue } from '../../machines/catalogue.ts'
import type { Protocol } from '../engine/protocol.ts'
import type { RecordLine } from '../engine/replay.ts'
import { ColloquyError, messageOf } from '../errors.ts'
import type { Journal, ListFilter, Summary } from '../journals/journal.ts'
import type { RecordEvent } from '../schema/record.ts'
import { EXIT, EXIT_OF } from './exit-codes.ts'
import { type JournalAtOptions, journalAt, type NamedJournal } from './journal-url.ts'
import type { SyncOutput } from './sync-output.ts'

export interface Desk {
  readonly output: SyncOutput
  /** Columns. */
  readonly width: number
  /** Aborts when the command is to stop, which it does between two conversations. */
  readonly signal: AbortSignal
  warn(text: string): void
}

/** The protocols whose records can be decided again. */
export const protocols: Readonly<Record<string, Protocol>> = catalogue

/** Opens a journal for what is done with it, and closes it after that, whatever came of it. */
export const withJournal = async (
  place: string,
  { output }: Desk,
  act: (named: NamedJournal) => Promise<number>,
  options: JournalAtOptions = {},
): Promise<number> => {
  const named = await journalAt(place, options)
  try {
    return await act(named)
  } finally {
    try {
      output.flush()
    } finally {
      await named.journal.close()
    }
  }
}

/**
 * Whether a list tells how a conversation stands now. A journal that one process uses at a time keeps of an open one
 * only now and then how it stands: its host knows, and others find it by the record.
 */
export const isCurrent = ({ capabilities }: Journal, { state, outcome }: Summary): boolean =>
  state !== null && (capabilities.shared || outcome !== null)

/** Conversations of one page. */
const PAGE = 1_000

/** Conversations in pages, so that memory holds few of them. */
export async function* pagesOf(
  journal: Journal,
  filter: Omit<ListFilter, 'after' | 'limit'> = {},
): AsyncGenerator<readonly Summary[]> {
  // A journal of one process looks at all that it has for each list: it is asked once.
  if (!journal.capabilities.shared) {
    yield await journal.list(filter)
    return
  }
  for (let after: string | undefined; ; ) {
    const page = await journal.list({ ...filter, limit: PAGE, ...(after === undefined ? {} : { after }) })
    yield page
    after = page.at(-1)?.id
    if (page.length < PAGE) return
  }
}

/** The conversations of these ids; of all that are meant when there are none. */
export async function* idsOf(
  journal: Journal,
  ids: readonly string[],
  filter: Omit<ListFilter, 'after' | 'limit'> = {},
): AsyncGenerator<string> {
  if (ids.length > 0) yield* ids
  else for await (const page of pagesOf(journal, filter)) for (const { id } of page) yield id
}

/** Does something with one conversation after the other. One that cannot be read is told, and keeps no other from it. */
export const forEach = async (
  ids: AsyncIterable<string>,
  { signal, warn }: Desk,
  act: (id: string) => Promise<void>,
): Promise<number> => {
  let code: number = EXIT.done
  for await (const id of ids) {
    if (signal.aborted) return EXIT.interrupted
    try {
      await act(id)
    } catch (error) {
      if (!(error instanceof ColloquyError) || EXIT_OF[error.code] !== EXIT.badData) throw error
      warn(`"${id}": ${error.code}: ${messageOf(error)}`)
      code = EXIT.badData
    }
  }
  return code
}

/** Events of a journal as the lines of a record. */
export const linesOf = (events: readonly RecordEvent[]): readonly RecordLine[] =>
  events.map((value, index) => ({ line: index + 1, value }))

export const unknownConversation = (id: string, name: string): ColloquyError =>
  new ColloquyError('CONVERSATION_UNKNOWN', `There is no conversation "${id}" in ${name}`, {
    remedy: `Check the id; \`colloquy journal ls ${name}\` tells which there are.`,
  })

/** The events of a conversation. @throws ColloquyError `CONVERSATION_UNKNOWN`, `JOURNAL_CORRUPT` */
export const eventsOf = async (
  { journal, name }: NamedJournal,
  id: string,
  warn: Desk['warn'],
): Promise<readonly RecordEvent[]> => {
  const { events, warnings } = await journal.read(id)
  for (const warning of warnings) warn(warning)
  if (events.length === 0) throw unknownConversation(id, name)
  return events
}
