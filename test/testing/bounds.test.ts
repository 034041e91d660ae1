/** The checker's bounds for every protocol of the catalogue, whatever the policy: each is attained, and replayed. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../../machines/catalogue.ts'
import type { Protocol } from '../../src/engine/protocol.ts'
import { check } from '../../src/testing/check.ts'
import { parties } from '../../src/testing/groups.ts'
import { confirm } from '../support/bounds.ts'
import { parameters, Tally } from '../support/property.ts'

/** What takes more is left to others. */
const MOST_STATES = 3_000

describe.each(Object.values(catalogue) as Protocol[])('$name', (protocol) => {
  const tally = new Tally()

  it('closes under every policy, and its longest conversations have just as much as the bounds say', () => {
    const drawn = parties(protocol, { members: { least: 1, most: 2, odd: false }, policy: { most: 3 } })
    fc.assert(
      fc.property(drawn, fc.nat({ max: 1 }), fc.boolean(), ({ group, policy }, size, joins) => {
        const report = check({ protocol, ...group, policy, size, joins, maxStates: MOST_STATES })
        const isLarge = report.explored.states >= MOST_STATES
        tally.add(isLarge ? 'large' : report.verdict)
        expect(report.verdict).toBe(isLarge ? 'unproved' : 'proved')
        if (isLarge) return
        expect(report.problems).toEqual([])
        confirm(protocol, report)
      }),
      parameters(30),
    )
    tally.report(`Policies of ${protocol.name}`)
    expect(tally.below(5, ['proved'])).toEqual([])
  }, 120_000)
})
