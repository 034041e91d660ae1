/** The public surface. Named exports only. */

import type { Board, ConversationContext, Outcome, PolicyInput } from '../machines/conversation/index.ts'
import { conversation } from '../machines/conversation/index.ts'
import { type Convened, type ConveneOptions, convene as conveneGroup } from './engine/convene.ts'
import type { Conversation, OpenOptions, RestoreOptions } from './engine/conversation.ts'
import { openConversation as open, restoreConversation as restore } from './engine/opening.ts'
import { resumeConversation as resume } from './engine/replay.ts'
import { createHost as startHost } from './host/create.ts'
import type { Host } from './host/host.ts'
import type { HostOptions } from './host/settings.ts'
import type { RecordEvent } from './schema/record.ts'

export type { Board, Outcome, Policy, PolicyInput } from '../machines/conversation/index.ts'
export { conversation } from '../machines/conversation/index.ts'
export type {
  Agent,
  AllowedIntent,
  Answer,
  PlainText,
  TranscriptEntry,
  Turn,
  Utterance,
} from './agents/agent.ts'
export { type TextAgentOptions, textAgent } from './agents/function.ts'
export { type ChatMessage, chat, type OpenAIOptions, openai } from './agents/openai.ts'
export { type PersonOptions, person } from './agents/person.ts'
export { renderTurn } from './agents/render.ts'
export { type SubprocessOptions, subprocess } from './agents/subprocess.ts'
export { type Clock, type SimulatedClock, simulatedClock, systemClock } from './engine/clock.ts'
export type { Convened, ConveneListeners } from './engine/convene.ts'
export type { Conversation } from './engine/conversation.ts'
export { type Deadlines, deadlines } from './engine/deadlines.ts'
export type { Decision, Effect, Transition } from './engine/decision.ts'
export { defineProtocol, type ProtocolDefinition } from './engine/define.ts'
export type { ConversationEvent, Sent } from './engine/events.ts'
export type { Topics } from './engine/listeners.ts'
export type {
  Call,
  Checking,
  FloorOptions,
  Group,
  Protocol,
  Saying,
  Sketch,
  Thing,
} from './engine/protocol.ts'
export { type RecordLine, type Replay, readLines, replay } from './engine/replay.ts'
export { emptyTranscript, type Transcript, type View } from './engine/transcript.ts'
export { utterancesOf } from './engine/utterances.ts'
export { ColloquyError, ERROR_CODES, type ErrorCode, type Issue } from './errors.ts'
export type { ConversationView, FollowOptions, Host, OpenRequest } from './host/host.ts'
export type {
  AppendOptions,
  Journal,
  JournalRead,
  Lease,
  ListFilter,
  Loaded,
  PendingQuestion,
  Standing,
  Summary,
} from './journals/journal.ts'
export { type JsonlOptions, jsonlJournal } from './journals/jsonl.ts'
export { type MemoryJournalOptions, memoryJournal } from './journals/memory.ts'
export { type PostgresOptions, postgresJournal } from './journals/postgres.ts'
export { type SqliteDatabase, type SqliteOptions, sqliteJournal } from './journals/sqlite.ts'
export { type Logger, type LogOptions, logTo } from './observers/log.ts'
export type { Begun, Ended, Fact, Observer, Trace, Work } from './observers/observer.ts'
export { type OpenTelemetryOptions, openTelemetry } from './observers/opentelemetry.ts'
export type { Message, MessageInput } from './schema/message.ts'
export type { Question } from './schema/question.ts'
export type { Happening, OpenEvent, RecordEvent } from './schema/record.ts'
export type { Snapshot } from './schema/snapshot.ts'
export { type MemoryTransportOptions, memoryTransport } from './transports/memory.ts'
export type { Delivery, Request, Told, Transport } from './transports/transport.ts'

