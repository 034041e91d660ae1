/** A journal in memory: for tests, and for conversations that need not outlive the process. */
import type { Answer } from '../agents/agent.ts'
import type { Question } from '../schema/question.ts'
import type { RecordEvent } from '../schema/record.ts'
import type { Snapshot } from '../schema/snapshot.ts'
import { answeredQuestion, knownMessage, refuseConflict, unknownQuestion } from './common/conflict.ts'
import { leaseBook } from './common/leases.ts'
import { saidIn } from './common/said.ts'
import { page, summaryOf } from './common/summary.ts'
import type { Journal, Standing, Summary } from './journal.ts'

export interface MemoryJournalOptions {
  /** ms, for the leases of hosts. Default: the system's clock. */
  readonly now?: () => number
}

interface Kept {
  readonly events: RecordEvent[]
  readonly said: Set<string>
  standing: Standing | null
  snapshot: Snapshot | null
  questions: readonly Question[]
}

/** A journal that forgets everything with the process. */
export const memoryJournal = ({ now = Date.now }: MemoryJournalOptions = {}): Journal => {
  const records = new Map<string, Kept>()
  const answers = new Map<string, Answer>()
  const leases = leaseBook(now, function* () {
    for (const [id, { standing, questions }] of records) {
      if (standing === null || standing.outcome !== null) continue
      yield { id, dueAt: standing.dueAt, isAnswered: questions.some((question) => answers.has(question.id)) }
    }
  })
  const pendingOf = ({ questions }: Kept) =>
    questions.map((question) => ({ ...question, answer: answers.get(question.id) ?? null }))

  return {
    capabilities: { durable: false, shared: false },
    async append(conversation, seq, events, { standing, lease } = {}) {
      const kept = records.get(conversation) ?? {
        events: [],
        said: new Set(),
        standing: null,
        snapshot: null,
        questions: [],
      }
      leases.check(conversation, lease)
      refuseConflict(conversation, seq, kept.events.length)
      const ids = events.flatMap((event) => saidIn(event)?.id ?? [])
      const again = ids.find((id, index) => kept.said.has(id) || ids.indexOf(id) < index)
      if (again !== undefined) throw knownMessage(conversation, again)
      if (kept.events.length + events.length === 0) return
      for (const event of events) kept.events.push(event)
      for (const id of ids) kept.said.add(id)
      if (standing !== undefined) {
        kept.standing = standing
        kept.snapshot = standing.snapshot ?? kept.snapshot
        const questions = standing.questions ?? kept.questions
        for (const { id } of kept.questions) if (!questions.some((left) => left.id === id)) answers.delete(id)
        kept.questions = questions
      }
      records.set(conversation, kept)
    },
    read: async (conversation) => ({ events: [...(records.get(conversation)?.events ?? [])], warnings: [] }),
    async load(conversation) {
      const kept = records.get(conversation)
      if (kept === undefined) return null
      const { events, snapshot } = kept
      return {
        snapshot,
        events: events.slice(snapshot === null ? 0 : snapshot.seq + 1),
        length: events.length,
        questions: pendingOf(kept),
        warnings: [],
      }
    },
    async list(filter) {
      const summaries = [...records.values()].flatMap((kept): Summary[] => {
        const { events, standing, questions } = kept
        const [first, last] = [events[0], events.at(-1)]
        if (first?.type !== 'open' || last === undefined) return []
        const holder = leases.holderOf(first.id)
        const place = { first, last, length: events.length }
        return [summaryOf(place, standing, { questions: questions.length, holder })]
      })
      return page(summaries, filter)
    },
    async questions(conversation) {
      const all = conversation === undefined ? [...records.values()] : [records.get(conversation)]
      return all.flatMap((kept) => (kept === undefined ? [] : pendingOf(kept))).sort((a, b) => a.at - b.at)
    },
    async answer(question, answer) {
      const isPending = [...records.values()].some(({ questions }) =>
        questions.some(({ id }) => id === question),
      )
      if (!isPending) throw unknownQuestion(question)
      if (answers.has(question)) throw answeredQuestion(question)
      answers.set(question, answer)
    },
    lease: async (ttl, name) => leases.begin(ttl, name),
    compact: async () => ({ before: 0, after: 0 }),
    close: async () => {},
  }
}
