/** `colloquy journal show`: what a conversation is, how it stands or ended, what is asked of people, and what happened last. */
import { oneLine, spanText } from '../agents/render.ts'
import type { Conversation } from '../engine/conversation.ts'
import type { Sent } from '../engine/events.ts'
import { replay } from '../engine/replay.ts'
import { ColloquyError } from '../errors.ts'
import type { PendingQuestion } from '../journals/journal.ts'
import type { Happening, OpenEvent } from '../schema/record.ts'
import { accountOf, openText } from './account.ts'
import { endingText } from './ending.ts'
import { EXIT } from './exit-codes.ts'
import { type Desk, eventsOf, linesOf, protocols, withJournal } from './journal-desk.ts'
import { questionText } from './question-text.ts'
import { counted, instantText, jsonText, sinceInstant, wrap } from './text.ts'

export interface JournalShowOptions {
  readonly json?: boolean
}

/** How many of the newest events are shown. */
const NEWEST = 10

interface Shown {
  readonly open: OpenEvent
  readonly talk: Conversation
  /** Events of the record. */
  readonly length: number
  readonly path: readonly string[]
  readonly newest: readonly { readonly event: Happening; readonly decision: Sent }[]
  readonly questions: readonly PendingQuestion[]
}

/**
 * Shows one conversation, decided again from its record.
 * @throws ColloquyError `CONVERSATION_UNKNOWN`, `JOURNAL_CORRUPT`, `RECORD_INVALID`
 */
export const journalShow = (
  place: string,
  id: string,
  options: JournalShowOptions,
  desk: Desk,
): Promise<number> =>
  withJournal(place, desk, async (named) => {
    const events = await eventsOf(named, id, desk.warn)
    const [open, ...others] = events
    if (open?.type !== 'open')
      throw new ColloquyError('RECORD_INVALID', `The record of "${id}" does not begin with its "open" event`)
    const { talk, decisions } = replay(linesOf(events), protocols)
    const newest = others.flatMap((event, index) => {
      const decision = decisions[index]
      return event.type === 'open' || decision === undefined ? [] : [{ event, decision }]
    })
    const shown: Shown = {
      open,
      talk,
      length: events.length,
      path: pathOf(talk, decisions),
      newest: newest.slice(-NEWEST),
      questions: await named.journal.questions(id),
    }
    desk.output.write(options.json === true ? `${jsonText(factsOf(shown))}\n` : textOf(shown, desk.width))
    return EXIT.done
  })

/** The states one after the other. */
const pathOf = (talk: Conversation, decisions: readonly Sent[]): readonly string[] => [
  decisions[0]?.from ?? talk.state,
  ...decisions.flatMap(({ transitions }) => transitions.map(({ to }) => to)),
]

const factsOf = ({ open, talk, length, newest, questions }: Shown): object => ({
  id: talk.id,
  protocol: talk.protocol.name,
  version: talk.protocol.version,
  goal: talk.goal,
  members: talk.members,
  lead: talk.lead,
  state: talk.state,
  events: length,
  openedAt: open.at,
  at: talk.at,
  dueAt: talk.dueAt,
  outcome: talk.outcome === null ? null : talk.protocol.brief(talk.outcome),
  questions,
  newest: newest.map(({ event, decision: { id: _, ...decision } }) => ({ event, ...decision })),
})

/** A host acts within moments: what is long due says that none is at work, or none that knows the rules. */
const dueText = (dueAt: number): string => {
  const since = sinceInstant(dueAt)
  const late = since === null ? '' : ` That was ${spanText(since)} ago, and no host has acted on it.`
  return `Due at ${instantText(dueAt)}.${late}\n`
}

const textOf = ({ open, talk, length, path, newest, questions }: Shown, width: number): string => {
  const { head, row } = accountOf(open, talk.protocol, width)
  const { outcome, dueAt, members } = talk
  const isSame = members.length === open.members.length && members.every((id) => open.members.includes(id))
  return [
    head,
    ...(length - 1 > newest.length ? [`  … ${counted(length - 1 - newest.length, 'event')} before\n`] : []),
    ...newest.map(({ event, decision }) => row(event, decision)),
    '\n',
    ...(isSame ? [] : [`${wrap(`Members now: ${members.map(oneLine).join(', ')}`, width).join('\n')}\n`]),
    outcome === null
      ? `${openText(talk)}${dueAt === null ? '' : dueText(dueAt)}`
      : endingText({ outcome, path: path.map(oneLine), took: talk.at - open.at, width }),
    ...questions.map((question) => `\n${questionText(question, width)}`),
  ].join('')
}
