/** The compiled table does what XState does, on every machine that it takes, and names what it does not take. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  and,
  assign,
  cancel,
  createActor,
  createMachine,
  emit,
  enqueueActions,
  fromPromise,
  log,
  not,
  or,
  raise,
  sendTo,
  setup,
  spawnChild,
  stateIn,
  stopChild,
} from 'xstate'
import { z } from 'zod'
import { conversation } from '../../machines/conversation/index.ts'
import { compile } from '../../src/engine/compile.ts'
import { interpret } from '../../src/engine/interpret.ts'
import { openConversation, restoreConversation } from '../../src/engine/opening.ts'
import type { Protocol } from '../../src/engine/protocol.ts'
import type { MachineEvent, Position, Runner, Sink } from '../../src/engine/runner.ts'
import { runnerOf } from '../../src/engine/runners.ts'
import type { Message } from '../../src/schema/message.ts'
import type { Happening } from '../../src/schema/record.ts'
import { scenario } from '../support/arbitraries.ts'
import { deepFreeze } from '../support/freeze.ts'
import {
  FAULTS,
  type MachineSpec,
  machineOf,
  machineSpec,
  type Noted,
  naive,
  type RandomEvent,
  type RandomInput,
  randomEvents,
  randomInput,
} from '../support/machines.ts'
import { play } from '../support/play.ts'
import { parameters } from '../support/property.ts'
import { thrownBy } from '../support/thrown.ts'

/** All that a runner tells, in its order. */
class Listening implements Sink {
  readonly noted: Noted[] = []
  readonly moves: string[] = []
  readonly all: unknown[] = []
  took(): void {
    this.all.push('took')
  }
  note(type: string, params: unknown): void {
    this.noted.push({ type, params })
    this.all.push({ type, params })
  }
  moved(from: string, to: string): void {
    this.moves.push(`${from} → ${to}`)
    this.all.push(`${from} → ${to}`)
  }
}

/** Runs a machine by XState's own actor beside a runner, and compares everything after each event. */
const agrees = (
  spec: MachineSpec,
  input: RandomInput,
  events: readonly RandomEvent[],
  runner: Runner,
): void => {
  const acted: Noted[] = []
  const machine = machineOf(spec, (noted) => acted.push(noted))
  const actor = createActor(machine, { input })
  // XState's actor runs nothing where an action has no implementation; its pure functions tell of it all the same.
  const pure = interpret(machine)
  let heard = new Listening()
  let reached = pure.start(input, heard)
  const compare = (position: Position, sink: Listening): void => {
    const snapshot = actor.getSnapshot() as AnyMachineSnapshot
    const implemented = sink.noted.filter(({ type }) => type !== 'nobody')
    expect(sink.noted).toEqual(heard.noted)
    expect({
      value: position.state,
      context: position.context,
      status: position.done ? 'done' : 'active',
      output: position.output,
      actions: implemented,
    }).toEqual({
      value: snapshot.value,
      context: snapshot.context,
      status: snapshot.status,
      output: snapshot.output,
      actions: acted.splice(0),
    })
  }
  const handedOut: [object, string][] = []
  let sink = new Listening()
  let position = runner.start(input, sink)
  actor.start()
  compare(position, sink)
  for (const event of events) {
    handedOut.push([position.context, JSON.stringify(position.context)])
    sink = new Listening()
    const next = runner.next(position, event, sink)
    if (position.done) {
      expect(next).toBe(position)
      expect(sink.all).toEqual([])
      continue
    }
    actor.send(event)
    heard = new Listening()
    reached = pure.next(reached, event, heard)
    compare(next, sink)
    position = next
  }
  for (const [context, image] of handedOut) expect(JSON.stringify(context)).toBe(image)
  actor.stop()
}

/** Two runners tell the same, in the same order. */
const tellTheSame = (a: Runner, b: Runner, input: unknown, events: readonly MachineEvent[]): void => {
  const told = (runner: Runner): unknown[] => {
    const sink = new Listening()
    let position = runner.start(input, sink)
    const positions: unknown[] = []
    const keep = ({ state, context, done, output }: Position) =>
      positions.push({ state, context, done, output })
    keep(position)
    // That a machine has started is no branch, and nobody counts it.
    sink.all.splice(0, sink.all.length, ...sink.noted, ...sink.moves)
    for (const event of events) {
      sink.all.push(event.type)
      position = runner.next(position, event, sink)
      keep(position)
    }
    return [positions, sink.all]
  }
  expect(told(a)).toEqual(told(b))
}

