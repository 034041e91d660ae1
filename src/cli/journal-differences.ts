/** What differs between a conversation's record, decided again, and what a journal says of it besides. */
import { isDeepStrictEqual } from 'node:util'
import type { Conversation } from '../engine/conversation.ts'
import { restoreConversation } from '../engine/opening.ts'
import { replay } from '../engine/replay.ts'
import { ColloquyError } from '../errors.ts'
import type { Journal, Loaded, Summary } from '../journals/journal.ts'
import type { Happening, RecordEvent } from '../schema/record.ts'
import type { Snapshot } from '../schema/snapshot.ts'
import { EXIT, EXIT_OF } from './exit-codes.ts'
import { type Desk, isCurrent, linesOf, protocols } from './journal-desk.ts'

export interface Difference {
  /** Of the event up to which it holds; null: of the conversation as a whole. */
  readonly place: number | null
  readonly what: string
  /** What the journal says; absent when `what` tells all. */
  readonly kept?: unknown
  /** What the record comes to. */
  readonly decided?: unknown
}

/** How often one is looked at again that somebody may be writing to. */
const PATIENCE = 3

/**
 * What is wrong with a conversation, also after another look when somebody has written to it meanwhile.
 * @param first what the list said of it
 * @param before the id before it in the list
 * @throws ColloquyError what the journal cannot do
 */
export const differencesNow = async (
  journal: Journal,
  first: Summary,
  before: string | undefined,
  warn: Desk['warn'],
): Promise<readonly Difference[]> => {
  let summary = first
  for (let left = PATIENCE; ; left--) {
    const differences = await attempted(journal, summary, left === PATIENCE ? warn : () => {})
    if (differences.length === 0 || left === 0) return differences
    const [again] = await journal.list({ ...(before === undefined ? {} : { after: before }), limit: 1 })
    if (again?.id !== first.id || (again.length === summary.length && again.at === summary.at))
      return differences
    summary = again
  }
}

const attempted = async (
  journal: Journal,
  summary: Summary,
  warn: Desk['warn'],
): Promise<readonly Difference[]> => {
  try {
    return await differencesOf(journal, summary, warn)
  } catch (error) {
    if (!(error instanceof ColloquyError) || EXIT_OF[error.code] !== EXIT.badData) throw error
    return [{ place: null, what: `${error.code}: ${error.message}` }]
  }
}

/**
 * Compares a conversation with its record.
 * @param summary what the journal's list says of it
 * @throws ColloquyError `JOURNAL_CORRUPT`, `RECORD_INVALID`, `SNAPSHOT_INVALID`: the record, or its snapshot, is none
 */
const differencesOf = async (
  journal: Journal,
  summary: Summary,
  warn: Desk['warn'],
): Promise<readonly Difference[]> => {
  const { events, warnings } = await journal.read(summary.id)
  for (const warning of warnings) warn(warning)
  const loaded = await journal.load(summary.id)
  const { talk, decisions } = replay(linesOf(events), protocols)
  return [
    ...decisions.flatMap(({ seq, effect, reason }, index): Difference[] =>
      seq === undefined ? [{ place: index + 1, what: `it changed nothing (${effect}: ${reason})` }] : [],
    ),
    ...compared(talk.seq, listed(summary, isCurrent(journal, summary)), told(talk, events)),
    ...(loaded === null
      ? [{ place: null, what: 'it is in the list, and cannot be loaded' }]
      : loadedDifferences(loaded, events, talk)),
    ...(await questionDifferences(journal, summary)),
  ]
}

/** What a list says. Where it does not tell how the conversation stands now, that is not compared. */
const listed = ({ state, dueAt, outcome, ...summary }: Summary, isTold: boolean): Facts => {
  const { id, machine, version, goal, length, openedAt, at } = summary
  const facts = { id, machine, version: version ?? undefined, goal, events: length, openedAt, at }
  return !isTold ? facts : { ...facts, state, dueAt, outcome }
}

type Facts = Readonly<Record<string, unknown>>

const told = (talk: Conversation, events: readonly RecordEvent[]): Facts => {
  const [open] = events
  return {
    id: talk.id,
    machine: talk.protocol.name,
    version: talk.protocol.version,
    goal: talk.goal,
    events: events.length,
    openedAt: open?.at,
    at: events.at(-1)?.at,
    state: talk.state,
    dueAt: talk.dueAt,
    outcome: talk.outcome,
  }
}

/** As JSON has it: without what is undefined. */
const plainOf = (value: unknown): unknown => (value === undefined ? value : JSON.parse(JSON.stringify(value)))

/** Each fact that is kept and is another one by the record. */
const compared = (place: number | null, kept: Facts, decided: Facts, about = ''): Difference[] =>
  Object.entries(kept).flatMap(([name, value]) => {
    const [a, b] = [plainOf(value), plainOf(decided[name])]
    if (a === undefined || isDeepStrictEqual(a, b)) return []
    return [{ place, what: `${about}${name}`, kept: a, decided: b }]
  })

const loadedDifferences = (
  { snapshot, events: tail, length }: Loaded,
  events: readonly RecordEvent[],
  talk: Conversation,
): Difference[] => {
  const seq = snapshot?.seq ?? -1
  const differences = compared(
    null,
    { events: length, tail },
    { events: events.length, tail: events.slice(seq + 1) },
    'loaded ',
  )
  if (snapshot === null) return differences
  if (seq >= events.length)
    return [...differences, { place: seq, what: 'the snapshot is ahead of the record' }]
  const { protocol } = talk
  const restored = restoreConversation(snapshot, { protocol, retain: false })
  const then = replay(linesOf(events.slice(0, seq + 1)), protocols, undefined, { retain: false }).talk
  differences.push(
    ...compared(seq, snapshotFacts(restored.snapshot()), snapshotFacts(then.snapshot()), 'the snapshot’s '),
  )
  // A wrong snapshot leads to wrong conversations: it has been told.
  if (differences.length > 0) return differences
  for (const event of tail) restored.apply(event as Happening)
  return compared(
    talk.seq,
    snapshotFacts(restored.snapshot()),
    snapshotFacts(talk.snapshot()),
    'gone on from the snapshot, ',
  )
}

/** Ids of messages in their order do not matter: a journal may have them from elsewhere. */
const snapshotFacts = ({ known, ...snapshot }: Snapshot): Facts => ({
  ...snapshot,
  outcome: snapshot.outcome ?? null,
  known: [...known].map((entry) => JSON.stringify(entry)).sort(),
})

const questionDifferences = async (journal: Journal, { id, questions }: Summary): Promise<Difference[]> => {
  if (questions === 0) return []
  const asked = await journal.questions(id)
  return [
    ...compared(null, { questions }, { questions: asked.length }),
    ...asked.flatMap((question) =>
      question.conversation === id
        ? []
        : [{ place: question.seq, what: `the question "${question.id}" is of another conversation` }],
    ),
  ]
}
