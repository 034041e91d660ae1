/**
 * One conversation that a host holds. Whatever happens in it is appended to the journal before anybody hears of it; what
 * happens while an append is under way goes into the next one. After an append that failed the room is spoilt: it is ahead
 * of the journal, so it is given up, and the conversation is taken up again from what the journal has.
 */
import type { Conversation } from '../engine/conversation.ts'
import type { ConversationEvent, Sent } from '../engine/events.ts'
import { aboutOf, appendAsWork, keptAsWork, refusedAsWork } from '../engine/observed.ts'
import { standingOf } from '../engine/standing.ts'
import { ColloquyError, messageOf } from '../errors.ts'
import type { Journal, PendingQuestion } from '../journals/journal.ts'
import type { Observer } from '../observers/observer.ts'
import type { Question } from '../schema/question.ts'

/** A conversation as the journal gave it, or as it was just opened. */
export interface TakenUp {
  readonly talk: Conversation
  /** Events that the journal has of it. */
  readonly length: number
  /** Place of the newest event in the newest snapshot; -1: there is none. */
  readonly snapshotAt: number
  readonly questions: readonly PendingQuestion[]
}

export interface RoomOptions {
  readonly journal: Journal
  /** The lease under which the conversation is taken. */
  readonly lease: string
  /** A snapshot is taken after so many events, and after a tenth of all of them. */
  readonly snapshotEvery: number
  /** Tells what is kept. */
  heard(talk: Conversation, events: readonly ConversationEvent[]): void | Promise<void>
  readonly observer: Observer | undefined
}

export interface Room {
  readonly talk: Conversation
  /** What is asked of people now. */
  readonly questions: readonly Question[]
  /** How many wait for an append. */
  readonly waiting: number
  /** Whether an append has failed: it is of no use any more. */
  readonly isSpoilt: boolean
  /** Whether something of it is not kept yet. */
  readonly isBehind: boolean
  /** Whether it was left: what its conversation decides from now on is never kept. */
  readonly hasLeft: boolean
  /** Lets the conversation decide something; resolves when that, and all it depends on, is kept. */
  act(decide: (talk: Conversation) => Sent): Promise<Sent>
  /** Lets the journal know how the conversation stands, although nothing has happened. */
  restate(): Promise<void>
  /** Sets what is asked of people; it is kept with the next append, or by `settle`. */
  ask(questions: readonly Question[]): void
  /** Resolves when everything up to now is kept. */
  settle(): Promise<void>
  /** Hears nothing more of its conversation. */
  leave(): void
}

const NONE: readonly Question[] = []

/** A room for a conversation. Its opening, where the journal has nothing yet, is kept by the first `settle`. */
export const roomOf = (taken: TakenUp, options: RoomOptions): Room => {
  const { journal, lease, snapshotEvery, observer } = options
  const { talk } = taken
  const unheard: ConversationEvent[] = taken.length === 0 ? [...talk.events()] : []
  let { length, snapshotAt } = taken
  let questions: readonly Question[] = taken.questions
  let keptQuestions = questions
  /** Grows with each change that an append must tell although nothing has happened. */
  let asking = 0
  let keptAsking = 0
  let keeping: Promise<void> | null = null
  let failure: unknown = null
  let waiting = 0
  let hasLeft = false

  const about = aboutOf(talk)
  const stops = [
    refusedAsWork(observer, talk),
    talk.on('event', (event) => {
      unheard.push(event)
    }),
  ]
  const leave = (): void => {
    hasLeft = true
    for (const stop of stops) stop()
  }

  const append = async (events: readonly ConversationEvent[]): Promise<void> => {
    const last = length + events.length - 1
    const isClosing = talk.isClosed && snapshotAt < last
    const isTime = isClosing || last - snapshotAt >= Math.max(snapshotEvery, last / 10)
    const now = asking
    // Nobody waits for answers to what is over.
    const asked = talk.isClosed ? NONE : questions
    const standing = {
      ...standingOf(talk),
      ...(isTime ? { snapshot: talk.snapshot() } : {}),
      ...(asked === keptQuestions ? {} : { questions: asked }),
    }
    const happened = events.map(({ event }) => event)
    await appendAsWork(observer, talk.id, events.length, () =>
      journal.append(talk.id, length, happened, { standing, lease }),
    )
    keptAsking = now
    length += events.length
    keptQuestions = asked
    if (isTime) snapshotAt = last
  }

  const isBehind = (): boolean => unheard.length > 0 || (asking > keptAsking && !talk.isClosed)

  /** One append, and those who hear of it. */
  const keep = async (): Promise<void> => {
    try {
      const events = unheard.splice(0)
      await keptAsWork(observer, about, events, () => append(events))
      if (events.length > 0) await options.heard(talk, events)
    } catch (error) {
      failure =
        error instanceof ColloquyError
          ? error
          : new ColloquyError('JOURNAL_FAILED', `The journal failed: ${messageOf(error)}`, { cause: error })
      leave()
      throw failure
    } finally {
      keeping = null
    }
  }

  const settle = async (): Promise<void> => {
    // Whoever waits is not kept waiting by what comes after, or under steady traffic nobody would be answered.
    const { seq } = talk
    const asked = asking
    while (length <= seq || (keptAsking < asked && !talk.isClosed)) {
      if (failure !== null) throw failure
      // What a room hears no more of is kept by nobody.
      if (keeping === null && !isBehind()) return
      keeping ??= keep()
      await keeping
    }
    if (failure !== null) throw failure
  }

  return {
    talk,
    get questions() {
      return questions
    },
    get waiting() {
      return waiting
    },
    get isSpoilt() {
      return failure !== null
    },
    get isBehind() {
      return keeping !== null || isBehind()
    },
    get hasLeft() {
      return hasLeft
    },
    async act(decide) {
      if (failure !== null) throw failure
      const sent = decide(talk)
      waiting++
      try {
        await settle()
      } finally {
        waiting--
      }
      return sent
    },
    async restate() {
      await settle()
      keeping ??= keep()
      await keeping
    },
    ask(asked) {
      questions = asked
      asking++
    },
    settle,
    leave,
  }
}
