/**
 * Convening a group in one call: opens a conversation, or goes on with one, has the facilitator ask its members until it
 * closes, and tells how it ended. Whatever happened is in the journal before any listener given here hears of it (one that
 * is put on the conversation itself, which `opened` gives, hears at once).
 */
import type { Agent, Turn } from '../agents/agent.ts'
import { ColloquyError, messageOf } from '../errors.ts'
import type { Journal } from '../journals/journal.ts'
import type { Observer } from '../observers/observer.ts'
import { observing } from '../observers/observing.ts'
import type { RecordEvent } from '../schema/record.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Conversation } from './conversation.ts'
import type { ConversationEvent } from './events.ts'
import { type Facilitated, type FacilitateSettings, facilitate, STOP_TIMEOUT } from './facilitator.ts'
import { kept } from './kept.ts'
import type { Topics } from './listeners.ts'
import { aboutOf, appendAsWork, keptAsWork, refusedAsWork } from './observed.ts'
import { openConversation } from './opening.ts'
import type { Protocol } from './protocol.ts'
import { resumeConversation } from './replay.ts'
import { standingOf } from './standing.ts'

/** What an observer of `convene` may hear; always after it is in the journal. */
export interface ConveneListeners<Context extends object, Outcome extends object, Board extends object> {
  /** The conversation is open; who joins, leaves, cancels or speaks from outside does it by this. */
  opened?(talk: Conversation<Context, Outcome, Board>): void
  /** A member is asked. */
  asked?(turn: Turn<Board>): void
  event?(event: ConversationEvent): void
  message?(event: Topics['message']): void
  transition?(transition: Topics['transition']): void
  closed?(outcome: object): void
  /** Something that harms nobody but should be known. */
  warning?(text: string): void
}

export interface ConveneOptions<Context extends object, Outcome extends object, Board extends object>
  extends FacilitateSettings<Context> {
  readonly protocol: Protocol<Context, Outcome, Board>
  readonly goal?: string
  /** The members with their agents, in joining order. (JavaScript puts names that are whole numbers first; a Map keeps them in place.) */
  readonly agents: Readonly<Record<string, Agent<Board>>> | ReadonlyMap<string, Agent<Board>>
  readonly lead?: string | null
  readonly policy?: unknown
  /** Default: `c_` and a nanoid. */
  readonly id?: string
  /**
   * The record so far of a conversation that is to go on, such as `journal.read(id)` gives its `events`; in place of
   * goal, lead, policy and id. A member without an agent is waited for, not asked.
   */
  readonly resume?: readonly RecordEvent[]
  /** Cancels the conversation and stops every agent. */
  readonly signal?: AbortSignal
  readonly on?: ConveneListeners<Context, Outcome, Board>
  /** Who hears what it does, for traces, metrics and logs. */
  readonly observers?: readonly Observer[]
  readonly clock?: Clock
  /** Where the record is kept besides memory. It is left open. */
  readonly journal?: Journal
  /** What to do when there is nobody to ask and nothing under way: cancel at once, or wait for the deadline or somebody outside. Default: `cancel`. */
  readonly stall?: 'cancel' | 'wait'
}

export interface Convened<Outcome extends object> extends Facilitated {
  readonly outcome: Outcome
  /** The whole record, `open` first. */
  readonly record: readonly RecordEvent[]
}

/**
 * Convenes a group: opens a conversation, asks its members until it closes, stops them, and tells how it ended.
 * @throws ColloquyError as `openConversation` does, before anybody was asked; `JOURNAL_FAILED` after everybody has stopped
 */
