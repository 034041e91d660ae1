/**
 * Agents that behave badly in one way each, for `convene` and for the simulated world, under any protocol. They answer
 * by what their turn shows them, so they keep nothing between turns: one may be several members, or be used again.
 */
import fc from 'fast-check'
import type { Turn, Utterance } from '../agents/agent.ts'
import { systemClock } from '../engine/clock.ts'
import type { Protocol } from '../engine/protocol.ts'
import { type Draw, drawOf, pick, plainest } from './draw.ts'
import { payloadFor } from './messages.ts'
import type { Resident, Surroundings } from './resident.ts'
import { textsOn } from './table.ts'

export type Conduct =
  /** Says what it is asked for. */
  | 'obliging'
  /** Never answers until it is told to stop. */
  | 'silent'
  /** Says several things at once that nobody asked for. */
  | 'chatty'
  /** Says anything but what it is asked for. */
  | 'contrary'
  /** Says what it is asked for, later. */
  | 'slow'
  /** Throws. */
  | 'crashing'
  /** Sends as another member. In `convene` without a world the message is its own all the same. */
  | 'forging'
  /** Says what it is asked for, and sends a message of before once more; mostly one of its own. */
  | 'duplicating'

export interface AdversaryOptions {
  /** Of a slow one: ms that it takes, always so many or from one to the other. Default: 1 to 150,000, more than a turn may take. */
  readonly delay?: number | readonly [least: number, most: number]
  /** Of its choices where no world gives them. Default: 0. */
  readonly seed?: number
}

/** An adversary that can be told from others in a report, and that `convene` takes as well. */
export interface Adversary<Board> extends Resident<Board> {
  (turn: Turn<Board>, signal: AbortSignal, surroundings?: Surroundings): ReturnType<Resident<Board>>
  readonly conduct: Conduct
}

type Answering = (turn: Turn<unknown>, signal: AbortSignal, around: Surroundings) => ReturnType<Resident>

const DELAY = [1, 150_000] as const
/** Most messages that a chatty agent sends at once. */
const CHATTER = 5

/** An agent of a certain conduct. */
export const adversary = <Board>(
  protocol: Protocol,
  conduct: Conduct,
  options: AdversaryOptions = {},
): Adversary<Board> => {
  const { delay = DELAY, seed = 0 } = options
  const own: Surroundings = { clock: systemClock, draw: drawOf(seed) }
  const answer = answering(protocol, typeof delay === 'number' ? [delay, delay] : delay)[conduct]
  return Object.assign(
    (turn: Turn<Board>, signal: AbortSignal, around: Surroundings = own) => answer(turn, signal, around),
    { conduct, [fc.toStringMethod]: () => `adversary(${conduct})` },
  )
}

const answering = (
  protocol: Protocol,
  [least, most]: readonly [least: number, most: number],
): Readonly<Record<Conduct, Answering>> => {
  const asked = (turn: Turn<unknown>, draw: Draw): Utterance => {
    const allowed = turn.allowed.map(({ intent }) => intent)
    return saying(protocol, turn, draw, turn.expected ?? pick(allowed, draw) ?? anyIntent(protocol, draw))
  }
  const unasked = (turn: Turn<unknown>, draw: Draw): Utterance => {
    const allowed = turn.allowed.flatMap(({ intent }) => (intent === turn.expected ? [] : [intent]))
    const others = Object.keys(protocol.payloads).filter((intent) => intent !== turn.expected)
    return saying(
      protocol,
      turn,
      draw,
      pick(allowed, draw) ?? pick(others, draw) ?? anyIntent(protocol, draw),
    )
  }
  return {
    obliging: (turn, _signal, { draw }) => asked(turn, draw),
    silent: (_turn, signal) => aborted(signal),
    chatty: (turn, _signal, { draw }) =>
      Array.from({ length: 2 + draw(CHATTER - 1) }, () => unasked(turn, draw)),
    contrary: (turn, _signal, { draw }) => unasked(turn, draw),
    async slow(turn, signal, { clock, draw }) {
      const at = clock.now() + least + draw(most - least + 1)
      await new Promise<void>((resolve) => {
        const stop = clock.wake(at, resolve)
        // A turn that is called off is answered all the same, at once: as by somebody who does not look.
        signal.addEventListener('abort', () => {
          stop()
          resolve()
        })
      })
      return asked(turn, draw)
    },
    crashing(turn) {
      throw new Error(`Agent ${turn.member} crashed`)
    },
    forging(turn, _signal, { draw }) {
      const other = pick(
        turn.members.filter((member) => member !== turn.member),
        draw,
      )
      return { ...asked(turn, draw), ...(other === undefined ? {} : { from: other }) }
    },
    duplicating(turn, _signal, { draw }) {
      const own = turn.transcript.filter(({ from }) => from === turn.member)
      const before = pick(draw(4) === 3 ? turn.transcript : own, draw)
      const said = turn.omitted + turn.transcript.length
      const answer = { ...asked(turn, draw), id: `again-${said}-${draw(MANY)}` }
      return [answer, before === undefined ? answer : copyOf(before)]
    },
  }
}

/** Enough for ids that do not meet. */
const MANY = 2 ** 31

const copyOf = ({ id, intent, content, payload, replyTo }: Turn['transcript'][number]): Utterance => ({
  id,
  intent,
  content,
  payload,
  replyTo,
})

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, refuse) => {
    const stop = (): void => refuse(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

const anyIntent = (protocol: Protocol, draw: Draw): string => pick(Object.keys(protocol.payloads), draw) ?? ''

/** A message of an intent, about what the turn shows; as often as not with no more in it than has to be. */
const saying = (protocol: Protocol, turn: Turn<unknown>, draw: Draw, intent: string): Utterance => {
  const texts = [...textsOn(turn.board), ...turn.members]
  const payload = payloadFor(protocol, intent, draw(2) === 0 ? plainest : draw, texts) ?? {}
  return {
    intent,
    payload: intent === turn.expected ? { ...payload, ...turn.defaults } : payload,
    replyTo: turn.replyTo,
  }
}

const CONDUCTS: Readonly<Record<Conduct, number>> = {
  obliging: 6,
  silent: 1,
  chatty: 1,
  contrary: 2,
  slow: 2,
  crashing: 1,
  forging: 1,
  duplicating: 1,
}

/** Any conduct; shrinks to obliging ones. */
export const conducts: fc.Arbitrary<Conduct> = fc.oneof(
  { withCrossShrink: true },
  ...(Object.entries(CONDUCTS) as [Conduct, number][]).map(([conduct, weight]) => ({
    arbitrary: fc.constant(conduct),
    weight,
  })),
)

/** An agent of the conduct chosen for each member, in their order; obliging where none is. */
export const agentsOf = <Board>(
  protocol: Protocol,
  members: readonly string[],
  chosen: readonly Conduct[],
): ReadonlyMap<string, Adversary<Board>> =>
  new Map(members.map((member, index) => [member, adversary(protocol, chosen[index] ?? 'obliging')]))

/** Agents of some conduct for these members. */
export const agents = <Board>(
  protocol: Protocol,
  members: readonly string[],
  conduct: fc.Arbitrary<Conduct> = conducts,
): fc.Arbitrary<ReadonlyMap<string, Adversary<Board>>> =>
  fc
    .array(conduct, { maxLength: members.length, size: 'max' })
    .map((chosen) => agentsOf(protocol, members, chosen))
