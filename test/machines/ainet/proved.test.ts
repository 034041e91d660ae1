/** The checker proves it for small groups: every mailbox and talk closes, after at most as many turns as the formula says. */
import { describe, expect, it } from 'vitest'
import { ainet, type PolicyInput } from '../../../machines/ainet/index.ts'
import { check } from '../../../src/testing/check.ts'

const SMALL = { idle: 1, pending: 1, done: 1 }

interface Case {
  readonly members: number
  readonly policy: PolicyInput
  readonly joins?: boolean
  readonly turns: number
}

const CASES: Readonly<Record<string, Case>> = {
  'a mailbox of two': {
    members: 2,
    policy: { rounds: 2, turnLimit: { idle: 2, pending: 2, done: 1 }, violationLimit: 3 },
    turns: 2 * 2 * (2 + 2 + 1),
  },
  'a mailbox of three': {
    members: 3,
    policy: { rounds: 2, turnLimit: SMALL, violationLimit: 2 },
    turns: 3 * 2 * (1 + 1 + 1),
  },
  'a mailbox that closes with fewer than two': {
    members: 3,
    policy: { rounds: 1, turnLimit: { ...SMALL, pending: 2 }, violationLimit: 3, minMembers: 2 },
    turns: 3 * (1 + 2 + 1),
  },
  'a mailbox with a number of turns': {
    members: 2,
    policy: { rounds: 2, turnLimit: { pending: 2 }, violationLimit: 5, maxTurns: 5 },
    turns: 5,
  },
  'a mailbox that expels nobody': {
    members: 2,
    policy: { rounds: 1, turnLimit: SMALL, violationLimit: null },
    turns: 2 * (1 + 1 + 1),
  },
  'a talk of two': {
    members: 2,
    policy: { mode: 'talk', turnLimit: { idle: 2, talking: 3 }, violationLimit: 4 },
    turns: 2 * (2 + 3) - 1,
  },
  'a talk of three that members leave and join again': {
    members: 3,
    policy: { mode: 'talk', turnLimit: { idle: 1, talking: 2 }, violationLimit: 3, minMembers: 2 },
    joins: true,
    turns: 3 * (1 + 2) - 1,
  },
  'a talk with a number of turns': {
    members: 2,
    policy: { mode: 'talk', turnLimit: { idle: 1, talking: 3 }, maxTurns: 4 },
    turns: 4,
  },
}

const neverTaken: string[][] = []

describe('everything that can happen in', () => {
  it.each(Object.entries(CASES))('%s comes to an end', (_, { members, policy, joins = false, turns }) => {
    const report = check({ protocol: ainet, members, policy, joins })
    expect(report.problems).toEqual([])
    expect(report.verdict).toBe('proved')
    expect(report.turns.most).toBe(turns)
    expect(report.formula).toBe(turns)
    expect(report.rank.holds).toBe(true)
    expect(report.statesWithoutDueTime).toEqual([])
    const isTalk = policy.mode === 'talk'
    expect(report.unreachableStates).toEqual(isTalk ? ['pending', 'done'] : ['talking'])
    expect(report.unusedIntents).toEqual(isTalk ? ['request', 'claim', 'reply', 'read'] : ['say'])
    neverTaken.push([...report.unreachableTransitions])
  })

  it('all of these takes every branch of the config', () => {
    const [first = [], ...others] = neverTaken
    expect(neverTaken).toHaveLength(Object.keys(CASES).length)
    expect(first.filter((branch) => others.every((list) => list.includes(branch)))).toEqual([])
  })
})
