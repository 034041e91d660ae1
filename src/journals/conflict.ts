import { ColloquyError } from '../errors.ts'

/** Refuses an append at a place that is not the end. */
export const refuseConflict = (conversation: string, seq: number, length: number): void => {
  if (seq === length) return
  throw new ColloquyError(
    'JOURNAL_CONFLICT',
    `An append to conversation "${conversation}" was for place ${seq}, but the journal has ${length} events of it`,
  )
}