const randomly = fc.tuple(machineSpec, randomInput, randomEvents)

describe('a compiled machine', () => {
  it('is where XState’s actor is after every event, for random flat machines', () => {
    fc.assert(
      fc.property(randomly, ([spec, input, events]) => agrees(spec, input, events, compile(machineOf(spec)))),
      parameters(800),
    )
  })

  it('tells, takes and moves as the interpreted one does, in the same order', () => {
    fc.assert(
      fc.property(randomly, ([spec, input, events]) => {
        const machine = machineOf(spec)
        tellTheSame(compile(machine), interpret(machine), input, events)
      }),
      parameters(300),
    )
  })

  it('needs nothing but state and context to go on', () => {
    fc.assert(
      fc.property(randomly, ([spec, input, events]) => {
        const runner = compile(machineOf(spec))
        let position = runner.start(input, new Listening())
        for (const event of events) {
          const { state, context, done, output } = position
          const anew = JSON.parse(JSON.stringify({ state, context, done, output })) as Position
          const [first, second] = [new Listening(), new Listening()]
          const next = runner.next(position, event, first)
          const again = runner.next(anew, event, second)
          expect({ ...again, shape: null }).toEqual({ ...next, shape: null })
          expect(second.all).toEqual(first.all)
          position = next
        }
      }),
      parameters(150),
    )
  })

  it('is the conversation’s, wherever a conversation goes', () => {
    expect(runnerOf(conversation.machine).kind).toBe('compiled')
    fc.assert(
      fc.property(scenario(), (given) => {
        const events: MachineEvent[] = []
        const hear = (event: Happening): void => {
          if (event.type !== 'message') events.push(event)
          else {
            const { intent, ...message } = event.message as Message
            events.push({ type: intent, ...message, at: event.at } as MachineEvent)
          }
        }
        const { talk } = play(given, (world, _input, go) => {
          const stop = [
            world.talk.on('event', ({ event }) => (event.type === 'open' ? undefined : hear(event))),
            world.talk.on('refused', ({ event }) => (event.type === 'message' ? undefined : hear(event))),
          ]
          go()
          for (const each of stop) each()
        })
        const { policy } = talk.context
        const input = conversation.input(given.group, policy, given.at)
        tellTheSame(compile(conversation.machine), interpret(conversation.machine), input, events)

        const actor = createActor(conversation.machine, { input: input as never }).start()
        const runner = compile(conversation.machine)
        let position = runner.start(input, new Listening())
        for (const event of events) {
          if (position.done) break
          deepFreeze(position.context)
          position = runner.next(position, event, new Listening())
          actor.send(event as never)
          const snapshot = actor.getSnapshot()
          expect(position.state).toBe(snapshot.value)
          expect(position.context).toEqual(snapshot.context)
          expect(position.output).toEqual(snapshot.output)
          expect(position.done).toBe(snapshot.status === 'done')
        }
      }),
      parameters(150),
    )
  })
})

describe('the comparison', () => {
  it('holds for a naive runner of the same rules', () => {
    fc.assert(
      fc.property(randomly, ([spec, input, events]) => agrees(spec, input, events, naive(spec))),
      parameters(400),
    )
  })

  it.each(FAULTS)('finds a runner that %s', (fault) => {
    const property = fc.property(randomly, ([spec, input, events]) =>
      agrees(spec, input, events, naive(spec, fault)),
    )
    expect(fc.check(property, { ...parameters(800), endOnFailure: true }).failed).toBe(true)
  })
})

const states = { a: { on: { GO: 'b' } }, b: {} }
const flat = (more: object): AnyStateMachine =>
  createMachine({ id: 'm', initial: 'a', context: { n: 0 }, states, ...more } as Parameters<
    typeof createMachine
  >[0])
const inA = (more: object, root: object = {}): AnyStateMachine =>
  flat({ states: { ...states, a: { on: { GO: 'b' }, ...more } }, ...root })
const acting = (action: unknown): AnyStateMachine => inA({ on: { GO: { target: 'b', actions: [action] } } })
const guarded = (guard: unknown): AnyStateMachine => inA({ on: { GO: { target: 'b', guard } } })
const yes = (): boolean => true

