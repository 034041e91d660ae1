/**
 * One change of a conversation: taken up from what Restate keeps, changed by the engine, kept again. Everything is
 * decided before anything is written: Restate keeps each write as it comes, also when what follows fails.
 */
import type { ObjectContext } from '@restatedev/restate-sdk'
import { ColloquyError, type Conversation, restoreConversation } from 'colloquy'
import { type Asked, askedNow } from './asked.ts'
import { decided, terminalOf } from './failure.ts'
import { invite } from './invite.ts'
import { idOf } from './keys.ts'
import { post } from './post.ts'
import type { Setting } from './setting.ts'
import { HEAD, type Head, keep, saidKey } from './state.ts'

/** A conversation that was taken up. */
export interface Taken {
  readonly head: Head
  readonly talk: Conversation
  /** ms: the present, the same whenever Restate replays this. */
  readonly now: number
  /** Who sent the message that was asked about; null: nobody, or none was. */
  readonly sender: string | null
}

/**
 * Takes up the conversation of this object.
 * @param message id of one that may be known
 * @throws TerminalError of `CONVERSATION_UNKNOWN`, `PROTOCOL_UNKNOWN`, `SNAPSHOT_INVALID`
 */
export const takeUp = async (
  ctx: ObjectContext,
  { book }: Setting,
  message: string | null = null,
): Promise<Taken> => {
  // At once, so that it takes one way to Restate and back.
  const [head, sender, now] = await Promise.all([
    ctx.get<Head>(HEAD),
    message === null ? null : ctx.get<string>(saidKey(message)),
    ctx.date.now(),
  ])
  if (head === null) throw unknownConversation(ctx.key)
  return { head, talk: decided(() => restored(head, book, message, sender)), now, sender }
}

export const unknownConversation = (key: string): Error =>
  terminalOf(new ColloquyError('CONVERSATION_UNKNOWN', `There is no conversation "${idOf(key)}"`))

/** Of the messages known so far only the one that matters is told: all others have other ids. */
export const restored = (
  { snapshot }: Head,
  book: Setting['book'],
  message: string | null = null,
  sender: string | null = null,
): Conversation => {
  const known = message === null || sender === null ? [] : [[message, sender]]
  return restoreConversation(
    { ...snapshot, known },
    { protocol: book.of(snapshot.machine, snapshot.version) },
  )
}

/** Fires the deadline, but never early: machines may note that somebody came too soon. */
export const fireDue = (talk: Conversation, now: number): void => {
  if (talk.dueAt !== null && now >= talk.dueAt) talk.tick(now)
}

/** What changes besides what the engine tells. */
export interface Besides {
  /** The question that is settled. */
  readonly settled?: string
  readonly failures?: Head['failures']
  readonly notices?: Head['notices']
  /** ms: the deadline call that has come. */
  readonly fired?: number
}

/** A head without a past. */
export const newHead = (talk: Conversation): Head => ({
  snapshot: talk.snapshot(),
  openedAt: talk.at,
  dueAt: null,
  armed: null,
  asked: [],
  failures: {},
  notices: {},
  said: 0,
  tail: [],
})

/** Keeps what has changed, has the deadline come when it is due, and has agents asked. Returns the new head. */
export const keepChange = async (
  ctx: ObjectContext,
  setting: Setting,
  { head, talk, now }: Omit<Taken, 'sender'>,
  besides: Besides = {},
): Promise<Head> => {
  const events = talk.events()
  if (events.length === 0 && Object.keys(besides).length === 0) return head
  const { settled, fired, failures = head.failures, notices = head.notices } = besides
  const spoken = events.flatMap(({ event }) =>
    event.type === 'message' ? [(event.message as { readonly from: string }).from] : [],
  )
  // Who has spoken, by whatever way, is asked anew.
  const waiting = head.asked.filter(({ id, member }) => id !== settled && !spoken.includes(member))
  const asked = decided(() =>
    askedNow(talk, waiting, notices, setting.answerers, now, () => ctx.rand.uuidv4()),
  )
  const calls = asked.filter((one) => one.by === 'agent' && !waiting.includes(one))
  const invitations = calls.length === 0 ? [] : await invite(ctx, setting, head, talk, calls, now)

  const { dueAt } = talk
  const pending = fired === undefined ? head.armed : null
  // A machine that ignores its deadline would be told of it without end.
  const isIdle = fired !== undefined && events.length === 0 && dueAt !== null && dueAt <= now
  // One call at a time is under way: one that comes too early for a time that has moved on goes on to that.
  const arms = dueAt !== null && !isIdle && (pending === null || dueAt < pending)
  const next: Head = {
    snapshot: { ...talk.snapshot(), known: [] },
    openedAt: head.openedAt,
    dueAt,
    armed: arms ? dueAt : pending,
    asked,
    failures,
    notices,
    said: head.said + spoken.length,
    tail: keep(ctx, head.tail, events),
  }
  ctx.set(HEAD, next)
  if (arms) callAt(ctx, setting, dueAt, dueAt - now)
  for (const parameter of invitations) post(ctx, { service: setting.askingName, method: 'ask', parameter })
  return next
}

/**
 * Has the deadline come.
 * @param due ms: what it is called for
 * @param delay ms
 */
export const callAt = (ctx: ObjectContext, { name }: Setting, due: number, delay: number): void => {
  post(ctx, { service: name, method: 'deadline', key: ctx.key, parameter: due, delay: Math.max(0, delay) })
}

/** The question of an id, while it waits. */
export const findAsked = ({ asked }: Head, question: string): Asked | undefined =>
  asked.find(({ id }) => id === question)
