/** A small protocol of a user's own, for tests of the kit: a poll, whole or with something planted in it. */
import { assign, setup } from 'xstate'
import { z } from 'zod'
import { defineProtocol, type ProtocolDefinition } from '../../src/engine/define.ts'

export interface Poll {
  readonly members: readonly string[]
  readonly answers: readonly { readonly from: string; readonly choice: string }[]
  /** ms. */
  readonly endsAt: number
}

interface Input {
  readonly members: readonly string[]
  readonly policy: { readonly minutes: number }
  readonly at: number
}

type Event =
  | { readonly type: 'vote'; readonly from: string; readonly payload: { readonly choice: string } }
  | { readonly type: 'remark' }
  | { readonly type: 'join' | 'leave'; readonly member: string }
  | { readonly type: 'deadline' | 'cancel' | 'fault'; readonly at: number }

const machine = setup({
  types: { context: {} as Poll, events: {} as Event, input: {} as Input },
  guards: {
    isWhole: ({ context }) => context.answers.length >= context.members.length,
    isDue: ({ context, event }) => event.type === 'deadline' && event.at >= context.endsAt,
    isNew: ({ context, event }) =>
      event.type === 'vote' && context.answers.every(({ from }) => from !== event.from),
  },
  actions: {
    count: assign({
      answers: ({ context, event }) =>
        event.type === 'vote'
          ? [...context.answers, { from: event.from, choice: event.payload.choice }]
          : context.answers,
    }),
    remove: assign(({ context, event }) => {
      if (event.type !== 'leave') return {}
      return {
        members: context.members.filter((member) => member !== event.member),
        answers: context.answers.filter(({ from }) => from !== event.member),
      }
    }),
    decide: (_, _params: { effect: string; reason: string }) => undefined,
  },
}).createMachine({
  id: 'poll',
  context: ({ input }) => ({
    members: input.members,
    answers: [],
    endsAt: input.at + input.policy.minutes * 60_000,
  }),
  initial: 'asking',
  states: {
    asking: {
      on: {
        vote: [
          { guard: 'isNew', actions: 'count' },
          { actions: { type: 'decide', params: { effect: 'recorded', reason: 'not_permitted' } } },
        ],
        leave: { actions: 'remove' },
        deadline: [
          { guard: 'isDue', target: 'over' },
          { actions: { type: 'decide', params: { effect: 'ignored', reason: 'not_due' } } },
        ],
        cancel: 'over',
      },
      always: { guard: 'isWhole', target: 'over' },
    },
    over: { type: 'final' },
  },
  output: ({ context }) => ({ answers: context.answers }),
})

export type Outcome = { readonly answers: Poll['answers'] }

/** What differs from the poll in a test. */
export type Planted = Partial<ProtocolDefinition<Poll, Outcome, { readonly choices: readonly string[] }>>

export const CHOICES = ['tea', 'coffee'] as const

/** A poll that ends when everybody has voted, or when its time is up. */
export const pollWith = (planted: Planted = {}) =>
  defineProtocol<Poll, Outcome, { readonly choices: readonly string[] }>({
    name: 'poll',
    machine,
    payloads: { vote: z.looseObject({ choice: z.enum(CHOICES) }) },
    policySchema: z.strictObject({ minutes: z.int().min(1).max(600).default(5) }),
    members: ({ members }) => members,
    dueAt: ({ endsAt }) => endsAt,
    board: () => ({ choices: CHOICES }),
    floor: ({ members, answers }) =>
      members
        .filter((member) => answers.every(({ from }) => from !== member))
        .map((member) => ({ member, task: 'Choose.', expected: 'vote', replyTo: null })),
    ...planted,
  })

export const poll = pollWith()
