/** The auction and its bidder under test, in node's own runner: `node --test`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adversary, assertTerminates, commandsOf, openings, setUp, simulate } from 'colloquy/testing'
import fc from 'fast-check'
import { auction, bidder } from './rules.mjs'

test('every auction ends', async () => {
  const { verdict, turns } = await assertTerminates(auction, { policy: { limit: 4 } })
  assert.equal(verdict, 'proved')
  assert.ok(turns.most > 0)
})

test('whatever is done to it, it keeps what every conversation promises', () => {
  fc.assert(
    fc.property(openings(auction), commandsOf(), (opening, commands) => {
      fc.modelRun(() => setUp(auction, opening), commands)
    }),
  )
})

test('nobody pays too much when another crashes and the network loses and doubles what is said', async () => {
  for (let seed = 0; seed < 100; seed++) {
    const agents = { me: bidder(3), other: adversary(auction, 'crashing'), third: bidder(2) }
    const network = { delay: [10, 500], drop: 0.1, duplicate: 0.2, reorder: 0.2 }
    const { outcome, cut } = await simulate({ protocol: auction, seed, agents, network })
    assert.equal(cut, null)
    assert.ok(outcome.price <= 3)
  }
})
