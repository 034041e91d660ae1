/** The six states are plain JSON: read back, they make the same machine. */
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMachine } from 'xstate'
import { admits } from '../../../machines/conversation/admission.ts'
import { config } from '../../../machines/conversation/config.ts'
import { conversation } from '../../../machines/conversation/index.ts'
import { INTENTS } from '../../../machines/conversation/intents.ts'
import { machine } from '../../../machines/conversation/machine.ts'
import { policySchema, STATES } from '../../../machines/conversation/policy.ts'
import type { Protocol } from '../../../src/engine/protocol.ts'
import { readLines, replay } from '../../../src/engine/replay.ts'
import { runnerOf } from '../../../src/engine/runners.ts'
import { scenario } from '../../support/arbitraries.ts'
import { play } from '../../support/play.ts'
import { parameters } from '../../support/property.ts'

const folder = new URL('../../vectors/', import.meta.url)
const names = readdirSync(folder).filter(
  (name) => name.endsWith('.jsonl') && !name.endsWith('.expected.jsonl'),
)

const { context, output } = machine.config
const again = createMachine(
  { ...JSON.parse(JSON.stringify(config)), context, output },
  machine.implementations as Parameters<typeof createMachine>[1],
)
const readBack: Protocol = { ...(conversation as Protocol), machine: again }

describe('the config', () => {
  it('is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(config))).toEqual(config)
  })

  it.each(names)('read back, decides the same: %s', (name) => {
    const { lines } = readLines(readFileSync(new URL(name, folder), 'utf8'))
    const first = replay(lines, { conversation })
    const second = replay(lines, { conversation: readBack })
    expect(second.decisions).toEqual(first.decisions)
    expect(second.talk.snapshot()).toEqual(first.talk.snapshot())
  })

  it('read back, decides the same wherever a conversation goes', () => {
    expect(runnerOf(again).kind).toBe('compiled')
    fc.assert(
      fc.property(scenario(), (given) => {
        const { talk } = play(given)
        const text = talk
          .record()
          .map((event) => JSON.stringify(event))
          .join('\n')
        expect(replay(readLines(text).lines, { conversation: readBack }).talk.snapshot().context).toEqual(
          talk.snapshot().context,
        )
      }),
      parameters(60),
    )
  })

  it('names nothing that is not implemented, and nothing is implemented that it does not name', () => {
    const text = JSON.stringify(config)
    const named = (key: string): string[] =>
      [...text.matchAll(new RegExp(`"${key}":"([^"]+)"`, 'g'))].map(([, name]) => name ?? '')
    expect(new Set(named('guard'))).toEqual(new Set(Object.keys(machine.implementations.guards)))
    for (const action of Object.keys(machine.implementations.actions)) expect(text).toContain(`"${action}"`)
  })
})

describe('admission', () => {
  it('is the specification’s table', () => {
    const policy = policySchema.parse({ talk: ['discussion', 'execution'] })
    const table = Object.fromEntries(
      STATES.map((state) => [state, INTENTS.filter((intent) => admits(policy, state, intent))]),
    )
    expect(table).toEqual({
      discussion: ['question', 'info', 'proposal'],
      proposal: ['proposal', 'agree', 'object'],
      assign: ['object', 'assign', 'accept'],
      execution: ['question', 'info', 'object', 'assign', 'accept', 'progress', 'result'],
      review: ['verdict', 'reject'],
    })
  })
})
