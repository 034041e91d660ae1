/** What the files of a conversation tell together. */

import type { LeaseBook } from '../common/leases.ts'
import { saidIn } from '../common/said.ts'
import { summaryOf } from '../common/summary.ts'
import type { Loaded, Summary } from '../journal.ts'
import type { Kept } from './kept.ts'
import { linesOf, outlineOf } from './lines.ts'
import { type Places, placesIn, placesOf, sizeOf } from './places.ts'
import { recordOf } from './record.ts'
import { readState } from './state.ts'

export const readerOf = (folder: string, kept: Kept, leases: LeaseBook) => {
  const load = async (conversation: string): Promise<Loaded | null> => {
    const places = placesOf(folder, conversation)
    const { events, warnings } = linesOf(places.record, conversation, await recordOf(places))
    if (events.length === 0) return null
    const stored = await readState(places.state)
    const isAhead = stored !== null && stored.state.length > events.length
    const snapshot = isAhead ? null : (stored?.snapshot ?? null)
    const seq = snapshot?.seq ?? -1
    const known = events.slice(0, seq + 1).flatMap((event): [string, string][] => {
      const message = saidIn(event)
      return message === null ? [] : [[message.id, message.from]]
    })
    return {
      snapshot: snapshot === null ? null : { ...snapshot, known },
      events: events.slice(seq + 1),
      length: events.length,
      questions: isAhead ? [] : await kept.pending((await kept.of(conversation))?.questions ?? []),
      warnings: isAhead ? [...warnings, `${places.state} is ahead of the record, and left aside`] : warnings,
    }
  }

  const summaryAt = async (places: Places): Promise<Summary | null> => {
    const stored = await readState(places.state)
    const size = await sizeOf(places.record)
    const state = stored === null ? null : await kept.of(stored.state.id)
    // A compact record is as long as it was when the file was written beside it.
    if (state !== null && (size === null || size === state.bytes)) {
      const { bytes: _, questions, ...summary } = state
      return { ...summary, questions: questions.length, holder: leases.holderOf(state.id) }
    }
    const outline = outlineOf(await recordOf(places))
    if (outline === null) return null
    const { id } = outline.first
    const standing = state === null || state.length > outline.length ? null : state
    return summaryOf(outline, standing, {
      questions: standing?.questions.length ?? 0,
      holder: leases.holderOf(id),
    })
  }

  /** Conversations whose state file tells nothing. */
  const spoilt = async (): Promise<readonly string[]> => {
    const ids: string[] = []
    for (const places of await placesIn(folder)) {
      if ((await sizeOf(places.state)) === null || (await readState(places.state)) !== null) continue
      const outline = outlineOf(await recordOf(places))
      if (outline !== null) ids.push(outline.first.id)
    }
    return ids
  }

  return { load, summaryAt, spoilt }
}
