/**
 * How a conversation stands, in a file beside its record. The file is replaced as a whole, and tells at which length of
 * the record it holds: after a crash it may be behind, and is never ahead.
 */
import { z } from 'zod'
import { type Question, questionSchema } from '../../schema/question.ts'
import { type OpenEvent, type RecordEvent, timestamp } from '../../schema/record.ts'
import type { Snapshot } from '../../schema/snapshot.ts'
import { opaqueId } from '../../schema/text.ts'
import { type BareSnapshot, bareOf, bareSnapshotSchema, withoutUndefined } from '../common/stored.ts'
import type { Standing, Summary } from '../journal.ts'
import { contentOf, replaceFile } from './files.ts'

const place = z.int().min(0)

const stateFile = z.object({
  format: z.literal(1),
  id: opaqueId,
  machine: z.string(),
  version: z.int().nullable(),
  goal: z.string(),
  openedAt: timestamp,
  /** Events in the record, its bytes, and when the newest event happened. */
  length: place,
  bytes: place,
  at: timestamp,
  state: z.string(),
  dueAt: z.number().nullable(),
  outcome: z.record(z.string(), z.unknown()).nullable(),
  questions: z.array(questionSchema),
  snapshot: bareSnapshotSchema.nullable(),
})

/** What is held of a file: all but the snapshot. */
export interface State extends Omit<Summary, 'questions' | 'holder' | 'state'> {
  readonly bytes: number
  readonly state: string
  readonly questions: readonly Question[]
}

/** What is in a file. */
export interface StoredState {
  readonly state: State
  readonly snapshot: BareSnapshot | null
}

/** Reads a state file; null when there is none, or a disk has spoilt it: the record has all that matters. */
export const readState = async (path: string): Promise<StoredState | null> => {
  const content = await contentOf(path)
  if (content === null) return null
  let value: unknown
  try {
    value = JSON.parse(content.toString('utf8'))
  } catch {
    return null
  }
  const parsed = stateFile.safeParse(value)
  if (!parsed.success) return null
  const { format: _, snapshot, ...state } = parsed.data
  return { state, snapshot: snapshot === null ? null : withoutUndefined(snapshot) }
}

/** Writes a state file. @param snapshot undefined: the one in the file stays */
export const writeState = async (
  path: string,
  state: State,
  snapshot: Snapshot | undefined,
  sync: boolean,
): Promise<void> => {
  const kept = snapshot === undefined ? ((await readState(path))?.snapshot ?? null) : bareOf(snapshot)
  await replaceFile(path, `${JSON.stringify({ format: 1, ...state, snapshot: kept })}\n`, sync)
}

/** How a conversation stands after an append. */
export const stateAfter = (
  standing: Standing,
  opened: OpenEvent,
  last: RecordEvent,
  place: { readonly length: number; readonly bytes: number },
  before: State | null,
): State => ({
  id: opened.id,
  machine: opened.machine,
  version: opened.version ?? null,
  goal: opened.goal,
  openedAt: opened.at,
  at: last.at,
  ...place,
  state: standing.state,
  dueAt: standing.dueAt,
  outcome: standing.outcome,
  questions: standing.questions ?? before?.questions ?? [],
})
