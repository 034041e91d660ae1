/** The auction and its bidder under test, in vitest. */
import { assertTerminates, simulate, withRecord, worlds } from 'colloquy/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { auction, bidder } from './rules.mjs'

test('every auction ends', async () => {
  const report = await assertTerminates(auction, { policy: { limit: 4 } })
  expect(report.verdict).toBe('proved')
})

test('of two bidders the richer one wins, and pays one more than the other would', async () => {
  const agents = { ana: bidder(7), ben: bidder(12) }
  const { outcome, took } = await simulate({ protocol: auction, agents, network: { delay: [100, 2_000] } })
  expect(outcome).toEqual({ winner: 'ben', price: expect.toSatisfy((price) => price === 7 || price === 8) })
  expect(took).toBeGreaterThan(800)
})

test('a bidder never pays more than its limit, whatever the others and the network do', async () => {
  // Nobody forges here: whose message it is, is not for these rules to know.
  const conduct = fc.constantFrom(
    'obliging',
    'silent',
    'chatty',
    'contrary',
    'slow',
    'crashing',
    'duplicating',
  )
  await fc.assert(
    fc.asyncProperty(worlds(auction, { conduct }), fc.nat({ max: 20 }), async (world, limit) => {
      const agents = new Map([...world.agents, ['me', bidder(limit)]])
      const held = await simulate({ protocol: auction, ...world, agents })
      withRecord(held, () => {
        if (held.outcome.winner === 'me') expect(held.outcome.price).toBeLessThanOrEqual(limit)
      })
    }),
  )
})
