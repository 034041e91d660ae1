/** Lists of conversations, for journals that look through all they have. */
import type { OpenEvent, RecordEvent } from '../../schema/record.ts'
import type { ListFilter, Standing, Summary } from '../journal.ts'

/** What a list tells of a conversation with these events. */
export const summaryOf = (
  { first, last, length }: { readonly first: OpenEvent; readonly last: RecordEvent; readonly length: number },
  standing: Omit<Standing, 'snapshot' | 'questions'> | null,
  { questions, holder }: { readonly questions: number; readonly holder: string | null },
): Summary => {
  const { id, machine, version = null, goal, at: openedAt } = first
  const { state = null, dueAt = null, outcome = null } = standing ?? {}
  return {
    id,
    machine,
    version,
    goal,
    length,
    openedAt,
    at: last.at,
    state,
    dueAt,
    outcome,
    questions,
    holder,
  }
}

const statusOf = (outcome: object | null): unknown =>
  (outcome as { readonly status?: unknown } | null)?.status

/** Whether a conversation is one of those that are meant; `after` and `limit` are for `page`. */
const matches = (summary: Summary, { closed, machine, state, status }: ListFilter): boolean =>
  (closed === undefined || closed === (summary.outcome !== null)) &&
  (machine === undefined || machine === summary.machine) &&
  (state === undefined || state === summary.state) &&
  (status === undefined || status === statusOf(summary.outcome))

/** By the bytes of UTF-8, as databases compare them: not by UTF-16, which puts some characters elsewhere. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** The page that a filter asks for. */
export const page = (summaries: Iterable<Summary>, filter: ListFilter = {}): Summary[] => {
  const { after, limit } = filter
  return [...summaries]
    .filter((summary) => matches(summary, filter) && (after === undefined || byBytes(summary.id, after) > 0))
    .sort((a, b) => byBytes(a.id, b.id))
    .slice(0, limit)
}
