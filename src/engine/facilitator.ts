/**
 * The facilitator: asks the members whom the protocol's floor names, sends what they answer, and goes on until the
 * conversation has closed and everybody has stopped. It decides nothing; the rules do.
 *
 * One loop takes one thing after the other from an inbox: an answer, a failure, a deadline, an abort. Whatever happened
 * is published, which keeps it, before anybody is asked about it. When the state changes, turns still open are called
 * off, since what they would say is late; what comes all the same is sent, and the rules call it late. How turns are
 * kept is in asking.ts.
 */
import type { Agent, Turn } from '../agents/agent.ts'
import { ColloquyError, messageOf } from '../errors.ts'
import type { Observer } from '../observers/observer.ts'
import { type Arrival, asking } from './asking.ts'
import type { Clock } from './clock.ts'
import type { Conversation } from './conversation.ts'
import { deadlines } from './deadlines.ts'
import type { ConversationEvent } from './events.ts'
import type { Call, FloorOptions } from './protocol.ts'
import { emptyTranscript, type View } from './transcript.ts'
import { utterancesOf } from './utterances.ts'

/** How members are asked. */
export interface FacilitateSettings<Context extends object> {
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
}

export interface FacilitateOptions<Context extends object, Outcome extends object, Board extends object>
  extends FacilitateSettings<Context> {
  readonly conversation: Conversation<Context, Outcome, Board>
  readonly agents: ReadonlyMap<string, Agent<Board>>
  readonly clock: Clock
  /** What is published first; members see it. */
  readonly opening: readonly ConversationEvent[]
  /** Called when that is done. */
  opened?(): void
  /** What happened before, with its decisions, as far as members should see it. */
  readonly past: readonly ConversationEvent[]
  /** Keeps what happened, then tells of it. It rejects: everybody is stopped, and so does the facilitator. */
  publish(events: readonly ConversationEvent[]): Promise<void>
  readonly signal: AbortSignal | undefined
  /** What an abort means: the end of the conversation, or only of asking. */
  readonly onAbort: 'cancel' | 'leave'
  /** What to do when there is nobody to ask and nothing under way: cancel at once, or wait for the deadline or somebody outside. */
  readonly stall: 'cancel' | 'wait'
  readonly observer?: Observer | undefined
  asked?(turn: Turn<Board>): void
  /** Nothing is to be done until something happens; so many turns are under way. */
  rests?(turns: number): void
  /** @param error what went wrong, whose words are somebody else's */
  warn(text: string, error?: unknown): void
}

/** How the asking ended. */
export interface Facilitated {
  /** Members whose agents had not stopped within `stopTimeout`. */
  readonly unstopped: readonly string[]
  /** Whether it was cancelled because nobody was left to ask. */
  readonly stalled: boolean
}

export const STOP_TIMEOUT = 5_000
const TURN_TIMEOUT = 120_000
/** So many arrivals are taken before the rest of the process gets a moment. */
const BREATH = 64
/** So many failures of a member in a row that cost it nothing end the conversation. */
const MOST_FRUITLESS = 20
/** Most characters of a fault's text in the record. */
const FAULT_TEXT = 2_000

/**
 * Asks the members of a conversation until it closes or the signal aborts, and stops them.
 * @throws ColloquyError `PROTOCOL_INVALID` when the rules do not close on `cancel`; whatever `publish` rejects with; after everybody has stopped
 */
