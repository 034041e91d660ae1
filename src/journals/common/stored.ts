/** What a journal has stored as JSON, read again: all of it is checked, since a disk or a person may have changed it. */
import type { Answer } from '../../agents/agent.ts'
import { questionSchema } from '../../schema/question.ts'
import { happening, openEvent, type RecordEvent } from '../../schema/record.ts'
import { type Snapshot, snapshotSchema } from '../../schema/snapshot.ts'
import type { PendingQuestion } from '../journal.ts'

/** A snapshot without the ids of messages, where these are found in the record. */
export type BareSnapshot = Omit<Snapshot, 'known'>

export const bareSnapshotSchema = snapshotSchema.omit({ known: true })

/** What is stored of a snapshot. */
export const bareOf = ({ known: _, ...bare }: Snapshot): BareSnapshot => bare

/** What the schema read, with nothing that is `undefined`. */
export const withoutUndefined = ({
  outcome,
  ...open
}: Omit<BareSnapshot, 'outcome'> & { readonly outcome?: object | undefined }): BareSnapshot =>
  outcome === undefined ? open : { ...open, outcome }

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The event at a place, or what is wrong with its text. */
export const eventOf = (text: string, place: number): RecordEvent | string => {
  const value = parsed(text)
  if (value === undefined) return 'is no JSON'
  const read = (place === 0 ? openEvent : happening).safeParse(value)
  return read.success ? read.data : place === 0 ? 'is no "open" event' : 'is no event'
}

/** The snapshot in a text, or what is wrong with it. */
export const snapshotOf = (text: string): BareSnapshot | string => {
  const read = bareSnapshotSchema.safeParse(parsed(text))
  return read.success ? withoutUndefined(read.data) : 'is no snapshot'
}

/** The question in a text with its answer, or what is wrong with them. */
export const questionOf = (text: string, answer: string | null): PendingQuestion | string => {
  const read = questionSchema.safeParse(parsed(text))
  if (!read.success) return 'is no question'
  const given = answer === null ? null : parsed(answer)
  return given === undefined
    ? 'has an answer that is no JSON'
    : { ...read.data, answer: given as Answer | null }
}