/** What the table does not model: how it is named, a machine that has it, and where `GO` leads when it is interpreted. */
const REFUSED: readonly [string, AnyStateMachine, string][] = [
  [
    'a root of type "parallel"',
    createMachine({ id: 'm', type: 'parallel', states: { a: {}, b: {} } }),
    '{"a":{},"b":{}}',
  ],
  ['a root of type "atomic"', createMachine({ id: 'm' }), '{}'],
  [
    'a state "b" of type "compound"',
    flat({ states: { ...states, b: { initial: 'c', states: { c: {} } } } }),
    '{"b":"c"}',
  ],
  [
    'a state "b" of type "parallel"',
    flat({ states: { ...states, b: { type: 'parallel', states: { c: {} } } } }),
    '{"b":{"c":{}}}',
  ],
  ['a state "h" of type "history"', flat({ states: { ...states, h: { type: 'history' } } }), 'b'],
  ['an invoked actor in the state "a"', inA({ invoke: { src: fromPromise(async () => 1) } }), 'b'],
  ['an invoked actor in the root', flat({ invoke: { src: fromPromise(async () => 1) } }), 'b'],
  ['a delayed transition in the state "a"', inA({ after: { 1000: 'b' } }), 'b'],
  ['a delayed transition in the root', flat({ after: { 1000: '.b' } }), 'b'],
  ['onDone in the root', flat({ states: { a: { on: { GO: 'b' } }, b: { type: 'final' } }, onDone: {} }), 'b'],
  ['onDone in the state "a"', inA({ onDone: 'b' }), 'b'],
  ['a wildcard transition "*" in the state "a"', inA({ on: { '*': 'b' } }), 'b'],
  ['a wildcard transition "G.*" in the root', flat({ on: { 'G.*': '.b' } }), 'b'],
  [
    'a transition on XState\'s own event "xstate.stop" in the state "a"',
    inA({ on: { GO: 'b', 'xstate.stop': 'b' } }),
    'b',
  ],
  ['entry or exit actions on the root', flat({ entry: ['hello'] }), 'b'],
  ['entry or exit actions on the root', flat({ exit: ['bye'] }), 'b'],
  [
    'exit actions on the final state "b"',
    flat({ states: { a: { on: { GO: 'b' } }, b: { type: 'final', exit: ['bye'] } } }),
    'b',
  ],
  ['a built-in action "raise"', acting(raise({ type: 'NEXT' })), 'b'],
  ['a built-in action "raise"', acting(raise({ type: 'NEXT' }, { delay: 10 })), 'b'],
  ['a built-in action "sendTo"', acting(sendTo(({ self }) => self, { type: 'X' })), 'b'],
  ['a built-in action "cancel"', acting(cancel('later')), 'b'],
  ['a built-in action "log"', acting(log('hello')), 'b'],
  ['a built-in action "emit"', acting(emit({ type: 'told' })), 'b'],
  ['a built-in action "spawnChild"', acting(spawnChild(fromPromise(async () => 1))), 'b'],
  ['a built-in action "stopChild"', acting(stopChild('child')), 'b'],
  ['a built-in action "enqueueActions"', acting(enqueueActions(() => {})), 'b'],
  ['a built-in action "raise"', inA({ exit: [raise({ type: 'NEXT' })] }), 'b'],
  [
    'a built-in action "raise"',
    flat({ states: { a: { on: { GO: 'b' } }, b: { entry: raise({ type: 'NEXT' }) } } }),
    'b',
  ],
  ['a combined guard', guarded(and([yes, yes])), 'b'],
  ['a combined guard', guarded(or([yes, yes])), 'b'],
  ['a combined guard', guarded(not(() => false)), 'b'],
  ['a combined guard', guarded(stateIn('a')), 'b'],
  [
    'a combined guard',
    setup({ guards: { both: and([yes, yes]) } }).createMachine({
      id: 'm',
      initial: 'a',
      states: { a: { on: { GO: { target: 'b', guard: 'both' } } }, b: {} },
    }),
    'b',
  ],
]

/** The least that makes a protocol of a machine. */
const protocolOf = (machine: AnyStateMachine): Protocol => ({
  name: 'tiny',
  version: 1,
  machine,
  payloads: { GO: z.object({}), NOTHING: z.object({}) },
  policySchema: z.object({}),
  completePolicy: (policy) => ({ policy: policy as object }),
  input: () => ({}),
  members: () => ['ann'],
  isMember: (_, id) => id === 'ann',
  lead: () => null,
  dueAt: () => null,
  brief: (outcome) => outcome,
  allowed: () => [],
  turnsLeft: () => null,
  board: () => ({}),
  floor: () => [],
  tags: () => null,
  prefixFields: { primary: {} },
  rank: () => [],
})

