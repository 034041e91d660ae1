/** The states are plain JSON, and the policy, the snapshot and the protocol refuse what could not work. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMachine } from 'xstate'
import { config } from '../../../machines/ioa/config.ts'
import { ioa } from '../../../machines/ioa/index.ts'
import { machine } from '../../../machines/ioa/machine.ts'
import { openConversation, restoreConversation } from '../../../src/engine/opening.ts'
import type { Protocol } from '../../../src/engine/protocol.ts'
import { readLines, replay } from '../../../src/engine/replay.ts'
import { runnerOf } from '../../../src/engine/runners.ts'
import { ColloquyError } from '../../../src/errors.ts'
import { anything } from '../../support/arbitraries.ts'
import { parameters } from '../../support/property.ts'
import { play, scenario } from './scenarios.ts'

const { context, output } = machine.config
const again = createMachine(
  { ...JSON.parse(JSON.stringify(config)), context, output },
  machine.implementations as Parameters<typeof createMachine>[1],
)
const readBack: Protocol = { ...(ioa as Protocol), machine: again }

describe('the config', () => {
  it('is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(config))).toEqual(config)
  })

  it('read back, decides the same wherever a conversation goes', () => {
    expect(runnerOf(again).kind).toBe('compiled')
    fc.assert(
      fc.property(scenario(), (given) => {
        const talk = play(given)
        const lines = talk.record().map((value, index) => ({ line: index + 1, value }))
        expect(replay(lines, { ioa: readBack }).talk.context).toEqual(talk.context)
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

const issuesOf = (policy: unknown, members: readonly string[] = ['a', 'b']): readonly string[] => {
  const { issues = [] } = ioa.completePolicy(policy, { members, lead: null })
  return issues.map(({ path, message }) => `${path} ${message}`)
}

describe('a policy', () => {
  it('is completed key by key, and completing it again changes nothing', () => {
    const group = { members: ['a'], lead: null }
    const { issues, ...completed } = ioa.completePolicy({ maxTurns: 5, taskDeadline: null }, group)
    expect(issues).toBeUndefined()
    const policy = {
      maxTurns: 5,
      memberTurns: null,
      concludeTurns: 3,
      chatDeadline: 3_600_000,
      turnDeadline: 300_000,
      taskDeadline: null,
      pauseDeadline: null,
      concludeDeadline: 600_000,
      violationLimit: 10,
      minMembers: 1,
    }
    expect(completed).toEqual({ policy })
    expect(ioa.completePolicy(policy, group)).toEqual({ policy })
  })

  it.each([
    [{ maxTurn: 5 }, 'policy.maxTurn is unknown; did you mean "maxTurns"?'],
    [{ maxTurns: 0 }, 'policy.maxTurns must be an integer of at least 1'],
    [{ maxTurns: null }, 'policy.maxTurns must be an integer of at least 1'],
    [{ concludeDeadline: null }, 'policy.concludeDeadline must be an integer of at least 1'],
    [{ memberTurns: 1.5 }, 'policy.memberTurns must be an integer of at least 1, or null for none'],
    [{ minMembers: 3 }, 'members must be at least 3 (policy.minMembers), but are 2'],
    [
      { chatDeadline: null, turnDeadline: null },
      'policy.turnDeadline must not be null without chatDeadline: silence could go on for ever; set one of them',
    ],
    [
      { chatDeadline: null, taskDeadline: null },
      'policy.taskDeadline must not be null without chatDeadline: waiting for a result could go on for ever; set one of them',
    ],
  ])('that could not work is refused: %j', (policy, expected) => {
    expect(issuesOf(policy)).toEqual([expected])
  })

  it('is never thrown at, whatever it is', () => {
    fc.assert(
      fc.property(anything, (value) => {
        for (const issue of issuesOf(value)) expect(issue).toMatch(/^(policy|members).* .+/)
      }),
      parameters(200),
    )
  })
})

describe('a snapshot', () => {
  const talk = openConversation({ protocol: ioa, members: ['a', 'b'], at: 0 })
  const snapshot = talk.snapshot()
  const restored = (change: object, state = snapshot.state): string => {
    try {
      const changed = { ...snapshot, state, context: { ...snapshot.context, ...change } }
      return restoreConversation(changed, { protocol: ioa }).state
    } catch (error) {
      return error instanceof ColloquyError ? error.message : 'no error of ours'
    }
  }

  it('is taken as it was made', () => {
    expect(restored({})).toBe('discussion')
  })

  it.each([
    [{ speaker: 'c' }, 'context.speaker must be an active member'],
    [{ spoken: -1 }, 'context.spoken'],
    [{ more: 1 }, 'context.more'],
    [{ policy: {} }, 'context.policy must be complete'],
    [{ policy: { ...talk.context.policy, maxTurns: 0 } }, 'context.policy.maxTurns must be an integer'],
    [
      { visit: { state: 'pause', since: 0 } },
      'context.visit.state is of "pause", but the snapshot\'s state is "discussion"',
    ],
  ])('that could not go on is refused: %j', (change, expected) => {
    expect(restored(change)).toContain(expected)
  })

  it('of a closed conversation comes back closed', () => {
    const closed = openConversation({ protocol: ioa, members: ['a'], at: 0 })
    closed.cancel(1)
    const twin = restoreConversation(JSON.parse(JSON.stringify(closed.snapshot())), { protocol: ioa })
    expect(twin.outcome).toEqual(closed.outcome)
  })
})

describe('the record', () => {
  it('names the protocol', () => {
    const lines = readLines(
      '{"type":"open","at":0,"id":"c","machine":"ioa","version":1,"members":["a"]}\n',
    ).lines
    expect(replay(lines, { ioa }).talk.protocol).toBe(ioa)
  })
})
