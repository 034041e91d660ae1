/** Model-based runs: every protocol keeps to the ledger, and whatever does not is found. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../../machines/catalogue.ts'
import type { Protocol } from '../../src/engine/protocol.ts'
import { commandsOf, setUp } from '../../src/testing/commands.ts'
import { RecordedFailure } from '../../src/testing/recorded-failure.ts'
import { openings } from '../../src/testing/scenarios.ts'
import { parameters } from '../support/property.ts'
import { poll, pollWith } from './poll.ts'

const protocols: readonly Protocol[] = [...Object.values(catalogue), poll]

const keepsToTheLedger = (protocol: Protocol, numRuns = 100): void =>
  fc.assert(
    fc.property(openings(protocol), commandsOf({ acts: 40 }), (opening, commands) =>
      fc.modelRun(() => setUp(protocol, opening), commands),
    ),
    parameters(numRuns),
  )

const foundIn = (protocol: Protocol): string => {
  try {
    keepsToTheLedger(protocol)
  } catch (error) {
    if (error instanceof Error && error.cause instanceof RecordedFailure) return error.cause.found
    throw error
  }
  return 'nothing'
}

describe('commands', () => {
  it.each(protocols)('of $name keep to the ledger', (protocol) => {
    keepsToTheLedger(protocol)
  })

  it('find members that are none', () => {
    expect(foundIn(pollWith({ isMember: () => false }))).toContain('is listed as a member and is none')
  })

  it('find members that are listed twice', () => {
    expect(foundIn(pollWith({ members: ({ members }) => [...members, ...members] }))).toContain(
      'How many members there are',
    )
  })

  it('find a floor that asks whom there is not', () => {
    const floor = () => [{ member: 'zoe', task: 'Speak.', expected: 'vote', replyTo: null }]
    expect(foundIn(pollWith({ floor }))).toContain('"zoe" is asked and is no member')
  })

  it('find an intent that there is not', () => {
    const allowed = () => [{ intent: 'dance', does: 'dances' }]
    expect(foundIn(pollWith({ allowed }))).toContain('"dance" is allowed and is no intent')
  })

  it('find a context that no snapshot holds', () => {
    // It goes by which object it is, not by what that says: a copy is another.
    const seen = new WeakSet<object>()
    const forgetful = pollWith({
      members: (context) => {
        seen.add(context)
        return context.members
      },
      isMember: (context, id) => context.members.includes(id) && seen.has(context),
    })
    expect(foundIn(forgetful)).toMatch(/What a (?:replay|restored)/)
  })

  it('find an opening that a replay does not repeat', () => {
    let opened = 0
    const drifting = pollWith({
      input: ({ members }, policy, at) => ({ members, policy, at: at - 1_000 * opened++ }),
    })
    expect(foundIn(drifting)).toContain('What a replay decides')
  })

  it('find a machine that a replay does not repeat', () => {
    let asked = 0
    const moody = pollWith()
    const { machine } = moody
    const changing: Protocol = {
      ...moody,
      machine: machine.provide({ guards: { isNew: () => asked++ % 2 === 0 } }),
    }
    expect(foundIn(changing)).toMatch(/What a (?:replay|restored)/)
  })

  it('print what was done', () => {
    const { counterexample } = fc.check(
      fc.property(openings(poll), commandsOf(), (opening, commands) => {
        fc.modelRun(() => setUp(pollWith({ isMember: () => false }), opening), commands)
      }),
      { seed: 3 },
    )
    expect(fc.stringify(counterexample?.[1])).toMatch(/"kind":/)
  })
})