describe('what the table does not model', () => {
  it.each(REFUSED)('is refused by name: %s', (what, machine) => {
    const error = thrownBy(() => compile(machine))
    expect(error.code).toBe('MACHINE_UNSUPPORTED')
    expect(error.message).toContain(`The machine "m" has ${what}`)
    expect(error.message).toContain('which the compiler does not model')
    expect(error.remedy).toContain('interpreter')
  })

  it.each(REFUSED)('is interpreted instead: %s', (_what, machine, reached) => {
    expect(runnerOf(machine).kind).toBe('interpreted')
    const protocol = protocolOf(machine)
    const talk = openConversation({ protocol, members: ['ann'], at: 0, id: 'c1' })
    const nothing = talk.send({ id: 'm0', from: 'ann', intent: 'NOTHING' }, 1)
    const isFirst = talk.state
    const sent = talk.send({ id: 'm1', from: 'ann', intent: 'GO' }, 2)
    expect(talk.state).toBe(reached)
    expect(sent.to).toBe(reached)
    expect(nothing.to).toBe(isFirst)
    if (reached === 'b' && isFirst === 'a')
      expect(sent).toMatchObject({
        effect: 'applied',
        reason: 'b',
        transitions: [{ from: 'a', to: 'b', reason: 'b' }],
      })
    const again = restoreConversation(JSON.parse(JSON.stringify(talk.snapshot())), { protocol })
    expect([again.state, again.isClosed]).toEqual([talk.state, talk.isClosed])
  })

  it('is refused by name also where a transition leads to several states, or out of the root’s children', () => {
    const several = flat({
      states: {
        a: { on: { GO: ['b'] } },
        b: {},
      },
    })
    const branch = several.states.a?.transitions.get('GO')?.[0]
    if (branch === undefined || several.states.b === undefined) throw new Error('no such transition')
    branch.target = [several.states.b, several.states.b]
    expect(thrownBy(() => compile(several)).message).toContain('a transition with several targets in "a"')
    const toRoot = inA({ on: { GO: '#m' } })
    expect(thrownBy(() => compile(toRoot)).message).toContain(
      'a transition to "m", which is no child of the root',
    )
  })

  it('is refused when it starts, where a context spawns an actor', () => {
    const machine = createMachine({
      id: 'm',
      initial: 'a',
      context: ({ spawn }) => ({ child: spawn(fromPromise(async () => 1)) }),
      states: { a: {} },
    })
    expect(thrownBy(() => compile(machine).start({}, new Listening())).code).toBe('MACHINE_UNSUPPORTED')
  })
})

