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
export { RecordedFailure, recordText, withRecord } from './recorded-failure.ts'
export {
  type Act,
  type ActKind,
  type ActOptions,
  act,
  type Input,
  type Opening,
  openings,
  Play,
  play,
  type Scenario,
  scenarios,
  type When,
} from './scenarios.ts'
export { assertTerminates, type TerminationOptions } from './terminates.ts'
export {
  type Resident,
  type Simulated,
  type SimulateOptions,
  type Surroundings,
  simulate,
  type Traffic,
} from './world.ts'
export { type SimulatedWorld, type WorldsOptions, worlds } from './worlds.ts'
