/** Who takes part, under which policy, and what is sent: valid where it should be, malformed where it should be. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { catalogue } from '../../machines/catalogue.ts'
import { openConversation } from '../../src/engine/opening.ts'
import type { Protocol } from '../../src/engine/protocol.ts'
import { groups, members, policies } from '../../src/testing/groups.ts'
import { malformed, messages } from '../../src/testing/messages.ts'
import { parameters, Tally } from '../support/property.ts'
import { poll, pollWith } from './poll.ts'

const protocols: readonly Protocol[] = [...Object.values(catalogue), poll]

describe('members', () => {
  it('are as many as asked, with valid ids that differ, odd ones among them', () => {
    const met = new Tally()
    fc.assert(
      fc.property(members({ least: 2, most: 5 }), (ids) => {
        const talk = openConversation({ protocol: poll, members: ids, at: 0 })
        expect(talk.members).toEqual(ids.map((id) => id.normalize('NFC')))
        expect(ids.length).toBeGreaterThanOrEqual(2)
        expect(ids.length).toBeLessThanOrEqual(5)
        for (const id of ids) met.add(id)
      }),
      parameters(300),
    )
    expect(met.below(3, ['ana', '__proto__', '智能体', 'e\u0301tude', 'a b'])).toEqual([])
  })

  it('have plain ids where odd ones are not wanted', () => {
    fc.assert(
      fc.property(members({ odd: false }), (ids) => ids.every((id) => /^[a-z]{3}$/.test(id))),
      parameters(100),
    )
  })
})

describe.each(protocols)('$name', (protocol) => {
  const opening = groups(protocol).chain((group) =>
    policies(protocol, group).map((policy) => ({ group, policy })),
  )

  it('opens with every group and policy, with and without a lead, and with every key of its policy', () => {
    const met = new Tally()
    fc.assert(
      fc.property(opening, ({ group, policy }) => {
        openConversation({ protocol, ...group, policy, at: 0 })
        met.add(group.lead === null ? 'nobody leads' : 'somebody leads')
        for (const key of Object.keys(policy)) met.add(key)
      }),
      parameters(400),
    )
    const { properties = {} } = z.toJSONSchema(protocol.policySchema, { io: 'input', unrepresentable: 'any' })
    expect(met.below(1, Object.keys(properties))).toEqual([])
    expect(met.below(30, ['somebody leads'])).toEqual([])
  })

  it('reads every message, of every intent', () => {
    const met = new Tally()
    fc.assert(
      fc.property(opening, messages(protocol), ({ group, policy }, message) => {
        const talk = openConversation({ protocol, ...group, policy, at: 0 })
        expect(talk.receive(message, 0).issues).toBeUndefined()
        met.add(message.intent)
      }),
      parameters(400),
    )
    expect(met.below(3, Object.keys(protocol.payloads))).toEqual([])
  })

  it('reads no malformed one, and says what is wrong with it', () => {
    fc.assert(
      fc.property(opening, malformed(protocol), ({ group, policy }, broken) => {
        const talk = openConversation({ protocol, ...group, policy, at: 0 })
        const { effect, reason, issues } = talk.receive(broken, 0)
        expect([effect, reason]).toEqual(['rejected', 'invalid'])
        expect(issues?.length).toBeGreaterThan(0)
      }),
      parameters(400),
    )
  })
})

describe('a policy', () => {
  it('that would be refused is mended, and where none fits the group it is said why', () => {
    const choosy = pollWith({
      policySchema: z.strictObject({
        minutes: z.int().min(1).max(600).default(5),
        strict: z.boolean().optional(),
      }),
      checkPolicy: (policy, { members: ids }) => {
        if (ids.length > 3) return [{ path: 'members', message: 'must be at most 3' }]
        return 'strict' in policy ? [{ path: 'policy.strict', message: 'is not for now' }] : []
      },
    })
    const three = { members: ['ana', 'ben', 'cem'], lead: null }
    const met = new Tally()
    fc.assert(
      fc.property(policies(choosy, three), (policy) => {
        for (const key of Object.keys(policy)) met.add(key)
      }),
      parameters(100),
    )
    expect([met.of('strict'), met.of('minutes') > 0]).toEqual([0, true])
    const four = { members: [...three.members, 'dee'], lead: null }
    expect(() => fc.sample(policies(choosy, four), 1)).toThrow(
      'No policy of "poll" fits this group: members must be at most 3',
    )
    fc.assert(
      fc.property(groups(choosy), ({ members: ids }) => ids.length <= 3),
      parameters(50),
    )
  })
})
