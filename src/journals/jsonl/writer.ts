/** Appends to record files. */
import { constants, type FileHandle, open, unlink } from 'node:fs/promises'
import { ColloquyError } from '../../errors.ts'
import type { OpenEvent, RecordEvent } from '../../schema/record.ts'
import { knownMessage, refuseConflict } from '../common/conflict.ts'
import { makeFolder } from '../common/folder.ts'
import type { LeaseBook } from '../common/leases.ts'
import { saidIn } from '../common/said.ts'
import type { AppendOptions } from '../journal.ts'
import { syncFolder } from './files.ts'
import type { Kept } from './kept.ts'
import { linesOf } from './lines.ts'
import { type Places, placesOf } from './places.ts'
import { expanded, recordOf } from './record.ts'
import { stateAfter } from './state.ts'

/** What this journal knows of a file; it is opened for each append, so that any number of conversations needs no open files. */
interface Known {
  readonly events: number
  /** Whole lines only. */
  readonly bytes: number
  /** Null when it is empty. */
  readonly first: OpenEvent | null
  readonly last: RecordEvent | null
  /** The ids of its messages. */
  readonly said: Set<string>
}

/** Appends, one at a time for each conversation: that is for the caller. */
export const writerIn = (folder: string, sync: boolean, kept: Kept, leases: LeaseBook) => {
  const files = new Map<string, Known>()

  /** What is in the file; what a crash left of a last line goes, or the next line would be glued to it. */
  const examine = async (handle: FileHandle, places: Places, conversation: string): Promise<Known> => {
    const known = files.get(conversation)
    if (known !== undefined) return known
    const { events, bytes, isUnended } = linesOf(places.record, conversation, await recordOf(places))
    await handle.truncate(bytes)
    if (isUnended) await handle.appendFile('\n')
    else if (sync && events.length === 0) await syncFolder(folder)
    const [first = null] = events
    return {
      events: events.length,
      bytes: isUnended ? bytes + 1 : bytes,
      first: first?.type === 'open' ? first : null,
      last: events.at(-1) ?? null,
      said: new Set(events.flatMap((event) => saidIn(event)?.id ?? [])),
    }
  }

  /** Writes events, and how the conversation stands after them; takes them back when that fails. */
  const write = async (
    handle: FileHandle,
    known: Known,
    events: readonly RecordEvent[],
    standing: AppendOptions['standing'],
  ): Promise<Known> => {
    const text = events.map((event) => `${JSON.stringify(event)}\n`).join('')
    const [opening] = events
    const first = known.first ?? (opening?.type === 'open' ? opening : null)
    const last = events.at(-1) ?? known.last
    const place = { length: known.events + events.length, bytes: known.bytes + Buffer.byteLength(text) }
    try {
      await handle.appendFile(text)
      if (sync) await handle.datasync()
      if (standing !== undefined && first !== null && last !== null) {
        const stored = await kept.of(first.id)
        // One that tells of more than the record has is left aside, as whoever loads it does.
        const before = stored === null || stored.length > known.events ? null : stored
        await kept.change(stateAfter(standing, first, last, place, before), before, standing.snapshot)
      }
    } catch (error) {
      // Half a line must not stay behind; where even that fails, the next append drops it.
      await handle.truncate(known.bytes).catch(() => {})
      throw error
    }
    for (const event of events) {
      const message = saidIn(event)
      if (message !== null) known.said.add(message.id)
    }
    return { ...known, first, last, events: place.length, bytes: place.bytes }
  }

  /** The file, open. One that was written before is looked for alone: each step less counts in every append. */
  const opened = async (conversation: string, places: Places): Promise<FileHandle> => {
    if (files.has(conversation)) {
      const handle = await open(places.record, constants.O_WRONLY | constants.O_APPEND).catch(() => null)
      if (handle !== null) return handle
    }
    await makeFolder(folder)
    await expanded(places, sync)
    return open(places.record, 'a')
  }

  const appendTo = async (
    conversation: string,
    seq: number,
    events: readonly RecordEvent[],
    { standing, lease }: AppendOptions,
  ): Promise<void> => {
    const places = placesOf(folder, conversation)
    const handle = await opened(conversation, places)
    try {
      const known = await examine(handle, places, conversation)
      if ((await handle.stat()).size !== known.bytes) {
        kept.forget(conversation)
        throw new ColloquyError('JOURNAL_CONFLICT', `Somebody else has written to ${places.record}`)
      }
      leases.check(conversation, lease)
      refuseConflict(conversation, seq, known.events)
      const ids = events.flatMap((event) => saidIn(event)?.id ?? [])
      const again = ids.find((id, index) => known.said.has(id) || ids.indexOf(id) < index)
      if (again !== undefined) throw knownMessage(conversation, again)
      const after = await write(handle, known, events, standing)
      // Little is said where it is over; if more is, the file is looked at again.
      if (standing?.outcome == null) files.set(conversation, after)
      else files.delete(conversation)
    } catch (error) {
      // Whatever went wrong, the next append looks at the file again.
      files.delete(conversation)
      throw error
    } finally {
      // An empty file need not stay. One that has just been written is none.
      const bytes = files.get(conversation)?.bytes ?? 0
      if (bytes === 0 && (await handle.stat()).size === 0) {
        files.delete(conversation)
        await unlink(places.record)
      }
      await handle.close()
    }
  }

  return {
    append: appendTo,
    /** Whatever is known of files is looked up again. @param conversation of this one only */
    forget(conversation?: string): void {
      if (conversation === undefined) files.clear()
      else files.delete(conversation)
    },
  }
}
