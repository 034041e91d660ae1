/**
 * The facilitator: asks the members whom the protocol's floor names, sends what they answer, and goes on until the
 * conversation has closed and everybody has stopped. It decides nothing; the rules do.
 *
 * One loop takes one thing after the other from an inbox: an answer, a failure, a deadline, an abort. Whatever happened
 * is in the journal before anybody hears of it. A member is asked once at a time. When the state changes, turns still
 * open are aborted, since what they would say is late; what comes all the same is sent, and the rules call it late.
 */
import type { Agent, Answer, Turn } from '../agents/agent.ts'
import { ColloquyError, messageOf } from '../errors.ts'
import type { Journal } from '../journals/journal.ts'
import type { RecordEvent } from '../schema/record.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Conversation, ConversationEvent } from './conversation.ts'
import { deadlines } from './deadlines.ts'
import type { Topics } from './listeners.ts'
import { openConversation } from './opening.ts'
import type { Call, FloorOptions, Protocol } from './protocol.ts'
import { resumeConversation } from './replay.ts'
import { emptyTranscript, type View } from './transcript.ts'
import { utterancesOf } from './utterances.ts'

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

export interface ConveneOptions<Context extends object, Outcome extends object, Board extends object> {
  readonly protocol: Protocol<Context, Outcome, Board>
  readonly goal?: string
  /** The members with their agents, in joining order. */
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
  readonly clock?: Clock
  /** Where the record is kept besides memory. It is left open. */
  readonly journal?: Journal
  /** Whom to ask, in place of the protocol's floor. */
  readonly floor?: (context: Context, options: FloorOptions) => readonly Call[]
  /** Where the rules ask nobody in particular: one after the other, or all at once. Default: `round_robin`. */
  readonly talk?: FloorOptions['talk']
  /** Most ms that a member may take for one turn; null: only the state's deadline counts. Default: 120,000. */
  readonly turnTimeout?: number | null
  /** Most ms to wait for an agent that was told to stop. Default: 5,000. */
  readonly stopTimeout?: number
  /** How much of the transcript a member is shown. */
  readonly view?: View
  /** What to do when there is nobody to ask and nothing under way: cancel at once, or wait for the deadline or somebody outside. Default: `cancel`. */
  readonly stall?: 'cancel' | 'wait'
}

export interface Convened<Outcome extends object> {
  readonly outcome: Outcome
  /** The whole record, `open` first. */
  readonly record: readonly RecordEvent[]
  /** Members whose agents had not stopped within `stopTimeout`. */
  readonly unstopped: readonly string[]
}

/** Why a turn was aborted; an agent finds it as its signal's `reason`. */
type Ending = 'timeout' | 'moved on' | 'over'

interface Ask<Board extends object> {
  readonly turn: Turn<Board>
  readonly controller: AbortController
  /** Settles when the agent has; never rejects. */
  settled: Promise<unknown>
  ended: Ending | null
}

type Arrival<Board extends object> =
  | { readonly type: 'answer'; readonly ask: Ask<Board>; readonly answer: Answer }
  | { readonly type: 'failure'; readonly ask: Ask<Board>; readonly error: unknown }
  | { readonly type: 'freed'; readonly ask: Ask<Board> }
  | { readonly type: 'wake' }

const TURN_TIMEOUT = 120_000
const STOP_TIMEOUT = 5_000
/** So many arrivals are taken before the rest of the process gets a moment. */
const BREATH = 64
const NOT_ASKED: Promise<unknown> = Promise.resolve()
/** Most characters of a fault's text in the record. */
const FAULT_TEXT = 2_000

/**
 * Convenes a group: opens a conversation, asks its members until it closes, stops them, and tells how it ended.
 * @throws ColloquyError as `openConversation` does, before anybody was asked; `JOURNAL_FAILED` after everybody has stopped
 */
