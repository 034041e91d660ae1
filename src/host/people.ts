/**
 * People as members: when one is asked to speak, the question is kept in the journal, and whoever is asked may answer
 * tomorrow, also after a restart. An answer belongs to one question, and its message has the question's id: taken twice,
 * it still has one effect.
 */
import { nanoid } from 'nanoid'
import type { Agent, Answer, PlainText, Turn, Utterance } from '../agents/agent.ts'
import type { ConversationEvent } from '../engine/events.ts'
import { ColloquyError } from '../errors.ts'
import type { PendingQuestion } from '../journals/journal.ts'
import type { Question } from '../schema/question.ts'

export interface PeopleOptions {
  /** What was asked before, and may have been answered. */
  readonly pending: readonly PendingQuestion[]
  /** The state, the place of the newest event, and when the state's time is up. */
  now(): { readonly state: string; readonly seq: number; readonly at: number; readonly dueAt: number | null }
  /** Tells whenever what is asked has changed, and what is new of it. */
  changed(questions: readonly Question[], asked: Question | null): void
}

/** The people of one conversation. */
export interface People {
  /** Tells of questions that are not asked any more. */
  begin(): void
  /** An agent for a member who is a person. */
  agent(): Agent<object>
  /** Gives answers that have come. Those to other questions are left alone. */
  answered(questions: readonly PendingQuestion[]): void
  /** Hears what happens: an answer of which something has come is settled, and no question outlives its state. */
  heard(event: ConversationEvent): void
  /** What is asked. */
  readonly questions: readonly Question[]
  /** How many are waited for now. */
  readonly asked: number
  /** Nobody is asked any more by this process; what was asked stays asked. */
  leave(): void
}

const isSaid = (part: unknown): boolean =>
  typeof part === 'string' ||
  (typeof part === 'object' &&
    part !== null &&
    (('text' in part && typeof part.text === 'string') ||
      ('intent' in part && typeof part.intent === 'string')))

const isBlank = (part: unknown): boolean => {
  const text = typeof part === 'object' && part !== null && 'text' in part ? part.text : part
  return typeof text === 'string' && text.trim() === ''
}

/**
 * @throws ColloquyError `AGENT_ANSWER_INVALID` for what is no answer at all, `AGENT_EMPTY` for one without words: a person
 * should not be charged for that
 */
export const refuseNoAnswer = (answer: unknown): void => {
  const parts: readonly unknown[] = Array.isArray(answer) ? answer : [answer]
  if (parts.length > 0 && parts.every(isSaid)) {
    if (!parts.every(isBlank)) return
    throw new ColloquyError('AGENT_EMPTY', 'The answer is empty: nothing was kept', {
      remedy: 'Answer with text or a message; the question still waits.',
    })
  }
  throw new ColloquyError(
    'AGENT_ANSWER_INVALID',
    'The answer is neither text nor a message: nothing was kept',
  )
}

/** An answer whose first message has this id. */
const withId = (answer: Answer, id: string): Answer => {
  if (typeof answer === 'string') return { text: answer, id }
  if (!Array.isArray(answer)) return { ...(answer as PlainText | Utterance), id }
  const [first, ...others] = answer as readonly (string | PlainText | Utterance)[]
  if (first === undefined) return answer
  return [typeof first === 'string' ? { text: first, id } : { ...first, id }, ...others]
}

export const peopleOf = ({ pending, now, changed }: PeopleOptions): People => {
  const questions = new Map<string, Question>()
  /** Answers that nobody waited for yet, and those who wait, by question. */
  const answers = new Map<string, Answer>()
  const waiting = new Map<string, (answer: Answer) => void>()
  /** Questions whose answers have been taken, until something has come of them. */
  const taken = new Set<string>()
  let hasLeft = false

  const tell = (asked: Question | null): void => changed([...questions.values()], asked)

  const answered = (given: readonly PendingQuestion[]): void => {
    for (const { id, answer } of given) {
      if (answer === null || !questions.has(id)) continue
      const take = waiting.get(id)
      if (take === undefined) answers.set(id, answer)
      else take(answer)
    }
  }

  // Of a state that was left by a process that then died, nobody waits for an answer.
  for (const { answer: _, ...question } of pending)
    if (question.state === now().state) questions.set(question.id, question)
  answered(pending)

  const questionFor = (turn: Turn<object>): Question => {
    const { conversation, goal, member, state, task, allowed, expected, notice } = turn
    for (const question of questions.values())
      if (question.member === member && question.state === state) return question
    const id = `q_${nanoid()}`
    const question = { id, conversation, member, state, task, goal, allowed: [...allowed], expected, notice }
    return { ...question, ...now() }
  }

  const forget = (id: string): void => {
    waiting.delete(id)
    answers.delete(id)
    taken.delete(id)
    if (questions.delete(id)) tell(null)
  }

  /** Whether the event has come of the answer: another message of the same member has not. */
  const isSettledBy = (event: ConversationEvent['event'], { id, member }: Question): boolean =>
    event.type === 'message'
      ? (event.message as { readonly id: string }).id === id
      : event.type === 'fault' && event.member === member && taken.has(id)

  const ask = (turn: Turn<object>, signal: AbortSignal): Promise<Answer> => {
    const question = questionFor(turn)
    const { id } = question
    for (const other of [...questions.values()])
      if (other.member === turn.member && other.id !== id) questions.delete(other.id)
    const isNew = !questions.has(id)
    questions.set(id, question)
    if (isNew) tell(question)
    return new Promise((resolve, reject) => {
      const take = (answer: Answer): void => {
        // It stays asked until the message, or the fault, that comes of the answer is there: they are kept together.
        waiting.delete(id)
        taken.add(id)
        resolve(withId(answer, id))
      }
      signal.addEventListener(
        'abort',
        () => {
          // Whoever goes on with the conversation waits for the same answer.
          if (!hasLeft) forget(id)
          reject(signal.reason)
        },
        { once: true },
      )
      waiting.set(id, take)
      const answer = answers.get(id)
      if (answer !== undefined) take(answer)
    })
  }

  return {
    begin() {
      if (questions.size < pending.length) tell(null)
    },
    agent: () =>
      Object.assign((turn: Turn<object>, signal: AbortSignal) => ask(turn, signal), { timeout: null }),
    answered,
    heard({ event }) {
      const { state } = now()
      for (const question of [...questions.values()])
        if (question.state !== state || isSettledBy(event, question)) forget(question.id)
    },
    get questions() {
      return [...questions.values()]
    },
    get asked() {
      return waiting.size
    },
    leave() {
      hasLeft = true
    },
  }
}
