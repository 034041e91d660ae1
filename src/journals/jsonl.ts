/**
 * A journal in a folder: one file of JSON Lines for each conversation, the same lines as a record has. A crash can cut
 * only the last line short; it is dropped with a warning, and cut off before the next append. Anything else that is no
 * JSON is an error that names file and line. Beside it a file tells how the conversation stands, and each answer has a
 * file of its own. Who has taken what is known only to the process: when another begins, all that is open counts as left.
 */
import { ColloquyError, messageOf } from '../errors.ts'
import { answeredQuestion, unknownQuestion } from './common/conflict.ts'
import { makeFolder } from './common/folder.ts'
import { leaseBook } from './common/leases.ts'
import { page } from './common/summary.ts'
import type { Journal, JournalRead, Lease, Summary } from './journal.ts'
import { keptIn } from './jsonl/kept.ts'
import { linesOf, outlineOf } from './jsonl/lines.ts'
import { lockFolder } from './jsonl/lock.ts'
import { placesIn, placesOf, sizeOf } from './jsonl/places.ts'
import { queues } from './jsonl/queues.ts'
import { readerOf } from './jsonl/reader.ts'
import { compacted, recordOf } from './jsonl/record.ts'
import { writerIn } from './jsonl/writer.ts'

export interface JsonlOptions {
  /** Whether each append waits until the disk has it (`fsync`). Default: true. */
  readonly sync?: boolean
  /** ms, for the leases of hosts. Default: the system's clock. */
  readonly now?: () => number
}

/**
 * A journal of JSON Lines files. Hosts of one process at a time may use it; records may be read, listed and answered
 * from others meanwhile.
 * @param folder where they are; made when it does not exist
 */
export const jsonlJournal = (folder: string, { sync = true, now = Date.now }: JsonlOptions = {}): Journal => {
  const kept = keptIn(folder, sync)
  const leases = leaseBook(now, kept.waiting)
  const reader = readerOf(folder, kept, leases)
  const writer = writerIn(folder, sync, kept, leases)
  const { queued, settled } = queues()
  let locked: Promise<() => Promise<void>> | null = null

  const lock = async (): Promise<() => Promise<void>> => {
    await makeFolder(folder)
    const unlock = await lockFolder(folder)
    for (const id of await kept.hold(await reader.spoilt())) leases.abandon(id)
    return unlock
  }

  const failed = (what: string, error: unknown): ColloquyError =>
    error instanceof ColloquyError
      ? error
      : new ColloquyError('JOURNAL_FAILED', `${what}: ${messageOf(error)}`, { cause: error })

  return {
    capabilities: { durable: true, shared: false },
    append: (conversation, seq, events, options = {}) =>
      queued(conversation, () =>
        writer.append(conversation, seq, events, options).catch((error: unknown) => {
          throw failed(`Cannot write to ${placesOf(folder, conversation).record}`, error)
        }),
      ),
    read: (conversation) =>
      queued(conversation, async (): Promise<JournalRead> => {
        const places = placesOf(folder, conversation)
        const { events, warnings } = linesOf(places.record, conversation, await recordOf(places))
        return { events, warnings }
      }),
    load: (conversation) => queued(conversation, () => reader.load(conversation)),
    async list(filter) {
      const summaries: Summary[] = []
      for (const places of await placesIn(folder)) {
        const summary = await reader.summaryAt(places)
        if (summary !== null) summaries.push(summary)
      }
      return page(summaries, filter)
    },
    async questions(conversation) {
      const states = conversation === undefined ? await kept.all() : [await kept.of(conversation)]
      const pending = await kept.pending(states.flatMap((state) => state?.questions ?? []))
      return [...pending].sort((a, b) => a.at - b.at)
    },
    async answer(question, answer) {
      if (!(await kept.isPending(question))) throw unknownQuestion(question)
      const isFirst = await kept.answer(question, answer).catch((error: unknown) => {
        throw failed(`Cannot keep the answer in ${folder}`, error)
      })
      if (!isFirst) throw answeredQuestion(question)
    },
    async lease(ttl, name): Promise<Lease> {
      locked ??= lock()
      await locked.catch((error: unknown) => {
        locked = null
        throw failed(`Cannot lock ${folder}`, error)
      })
      const lease = leases.begin(ttl, name)
      return {
        ...lease,
        async drop(conversations) {
          await lease.drop(conversations)
          // Whoever takes it again looks at its file.
          for (const conversation of conversations)
            void queued(conversation, async () => writer.forget(conversation))
        },
        async takeUrgent(before, limit) {
          await kept.lookForAnswers()
          return lease.takeUrgent(before, limit)
        },
      }
    },
    compact: (conversation) =>
      queued(conversation, async () => {
        const places = placesOf(folder, conversation)
        const size = (await sizeOf(places.record)) ?? (await sizeOf(places.compact)) ?? 0
        const state = await kept.of(conversation)
        if (state === null || state.outcome === null) return { before: size, after: size }
        const content = (await sizeOf(places.record)) === null ? null : await recordOf(places)
        const outline = content === null ? null : outlineOf(content)
        // Beside a compact record the file has to tell all that a list does.
        if (content !== null && outline !== null && content.length !== state.bytes)
          await kept.write({ ...state, length: outline.length, bytes: content.length, at: outline.last.at })
        return compacted(places, sync)
      }),
    async close() {
      await settled()
      for (const state of kept.behind()) {
        // Whatever was written since by somebody else is newer.
        if ((await sizeOf(placesOf(folder, state.id).record)) === state.bytes) await kept.write(state)
      }
      writer.forget()
      const unlock = await locked?.catch(() => null)
      locked = null
      await unlock?.()
    },
  }
}
