/** A journal in memory: for tests, and for conversations that need not outlive the process. */
import type { RecordEvent } from '../schema/record.ts'
import { refuseConflict } from './conflict.ts'
import type { Journal } from './journal.ts'

/** A journal that forgets everything with the process. */
export const memoryJournal = (): Journal => {
  const records = new Map<string, RecordEvent[]>()
  return {
    capabilities: { durable: false },
    async append(conversation, seq, events) {
      const record = records.get(conversation) ?? []
      refuseConflict(conversation, seq, record.length)
      for (const event of events) record.push(event)
      records.set(conversation, record)
    },
    read: async (conversation) => ({ events: [...(records.get(conversation) ?? [])], warnings: [] }),
    list: async () => [...records.keys()],
    close: async () => {},
  }
}
