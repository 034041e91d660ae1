/** Protocols for these tests: a poll whose rules changed between two versions, and one with a fault in its rules. */
import { defineProtocol, type Protocol } from 'colloquy'
import { assign, setup } from 'xstate'
import { z } from 'zod'

interface Poll {
  readonly members: readonly string[]
  readonly answered: readonly string[]
  readonly ms: number
  readonly closesAt: number
}

type Event =
  | { readonly type: 'answer' | 'explode'; readonly at: number; readonly from: string }
  | { readonly type: 'deadline' | 'cancel'; readonly at: number }

/**
 * @param enough how many answers end a poll of so many members
 * @param name `patient`: every answer gives the others all their time again
 */
const pollOf = (
  version: number,
  enough: (members: number) => number,
  name: 'poll' | 'patient' = 'poll',
): Protocol =>
  defineProtocol<Poll>({
    name,
    version,
    machine: setup({
      types: {
        context: {} as Poll,
        events: {} as Event,
        input: {} as { members: readonly string[]; policy: { ms: number }; at: number },
      },
      guards: {
        isNew: ({ context, event }) => event.type === 'answer' && !context.answered.includes(event.from),
        isEnough: ({ context }) => context.answered.length >= enough(context.members.length),
        isDue: ({ context, event }) => event.at >= context.closesAt,
        isFaulty: () => {
          throw new Error('the guard is faulty')
        },
      },
      actions: {
        note: assign({
          answered: ({ context, event }) =>
            event.type === 'answer' ? [...context.answered, event.from] : context.answered,
          closesAt: ({ context, event }) => (name === 'patient' ? event.at + context.ms : context.closesAt),
        }),
      },
    }).createMachine({
      id: 'poll',
      context: ({ input }) => ({
        members: input.members,
        answered: [],
        ms: input.policy.ms,
        closesAt: input.at + input.policy.ms,
      }),
      initial: 'asking',
      on: { cancel: '.done' },
      states: {
        asking: {
          on: {
            answer: { guard: 'isNew', actions: 'note' },
            explode: { guard: 'isFaulty', target: 'done' },
            deadline: { guard: 'isDue', target: 'done' },
          },
          always: { guard: 'isEnough', target: 'done' },
        },
        done: { type: 'final' },
      },
      output: ({ context }) => ({ answered: context.answered }),
    }),
    payloads: { answer: z.looseObject({}), explode: z.looseObject({}) },
    policySchema: z.strictObject({ ms: z.number().positive().default(600_000) }),
    members: ({ members }) => members,
    dueAt: ({ closesAt }) => closesAt,
    allowed: ({ members }, member) =>
      members.includes(member) ? [{ intent: 'answer', does: 'answers' }] : [],
    floor: ({ members, answered }) =>
      members
        .filter((member) => !answered.includes(member))
        .map((member) => ({ member, task: 'Answer.', expected: 'answer', replyTo: null })),
  })

/** Ends when everybody has answered. */
export const pollOfAll = pollOf(1, (members) => members)
/** Ends with the first answer. */
export const pollOfOne = pollOf(2, () => 1)
/** Ends when everybody has answered, or nobody has for a while. */
export const patientPoll = pollOf(1, (members) => members, 'patient')
