/** The host of a cluster: `createHost` for conversations that are kept going by Restate. */
import { randomUUID } from 'node:crypto'
import {
  type Answer,
  ColloquyError,
  type ConversationView,
  type FollowOptions,
  type Host,
  type ListFilter,
  type OpenRequest,
  type PendingQuestion,
  type RecordEvent,
  type Sent,
} from 'colloquy'
import { refuseWrongAddresses } from './addresses.ts'
import { conversationOf } from './asked.ts'
import type { Portion } from './conversations.ts'
import { followed } from './follow.ts'
import { type IngressOptions, ingressOf } from './ingress.ts'
import { allQuestions, type IntrospectionOptions, listed } from './introspection.ts'
import { keyOf } from './keys.ts'
import { OBJECT } from './setting.ts'

export interface ClusterHostOptions extends IngressOptions {
  /** The address of Restate's admin API, for `list` and for the questions of all conversations. */
  readonly admin?: string
  /** The virtual object's name in Restate. Default: `colloquy`. */
  readonly name?: string
}

/**
 * A host whose conversations are on Restate: as many of these as one likes, in any process, may speak to the same
 * conversations. Protocols, agents and people are the app's (`serveConversations`).
 *
 * Besides what `Host` says: `JOURNAL_FAILED` also when Restate or the app cannot be reached within `patience`;
 * `list`, and `questions` of all conversations, need `admin` and throw `ENDPOINT_INVALID` without.
 * @throws ColloquyError `ENDPOINT_INVALID` when an address is none
 */
export const clusterHost = (options: ClusterHostOptions): Host => {
  refuseWrongAddresses(options)
  const { name = OBJECT, admin, headers = {} } = options
  const ingress = ingressOf(options, name)
  const closing = new AbortController()
  const leaving = new AbortController()
  const underway = new Set<Promise<unknown>>()

  /** Has `close` wait for it, and refuses it afterwards. */
  const working = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (closing.signal.aborted) throw new ColloquyError('HOST_CLOSED', 'The host is closed')
    const doing = work()
    underway.add(doing)
    try {
      return await doing
    } finally {
      underway.delete(doing)
    }
  }

  const unknown = (conversation: string): ColloquyError =>
    new ColloquyError('CONVERSATION_UNKNOWN', `There is no conversation "${conversation}"`)

  const change = <Result>(conversation: string, handler: string, input: unknown): Promise<Result> =>
    working(async () => {
      const key = keyOf(conversation)
      if (key === null) throw unknown(conversation)
      return (await ingress(key, handler, input, { signal: leaving.signal, isReading: false })) as Result
    })

  const read = async <Result>(
    conversation: string,
    handler: string,
    input: unknown,
    signal: AbortSignal = leaving.signal,
  ): Promise<Result | null> => {
    const key = keyOf(conversation)
    return key === null ? null : ((await ingress(key, handler, input, { signal, isReading: true })) as Result)
  }

  const show = (conversation: string): Promise<ConversationView | null> =>
    working(() => read<ConversationView>(conversation, 'show', null))

  const portion = (conversation: string, after: number, signal?: AbortSignal): Promise<Portion | null> =>
    read<Portion>(conversation, 'events', { after }, signal)

  const introspection = (): IntrospectionOptions => {
    if (admin !== undefined) return { admin, headers, object: name }
    throw new ColloquyError(
      'ENDPOINT_INVALID',
      'What concerns all conversations is read from Restate itself',
      {
        remedy: "Give `admin`, the address of Restate's admin API.",
      },
    )
  }

  return {
    open({ id = `c_${randomUUID()}`, ...request }: OpenRequest) {
      if (keyOf(id) === null) return Promise.reject(wrongId())
      return change<ConversationView>(id, 'open', request)
    },
    send: (conversation, message) => change<Sent>(conversation, 'send', message),
    join: (conversation, member) => change<Sent>(conversation, 'join', { member }),
    leave: (conversation, member) => change<Sent>(conversation, 'leave', { member }),
    fault: (conversation, member, error) => change<Sent>(conversation, 'fault', { member, error }),
    cancel: (conversation) => change<Sent>(conversation, 'cancel', null),
    show,
    record: (conversation) =>
      working(async () => {
        const events: RecordEvent[] = []
        for (;;) {
          const more = await portion(conversation, events.length - 1)
          if (more === null) return events
          for (const { event } of more.events) events.push(event)
          if (events.length > more.seq) return events
        }
      }),
    list: (filter: ListFilter = {}) => working(async () => listed(introspection(), filter, leaving.signal)),
    follow(conversation, { after = -1, signal }: FollowOptions = {}) {
      const ends = signal === undefined ? closing.signal : AbortSignal.any([closing.signal, signal])
      return followed((place) => portion(conversation, place, ends), {
        after,
        ends,
        unknown: () => unknown(conversation),
      })
    },
    async questions(conversation): Promise<readonly PendingQuestion[]> {
      if (conversation !== undefined) return (await show(conversation))?.questions ?? []
      return working(async () => allQuestions(introspection(), leaving.signal))
    },
    async answer(question: string, answer: Answer) {
      const conversation = conversationOf(question)
      const nobodys = new ColloquyError('QUESTION_UNKNOWN', `No question "${question}" waits for an answer`)
      if (conversation === null) throw nobodys
      try {
        await change<null>(conversation, 'answer', { question, answer })
      } catch (error) {
        const isUnknown = error instanceof ColloquyError && error.code === 'CONVERSATION_UNKNOWN'
        throw isUnknown ? nobodys : error
      }
    },
    async close() {
      closing.abort()
      await Promise.allSettled(underway)
      leaving.abort()
    },
  }
}

const wrongId = (): ColloquyError => {
  const message = 'must be well-formed Unicode'
  return new ColloquyError('OPEN_INVALID', `The conversation was not opened: id ${message}`, {
    issues: [{ path: 'id', message }],
  })
}
