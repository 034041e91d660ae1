/** Who is asked to speak, as the object keeps it: a person whose answer may come tomorrow, or an agent that another service asks. */
import type {
  AllowedIntent,
  Conversation,
  FloorOptions,
  PendingQuestion,
  TranscriptEntry,
  Turn,
} from 'colloquy'

/** A question that was asked and not settled. */
export interface Asked {
  /** Unique everywhere, and tells its conversation; the message that answers it gets this id. */
  readonly id: string
  readonly by: 'agent' | 'person'
  readonly member: string
  readonly state: string
  readonly task: string
  readonly seq: number
  /** ms: when it was asked. */
  readonly at: number
  /** ms: when the state's time is up; null: never. */
  readonly dueAt: number | null
  readonly allowed: readonly AllowedIntent[]
  readonly expected: string | null
  readonly replyTo: string | null
  readonly defaults: Readonly<Record<string, unknown>>
  readonly notice: string | null
}

/** Who answers inside the cluster, and how they are chosen. */
export interface Answerers {
  readonly people: ReadonlySet<string>
  /** Each agent's name, with what it can do. */
  readonly agents: ReadonlyMap<string, readonly string[] | undefined>
  readonly talk: FloorOptions['talk']
}

/** Most characters of a question's own part of its id. */
const TOKEN = 18
/** Most characters that an id may have. Source: "Messages" of the specification. */
const ID_MAX = 128
/** Most characters of a conversation's id in which questions are asked: theirs hold it. */
export const ASKING_ID_MAX = ID_MAX - TOKEN - 1

/** @param uuid one that nobody else has */
const questionId = (conversation: string, uuid: string): string => `${uuid.slice(0, TOKEN)}@${conversation}`

/** The conversation in which a question was asked; null: this is no id of a question. */
export const conversationOf = (question: string): string | null =>
  question[TOKEN] === '@' ? question.slice(TOKEN + 1) : null

/**
 * Whom the rules ask now, each once at a time. Who was asked before in the same state, and still is, is not asked again.
 * @param now ms
 * @param uuid makes one that nobody else has
 */
export const askedNow = (
  talk: Conversation,
  before: readonly Asked[],
  notices: Readonly<Record<string, string>>,
  { people, agents, talk: order }: Answerers,
  now: number,
  uuid: () => string,
): readonly Asked[] => {
  if (talk.isClosed || people.size + agents.size === 0) return []
  const { protocol, context, state } = talk
  const capabilities = new Map(
    [...agents].flatMap(([id, can]): [string, readonly string[]][] => (can === undefined ? [] : [[id, can]])),
  )
  const met = new Set<string>()
  return protocol.floor(context, { capabilities, talk: order }, state).flatMap((call): Asked[] => {
    const { member, task, expected, replyTo, defaults = {} } = call
    const by = agents.has(member) ? 'agent' : people.has(member) ? 'person' : null
    const may = protocol.isMember(context, member) && protocol.turnsLeft(context, member, state) !== 0
    if (by === null || !may || met.has(member)) return []
    met.add(member)
    const same = before.find((asked) => asked.member === member && asked.state === state)
    if (same !== undefined) return [same]
    const { seq, dueAt } = talk
    const allowed = protocol.allowed(context, member, state)
    const notice = notices[member] ?? null
    const id = questionId(talk.id, uuid())
    return [
      { id, by, member, state, task, seq, at: now, dueAt, allowed, expected, replyTo, defaults, notice },
    ]
  })
}

/** The turn that an answer is an answer to. */
export const turnOf = (
  talk: Conversation,
  asked: Asked,
  shown: { readonly transcript: readonly TranscriptEntry[]; readonly omitted: number },
  now: number,
): Turn<object> => {
  const { protocol, context, state } = talk
  const { member, task, allowed, expected, replyTo, defaults, notice } = asked
  const turnsLeft = protocol.turnsLeft(context, member, state)
  return {
    conversation: talk.id,
    goal: talk.goal,
    member,
    members: talk.members,
    lead: talk.lead,
    state,
    task,
    allowed,
    expected,
    replyTo,
    defaults,
    ...shown,
    board: protocol.board(context, member, state),
    turnsLeft,
    lastTurn: turnsLeft !== null && turnsLeft <= 1,
    timeLeft: talk.dueAt === null ? null : Math.max(0, talk.dueAt - now),
    notice,
  }
}

/** The question as people are told it. An answer is taken when it is given, so none waits. */
export const pendingOf = (conversation: string, goal: string, asked: Asked): PendingQuestion => {
  const { id, member, state, task, seq, at, dueAt, allowed, expected, notice } = asked
  const told = allowed.map(({ intent, does, form }) =>
    form === undefined ? { intent, does } : { intent, does, form },
  )
  const answer = null
  return {
    id,
    conversation,
    member,
    state,
    task,
    goal,
    seq,
    at,
    dueAt,
    allowed: told,
    expected,
    notice,
    answer,
  }
}
