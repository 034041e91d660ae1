/** The messages among events: a journal keeps their ids apart, so that none is kept twice and a snapshot needs not hold them. */
import type { RecordEvent } from '../../schema/record.ts'

/** The id and the sender of an event that is a message of a proper form; null for any other. */
export const saidIn = (event: RecordEvent): { readonly id: string; readonly from: string } | null => {
  if (event.type !== 'message' || typeof event.message !== 'object' || event.message === null) return null
  const { id, from } = event.message as { readonly id?: unknown; readonly from?: unknown }
  // A lone surrogate has no bytes of its own: two such ids would be one to a database.
  const isText = (value: unknown): value is string => typeof value === 'string' && value.isWellFormed()
  return isText(id) && isText(from) ? { id, from } : null
}
