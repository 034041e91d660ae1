/** What every journal refuses, in the same words. */
import { ColloquyError } from '../../errors.ts'

/** Refuses an append at a place that is not the end. */
export const refuseConflict = (conversation: string, seq: number, length: number): void => {
  if (seq === length) return
  throw new ColloquyError(
    'JOURNAL_CONFLICT',
    `An append to conversation "${conversation}" was for place ${seq}, but the journal has ${length} events of it`,
  )
}

/** Tells that a message is there already. */
export const knownMessage = (conversation: string, id: string): ColloquyError =>
  new ColloquyError('JOURNAL_CONFLICT', `The message "${id}" is in conversation "${conversation}" already`)

/** Tells that the writer may not write any more. */
export const leaseLost = (lease: string, conversation?: string, holder?: string | null): ColloquyError => {
  const what =
    conversation === undefined
      ? `The lease "${lease}" has ended`
      : holder == null
        ? `The lease "${lease}" has ended, or has not taken the conversation "${conversation}"`
        : `The conversation "${conversation}" is taken by the lease "${holder}"`
  return new ColloquyError('LEASE_LOST', what)
}

export const unknownQuestion = (question: string): ColloquyError =>
  new ColloquyError('QUESTION_UNKNOWN', `No question "${question}" waits for an answer`)

export const answeredQuestion = (question: string): ColloquyError =>
  new ColloquyError('QUESTION_ANSWERED', `The question "${question}" has an answer already`)
