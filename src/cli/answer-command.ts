/** `colloquy answer`: a person's answer into a journal, and what became of it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { oneLine, spanText } from '../agents/render.ts'
import type { Conversation } from '../engine/conversation.ts'
import type { Decision } from '../engine/decision.ts'
import { replay } from '../engine/replay.ts'
import { ColloquyError } from '../errors.ts'
import type { Journal, PendingQuestion } from '../journals/journal.ts'
import type { Message } from '../schema/message.ts'
import type { RecordEvent } from '../schema/record.ts'
import { type AnswerSource, answerText } from './answer-text.ts'
import { EXIT } from './exit-codes.ts'
import { type Desk, linesOf, protocols, withJournal } from './journal-desk.ts'
import { jsonText } from './text.ts'

export interface AnswerCommandOptions {
  /** Seconds to wait for a host that takes it. */
  readonly wait: number
  readonly json?: boolean
}

export type AnswerDesk = Desk & Pick<AnswerSource, 'input' | 'prompt'>

/** What became of an answer. State and decision are null where the rules are unknown here. */
type Fate =
  /** Its message is in the record, as an intent. */
  | {
      readonly fate: 'said'
      readonly seq: number
      readonly intent: string
      readonly decision: Decision | null
      readonly state: string | null
    }
  /** It was none that anybody could use. */
  | { readonly fate: 'unusable'; readonly seq: number; readonly error: string; readonly state: string | null }
  /** Nobody waited for it any more. */
  | { readonly fate: 'late'; readonly state: string | null }
  /** No host has taken it yet. */
  | { readonly fate: 'kept' }

/** ms between looks at whether it was taken. */
const PAUSE = 100

/**
 * Answers a question; the only one that waits when none is named. What is typed or piped, unless the text is given.
 * @throws ColloquyError `QUESTION_UNKNOWN`, `QUESTION_ANSWERED`, `USAGE`
 */
export const answerCommand = (
  place: string,
  id: string | undefined,
  words: readonly string[],
  { wait, json = false }: AnswerCommandOptions,
  desk: AnswerDesk,
): Promise<number> =>
  withJournal(place, desk, async ({ journal, name }) => {
    const { output, signal } = desk
    const question = chosen(await journal.questions(), id, name)
    const given = words.length > 0 ? words.join(' ') : await typed(question, desk)
    if (given === null) return EXIT.interrupted
    const text = given.trim()
    if (text === '')
      throw new ColloquyError('USAGE', 'The answer is empty', {
        remedy: 'Give it as the last argument, or on stdin. Nothing was answered.',
      })
    await journal.answer(question.id, text)
    const fate = await fateOf(journal, question, wait * 1000, signal)
    output.write(json ? `${jsonText({ question: question.id, ...fate })}\n` : textOf(question, fate, wait))
    return signal.aborted ? EXIT.interrupted : EXIT.done
  })

/** Null when whoever typed has interrupted. */
const typed = async (question: PendingQuestion, desk: AnswerDesk): Promise<string | null> => {
  try {
    return await answerText(question, desk)
  } catch (error) {
    if (desk.signal.aborted) return null
    throw error
  }
}

const chosen = (
  questions: readonly PendingQuestion[],
  id: string | undefined,
  name: string,
): PendingQuestion => {
  const waiting = questions.filter(({ answer }) => answer === null)
  const [first, ...others] = waiting
  const ids = waiting.map((question) => question.id).join(', ')
  const remedy =
    first === undefined
      ? `Nobody is asked now; \`colloquy questions ${name}\` tells when somebody is.`
      : `These wait for an answer: ${ids}; \`colloquy questions ${name}\` tells more.`
  if (id !== undefined) {
    const found = questions.find((question) => question.id === id)
    if (found === undefined)
      throw new ColloquyError('QUESTION_UNKNOWN', `No question "${id}" waits for an answer`, { remedy })
    if (found.answer !== null)
      throw new ColloquyError('QUESTION_ANSWERED', `The question "${id}" has an answer already`)
    return found
  }
  if (first === undefined)
    throw new ColloquyError('QUESTION_UNKNOWN', 'No question waits for an answer', { remedy })
  if (others.length === 0) return first
  throw new ColloquyError('USAGE', `${waiting.length} questions wait for an answer`, {
    remedy: `Name one of: ${ids}.`,
  })
}

/** Waits until a host has taken the answer, and finds what came of it. @param patience ms */
const fateOf = async (
  journal: Journal,
  { id, conversation, member, seq }: PendingQuestion,
  patience: number,
  signal: AbortSignal,
): Promise<Fate> => {
  const isPending = async (): Promise<boolean> =>
    (await journal.questions(conversation)).some((question) => question.id === id)
  const end = Date.now() + patience
  while (await isPending()) {
    if (signal.aborted || Date.now() >= end) return { fate: 'kept' }
    await sleep(PAUSE, undefined, { signal }).catch(() => {})
  }
  const { events } = await journal.read(conversation)
  const talk = decidedHere(events)
  const state = talk?.state ?? null
  const decisionOf = (place: number): Decision | null => talk?.events()[place]?.decision ?? null
  // In a journal an event's place is its number: it holds nothing that changed nothing.
  for (const [place, event] of events.entries()) {
    if (place <= seq) continue
    if (event.type === 'message') {
      const { id: message, intent } = event.message as Message
      if (message === id) return { fate: 'said', seq: place, intent, decision: decisionOf(place), state }
    } else if (event.type === 'fault' && event.member === member)
      return { fate: 'unusable', seq: place, error: event.error ?? '', state }
  }
  return { fate: 'late', state }
}

/** The conversation again; null when its rules are not among those that come with colloquy: a host has them. */
const decidedHere = (events: readonly RecordEvent[]): Conversation | null => {
  const [open] = events
  return open?.type === 'open' && Object.hasOwn(protocols, open.machine)
    ? replay(linesOf(events), protocols).talk
    : null
}

const textOf = ({ id, conversation, member }: PendingQuestion, fate: Fate, wait: number): string => {
  const [who, where] = [oneLine(member), oneLine(conversation)]
  switch (fate.fate) {
    case 'said': {
      const head = `${where}: the answer of ${who} is event ${fate.seq}, taken as "${oneLine(fate.intent)}"`
      return `${head}${fate.decision === null ? '' : `: ${decisionText(fate.decision)}`}${nowText(fate.state)}\n`
    }
    case 'unusable':
      return `${where}: the answer of ${who} could not be used: ${oneLine(fate.error)} (event ${fate.seq})\n`
    case 'late':
      return `${where}: nobody waited for the answer any more: the group has moved on${nowText(fate.state)}\n`
    case 'kept':
      return `The answer to ${oneLine(id)} is kept${wait > 0 ? `; within ${spanText(wait * 1000)} no host has taken it` : ''}. The next host that looks after ${where} takes it.\n`
  }
}

const decisionText = ({ effect, reason, transitions }: Decision): string =>
  `${effect}, ${oneLine(reason)}${transitions.map(({ to }) => ` → ${oneLine(to)}`).join('')}`

const nowText = (state: string | null): string =>
  state === null ? '.' : `. It is in "${oneLine(state)}" now.`
