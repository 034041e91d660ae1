/** What is asked for by an append, as texts, made before the database is waited for. */
import type { RecordEvent } from '../../schema/record.ts'
import { saidIn } from '../common/said.ts'
import { bareOf } from '../common/stored.ts'
import type { AppendOptions, Standing } from '../journal.ts'
import type { EventRow } from './archive.ts'

/** An append with all its texts, so that nothing but the database can fail while others wait. */
export interface Append {
  readonly conversation: string
  readonly seq: number
  readonly events: readonly EventRow[]
  readonly first: RecordEvent | undefined
  /** ms: when the last event happened; null: there is none. */
  readonly at: number | null
  readonly lease: string | undefined
  readonly standing: Stand | null
}

/** How a conversation stands after it. */
export interface Stand {
  readonly state: string
  readonly dueAt: number | null
  readonly outcome: string | null
  readonly status: string | null
  readonly snapshot: { readonly seq: number; readonly body: string } | null
  /** Null: those of before. */
  readonly questions: readonly { readonly id: string; readonly at: number; readonly body: string }[] | null
}

const statusOf = (outcome: object | null): string | null => {
  const { status } = (outcome ?? {}) as { readonly status?: unknown }
  return typeof status === 'string' ? status : null
}

const standOf = ({ state, dueAt, outcome, snapshot, questions }: Standing): Stand => ({
  state,
  dueAt,
  outcome: outcome === null ? null : JSON.stringify(outcome),
  status: statusOf(outcome),
  snapshot: snapshot === undefined ? null : { seq: snapshot.seq, body: JSON.stringify(bareOf(snapshot)) },
  questions:
    questions?.map((question) => ({ id: question.id, at: question.at, body: JSON.stringify(question) })) ??
    null,
})

/** Makes the texts. @throws TypeError for what is no JSON, such as a number of type bigint */
export const appendOf = (
  conversation: string,
  seq: number,
  events: readonly RecordEvent[],
  { standing, lease }: AppendOptions = {},
): Append => ({
  conversation,
  seq,
  events: events.map((event) => ({ body: JSON.stringify(event), said: saidIn(event) })),
  first: events[0],
  at: events.at(-1)?.at ?? null,
  lease,
  standing: standing === undefined ? null : standOf(standing),
})
