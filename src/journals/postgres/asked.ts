/** An append that somebody waits for, and the rows that its statement takes. */
import type { RecordEvent } from '../../schema/record.ts'
import { saidIn } from '../common/said.ts'
import type { Standing } from '../journal.ts'
import { stored } from './texts.ts'

export interface Asked {
  readonly conversation: string
  readonly seq: number
  readonly events: readonly RecordEvent[]
  readonly standing: Standing | undefined
  readonly lease: string | undefined
  /** Events as they are kept. */
  readonly bodies: readonly string[]
}

const optional = (text: string | undefined): string | null => (text === undefined ? null : stored(text))

const statusOf = (outcome: object | null): string | null => {
  const { status } = (outcome ?? {}) as { readonly status?: unknown }
  return typeof status === 'string' ? stored(status) : null
}

const standingRow = (standing: Standing | undefined) => {
  if (standing === undefined) return { stands: false, asks: false }
  const { state, dueAt, outcome, snapshot, questions } = standing
  return {
    stands: true,
    state: stored(state),
    due: dueAt,
    outcome: outcome === null ? null : JSON.stringify(outcome),
    status: statusOf(outcome),
    // The ids of messages are with the events already.
    snapshot: snapshot === undefined ? null : JSON.stringify({ ...snapshot, known: [] }),
    snapped: snapshot?.seq ?? null,
    asks: questions !== undefined,
  }
}

const appendRow = ({ conversation, seq, events, standing, lease }: Asked, place: number) => {
  const [first, last] = [events[0], events.at(-1)]
  const opens =
    first?.type === 'open' && seq === 0
      ? { machine: stored(first.machine), version: first.version, goal: stored(first.goal), opened: first.at }
      : {}
  return {
    place,
    id: stored(conversation),
    seq,
    events: events.length,
    lease: optional(lease),
    at: last?.at ?? null,
    ...opens,
    ...standingRow(standing),
  }
}

const eventRows = ({ conversation, seq, events, bodies }: Asked, place: number) =>
  events.map((event, index) => {
    const said = saidIn(event)
    return {
      place,
      id: stored(conversation),
      seq: seq + index,
      message: optional(said?.id),
      sender: optional(said?.from),
      body: bodies[index],
    }
  })

const questionRows = ({ conversation, standing }: Asked, place: number) =>
  (standing?.questions ?? []).map((question, nth) => ({
    place,
    id: stored(question.id),
    conversation: stored(conversation),
    nth,
    at: question.at,
    body: JSON.stringify(question),
  }))

/** The values of the statement; an append is known by its place among them. */
export const valuesOf = (all: readonly Asked[], sync: boolean): string[] => [
  JSON.stringify(all.map(appendRow)),
  JSON.stringify(all.flatMap(eventRows)),
  JSON.stringify(all.flatMap(questionRows)),
  sync ? 'on' : 'off',
]
