/** Whether a message late in a long conversation costs what an early one costs. */
import { strictEqual } from 'node:assert/strict'
import { type Conversation, openConversation } from '../src/index.ts'
import { alternate, type Figure, ratios, time } from './measure.ts'

const MEMBERS = ['ada', 'bo', 'cy', 'dee']
const EARLY = 1_000
const LATE = 100_000
/** Messages timed at once, half of them before the turn that is asked about. */
const WINDOW = 1_000
const ROUNDS = 7
const TALKS = 5

const messages = Array.from({ length: LATE + WINDOW }, (_, index) => ({
  id: `m${index}`,
  from: MEMBERS[index % MEMBERS.length] as string,
  intent: 'info',
  content: 'ok',
}))

type Talk = Conversation<object, object, object>

/** A conversation that has come to half a window before a turn. */
const upTo = (turn: number): Talk => {
  const talk = openConversation({
    members: MEMBERS,
    policy: { turnLimit: { discussion: null } },
  })
  for (let index = 0; index < turn - WINDOW / 2; index++)
    talk.send(messages[index] as (typeof messages)[number])
  return talk
}

const windowOf = (talk: Talk, turn: number): number => {
  const said = messages.slice(turn - WINDOW / 2, turn + WINDOW / 2)
  const ms = time(() => {
    let applied = 0
    for (const message of said) if (talk.send(message).effect === 'applied') applied++
    return applied
  }, WINDOW)
  strictEqual(talk.seq, turn + WINDOW / 2)
  return ms
}

/** The fastest of several conversations. */
const least = (turn: number): number => {
  let ms = Number.POSITIVE_INFINITY
  for (let talk = 0; talk < TALKS; talk++) ms = Math.min(ms, windowOf(upTo(turn), turn))
  return ms
}

export const length = async (): Promise<Figure[]> => {
  const took = await alternate(
    { early: () => least(EARLY), late: () => least(LATE) },
    { rounds: ROUNDS, warmUps: 1 },
  )
  return [
    {
      name: 'a message at turn 100,000 / at turn 1,000',
      unit: '×',
      wanted: { atMost: 1.5 },
      values: ratios(took.late, took.early),
    },
  ]
}
