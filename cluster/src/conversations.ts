/**
 * Conversations as a virtual object of Restate, one for each: Restate lets one call at a time change it, replays a call
 * that a crash cut short, and keeps its deadline. What happens is decided by colloquy's engine and by nothing else.
 */
import { handlers, type ObjectContext, type ObjectSharedContext, object } from '@restatedev/restate-sdk'
import type { Conversation, ConversationEvent, ConversationView, OpenRequest, Sent } from 'colloquy'
import { type Answered, answerByAgent, answerByPerson } from './answers.ts'
import { keepChange, restored, takeUp } from './change.ts'
import { fire } from './deadline.ts'
import { decided, terminalBug } from './failure.ts'
import { open } from './open.ts'
import type { Setting } from './setting.ts'
import { eventsOf, HEAD, type Head, PAGE } from './state.ts'
import { viewOf } from './view.ts'

/** Where to read from. */
export interface Reading {
  /** Place; -1: from `open` on. */
  readonly after: number
}

/** Some events of a conversation, as many as one answer should hold. */
export interface Portion {
  readonly events: readonly ConversationEvent[]
  /** Place of the newest event that there is. */
  readonly seq: number
  readonly isClosed: boolean
}

/** UTF-16 units of JSON after which a portion is enough. */
const PORTION = 1 << 20

/** ms that Restate keeps the answer to a request, for a sender that has not heard it and asks again. */
const ANSWER_KEPT = 10 * 60_000

const memberOf = (input: unknown): { readonly member: string; readonly error?: string } => {
  const { member, error } = (input ?? {}) as { readonly member?: unknown; readonly error?: unknown }
  return {
    member: typeof member === 'string' ? member : '',
    ...(error === undefined ? {} : { error: String(error) }),
  }
}

/** The place to read from; what is none is before the first. */
const placeIn = (input: unknown): number => {
  const { after } = (input ?? {}) as Partial<Reading>
  return Number.isInteger(after) ? Math.max(-1, Number(after)) : -1
}

/** The id of a message of whatever shape; null: it has none. */
const idIn = (message: unknown): string | null => {
  const { id } = (message ?? {}) as { readonly id?: unknown }
  return typeof id === 'string' ? id : null
}

export const conversationObject = <Name extends string>(setting: Setting & { readonly name: Name }) => {
  const act = async (
    ctx: ObjectContext,
    message: string | null,
    doing: (talk: Conversation, now: number) => Sent,
  ): Promise<Sent> => {
    const taken = await takeUp(ctx, setting, message)
    const sent = decided(() => doing(taken.talk, taken.now))
    await keepChange(ctx, setting, taken)
    return sent
  }
  const inside = { ingressPrivate: true, idempotencyRetention: 0 }
  const outside = { idempotencyRetention: 0 }

  return object({
    name: setting.name,
    handlers: {
      open: (ctx: ObjectContext, request: Partial<OpenRequest> | undefined): Promise<ConversationView> =>
        open(ctx, setting, request ?? {}),
      send: (ctx: ObjectContext, message: unknown): Promise<Sent> =>
        act(ctx, idIn(message), (talk, now) => talk.receive(message, now)),
      join: (ctx: ObjectContext, input: unknown): Promise<Sent> =>
        act(ctx, null, (talk, now) => talk.join(memberOf(input).member, now)),
      leave: (ctx: ObjectContext, input: unknown): Promise<Sent> =>
        act(ctx, null, (talk, now) => talk.leave(memberOf(input).member, now)),
      fault: (ctx: ObjectContext, input: unknown): Promise<Sent> =>
        act(ctx, null, (talk, now) => {
          const { member, error } = memberOf(input)
          return talk.fault(member, error, now)
        }),
      cancel: (ctx: ObjectContext): Promise<Sent> => act(ctx, null, (talk, now) => talk.cancel(now)),
      answer: (ctx: ObjectContext, answered: Answered): Promise<void> =>
        answerByPerson(ctx, setting, answered),
      answered: handlers.object.exclusive(inside, (ctx: ObjectContext, answered: Answered) =>
        answerByAgent(ctx, setting, answered),
      ),
      deadline: handlers.object.exclusive(inside, (ctx: ObjectContext, due: number) =>
        fire(ctx, setting, due),
      ),
      show: handlers.object.shared(
        outside,
        async (ctx: ObjectSharedContext): Promise<ConversationView | null> => {
          const head = await ctx.get<Head>(HEAD)
          return head === null ? null : decided(() => viewOf(restored(head, setting.book), head))
        },
      ),
      events: handlers.object.shared(
        outside,
        async (ctx: ObjectSharedContext, reading: Reading): Promise<Portion | null> => {
          const after = placeIn(reading)
          const head = await ctx.get<Head>(HEAD)
          if (head === null) return null
          const { seq, outcome } = head.snapshot
          const events: ConversationEvent[] = []
          for (let place = after, size = 0; place < seq && size < PORTION; place = after + events.length) {
            const more = await eventsOf(ctx, head, place, PAGE)
            events.push(...more)
            size += JSON.stringify(more).length
          }
          return { events, seq, isClosed: outcome !== undefined }
        },
      ),
    },
    options: {
      enableLazyState: true,
      idempotencyRetention: ANSWER_KEPT,
      // What a call did is in the state; its journal would be kept for a day.
      journalRetention: 0,
      asTerminalError: terminalBug,
    },
  })
}
