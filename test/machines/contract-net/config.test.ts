/** The five states are plain JSON: read back, they make the same machine. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMachine } from 'xstate'
import { admitting } from '../../../machines/contract-net/admission.ts'
import { config } from '../../../machines/contract-net/config.ts'
import { contractNet } from '../../../machines/contract-net/index.ts'
import { INTENTS } from '../../../machines/contract-net/intents.ts'
import { machine } from '../../../machines/contract-net/machine.ts'
import { STATES } from '../../../machines/contract-net/policy.ts'
import type { Protocol } from '../../../src/engine/protocol.ts'
import { readLines, replay } from '../../../src/engine/replay.ts'
import { runnerOf } from '../../../src/engine/runners.ts'
import { parameters } from '../../support/property.ts'
import { play, scenario } from './scenario.ts'

const { context, output } = machine.config
const again = createMachine(
  { ...JSON.parse(JSON.stringify(config)), context, output },
  machine.implementations as Parameters<typeof createMachine>[1],
)
const readBack: Protocol = { ...(contractNet as Protocol), machine: again }

describe('the config', () => {
  it('is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(config))).toEqual(config)
  })

  it('read back, is compiled and decides the same wherever a contract net goes', () => {
    expect(runnerOf(machine).kind).toBe('compiled')
    expect(runnerOf(again).kind).toBe('compiled')
    fc.assert(
      fc.property(scenario(), (given) => {
        const talk = play(given)
        const text = talk
          .record()
          .map((event) => JSON.stringify(event))
          .join('\n')
        const { talk: twin, decisions } = replay(readLines(text).lines, { 'contract-net': readBack })
        expect(twin.context).toEqual(talk.context)
        const reasons = talk.events().flatMap(({ decision }) => (decision === null ? [] : [decision.reason]))
        expect(decisions.map(({ reason }) => reason)).toEqual(reasons)
      }),
      parameters(100),
    )
  })

  it('names nothing that is not implemented, and nothing is implemented that it does not name', () => {
    const text = JSON.stringify(config)
    const guards = [...text.matchAll(/"guard":"([^"]+)"/g)].map(([, name]) => name)
    expect(new Set(guards)).toEqual(new Set(Object.keys(machine.implementations.guards)))
    for (const action of Object.keys(machine.implementations.actions)) expect(text).toContain(`"${action}"`)
  })
})

describe('admission', () => {
  it('is the table of the documentation', () => {
    const table = Object.fromEntries(
      STATES.map((state) => [state, INTENTS.filter((intent) => admitting(intent).includes(state))]),
    )
    expect(table).toEqual({
      calling: ['cfp', 'call_off'],
      bidding: ['propose', 'refuse', 'not_understood', 'call_off'],
      awarding: ['accept', 'reject', 'not_understood', 'call_off'],
      performing: ['inform', 'failure', 'not_understood', 'call_off'],
    })
  })
})