export const convene = async <Context extends object, Outcome extends object, Board extends object>(
  options: ConveneOptions<Context, Outcome, Board>,
): Promise<Convened<Outcome>> => {
  const { protocol, on = {}, clock = systemClock, signal, journal } = options
  const stopTimeout = options.stopTimeout ?? STOP_TIMEOUT
  const agents = new Map(
    [...(options.agents instanceof Map ? options.agents : Object.entries(options.agents))].map(
      ([id, agent]: [string, Agent<Board>]) => [id.normalize('NFC'), agent] as const,
    ),
  )
  checkAgents(agents)
  const talk =
    options.resume === undefined
      ? openConversation({
          protocol,
          goal: options.goal ?? '',
          members: [...agents.keys()],
          clock,
          lead: options.lead ?? null,
          policy: options.policy ?? {},
          ...(options.id === undefined ? {} : { id: options.id }),
        })
      : resumeConversation(options.resume, { protocol, clock })

  const inbox: Arrival<Board>[] = []
  let wake: () => void = () => {}
  const arrive = (arrival: Arrival<Board>): void => {
    inbox.push(arrival)
    wake()
  }
  const floorOptions: FloorOptions = {
    capabilities: new Map(
      [...agents].flatMap(([id, { capabilities }]) =>
        capabilities === undefined ? [] : [[id, capabilities]],
      ),
    ),
    talk: options.talk ?? 'round_robin',
  }
  const asks = new Map<string, Ask<Board>>()
  /** All whose agents have not settled, also those that are not waited for any more. */
  const running = new Set<Ask<Board>>()
  const transcript = emptyTranscript(options.view)
  /** What was wrong with each member's last answer. */
  const notices = new Map<string, string>()
  const unheard: ConversationEvent[] = []
  let journaled = options.resume?.length ?? 0

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

  /** Journal first, then everybody who listens. */
  const publish = async (): Promise<void> => {
    while (unheard.length > 0) {
      const events = unheard.splice(0)
      if (journal !== undefined) {
        const happened = events.map(({ event }) => event)
        await journal.append(talk.id, journaled, happened)
        journaled += events.length
      }
      for (const heard of events) {
        transcript.add(heard)
        tell(on.event, heard)
        if (on.message !== undefined && heard.event.type === 'message')
          tell(on.message, { ...heard, message: heard.event.message } as Topics['message'])
        for (const transition of heard.decision?.transitions ?? [])
          tell(on.transition, { seq: heard.seq, ...transition })
      }
    }
  }

  const turnOf = (call: Call): Turn<Board> => {
    const due = talk.dueAt
    const turnsLeft = protocol.turnsLeft(talk.context, call.member)
    const { transcript: shown, omitted } = transcript.view()
    return {
      conversation: talk.id,
      goal: talk.goal,
      member: call.member,
      members: talk.members,
      lead: talk.lead,
      state: talk.state,
      task: call.task,
      allowed: protocol.allowed(talk.context, call.member),
      expected: call.expected,
      replyTo: call.replyTo,
      defaults: call.defaults ?? {},
      transcript: shown,
      omitted,
      board: protocol.board(talk.context, call.member),
      turnsLeft,
      lastTurn: turnsLeft !== null && turnsLeft <= 1,
      timeLeft: due === null ? null : Math.max(0, due - clock.now()),
      notice: notices.get(call.member) ?? null,
    }
  }

  const end = (ask: Ask<Board>, ending: Ending): void => {
    if (ask.ended !== null) return
    ask.ended = ending
    // Whoever aborted knows best why.
    if (ending === 'over' && signal?.aborted === true) ask.controller.abort(signal.reason)
    else
      ask.controller.abort(
        new ColloquyError(ending === 'timeout' ? 'AGENT_TIMEOUT' : 'CANCELLED', REASONS[ending]),
      )
  }

  const ask = (call: Call, agent: Agent<Board>): void => {
    const turn = turnOf(call)
    const open: Ask<Board> = { turn, controller: new AbortController(), settled: NOT_ASKED, ended: null }
    asks.set(call.member, open)
    running.add(open)
    tell(on.asked, turn)
    const timeout =
      agent.timeout === undefined
        ? options.turnTimeout === undefined
          ? TURN_TIMEOUT
          : options.turnTimeout
        : agent.timeout
    const started = clock.now()
    const stopTimer =
      timeout === null
        ? () => {}
        : clock.wake(started + timeout, () => {
            end(open, 'timeout')
            const text = `did not answer within ${timeout} ms`
            arrive({ type: 'failure', ask: open, error: new ColloquyError('AGENT_TIMEOUT', text) })
          })
    open.settled = settle(open, agent, stopTimer)
  }

  /** Has the agent take the turn; whatever comes of it arrives. */
  const settle = async (open: Ask<Board>, agent: Agent<Board>, stopTimer: () => void): Promise<void> => {
    let arrival: Arrival<Board>
    try {
      const answer = await agent(open.turn, open.controller.signal)
      arrival = { type: 'answer', ask: open, answer }
    } catch (error) {
      arrival = { type: 'failure', ask: open, error }
    }
    running.delete(open)
    stopTimer()
    arrive(arrival)
  }

  /** Tells open turns that the group has moved on; a member whose agent does not stop is free again after a while. */
  const overtake = (ask: Ask<Board>): void => {
    end(ask, 'moved on')
    const stopTimer = clock.wake(clock.now() + stopTimeout, () => arrive({ type: 'freed', ask }))
    void ask.settled.then(stopTimer)
  }

  const invite = (): void => {
    const floor = options.floor ?? protocol.floor
    const named = floor.call(protocol, talk.context, floorOptions)
    // A floor of the user's own may name whom it likes; who could say nothing that counts is not asked for ever.
    const calls = named.filter(
      ({ member }) =>
        protocol.isMember(talk.context, member) && protocol.turnsLeft(talk.context, member) !== 0,
    )
    for (const call of calls) {
      const agent = agents.get(call.member)
      if (agent !== undefined && !asks.has(call.member)) ask(call, agent)
    }
    if (asks.size > 0 || calls.some(({ member }) => !agents.has(member)) || options.stall === 'wait') return
    tell(on.warning, `Nobody is left to ask in "${talk.state}": the conversation is cancelled`)
    talk.cancel()
  }

  /** Sends what a member answered. An answer that brings the end no nearer costs a fault, or it could go on for ever. */
  const send = (arrival: Extract<Arrival<Board>, { type: 'answer' }>): void => {
    const { turn, ended } = arrival.ask
    const before = talk.context
    let isApplied = false
    notices.delete(turn.member)
    try {
      for (const message of utterancesOf(arrival.answer, turn, protocol)) {
        const sent = talk.receive(message)
        if (sent.issues !== undefined) {
          const found = sent.issues.map(({ path, message: text }) => `${path} ${text}`).join('; ')
          throw new ColloquyError('AGENT_ANSWER_INVALID', `The answer is no valid message: ${found}`)
        }
        isApplied ||= sent.effect === 'applied'
        if (sent.effect !== 'applied' && ended === null)
          notices.set(turn.member, `Your message was ${sent.effect}: ${sent.reason}.`)
      }
    } catch (error) {
      if (ended === null) blame(turn.member, error)
      return
    }
    if (
      !isApplied &&
      ended === null &&
      !talk.isClosed &&
      !isLess(protocol.rank(talk.context), protocol.rank(before))
    ) {
      blame(turn.member, new ColloquyError('AGENT_ANSWER_INVALID', 'The answer changed nothing'))
    }
  }

  const blame = (member: string, error: unknown): void => {
    const code = error instanceof ColloquyError ? `${error.code}: ` : ''
    const text = `${code}${messageOf(error)}`.slice(0, FAULT_TEXT).toWellFormed()
    notices.set(member, text)
    talk.fault(member, text)
  }

  const take = (arrival: Arrival<Board>): void => {
    if (arrival.type === 'wake') return
    const { ask } = arrival
    const { member } = ask.turn
    const isOpen = asks.get(member) === ask
    if (isOpen) asks.delete(member)
    if (arrival.type === 'freed' || talk.isClosed) return
    if (arrival.type === 'failure') {
      // A turn that was called off may fail as it likes, and one that timed out is blamed once.
      if (isOpen && ask.ended !== 'moved on') blame(member, arrival.error)
    } else if (ask.ended !== 'timeout' && isOpen) send(arrival)
  }

  const timer = deadlines<null>(clock, () => arrive({ type: 'wake' }))
  const heard = talk.on('event', (event) => {
    unheard.push(event)
    // Somebody outside may have spoken; the loop looks again.
    if (inbox.length === 0) arrive({ type: 'wake' })
  })
  const abort = (): void => arrive({ type: 'wake' })
  signal?.addEventListener('abort', abort, { once: true })

  let taken = 0
  const run = async (): Promise<void> => {
    if (options.resume === undefined) {
      const [open] = talk.record()
      if (open !== undefined) unheard.push({ seq: 0, event: open, decision: null })
    } else for (const event of talk.events()) transcript.add(event)
    await publish()
    tell(on.opened, talk)
    while (!talk.isClosed) {
      if (signal?.aborted === true) talk.cancel()
      else if (talk.dueAt !== null && clock.now() >= talk.dueAt) talk.tick()
      if (unheard.length > 0) await publish()
      if (talk.isClosed) break
      for (const ask of asks.values()) {
        const isGone = !talk.members.includes(ask.turn.member)
        if (ask.ended === null && (isGone || ask.turn.state !== talk.state)) overtake(ask)
      }
      invite()
      timer.set(null, talk.dueAt)
      while (inbox.length === 0 && !talk.isClosed) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      for (let arrival = inbox.shift(); arrival !== undefined; arrival = inbox.shift()) {
        take(arrival)
        if (unheard.length > 0) await publish()
        // Agents that answer at once would otherwise keep timers, sockets and signals waiting.
        if (++taken % BREATH === 0) await new Promise((resolve) => setImmediate(resolve))
      }
    }
    await publish()
  }

  const stop = async (): Promise<readonly string[]> => {
    timer.stop()
    signal?.removeEventListener('abort', abort)
    heard()
    for (const ask of running) end(ask, 'over')
    const stopping = [...agents].map(async ([id, agent]) => {
      await Promise.all([...running].filter(({ turn }) => turn.member === id).map(({ settled }) => settled))
      await agent.close?.()
      return id
    })
    return withinTime(stopping, [...agents.keys()], stopTimeout, (text) => tell(on.warning, text))
  }

  let unstopped: readonly string[] = []
  try {
    await run()
  } finally {
    unstopped = await stop()
  }
  const { outcome } = talk
  if (outcome === null)
    throw new ColloquyError('INTERNAL', `The conversation ${talk.id} ended without an outcome`)
  tell(on.closed, outcome)
  return { outcome, record: talk.record(), unstopped }
}