export const facilitate = async <Context extends object, Outcome extends object, Board extends object>(
  options: FacilitateOptions<Context, Outcome, Board>,
): Promise<Facilitated> => {
  const { conversation: talk, agents, clock, signal, warn, stopTimeout = STOP_TIMEOUT } = options
  const { protocol } = talk
  const turnTimeout = options.turnTimeout === undefined ? TURN_TIMEOUT : options.turnTimeout
  const inbox: Arrival<Board>[] = []
  let wake: () => void = () => {}
  const arrive = (arrival: Arrival<Board>): void => {
    inbox.push(arrival)
    wake()
  }
  const turns = asking<Board>({
    agents,
    clock,
    turnTimeout,
    stopTimeout,
    signal,
    arrive,
    warn,
    observer: options.observer,
    protocol: protocol.name,
  })
  const floorOptions: FloorOptions = {
    capabilities: new Map(
      [...agents].flatMap(([id, { capabilities }]) =>
        capabilities === undefined ? [] : [[id, capabilities]],
      ),
    ),
    talk: options.talk ?? 'round_robin',
  }
  const transcript = emptyTranscript(options.view)
  /** What was wrong with each member's last answer. */
  const notices = new Map<string, string>()
  const unheard: ConversationEvent[] = [...options.opening]
  let stalled = false

  /** Kept first, then shown to members. */
  const publish = async (): Promise<void> => {
    while (unheard.length > 0) {
      const events = unheard.splice(0)
      await options.publish(events)
      for (const heard of events) transcript.add(heard)
    }
  }

  const turnOf = (call: Call): Turn<Board> => {
    const due = talk.dueAt
    const turnsLeft = protocol.turnsLeft(talk.context, call.member, talk.state)
    const { transcript: shown, omitted } = transcript.view()
    return {
      conversation: talk.id,
      goal: talk.goal,
      member: call.member,
      members: talk.members,
      lead: talk.lead,
      state: talk.state,
      task: call.task,
      allowed: protocol.allowed(talk.context, call.member, talk.state),
      expected: call.expected,
      replyTo: call.replyTo,
      defaults: call.defaults ?? {},
      transcript: shown,
      omitted,
      board: protocol.board(talk.context, call.member, talk.state),
      turnsLeft,
      lastTurn: turnsLeft !== null && turnsLeft <= 1,
      timeLeft: due === null ? null : Math.max(0, due - clock.now()),
      notice: notices.get(call.member) ?? null,
    }
  }

  const invite = (): void => {
    const floor = options.floor ?? protocol.floor
    // A floor of the user's own may name whom it likes; who could say nothing that counts is not asked for ever.
    const calls = floor
      .call(protocol, talk.context, floorOptions, talk.state)
      .filter(
        ({ member }) =>
          protocol.isMember(talk.context, member) &&
          protocol.turnsLeft(talk.context, member, talk.state) !== 0,
      )
    for (const call of calls) {
      const agent = agents.get(call.member)
      if (agent === undefined || !turns.isFree(call.member)) continue
      const turn = turnOf(call)
      options.asked?.(turn)
      turns.ask(turn, agent)
      // What is asked may act at once, through the conversation that `opened` was given.
      if (talk.isClosed) return
    }
    if (turns.size > 0 || calls.some(({ member }) => !agents.has(member)) || options.stall === 'wait') return
    giveUp(`Nobody is left to ask in "${talk.state}"`)
  }

  const cancel = (): void => {
    talk.cancel()
    if (talk.isClosed) return
    const message = `The protocol "${protocol.name}" does not close on "cancel" in state "${talk.state}"`
    throw new ColloquyError('PROTOCOL_INVALID', message)
  }

  const giveUp = (why: string): void => {
    stalled = true
    warn(`${why}: the conversation is cancelled`)
    cancel()
  }

  /** Tells, whenever it is asked, whether the end has come nearer since now. */
  const nearing = (): (() => boolean) => {
    const { context, state } = talk
    return () => isLess(protocol.rank(talk.context, talk.state), protocol.rank(context, state))
  }

  /** Turns in a row by which a member brought the end no nearer. */
  const fruitless = new Map<string, number>()
  /** Where the rules let failures cost nothing, they would go on without end. */
  const weigh = (member: string, isNearer: () => boolean): void => {
    if (talk.isClosed) return
    const count = isNearer() ? 0 : (fruitless.get(member) ?? 0) + 1
    fruitless.set(member, count)
    if (count >= MOST_FRUITLESS)
      giveUp(`"${member}" failed ${count} times in a row, at no cost under these rules`)
  }

  /** Sends what a member answered. An answer that brings the end no nearer costs a fault, or it could go on for ever. */
  const send = ({ ask, answer, at }: Extract<Arrival<Board>, { type: 'answer' }>): void => {
    const { turn } = ask
    // Of what was said for another state only the first is sent: it is late, and more of it would only be against the rules.
    const isLate = ask.ended !== null || turn.state !== talk.state
    const isNearer = nearing()
    let isApplied = false
    notices.delete(turn.member)
    try {
      const messages = utterancesOf(answer, turn, protocol, ask.trace)
      for (const message of isLate ? messages.slice(0, 1) : messages) {
        const sent = talk.receive(message, at)
        if (sent.issues !== undefined) {
          const found = sent.issues.map(({ path, message: text }) => `${path} ${text}`).join('; ')
          throw new ColloquyError('AGENT_ANSWER_INVALID', `The answer is no valid message: ${found}`)
        }
        isApplied ||= sent.effect === 'applied'
        if (sent.effect !== 'applied' && !isLate)
          notices.set(turn.member, `Your message was ${sent.effect}: ${sent.reason}.`)
      }
    } catch (error) {
      if (!isLate) blame(turn.member, error, at)
      return
    }
    if (isApplied) fruitless.delete(turn.member)
    const isOver = isApplied || isLate || talk.isClosed
    if (isOver || isNearer()) return
    blame(turn.member, new ColloquyError('AGENT_ANSWER_INVALID', 'The answer changed nothing'), at)
  }

  const blame = (member: string, error: unknown, at: number): void => {
    const code = error instanceof ColloquyError ? `${error.code}: ` : ''
    const text = `${code}${messageOf(error)}`.slice(0, FAULT_TEXT).toWellFormed()
    const isNearer = nearing()
    notices.set(member, text)
    talk.fault(member, text, at)
    weigh(member, isNearer)
  }

  const take = (arrival: Arrival<Board>): void => {
    if (arrival.type === 'wake') return
    const { ask, at } = arrival
    if (arrival.type !== 'timeout') turns.free(ask)
    if (talk.isClosed) return
    if (arrival.type === 'timeout') blame(ask.turn.member, arrival.error, at)
    // A turn that timed out was blamed then, and one that was called off may fail as it likes.
    else if (ask.ended === 'timeout') return
    else if (arrival.type === 'answer') send(arrival)
    else if (ask.ended === null) blame(ask.turn.member, arrival.error, at)
  }

  const timer = deadlines<null>(clock, () => arrive({ type: 'wake' }))
  const stopListening = talk.on('event', (event) => {
    unheard.push(event)
    // Somebody outside may have spoken; the loop looks again.
    if (inbox.length === 0) arrive({ type: 'wake' })
  })
  const abort = (): void => {
    turns.callOff()
    arrive({ type: 'wake' })
  }
  signal?.addEventListener('abort', abort, { once: true })

  let taken = 0
  /** Takes what has arrived, each at the time at which it came, so that a slow journal makes nobody late. */
  const takeAll = async (): Promise<void> => {
    while (inbox.length > 0 && signal?.aborted !== true) {
      take(inbox.shift() as Arrival<Board>)
      if (unheard.length > 0) await publish()
      // Agents that answer at once would otherwise keep timers, sockets and signals waiting.
      if (++taken % BREATH === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  const run = async (): Promise<void> => {
    await publish()
    options.opened?.()
    while (!talk.isClosed) {
      await takeAll()
      if (signal?.aborted === true) {
        if (options.onAbort === 'leave') return
        cancel()
      } else if (talk.dueAt !== null && clock.now() >= talk.dueAt) talk.tick()
      if (unheard.length > 0) await publish()
      if (talk.isClosed) break
      turns.overtake(({ state, member }) => state !== talk.state || !talk.members.includes(member))
      invite()
      timer.set(null, talk.dueAt)
      if (inbox.length > 0 || talk.isClosed || signal?.aborted === true) continue
      options.rests?.(turns.size)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    await publish()
  }

  let unstopped: readonly string[] = []
  for (const event of options.past) transcript.add(event)
  try {
    await run()
  } finally {
    timer.stop()
    signal?.removeEventListener('abort', abort)
    stopListening()
    unstopped = await turns.stop()
  }
  return { unstopped, stalled }
}

/** Whether a rank is lexicographically less than another. */
const isLess = (rank: readonly number[], than: readonly number[]): boolean => {
  for (const [index, value] of rank.entries()) {
    const other = than[index] ?? 0
    if (value !== other) return value < other
  }
  return false
}
