/**
 * The testing kit, `colloquy/testing`: arbitraries for anything a protocol can meet, adversaries, a simulated world, and
 * checks that every conversation ends. It takes any protocol and runs under any test runner; it needs `fast-check`.
 */
export {
  type Adversary,
  type AdversaryOptions,
  adversary,
  agents,
  type Conduct,
  conducts,
} from './adversaries.ts'
export { type CheckOptions, check } from './check.ts'
export { commandsOf, Ledger, setUp, Try } from './commands.ts'
export {
  groups,
  type MembersOptions,
  memberIds,
  members,
  type Party,
  type PartyOptions,
  type PolicyOptions,
  parties,
  policies,
} from './groups.ts'
export { type MessagesOptions, malformed, messages } from './messages.ts'
export {
  type Fate,
  type Network,
  type NetworkOptions,
  network,
  type Packet,
  type SchedulesOptions,
  scheduled,
  schedules,
  unhurried,
} from './network.ts'
export { type Input, Play, play } from './play.ts'
export type { Traffic } from './post.ts'
export { RecordedFailure, recordText, withRecord } from './recorded-failure.ts'
export type { Bound, CheckReport, Counterexample, Loop, Problem, RecordEntry } from './report.ts'
export type { Resident, Surroundings } from './resident.ts'
export {
  type Act,
  type ActKind,
  type ActOptions,
  act,
  type Opening,
  openings,
  type Scenario,
  scenarios,
  type When,
} from './scenarios.ts'
export { assertTerminates, type TerminationOptions } from './terminates.ts'
export { type Simulated, type SimulateOptions, simulate } from './world.ts'
export { type SimulatedWorld, type WorldsOptions, worlds } from './worlds.ts'