const REASONS: Readonly<Record<Ending, string>> = {
  timeout: 'The turn timed out',
  'moved on': 'The group has moved on; what is said now comes too late',
  over: 'The conversation is over',
}

const checkAgents = (agents: ReadonlyMap<string, unknown>): void => {
  const issues = [...agents]
    .filter(([, agent]) => typeof agent !== 'function')
    .map(([id]) => ({
      path: `agents.${id}`,
      message: 'must be an agent: a function (turn, signal) => text or message',
    }))
  if (issues.length === 0) return
  throw new ColloquyError(
    'OPEN_INVALID',
    issues.map(({ path, message }) => `${path} ${message}`).join('; '),
    { issues },
  )
}

/** Whether a rank is lexicographically less than another. */
const isLess = (rank: readonly number[], than: readonly number[]): boolean => {
  for (const [index, value] of rank.entries()) {
    const other = than[index] ?? 0
    if (value !== other) return value < other
  }
  return false
}

/** Waits for all to stop, at most so many real ms; who has not by then is named. */
const withinTime = async (
  stopping: readonly Promise<string>[],
  ids: readonly string[],
  ms: number,
  warn: (text: string) => void,
): Promise<readonly string[]> => {
  const left = new Set(ids)
  let timer: ReturnType<typeof setTimeout> | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  const all = Promise.all(
    stopping.map((each) =>
      each.then(
        (id) => left.delete(id),
        (error: unknown) => warn(`An agent failed to stop: ${messageOf(error)}`),
      ),
    ),
  )
  await Promise.race([all, patience])
  clearTimeout(timer)
  return [...left]
}
