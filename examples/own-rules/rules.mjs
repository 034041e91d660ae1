/** Rules and an agent of one's own: an auction in which whoever raised last wins. */
import { defineProtocol } from 'colloquy'
import { assign, setup } from 'xstate'
import { z } from 'zod'

const without = (list, member) => list.filter((each) => each !== member)
const decide = (effect, reason) => ({ type: 'decide', params: { effect, reason } })

const machine = setup({
  guards: {
    // A raise names its price, or two that cross on the way would both count.
    isNext: ({ context: { price, leader, bidding }, event: { from, payload } }) =>
      payload.to === price + 1 && from !== leader && bidding.includes(from),
    isBidding: ({ context, event }) => context.bidding.includes(event.from),
    isDue: ({ context, event }) => event.at >= context.touched + context.policy.idle,
    isOver: ({ context: { price, leader, bidding, policy } }) =>
      price === policy.limit || without(bidding, leader).length === 0,
  },
  actions: {
    raise: assign(({ context, event }) => ({
      price: context.price + 1,
      leader: event.from,
      touched: event.at,
    })),
    pass: assign(({ context, event }) => ({ bidding: without(context.bidding, event.from) })),
    leave: assign(({ context, event }) => ({
      members: without(context.members, event.member),
      bidding: without(context.bidding, event.member),
    })),
    decide: () => {},
  },
}).createMachine({
  id: 'auction',
  context: ({ input: { members, policy, at } }) => ({
    members,
    policy,
    bidding: members,
    price: 0,
    leader: null,
    touched: at,
  }),
  initial: 'open',
  states: {
    open: {
      on: {
        raise: [{ guard: 'isNext', actions: 'raise' }, { actions: decide('recorded', 'not_permitted') }],
        pass: [{ guard: 'isBidding', actions: 'pass' }, { actions: decide('recorded', 'not_permitted') }],
        leave: { actions: 'leave' },
        deadline: [{ guard: 'isDue', target: 'sold' }, { actions: decide('ignored', 'not_due') }],
        cancel: 'sold',
      },
      always: { guard: 'isOver', target: 'sold' },
    },
    sold: { type: 'final' },
  },
  output: ({ context: { leader, price } }) => ({ winner: leader, price }),
})

export const auction = defineProtocol({
  name: 'auction',
  machine,
  payloads: { raise: z.looseObject({ to: z.int().min(1) }), pass: z.looseObject({}) },
  policySchema: z.strictObject({
    limit: z.int().min(1).max(1_000).default(100).describe('The highest price'),
    idle: z.int().min(1).default(60_000).describe('ms without a raise after which it is sold'),
  }),
  members: ({ members }) => members,
  dueAt: ({ touched, policy }) => touched + policy.idle,
  board: ({ price, leader }) => ({ price, leader }),
  floor: ({ bidding, leader, price }) =>
    without(bidding, leader).map((member) => ({
      member,
      task: `Raise to ${price + 1}, or pass.`,
      expected: null,
      replyTo: null,
    })),
  rank: ({ policy, price, bidding, members }) => [policy.limit - price, bidding.length + members.length],
  checking: {
    says: ({ price }) => [
      { intent: 'raise', payload: { to: price + 1 } },
      { intent: 'raise', payload: { to: price + 2 } },
      { intent: 'pass' },
    ],
  },
})

/** Raises up to its limit. */
export const bidder =
  (limit) =>
  ({ board: { price } }) =>
    price < limit ? { intent: 'raise', payload: { to: price + 1 } } : { intent: 'pass' }
