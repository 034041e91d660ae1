/** The states are plain JSON, the policy is completed key by key, and a snapshot is read only when it is whole. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMachine } from 'xstate'
import { config } from '../../../machines/ainet/config.ts'
import { ainet } from '../../../machines/ainet/index.ts'
import { machine } from '../../../machines/ainet/machine.ts'
import { policySchema, wholePolicySchema } from '../../../machines/ainet/policy.ts'
import { openConversation, restoreConversation } from '../../../src/engine/opening.ts'
import type { Protocol } from '../../../src/engine/protocol.ts'
import { readLines, replay } from '../../../src/engine/replay.ts'
import { runnerOf } from '../../../src/engine/runners.ts'
import { anything } from '../../support/arbitraries.ts'
import { parameters } from '../../support/property.ts'
import { play, policyFor, scenario } from './scenario.ts'

const { context, output } = machine.config
const again = createMachine(
  { ...JSON.parse(JSON.stringify(config)), context, output },
  machine.implementations as Parameters<typeof createMachine>[1],
)
const readBack: Protocol = { ...(ainet as Protocol), machine: again }

describe('the config', () => {
  it('is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(config))).toEqual(config)
  })

  it('read back, decides the same wherever a conversation goes', () => {
    expect(runnerOf(again).kind).toBe('compiled')
    fc.assert(
      fc.property(scenario(), (given) => {
        const talk = play(given)
        const text = talk
          .record()
          .map((event) => JSON.stringify(event))
          .join('\n')
        const { talk: twin } = replay(readLines(text).lines, { ainet: readBack })
        expect(twin.context).toEqual(talk.context)
        expect(twin.outcome).toEqual(talk.outcome)
      }),
      parameters(60),
    )
  })

  it('names nothing that is not implemented, and nothing is implemented that it does not name', () => {
    const text = JSON.stringify(config)
    const guards = [...text.matchAll(/"guard":"([^"]+)"/g)].map(([, name]) => name)
    expect(new Set(guards)).toEqual(new Set(Object.keys(machine.implementations.guards)))
    for (const action of Object.keys(machine.implementations.actions)) expect(text).toContain(`"${action}"`)
  })
})

const GROUP = { members: ['a', 'b', 'c'], lead: null }
const completed = (policy: unknown): object => {
  const answer = ainet.completePolicy(policy, GROUP)
  if (answer.issues !== undefined) throw new Error(JSON.stringify(answer.issues))
  return answer.policy
}
const issuesOf = (policy: unknown): readonly string[] =>
  (ainet.completePolicy(policy, GROUP).issues ?? []).map(({ path, message }) => `${path} ${message}`)

describe('a policy', () => {
  it('has defaults', () => {
    expect(completed({})).toEqual({
      mode: 'mailbox',
      rounds: 10,
      turnLimit: { idle: 3, pending: 5, done: 3, talking: 10 },
      deadline: { idle: 600_000, pending: 600_000, done: 600_000, talking: 3_600_000 },
      maxTurns: null,
      minMembers: 1,
      violationLimit: 10,
    })
  })

  it('is completed key by key, and completing it again changes nothing', () => {
    fc.assert(
      fc.property(policyFor(3), (partial) => {
        const complete = completed(partial)
        expect(complete).toMatchObject(JSON.parse(JSON.stringify(partial)) as object)
        expect(completed(complete)).toEqual(complete)
        expect(wholePolicySchema.parse(complete)).toEqual(complete)
        expect(Object.keys(complete)).toEqual(Object.keys(policySchema.parse({})))
      }),
      parameters(100),
    )
  })

  it('that could go on for ever is refused, with its place and the reason', () => {
    expect(issuesOf({ rounds: null, deadline: { pending: null }, turnLimit: { talking: null } })).toEqual([
      'policy.rounds must be an integer of at least 1',
      'policy.turnLimit.talking must be an integer of at least 2',
      'policy.deadline.pending must be an integer of at least 1',
    ])
    expect(issuesOf({ rounds: Number.POSITIVE_INFINITY })).toHaveLength(1)
  })

  it('in which the opener of a talk could not close it is refused', () => {
    expect(issuesOf({ turnLimit: { talking: 1 } })).toEqual([
      'policy.turnLimit.talking must be an integer of at least 2',
    ])
  })

  it('with a key that is unknown is refused, and the nearest key told', () => {
    expect(issuesOf({ round: 3, deadline: { pendin: 5 } })).toEqual([
      'policy.deadline.pendin is unknown; did you mean "pending"?',
      'policy.round is unknown; did you mean "rounds"?',
    ])
    expect(issuesOf({ mode: 'mail' })).toHaveLength(1)
  })

  it('that wants more members than there are is refused', () => {
    expect(issuesOf({ minMembers: 4 })).toEqual(['members must be at least 4 (policy.minMembers), but are 3'])
  })
})

describe('a snapshot', () => {
  const pending = () => {
    const talk = openConversation({ protocol: ainet, id: 'c1', members: ['a', 'b'], at: 0 })
    talk.send({ id: 'm1', from: 'a', intent: 'request' }, 0)
    return JSON.parse(JSON.stringify(talk.snapshot())) as { state: string; context: Record<string, unknown> }
  }

  it('is refused where it contradicts itself', () => {
    const { context: given, ...rest } = pending()
    const restored = (change: object, state = 'pending') =>
      restoreConversation({ ...rest, state, context: { ...given, ...change } }, { protocol: ainet })
    expect(restored({}).state).toBe('pending')
    expect(() => restored({}, 'idle')).toThrow('context.visit.state is of "pending"')
    expect(() => restored({ requests: [] })).toThrow('context.requests must end with the one in the mailbox')
    expect(() => restored({ visit: { state: 'idle', since: 0 } }, 'idle')).toThrow('must all have an ending')
    expect(() => restored({ policy: {} })).toThrow('context.policy.mode')
    expect(() => restored({ extra: 1 })).toThrow('context.extra')
  })

  it('is refused, not thrown over, whatever it holds', () => {
    fc.assert(
      fc.property(anything, fc.constantFrom('idle', 'pending', 'closed', 'nowhere'), (given, state) => {
        const { issues = [] } = ainet.readContext?.(given, state) ?? {}
        expect(issues.length).toBeGreaterThan(0)
      }),
      parameters(200),
    )
  })
})