type WithoutProtocol<Options> = Omit<Options, 'protocol' | 'policy'> & {
  readonly protocol?: never
  readonly policy?: PolicyInput
}
type OwnOptions = WithoutProtocol<OpenOptions<ConversationContext, Outcome, Board>>
type OwnConveneOptions = WithoutProtocol<ConveneOptions<ConversationContext, Outcome, Board>>
type OwnRestoreOptions = Omit<RestoreOptions<ConversationContext, Outcome, Board>, 'protocol'> & {
  readonly protocol?: never
}

/**
 * Opens a conversation in memory: you carry the messages. Under the conversation protocol, unless another is given.
 * @throws ColloquyError `OPEN_INVALID`, `POLICY_INVALID`, with each wrong field; nothing is opened then
 */
export function openConversation<C extends object, O extends object, B extends object>(
  options: OpenOptions<C, O, B>,
): Conversation<C, O, B>
export function openConversation(options: OwnOptions): Conversation<ConversationContext, Outcome, Board>
export function openConversation(options: OwnOptions | OpenOptions<object, object, object>): unknown {
  return options.protocol === undefined ? open({ ...options, protocol: conversation }) : open(options)
}

/**
 * Takes a conversation up from a snapshot, as if it had never stopped.
 * @throws ColloquyError `SNAPSHOT_INVALID`
 */
export function restoreConversation(
  snapshot: unknown,
  options?: OwnRestoreOptions,
): Conversation<ConversationContext, Outcome, Board>
export function restoreConversation<C extends object, O extends object, B extends object>(
  snapshot: unknown,
  options: RestoreOptions<C, O, B>,
): Conversation<C, O, B>
export function restoreConversation(
  snapshot: unknown,
  options: OwnRestoreOptions | RestoreOptions<object, object, object> = {},
): unknown {
  return options.protocol === undefined
    ? restore(snapshot, { ...options, protocol: conversation })
    : restore(snapshot, options)
}

/**
 * Takes a conversation up from its record, such as a journal's `read` gives its `events`.
 * @throws ColloquyError `RECORD_INVALID` with the place of the event that is none, goes back in time, or is refused
 */
export function resumeConversation(
  events: readonly RecordEvent[],
  options?: OwnRestoreOptions,
): Conversation<ConversationContext, Outcome, Board>
export function resumeConversation<C extends object, O extends object, B extends object>(
  events: readonly RecordEvent[],
  options: RestoreOptions<C, O, B>,
): Conversation<C, O, B>
export function resumeConversation(
  events: readonly RecordEvent[],
  options: OwnRestoreOptions | RestoreOptions<object, object, object> = {},
): unknown {
  return options.protocol === undefined
    ? resume(events, { ...options, protocol: conversation })
    : resume(events, options)
}

/**
 * Convenes a group: asks its agents until the conversation closes, stops them, and tells how it ended and all that was said.
 * @throws ColloquyError `OPEN_INVALID`, `POLICY_INVALID` before anybody was asked; `JOURNAL_FAILED` after everybody has stopped
 */
export function convene<C extends object, O extends object, B extends object>(
  options: ConveneOptions<C, O, B>,
): Promise<Convened<O>>
export function convene(options: OwnConveneOptions): Promise<Convened<Outcome>>
export function convene(
  options: OwnConveneOptions | ConveneOptions<object, object, object>,
): Promise<unknown> {
  return options.protocol === undefined
    ? conveneGroup({ ...options, protocol: conversation })
    : conveneGroup(options)
}

/** What a host is started with; without `protocols` it knows the conversation protocol. */
export type CreateHostOptions = Omit<HostOptions, 'protocols'> & Partial<Pick<HostOptions, 'protocols'>>

/**
 * Starts a host: many conversations in one process, kept in a journal.
 * @throws ColloquyError `USAGE` for wrong options; what the journal throws when it cannot be used
 */
export const createHost = (options: CreateHostOptions): Promise<Host> =>
  startHost({ ...options, protocols: options?.protocols ?? [conversation] })