describe('a machine that is not whole', () => {
  it('that names a guard nobody implements is refused', () => {
    const error = thrownBy(() => compile(guarded('nobody')))
    expect(error.code).toBe('PROTOCOL_INVALID')
    expect(error.message).toContain('names a guard "nobody" that is not implemented')
  })

  it('whose eventless branches never come to rest is stopped, naming the state', () => {
    const count = assign({ n: ({ context }: { context: { n: number } }) => context.n + 1 })
    const there = { target: 'b', actions: count }
    for (const machine of [
      inA({ on: { GO: 'b' } }, { states: { a: { on: { GO: 'b' } }, b: { always: { actions: count } } } }),
      flat({ states: { a: { on: { GO: there } }, b: { always: 'c' }, c: { always: 'b' } } }),
    ]) {
      const talk = openConversation({ protocol: protocolOf(machine), members: ['ann'], at: 0, id: 'c1' })
      const error = thrownBy(() => talk.send({ id: 'm1', from: 'ann', intent: 'GO' }, 1))
      expect(error.code).toBe('PROTOCOL_INVALID')
      expect(error.message).toMatch(/eventless transitions in state "[bc]" after "GO" without coming to rest/)
      // Nothing has changed.
      expect([talk.state, talk.seq]).toEqual(['a', 0])
    }
    const looping = inA(
      { on: { GO: 'b' } },
      { states: { a: { on: { GO: 'b' } }, b: { always: { actions: count } } } },
    )
    const start = { state: 'a', context: { n: 0 }, done: false, output: undefined }
    expect(() => interpret(looping).next(start, { type: 'GO' }, new Listening())).toThrow('Infinite loop')
    const atOnce = flat({ states: { a: { always: { actions: count } } } })
    expect(thrownBy(() => compile(atOnce).start({}, new Listening())).message).toContain('in state "a"')
  })

  it('that says why it moves says so of that move alone', () => {
    const why = (reason: string): object => ({ type: 'transition', params: { reason } })
    const machine = flat({
      states: {
        a: { on: { GO: { target: 'b', actions: why('asked') } } },
        b: { always: 'c' },
        c: { always: { target: 'd', actions: [why('first'), why('second')] } },
        d: {},
      },
    })
    const talk = openConversation({ protocol: protocolOf(machine), members: ['ann'], at: 0, id: 'c1' })
    const sent = talk.send({ id: 'm1', from: 'ann', intent: 'GO' }, 1)
    expect(sent.transitions.map(({ to, reason }) => [to, reason])).toEqual([
      ['b', 'asked'],
      ['c', 'c'],
      ['d', 'second'],
    ])
    expect(sent.reason).toBe('second')
  })

  it('that throws is told from its event and its state, and has changed nothing', () => {
    const machine = guarded(() => {
      throw new RangeError('too far')
    })
    const talk = openConversation({ protocol: protocolOf(machine), members: ['ann'], at: 0, id: 'c1' })
    const before = talk.snapshot()
    const error = thrownBy(() => talk.send({ id: 'm1', from: 'ann', intent: 'GO' }, 1))
    expect(error.code).toBe('INTERNAL')
    expect(error.message).toMatch(/"m" threw on "GO" in state "a": .*too far/)
    expect(talk.snapshot()).toEqual(before)
  })

  it('does not know a state of another machine', () => {
    const runner = compile(flat({}))
    const names = ['a', 'c', '__proto__', 'toString']
    for (const each of [runner, interpret(flat({}))])
      expect(names.map((name) => each.isFinal(name))).toEqual([false, null, null, null])
    const lost = { state: 'c', context: {}, done: false, output: undefined }
    const error = thrownBy(() => runner.next(lost, { type: 'GO' }, new Listening()))
    expect(error.code).toBe('SNAPSHOT_INVALID')
    expect(error.message).toContain('has no state "c"; it has: a, b')
  })
})

/** Last in this file: shapes of contexts are remembered, but not more than some, and these are many. */
describe('a context', () => {
  const odd = [
    'a"b',
    'back\\slash',
    '\u2028',
    '`',
    "quo'te",
    '0',
    '10',
    '-1',
    'constructor',
    'toString',
    '智',
    ' ',
    '',
  ]
  const counting = (): AnyStateMachine =>
    createMachine({
      id: 'm',
      initial: 'a',
      context: ({ input }: { input: unknown }) => input as object,
      states: {
        a: {
          on: {
            SET: { actions: assign((args) => ({ [(args.event as { key?: string }).key ?? '']: 1 })) },
            ALL: { actions: [assign({ n: 1 }), assign({ n: ({ context }) => context.n + 1, '0': 5 })] },
          },
        },
      },
    })

  it('that came with a key __proto__ gives nobody another prototype', () => {
    const runner = compile(counting())
    const input = JSON.parse('{"__proto__":{"polluted":1},"n":0}') as object
    const { context } = runner.next(runner.start(input, new Listening()), { type: 'ALL' }, new Listening())
    expect(context).toMatchObject({ n: 2 })
    expect((context as { polluted?: number }).polluted).toBeUndefined()
    expect(Object.getPrototypeOf(context)).toBe(Object.prototype)
  })

  it('may have any keys, and is assigned to as XState does', () => {
    const keys = fc.uniqueArray(fc.oneof(fc.constantFrom(...odd), fc.string()), { maxLength: 8 })
    const events = fc.array(
      fc.oneof(
        fc.record({ type: fc.constant('SET'), key: fc.oneof(fc.constantFrom(...odd), fc.string()) }),
        fc.constant({ type: 'ALL' }),
      ),
      { maxLength: 6 },
    )
    fc.assert(
      fc.property(keys, events, (all, sent) => {
        fc.pre(!all.includes('__proto__'))
        const input = Object.fromEntries(all.map((key, index) => [key, index]))
        const machine = counting()
        const runner = compile(machine)
        const actor = createActor(machine, { input }).start()
        let position = runner.start(input, new Listening())
        for (const event of sent) {
          if ('key' in event && event.key === '__proto__') continue
          const before = deepFreeze(position.context)
          position = runner.next(position, event, new Listening())
          actor.send(event)
          expect(position.context).toEqual(actor.getSnapshot().context)
          expect(before).not.toBe(position.context)
        }
      }),
      parameters(200),
    )
  })
})
