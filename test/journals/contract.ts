/** What every journal must do: one suite for all of them. A journal that lacks a capability says so, and why a case is skipped is printed. */
import { describe } from 'vitest'
import { compactContract } from './contract/compact.ts'
import { leasesContract } from './contract/leases.ts'
import { listContract } from './contract/list.ts'
import { modelContract } from './contract/model.ts'
import { questionsContract } from './contract/questions.ts'
import { recordContract } from './contract/record.ts'
import type { Bench } from './contract/samples.ts'
import { standingContract } from './contract/standing.ts'
import { urgentContract } from './contract/urgent.ts'

export type { Bench } from './contract/samples.ts'

/** Runs the suite. `prepare` makes a fresh, empty place for a journal. */
export const journalContract = (name: string, prepare: () => Bench): void => {
  describe(`${name}: the contract of every journal`, () => {
    describe('the record', () => recordContract(prepare))
    describe('how a conversation stands', () => standingContract(prepare))
    describe('the list', () => listContract(prepare))
    describe('questions', () => questionsContract(prepare))
    describe('leases', () => leasesContract(prepare))
    describe('what is urgent', () => urgentContract(prepare))
    describe('a compact record', () => compactContract(prepare))
    describe('whatever is done', () => modelContract(prepare))
  })
}
