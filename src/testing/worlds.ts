/** Whole simulated worlds as an arbitrary: who takes part, how each behaves, under which policy, over which network. */
import fc from 'fast-check'
import type { Protocol } from '../engine/protocol.ts'
import { type Adversary, agentsOf, type Conduct, conducts } from './adversaries.ts'
import { MOST_MEMBERS, type PartyOptions, type PolicyOptions, parties } from './groups.ts'
import { type Network, type SchedulesOptions, scheduled, schedules, unhurried } from './network.ts'

export interface WorldsOptions extends PartyOptions {
  /** Default: numbers are at most 20 above their least. */
  readonly policy?: PolicyOptions
  readonly schedule?: SchedulesOptions
  /** How members may behave. Default: in every way. */
  readonly conduct?: fc.Arbitrary<Conduct>
}

/** What `simulate` takes besides the protocol. */
export interface SimulatedWorld<Board extends object> {
  readonly seed: number
  readonly agents: ReadonlyMap<string, Adversary<Board>>
  readonly lead: string | null
  readonly policy: Readonly<Record<string, unknown>>
  readonly network: Network
}

/** Limits that a conversation reaches. */
const REACHED = { most: 20 } as const

/**
 * Worlds of a protocol, for `simulate({ protocol, ...world })`: they shrink to few obliging members and a network that
 * does no more than take its time.
 */
export const worlds = <Board extends object>(
  protocol: Protocol<object, object, Board>,
  { members, policy = REACHED, schedule, conduct = conducts }: WorldsOptions = {},
): fc.Arbitrary<SimulatedWorld<Board>> =>
  fc
    .record({
      seed: fc.nat({ max: 9_999 }),
      party: parties(protocol, { policy, ...(members === undefined ? {} : { members }) }),
      // Chosen for as many as there may be, so that they stay when there are fewer.
      conduct: fc.array(conduct, { maxLength: members?.most ?? MOST_MEMBERS, size: 'max' }),
      fates: schedules(schedule),
    })
    .map(({ seed, party: { group, policy }, conduct: chosen, fates }) => ({
      seed,
      agents: agentsOf<Board>(protocol, group.members, chosen),
      lead: group.lead,
      policy,
      network: scheduled(fates, unhurried),
    }))
