/** Random acts on a journal, in terms that mean the same to any journal, and what they come to. */
import fc from 'fast-check'
import { saidIn } from '../../../src/journals/common/said.ts'
import type { Journal, Lease, Loaded, Standing, Summary } from '../../../src/journals/journal.ts'
import type { RecordEvent } from '../../../src/schema/record.ts'
import { cancel, opening, question, said, snapshot, TTL } from './samples.ts'

const CONVERSATIONS = ['a\u0000', '智/é', '🙂'] as const

/** One of the conversations, leases or questions, by its number. */
const which = fc.nat({ max: 2 })

const standings = fc.record({
  state: fc.constantFrom('discussion', 'review'),
  /** In tens; the conversation's number makes it unlike that of any other, so that only one order is right. */
  due: fc.option(fc.nat({ max: 5 })),
  isClosed: fc.nat({ max: 5 }).map((number) => number === 0),
  hasSnapshot: fc.boolean(),
  /** Numbers of the questions that wait; null: says nothing of questions. */
  questions: fc.option(fc.uniqueArray(fc.nat({ max: 2 }))),
})

const appends = fc.record({
  kind: fc.constant('append' as const),
  conversation: which,
  /** Numbers of messages; -1: a `cancel`. */
  events: fc.array(fc.integer({ min: -1, max: 60 }), { maxLength: 4 }),
  off: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(-1, 1) }),
  lease: fc.oneof(
    { weight: 2, arbitrary: fc.constant('holder' as const) },
    fc.constant('none' as const),
    which,
  ),
  standing: fc.option(standings),
})
const simple = <const Kind extends string>(kind: Kind) => fc.record({ kind: fc.constant(kind), lease: which })

/** What changes the record, and how it stands. */
export const writing = [
  { weight: 8, arbitrary: appends },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('answer' as const), question: which, of: which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact' as const), conversation: which }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'look' as const }) },
] as const

/** What hosts do to be the only writers. */
export const leasing = [
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('begin' as const),
      name: fc.constantFrom(undefined, undefined, 'a', 'a:b'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('take' as const), lease: which, conversation: which }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('drop' as const), lease: which, conversation: which }),
  },
  { weight: 2, arbitrary: simple('renew') },
  { weight: 1, arbitrary: simple('release') },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('urgent' as const),
      lease: which,
      before: fc.nat({ max: 60 }),
      limit: fc.nat({ max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'pass' as const }) },
] as const

type Value<Entry> = Entry extends { readonly arbitrary: fc.Arbitrary<infer T> } ? T : never
export type Act = Value<(typeof writing)[number] | (typeof leasing)[number]>
type Append = Extract<Act, { kind: 'append' }>

/** ms: three of them are more than a lease lasts, two are less, and neither by little. */
export const PASS = TTL * 0.4

/** A journal that is acted on, with the leases that were begun. */
export interface Subject {
  readonly journal: Journal
  /** The newest three are within reach. */
  readonly leases: readonly Lease[]
}

const nameOf = (number: number): string => CONVERSATIONS[number] ?? ''
const questionOf = (conversation: number, number: number) =>
  question(nameOf(conversation), `q${conversation}${number}`, number * 3 + conversation)

const standingOf = (
  { conversation, standing }: Append,
  before: readonly RecordEvent[],
  events: readonly RecordEvent[],
  isOver: boolean,
): Standing | undefined => {
  if (standing === null) return undefined
  const { state, due, isClosed, hasSnapshot, questions } = standing
  const all = [...before, ...events]
  const known = all.flatMap((event): [string, string][] => {
    const message = saidIn(event)
    return message === null ? [] : [[message.id, message.from]]
  })
  return {
    state,
    // Only the first may have none: two without would be in no order.
    dueAt: due === null ? (conversation === 0 ? null : conversation) : due * 10 + conversation,
    // Nobody opens again what is closed.
    outcome: isClosed || isOver ? { status: state } : null,
    ...(hasSnapshot && all.length > 0
      ? { snapshot: snapshot(nameOf(conversation), all.length - 1, known) }
      : {}),
    ...(questions === null ? {} : { questions: questions.map((number) => questionOf(conversation, number)) }),
  }
}

const append = async (act: Append, subject: Subject): Promise<void> => {
  const id = nameOf(act.conversation)
  const listed = (await subject.journal.list()).find((summary) => summary.id === id)
  const { events: before } = await subject.journal.read(id)
  const messages = act.events.map((number) =>
    number === -1 ? cancel(2) : said(`m${number}`, 'x', `from ${number}`),
  )
  const events = before.length === 0 ? [opening(id), ...messages] : messages
  const standing = standingOf(act, before, events, listed != null && listed.outcome !== null)
  const holder = listed?.holder ?? undefined
  const lease =
    act.lease === 'none' ? undefined : act.lease === 'holder' ? holder : subject.leases[act.lease]?.id
  await subject.journal.append(id, before.length + act.off, events, {
    ...(standing === undefined ? {} : { standing }),
    ...(lease === undefined ? {} : { lease }),
  })
}

/** Does an act; `begin` and `pass` are the caller's. What comes of it is the same for any two journals. */
export const done = async (act: Act, subject: Subject): Promise<unknown> => {
  const { journal, leases } = subject
  switch (act.kind) {
    case 'append':
      return append(act, subject)
    case 'answer':
      return journal.answer(questionOf(act.of, act.question).id, `${act.of} ${act.question}`)
    case 'compact':
      // How much it saves is the journal's own.
      await journal.compact(nameOf(act.conversation))
      return undefined
    case 'look':
      return seen(subject)
    case 'take':
      return leases[act.lease]?.take(nameOf(act.conversation))
    case 'drop':
      return leases[act.lease]?.drop([nameOf(act.conversation)])
    case 'renew':
      return leases[act.lease]?.renew()
    case 'release':
      return leases[act.lease]?.release()
    case 'urgent':
      return leases[act.lease]?.takeUrgent(act.before, act.limit)
    case 'begin':
    case 'pass':
      return undefined
  }
}

const byId = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1)

/** What it loads, with known ids and questions in one order: that of the port is only for the list of questions. */
const comparable = (loaded: Loaded | null): unknown => {
  if (loaded === null) return null
  const { snapshot, questions, ...rest } = loaded
  return {
    ...rest,
    questions: [...questions].sort((a, b) => a.at - b.at),
    snapshot: snapshot === null ? null : { ...snapshot, known: [...snapshot.known].sort(byId) },
  }
}

/** All that a journal tells. The ids of leases are its own; their numbers are not. */
export const seen = async ({ journal, leases }: Subject): Promise<unknown> => {
  const listed = (await journal.list()).map(({ holder, ...summary }: Summary) => ({
    ...summary,
    holder: holder === null ? null : leases.findIndex(({ id }) => id === holder),
  }))
  const records: unknown[] = []
  for (const id of CONVERSATIONS)
    records.push(await journal.read(id), comparable(await journal.load(id)), await journal.questions(id))
  return { listed, records, questions: await journal.questions() }
}
