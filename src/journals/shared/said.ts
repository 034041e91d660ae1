/** The messages among events: a journal keeps their ids apart, so that none is kept twice and a snapshot needs not hold them. */
import type { RecordEvent } from '../../schema/record.ts'

/** The id and the sender of an event that is a message of a proper form; null for any other. */
export const saidIn = (event: RecordEvent): { readonly id: string; readonly from: string } | null => {
  if (event.type !== 'message' || typeof event.message !== 'object' || event.message === null) return null
  const { id, from } = event.message as { readonly id?: unknown; readonly from?: unknown }
  return typeof id === 'string' && typeof from === 'string' ? { id, from } : null
}