export const convene = async <Context extends object, Outcome extends object, Board extends object>(
  options: ConveneOptions<Context, Outcome, Board>,
): Promise<Convened<Outcome>> => {
  const { protocol, on = {}, clock = systemClock, signal, journal } = options
  const observer = observing(options.observers ?? []) ?? undefined
  const stopTimeout = options.stopTimeout ?? STOP_TIMEOUT
  const named = agentsOf(options.agents)
  const agents: ReadonlyMap<string, Agent<Board>> = new Map(named)
  const talk =
    options.resume === undefined
      ? openConversation({
          protocol,
          goal: options.goal ?? '',
          members: named.map(([id]) => id),
          clock,
          lead: options.lead ?? null,
          policy: options.policy ?? {},
          ...(options.id === undefined ? {} : { id: options.id }),
        })
      : resumeConversation(options.resume, { protocol, clock })

  const tell = <Args extends readonly unknown[]>(
    listener: ((...args: Args) => void) | undefined,
    ...args: Args
  ): void => {
    try {
      listener?.(...args)
    } catch (error) {
      process.emitWarning(`A listener of convene threw: ${messageOf(error)}`)
    }
  }
  const about = aboutOf(talk)
  const warn = (text: string, error?: unknown): void => {
    tell(on.warning, error === undefined ? text : `${text}: ${messageOf(error)}`)
    observer?.happened?.({ type: 'warning', conversation: talk.id, text, error })
  }
  let journaled = options.resume?.length ?? 0
  const keep = async (events: readonly ConversationEvent[]): Promise<void> => {
    if (journal === undefined) return
    const happened = events.map(({ event }) => event)
    const standing = standingOf(talk)
    await appendAsWork(observer, talk.id, events.length, () =>
      kept(journal.append(talk.id, journaled, happened, { standing }), signal, stopTimeout),
    )
    journaled += events.length
  }

  /** Journal first, then everybody who listens. */
  const publish = async (events: readonly ConversationEvent[]): Promise<void> => {
    await keptAsWork(observer, about, events, () => keep(events))
    for (const heard of events) {
      tell(on.event, heard)
      if (on.message !== undefined && heard.event.type === 'message')
        tell(on.message, { ...heard, message: heard.event.message } as Topics['message'])
      for (const transition of heard.decision?.transitions ?? [])
        tell(on.transition, { seq: heard.seq, ...transition })
    }
  }
  const opened = (): void => {
    tell(on.opened, talk)
    if (options.resume === undefined)
      observer?.happened?.({ type: 'opened', ...about, members: talk.members.length })
    else observer?.happened?.({ type: 'resumed', ...about })
  }
  const stopListening = refusedAsWork(observer, talk)
  const { unstopped, stalled } = await facilitate({
    ...options,
    conversation: talk,
    agents,
    clock,
    past: options.resume === undefined ? [] : talk.events(),
    opening: options.resume === undefined ? talk.events().slice(0, 1) : [],
    opened,
    observer,
    publish,
    signal,
    onAbort: 'cancel',
    stall: options.stall ?? 'cancel',
    asked: (turn) => tell(on.asked, turn),
    warn,
  }).finally(stopListening)
  const { outcome } = talk
  if (outcome === null)
    throw new ColloquyError('INTERNAL', `The conversation ${talk.id} ended without an outcome`)
  tell(on.closed, outcome)
  observer?.happened?.({ type: 'closed', ...about, outcome })
  return { outcome, record: talk.record(), unstopped, stalled }
}

/** The agents by their members' ids, as these are admitted. */
const agentsOf = <Board extends object>(
  given: ConveneOptions<object, object, Board>['agents'],
): (readonly [string, Agent<Board>])[] => {
  const named = [...(given instanceof Map ? given : Object.entries(given))].map(
    ([id, agent]: [string, Agent<Board>]) => [id.normalize('NFC'), agent] as const,
  )
  const issues = named
    .filter(([, agent]) => typeof agent !== 'function')
    .map(([id]) => ({
      path: `agents.${id}`,
      message: 'must be an agent: a function (turn, signal) => text or message',
    }))
  if (issues.length === 0) return named
  const found = issues.map(({ path, message }) => `${path} ${message}`).join('; ')
  throw new ColloquyError('OPEN_INVALID', found, { issues })
}
