/** Networks for the simulated world: what becomes of a message between the agent that says it and the conversation. */
import fc from 'fast-check'
import type { Draw } from './draw.ts'

/** In how many ms each copy of a message arrives; none: it is lost. */
export type Fate = readonly number[]

/** One message on its way. */
export interface Packet {
  readonly from: string
  /** ms: when it was sent. */
  readonly at: number
  /** How many were sent before it. */
  readonly place: number
  /** ms that were left of the state's time when its sender was asked; null: nothing was due. */
  readonly timeLeft: number | null
}

/** Decides what becomes of a message. Its choices are the packet's own, from the world's seed. */
export type Network = (packet: Packet, draw: Draw) => Fate

/** Shares are of all messages, from 0 to 1; all default to 0, and delays to none. */
export interface NetworkOptions {
  /** ms that each copy takes: always so many, or from one to the other. */
  readonly delay?: number | readonly [least: number, most: number]
  /** Share that is lost. */
  readonly drop?: number
  /** Share that arrives once more. */
  readonly duplicate?: number
  /** Share that is held up, so that what is sent later overtakes it. */
  readonly reorder?: number
  /** Most ms that a message is held up, and that a second copy comes after the first. Default: 1,000. */
  readonly hold?: number
}

const INSTANT: Fate = [0]
const HOLD = 1_000
/** Shares are told apart to a millionth. */
const PARTS = 1_000_000

/** A network of a certain kind. */
export const network = ({
  delay = 0,
  drop = 0,
  duplicate = 0,
  reorder = 0,
  hold = HOLD,
}: NetworkOptions = {}): Network => {
  const [least, most] = typeof delay === 'number' ? [delay, delay] : delay
  return (_packet, draw) => {
    const happens = (share: number): boolean => share > 0 && draw(PARTS) < share * PARTS
    if (happens(drop)) return []
    const travels = least === most ? least : least + draw(most - least + 1)
    const arrives = travels + (happens(reorder) ? 1 + draw(hold) : 0)
    if (happens(duplicate)) return [arrives, arrives + 1 + draw(hold)]
    return arrives === 0 ? INSTANT : [arrives]
  }
}

/**
 * A network that does to the first messages what the list says.
 * @param others what becomes of all that follow; default: they arrive at once
 */
export const scheduled = (fates: readonly Fate[], others: Network = () => INSTANT): Network =>
  Object.assign((packet: Packet, draw: Draw): Fate => fates[packet.place] ?? others(packet, draw), {
    [fc.toStringMethod]: () => `scheduled(${JSON.stringify(fates)})`,
  })

/** Most ms that a message takes where all take a part of what is left. */
const UNHURRIED = 60_000

/** A network in which time passes, and yet something comes in time: each message takes a quarter of the time that is left. */
export const unhurried: Network = ({ timeLeft }) => [
  Math.min(UNHURRIED, Math.max(1, Math.floor((timeLeft ?? UNHURRIED) / 4))),
]

export interface SchedulesOptions {
  /** Most messages to which something happens. Default: 30. */
  readonly length?: number
  /** Most ms for one copy. Default: 200,000, which is longer than a turn may take. */
  readonly delay?: number
}

/** Schedules of a network, for `scheduled`: they shrink to fewer messages with less happening to them. */
export const schedules = ({ length = 30, delay = 200_000 }: SchedulesOptions = {}): fc.Arbitrary<Fate[]> => {
  const ms = fc.oneof(fc.constant(0), fc.nat({ max: Math.min(delay, 1_000) }), fc.nat({ max: delay }))
  const fate: fc.Arbitrary<Fate> = fc.oneof(
    { withCrossShrink: true },
    { weight: 6, arbitrary: fc.constant(INSTANT) },
    { weight: 4, arbitrary: fc.tuple(ms) },
    { weight: 2, arbitrary: fc.tuple(ms, ms) },
    { weight: 1, arbitrary: fc.constant([]) },
  )
  return fc.array(fate, { maxLength: length, size: 'max' })
}
