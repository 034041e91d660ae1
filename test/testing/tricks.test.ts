/** Rules of users that need not end, in ways that are not easy to see. */
import { randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { assign, setup } from 'xstate'
import { z } from 'zod'
import { defineProtocol } from '../../src/engine/define.ts'
import type { Checking, Protocol } from '../../src/engine/protocol.ts'
import { check } from '../../src/testing/check.ts'

interface Told {
  readonly members: readonly string[]
  /** What is due comes a second later. */
  readonly since: number
  readonly mark: number
  readonly mode: string
  readonly ids: readonly string[]
  readonly more: object
}
interface Event {
  readonly type: string
  readonly at: number
  readonly id: string
  readonly content: string
  readonly tokens: number
  readonly replyTo: string | null
  readonly payload: Readonly<Record<string, unknown>>
}
interface Args {
  readonly context: Told
  readonly event: Event
}

interface Rules {
  /** Whether "say" puts off the end. */
  readonly puts?: (args: Args) => boolean
  readonly payload?: z.ZodType<Record<string, unknown>>
  /** What "say" leaves behind besides. */
  readonly patch?: (args: Args) => Partial<Told>
  /** Whether the end that is due is put off once more. */
  readonly again?: (args: Args) => boolean
  readonly decides?: 'applied' | 'ignored'
  readonly cancels?: boolean
  readonly more?: object
  readonly mode?: string
  readonly checking?: Checking<Told>
}

const rules = ({
  puts = () => false,
  payload = z.looseObject({}),
  patch = () => ({}),
  again = () => false,
  decides = 'applied',
  cancels = true,
  more = {},
  mode = 'm1',
  checking,
}: Rules): Protocol => {
  const machine = setup({
    types: { context: {} as Told, events: {} as Event, input: {} as { members: string[]; at: number } },
    guards: {
      puts,
      again,
      isDue: ({ context, event }) => event.at >= context.since + 1000,
      cancels: () => cancels,
    },
    actions: {
      put: assign({ since: ({ event }) => event.at }),
      leave: assign(patch),
      decide: (_, _params: { effect: string; reason: string }) => {},
    },
  }).createMachine({
    id: 'rules',
    context: ({ input: { members, at } }) => ({ members, since: at, mark: 0, mode, ids: [], more }),
    initial: 'on',
    states: {
      on: {
        on: {
          cancel: { guard: 'cancels', target: 'over' },
          say: [
            {
              guard: 'puts',
              actions: ['put', 'leave', { type: 'decide', params: { effect: decides, reason: 'said' } }],
            },
            { actions: 'leave' },
          ],
          deadline: [
            { guard: 'again', actions: 'put' },
            { guard: 'isDue', target: 'over' },
          ],
        },
      },
      over: { type: 'final' },
    },
  })
  return defineProtocol<Told>({
    name: 'rules',
    machine,
    payloads: { say: payload },
    members: ({ members }) => members,
    dueAt: ({ since }) => since + 1000,
    ...(checking === undefined ? {} : { checking }),
  }) as Protocol
}

const always = (): boolean => true
const record = (fields: Readonly<Record<string, z.ZodType>>) => z.looseObject(fields)

describe('rules that put off the end', () => {
  const cases: readonly (readonly [string, Rules])[] = [
    ['with every message', { puts: always }],
    ['with what has content', { puts: ({ event }) => event.content !== '' }],
    ['with what cost tokens', { puts: ({ event }) => event.tokens > 0 }],
    ['with what answers something unknown', { puts: ({ event }) => event.replyTo !== null }],
    ['with a long text', { puts: always, payload: record({ text: z.string().min(3) }) }],
    ['with a UUID', { puts: always, payload: record({ id: z.uuid() }) }],
    ['with a large number', { puts: always, payload: record({ n: z.number().gt(10) }) }],
    ['with a record', { puts: always, payload: record({ table: z.record(z.string(), z.number()) }) }],
    ['with a tuple', { puts: always, payload: record({ pair: z.tuple([z.string(), z.number()]) }) }],
    ['with a list of two', { puts: always, payload: record({ list: z.array(z.string()).min(2) }) }],
    [
      'with what is prepared',
      {
        puts: always,
        payload: record({ owner: z.preprocess((value) => String(value), z.string().min(2)) }),
      },
    ],
    [
      'with a member’s name beside much else',
      {
        puts: ({ event }) => event.payload.owner === 'b',
        payload: record({
          owner: z.string(),
          ...Object.fromEntries([...'stuvwxy'].map((key) => [key, z.boolean()])),
        }),
      },
    ],
    [
      'with the name of a thing',
      {
        puts: ({ event }) => event.payload.task === 't1',
        payload: record({ task: z.string() }),
        more: { tasks: [{ id: 't1' }] },
      },
    ],
    [
      'with what answers a message, though the context tells much else',
      {
        puts: ({ context, event }) => event.replyTo !== null && context.ids.includes(event.replyTo),
        patch: ({ context, event }) => ({ ids: [...context.ids, event.id].slice(-1) }),
        more: Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`key${index}`, `text${index}`])),
      },
    ],
    [
      'in a mode that looks like a message’s id',
      { puts: ({ context }) => context.mode === 'm2', patch: () => ({ mode: 'm2' }) },
    ],
    [
      'at the deadline, when something was said early',
      {
        patch: ({ event }) => ({ mark: event.at }),
        again: ({ context }) => context.mark > context.since && context.mark < context.since + 500,
      },
    ],
    [
      'in the middle of the time',
      {
        puts: ({ context, event }) => event.at - context.since > 100 && event.at - context.since < 900,
      },
    ],
    ['and say that they ignore it', { puts: always, decides: 'ignored' }],
    ['by chance', { puts: () => randomInt(2) === 0 }],
    ['by the clock of the process', { puts: () => process.uptime() < 0 }],
    ['by a clock with nanoseconds', { puts: () => process.hrtime.bigint() < 0n }],
    ['by a clock, and cannot be cancelled', { puts: () => Date.now() < 0, cancels: false }],
    [
      'in a mode behind many numbers of the sketch',
      {
        puts: ({ context }) => context.mode === 'm2',
        patch: () => ({ mode: 'm2' }),
        checking: {
          sketch: ({ mode, since }, now) => ({
            rest: [now - since, ...Array<number>(5000).fill(0), mode === 'm2' ? 1 : 0],
            members: [],
            things: [],
          }),
        },
      },
    ],
    [
      'in a mode that the length of the rows tells',
      {
        puts: ({ context }) => context.mode === 'm2',
        patch: () => ({ mode: 'm2' }),
        checking: {
          sketch: ({ mode, since }, now) => ({
            rest: [now - since],
            members: mode === 'm2' ? [[1], [2, 3]] : [[1, 2], [3]],
            things: [],
          }),
        },
      },
    ],
  ]

  it.each(cases)('%s, are never called proved', (_, tricks) => {
    const { verdict, problems, counterexample } = check({ protocol: rules(tricks), members: 2 })
    expect(verdict).not.toBe('proved')
    expect(problems.length + (counterexample === null ? 0 : 1)).toBeGreaterThan(0)
  })

  it('are proved where nothing puts it off', () => {
    const { verdict, problems, ms } = check({ protocol: rules({}), members: 2 })
    expect([verdict, problems, ms.most]).toEqual(['proved', [], 1000])
  })

  it('say so when an intent can never be said', () => {
    const never = record({ n: z.number().refine(() => false) })
    const { verdict, problems } = check({ protocol: rules({ payload: never }), members: 1 })
    expect(verdict).toBe('unproved')
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('No payload could be made from the schema of "say"'),
    ])
  })

  it('are refused where the context holds what is no JSON', () => {
    const protocol = rules({ more: { on: new Date(0) } })
    expect(() => check({ protocol, members: 1 })).toThrow('The context holds a Date in state "on"')
  })

  it('are not blamed for a clock that whoever watches the search asks', () => {
    const { verdict } = check({ protocol: rules({}), members: 1, onProgress: () => Date.now() })
    expect(verdict).toBe('proved')
  })
})
