/**
 * Random flat machines: as a plain description, as an XState machine made of it, and as a naive runner of the
 * description. The naive one is right by default and wrong on request, so that a test that compares can be tested.
 */
import fc from 'fast-check'
import { type AnyStateMachine, assign, createMachine } from 'xstate'
import type { MachineEvent, Position, Runner, Sink } from '../../src/engine/runner.ts'

const KEYS = ['a', 'b', 'c'] as const
type Key = (typeof KEYS)[number]

/** How params are given: not at all, as they are, or as a function of context and event. */
type Form = 'none' | 'static' | 'functional'

type ActionSpec =
  | {
      readonly do: 'note'
      readonly type: 'ping' | 'pong' | 'nobody'
      readonly form: Form
      readonly n: number
    }
  | { readonly do: 'inline' }
  | { readonly do: 'set'; readonly key: Key | 'new'; readonly n: number }
  | { readonly do: 'copy'; readonly key: Key | 'new'; readonly from: Key }
  | { readonly do: 'sum'; readonly key: Key }
  | { readonly do: 'add'; readonly key: Key; readonly form: Form; readonly n: number }
  | { readonly do: 'vary'; readonly key: Key | 'new' }
  | { readonly do: 'burn' }

type GuardSpec =
  | { readonly is: 'odd'; readonly key: Key }
  | { readonly is: 'inline'; readonly key: Key }
  | { readonly is: 'atLeast'; readonly key: Key; readonly form: Form; readonly n: number }
  | { readonly is: 'fuelled' }

interface BranchSpec {
  readonly guard: GuardSpec | null
  /** Null: none. Else a state's number. */
  readonly target: number | null
  readonly reenter: boolean
  readonly actions: readonly ActionSpec[]
}

interface StateSpec {
  readonly isFinal: boolean
  readonly output: Form
  readonly entry: readonly ActionSpec[]
  readonly exit: readonly ActionSpec[]
  readonly on: Readonly<Record<string, readonly BranchSpec[] | undefined>>
  readonly always: readonly BranchSpec[]
}

export interface MachineSpec {
  readonly states: readonly StateSpec[]
  readonly initial: number
  /** Of the transition that starts it. */
  readonly starting: readonly ActionSpec[]
  readonly output: Form
  readonly on: Readonly<Record<string, readonly BranchSpec[] | undefined>>
  readonly always: readonly BranchSpec[]
}

export interface RandomEvent extends MachineEvent {
  readonly n: number
}

interface RandomContext {
  readonly a: number
  readonly b: number
  readonly c: number
  readonly fuel: number
  readonly new?: number
}

export type RandomInput = Pick<RandomContext, Key>

const EVENTS = ['E0', 'E1', 'E2'] as const

const key = fc.constantFrom(...KEYS)
const newKey = fc.constantFrom(...KEYS, 'new' as const)
const small = fc.nat({ max: 3 })
const form = fc.constantFrom<Form>('none', 'static', 'functional')

const actionSpec: fc.Arbitrary<ActionSpec> = fc.oneof(
  fc.record({
    do: fc.constant('note' as const),
    type: fc.constantFrom('ping' as const, 'pong' as const, 'nobody' as const),
    form,
    n: small,
  }),
  fc.record({ do: fc.constant('inline' as const) }),
  fc.record({ do: fc.constant('set' as const), key: newKey, n: small }),
  fc.record({ do: fc.constant('copy' as const), key: newKey, from: key }),
  fc.record({ do: fc.constant('sum' as const), key }),
  fc.record({ do: fc.constant('vary' as const), key: newKey }),
  fc.record({ do: fc.constant('add' as const), key, form, n: small }),
)
const actionSpecs = fc.array(actionSpec, { maxLength: 3, size: 'max' })

const guardSpec: fc.Arbitrary<GuardSpec | null> = fc.oneof(
  fc.constant(null),
  fc.record({ is: fc.constant('odd' as const), key }),
  fc.record({ is: fc.constant('inline' as const), key }),
  fc.record({ is: fc.constant('atLeast' as const), key, form, n: small }),
)

const branches = (states: number, maxLength: number): fc.Arbitrary<readonly BranchSpec[]> =>
  fc.array(
    fc.record({
      guard: guardSpec,
      target: fc.option(fc.nat({ max: states - 1 }), { freq: 4 }),
      reenter: fc.boolean(),
      actions: actionSpecs,
    }),
    { maxLength, size: 'max' },
  )

/**
 * So that it ends, an eventless branch burns fuel unless it goes to a later state, or stays and assigns nothing (there
 * XState stops by itself). `own` is the state's number, -1 for the root.
 */
const fuelled =
  (own: number) =>
  (all: readonly BranchSpec[]): readonly BranchSpec[] =>
    all.map((branch) => {
      const goesOn = branch.target !== null && own >= 0 && branch.target > own
      const stops = branch.target === null && branch.actions.every(({ do: what }) => isNote(what))
      return goesOn || stops
        ? branch
        : { ...branch, guard: { is: 'fuelled' }, actions: [...branch.actions, { do: 'burn' }] }
    })
const isNote = (what: ActionSpec['do']): boolean => what === 'note' || what === 'inline'

export const machineSpec: fc.Arbitrary<MachineSpec> = fc.integer({ min: 2, max: 5 }).chain((count) => {
  const on = fc.record(Object.fromEntries(EVENTS.map((type) => [type, branches(count, 2)])), {
    requiredKeys: [],
  })
  const state = (own: number) =>
    fc.record({
      isFinal: own === 0 ? fc.constant(false) : fc.nat({ max: 4 }).map((n) => n === 0),
      output: form,
      entry: actionSpecs,
      exit: actionSpecs,
      on,
      always: branches(count, 2).map(fuelled(own)),
    })
  return fc.record({
    states: fc.tuple(...Array.from({ length: count }, (_, own) => state(own))),
    initial: fc.nat({ max: count - 1 }),
    starting: fc.oneof(fc.constant([]), actionSpecs),
    output: form,
    on,
    always: fc.oneof(fc.constant([]), branches(count, 2).map(fuelled(-1))),
  })
})

export const randomEvents: fc.Arbitrary<readonly RandomEvent[]> = fc.array(
  fc.record({ type: fc.constantFrom(...EVENTS, 'E9'), n: small }),
  { maxLength: 12, size: 'max' },
)

export const randomInput: fc.Arbitrary<RandomInput> = fc.record({ a: small, b: small, c: small })

interface Args {
  readonly context: RandomContext
  readonly event: MachineEvent
}

const nameOf = (state: number): string => `s${state}`
const numberOf = (event: MachineEvent): number => ('n' in event && typeof event.n === 'number' ? event.n : 0)
/** Kept small, so that guards hold now and then. */
const small5 = (n: number): number => n % 5

// What the machine is made of, said once for both readings.
const contextOf = (input: unknown): RandomContext => ({ ...(input as RandomInput), fuel: 3 })
const noteParams = ({ context, event }: Args): object => ({
  ...context,
  type: event.type,
  n: numberOf(event),
})
const addParams = ({ context, event }: Args): { by: number } => ({ by: context.c + numberOf(event) })
const guardParams = ({ context, event }: Args): { least: number } => ({
  least: small5(context.b + numberOf(event)),
})
const staticOutput = { done: true }
const outputOf = ({ context, event }: { context: object; event: object }): object => ({ context, event })
const isOdd = ({ context }: Args, key: Key): boolean => context[key] % 2 === 1
const isAtLeast = ({ context }: Args, key: Key, params: { least: number } | undefined): boolean =>
  context[key] >= (params?.least ?? 2)
const isInline = ({ context, event }: Args, key: Key): boolean => context[key] === numberOf(event)
const isFuelled = ({ context }: Args): boolean => context.fuel > 0
const sumOf = ({ context, event }: Args): number => small5(context.a + context.b + numberOf(event))
/** Other fields, in another order, each time; none at all at times. */
const varied = ({ context, event }: Args, key: Key | 'new'): Partial<RandomContext> => {
  const n = numberOf(event)
  if (n === 0) return {}
  if (n === 1) return { [key]: context.a }
  return n === 2 ? { c: context.b, [key]: n } : { [key]: n, c: context.a, b: 1 }
}
const added = ({ context }: Args, key: Key, params: { by: number } | undefined): number =>
  small5(context[key] + (params?.by ?? 1))

/** XState's arguments as ours. */
const seen = ({ context, event }: { context: object; event: MachineEvent }): Args => ({
  context: context as RandomContext,
  event,
})

export interface Noted {
  readonly type: string
  readonly params: unknown
}

/** The description as an XState machine, whose custom actions are told to `act` when they are run. */
export const machineOf = (spec: MachineSpec, act: (noted: Noted) => void = () => {}): AnyStateMachine => {
  const actionOf = (action: ActionSpec): unknown => {
    switch (action.do) {
      case 'note': {
        const { type, n } = action
        if (action.form === 'none') return n % 2 === 0 ? type : { type }
        return { type, params: action.form === 'static' ? { n } : noteParams }
      }
      case 'inline':
        return function inlineAction() {
          act({ type: 'inlineAction', params: undefined })
        }
      case 'set':
        return assign({ [action.key]: action.n })
      case 'copy':
        return assign({
          [action.key]: ({ context }: { context: object }) => (context as RandomContext)[action.from],
        })
      case 'sum':
        return assign((args) => ({ [action.key]: sumOf(seen(args)) }))
      case 'vary':
        return assign((args) => varied(seen(args), action.key))
      case 'add': {
        const type = `add_${action.key}`
        if (action.form === 'none') return type
        return { type, params: action.form === 'static' ? { by: action.n } : addParams }
      }
      case 'burn':
        return 'burn'
    }
  }
  const guardOf = (guard: GuardSpec): unknown => {
    switch (guard.is) {
      case 'odd':
        return `odd_${guard.key}`
      case 'fuelled':
        return { type: 'fuelled' }
      case 'inline':
        return (args: Args) => isInline(args, guard.key)
      case 'atLeast': {
        const type = `atLeast_${guard.key}`
        if (guard.form === 'none') return type
        return { type, params: guard.form === 'static' ? { least: guard.n } : guardParams }
      }
    }
  }
  const branchesOf = (all: readonly BranchSpec[] | undefined, prefix: string): unknown[] =>
    (all ?? []).map(({ guard, target, reenter, actions }) => ({
      ...(guard === null ? {} : { guard: guardOf(guard) }),
      ...(target === null ? {} : { target: `${prefix}${nameOf(target)}` }),
      ...(reenter ? { reenter } : {}),
      actions: actions.map(actionOf),
    }))
  const onOf = (on: MachineSpec['on'], prefix: string): object =>
    Object.fromEntries(Object.entries(on).map(([type, all]) => [type, branchesOf(all, prefix)]))
  const outputsOf = (output: Form): object =>
    output === 'none' ? {} : { output: output === 'static' ? staticOutput : outputOf }
  const states = spec.states.map((state, own): [string, object] => [
    nameOf(own),
    state.isFinal
      ? { type: 'final', entry: state.entry.map(actionOf), ...outputsOf(state.output) }
      : {
          entry: state.entry.map(actionOf),
          exit: state.exit.map(actionOf),
          on: onOf(state.on, ''),
          always: branchesOf(state.always, ''),
        },
  ])
  const noted =
    (type: string) =>
    (_: unknown, params: unknown): void =>
      act({ type, params })
  const adding = (own: Key) =>
    assign((args, params) => ({ [own]: added(seen(args), own, params as { by: number } | undefined) }))
  const config = {
    id: 'random',
    initial:
      spec.starting.length === 0
        ? nameOf(spec.initial)
        : { target: nameOf(spec.initial), actions: spec.starting.map(actionOf) },
    context: ({ input }: { input: unknown }) => contextOf(input),
    states: Object.fromEntries(states),
    on: onOf(spec.on, '.'),
    always: branchesOf(spec.always, '.'),
    ...outputsOf(spec.output),
  }
  const implementations: object = {
    actions: {
      ping: noted('ping'),
      pong: noted('pong'),
      add_a: adding('a'),
      add_b: adding('b'),
      add_c: adding('c'),
      burn: assign({ fuel: ({ context }: { context: object }) => (context as RandomContext).fuel - 1 }),
    },
    guards: {
      odd_a: (args: Args) => isOdd(args, 'a'),
      odd_b: (args: Args) => isOdd(args, 'b'),
      odd_c: (args: Args) => isOdd(args, 'c'),
      atLeast_a: (args: Args, params: unknown) =>
        isAtLeast(args, 'a', params as { least: number } | undefined),
      atLeast_b: (args: Args, params: unknown) =>
        isAtLeast(args, 'b', params as { least: number } | undefined),
      atLeast_c: (args: Args, params: unknown) =>
        isAtLeast(args, 'c', params as { least: number } | undefined),
      fuelled: (args: Args) => isFuelled(args),
    },
  }
  return createMachine(
    config as Parameters<typeof createMachine>[0],
    implementations as Parameters<typeof createMachine>[1],
  )
}

/** Mistakes that a compiler could make. */
export const FAULTS = [
  'drops the entry actions',
  'drops the exit actions',
  'drops the entry actions of the state it starts in',
  'drops the actions of the transition that starts it',
  'drops the actions of a transition',
  'runs a transition’s actions before the exit actions',
  'runs the entry actions before the transition’s',
  'evaluates always before the actions',
  'asks the root before the state',
  'never asks the root',
  'skips re-entry',
  're-enters on every transition to itself',
  'stays where the root leads back to the same state',
  'takes the last branch of several',
  'ignores guards',
  'falls to the root where a state does nothing on purpose',
  'takes no eventless branch',
  'takes one eventless branch only',
  'asks the root’s always first',
  'never asks the root’s always',
  'goes on from a final state',
  'gives no output',
  'gives the output without its state’s',
  'leaves functions in params uncalled',
  'gives params the context of before the event',
  'drops the params of guards',
  'assigns only once for each event',
  'forgets fields that an assignment does not name',
  'changes the context in place',
  'drops custom actions without an implementation',
  'reports assignments as custom actions',
] as const
export type Fault = (typeof FAULTS)[number]

/** The description run by the letter of XState's rules, or with a mistake. */
export const naive = (spec: MachineSpec, fault: Fault | null = null): Runner => {
  const is = (other: Fault): boolean => fault === other

  class Run {
    context: RandomContext
    readonly event: MachineEvent
    readonly sink: Sink
    readonly #before: RandomContext
    #assigned = 0

    constructor(context: RandomContext, event: MachineEvent, sink: Sink) {
      this.context = context
      this.event = event
      this.sink = sink
      this.#before = { ...context }
    }

    #params<T>(form: Form, given: T, from: (args: Args) => T): T | undefined {
      if (form === 'none') return undefined
      if (form === 'static' || is('leaves functions in params uncalled')) return given
      const context = is('gives params the context of before the event') ? this.#before : this.context
      return from({ context, event: this.event })
    }

    #assign(patch: Partial<RandomContext>): void {
      if (is('reports assignments as custom actions')) this.sink.note('assign', undefined)
      if (is('assigns only once for each event') && this.#assigned++ > 0) return
      if (is('changes the context in place')) Object.assign(this.context, patch)
      else if (is('forgets fields that an assignment does not name')) this.context = patch as RandomContext
      else this.context = { ...this.context, ...patch }
    }

    perform(actions: readonly ActionSpec[]): void {
      for (const action of actions) {
        const { context, event } = this
        switch (action.do) {
          case 'note':
            if (action.type === 'nobody' && is('drops custom actions without an implementation')) break
            this.sink.note(action.type, this.#params<object>(action.form, { n: action.n }, noteParams))
            break
          case 'inline':
            this.sink.note('inlineAction', undefined)
            break
          case 'set':
            this.#assign({ [action.key]: action.n })
            break
          case 'copy':
            this.#assign({ [action.key]: context[action.from] })
            break
          case 'sum':
            this.#assign({ [action.key]: sumOf({ context, event }) })
            break
          case 'vary':
            this.#assign(varied({ context, event }, action.key))
            break
          case 'add': {
            const params = this.#params(action.form, { by: action.n }, addParams)
            this.#assign({ [action.key]: added({ context, event }, action.key, params) })
            break
          }
          case 'burn':
            this.#assign({ fuel: context.fuel - 1 })
        }
      }
    }

    holds(guard: GuardSpec | null): boolean {
      if (guard === null) return true
      const { context, event } = this
      switch (guard.is) {
        case 'odd':
          return is('ignores guards') || isOdd({ context, event }, guard.key)
        case 'inline':
          return is('ignores guards') || isInline({ context, event }, guard.key)
        case 'fuelled':
          return isFuelled({ context, event })
        case 'atLeast': {
          const form = is('drops the params of guards') ? 'none' : guard.form
          const params = this.#params(form, { least: guard.n }, guardParams)
          return is('ignores guards') || isAtLeast({ context, event }, guard.key, params)
        }
      }
    }

    choose(all: readonly BranchSpec[]): BranchSpec | undefined {
      const enabled = all.filter(({ guard }) => this.holds(guard))
      return is('takes the last branch of several') ? enabled.at(-1) : enabled[0]
    }

    take(branch: BranchSpec, from: number, isOwn: boolean): number {
      this.sink.took()
      const { target } = branch
      const isSelf = target === from
      const reenters =
        isOwn || is('stays where the root leads back to the same state')
          ? is('re-enters on every transition to itself') || (branch.reenter && !is('skips re-entry'))
          : true
      const enters = target !== null && (!isSelf || reenters)
      const exit = enters && !is('drops the exit actions') ? (spec.states[from]?.exit ?? []) : []
      const isLeft = spec.states[from]?.isFinal !== true
      const own = is('drops the actions of a transition') ? [] : branch.actions
      const entry = enters && !is('drops the entry actions') ? (spec.states[target]?.entry ?? []) : []
      const order = is('runs a transition’s actions before the exit actions')
        ? [own, exit, entry]
        : is('runs the entry actions before the transition’s')
          ? [exit, entry, own]
          : [isLeft ? exit : [], own, entry]
      for (const actions of order) this.perform(actions)
      if (!enters) return from
      if (!isSelf) this.sink.moved(nameOf(from), nameOf(target))
      return target
    }

    on(from: number): number {
      const state = spec.states[from]
      const own = { branch: this.choose(state?.on[this.event.type] ?? []), isOwn: true }
      const root = { branch: this.choose(spec.on[this.event.type] ?? []), isOwn: false }
      const order = is('asks the root before the state')
        ? [root, own]
        : is('never asks the root')
          ? [own]
          : [own, root]
      const idle = ({ branch }: typeof own): boolean =>
        is('falls to the root where a state does nothing on purpose') &&
        branch?.target === null &&
        branch.actions.length === 0
      const chosen = order.find((each) => each.branch !== undefined && !idle(each))
      return chosen?.branch === undefined ? from : this.take(chosen.branch, from, chosen.isOwn)
    }

    settle(from: number): number {
      let at = from
      for (let steps = 0; steps < 1000; steps++) {
        const state = spec.states[at]
        if (state === undefined || state.isFinal || is('takes no eventless branch')) return at
        if (steps > 0 && is('takes one eventless branch only')) return at
        const own = { branch: this.choose(state.always), isOwn: true }
        const root = { branch: this.choose(spec.always), isOwn: false }
        const order = is('asks the root’s always first')
          ? [root, own]
          : is('never asks the root’s always')
            ? [own]
            : [own, root]
        const chosen = order.find((each) => each.branch !== undefined)
        if (chosen?.branch === undefined) return at
        const before = this.context
        const next = this.take(chosen.branch, at, chosen.isOwn)
        if (next === at && before === this.context) return at
        at = next
      }
      return at
    }

    finish(at: number): Position {
      const state = spec.states[at]
      const done = state?.isFinal === true
      const position = { state: nameOf(at), context: this.context, done, output: undefined }
      if (!done || spec.output === 'none' || is('gives no output')) return position
      if (spec.output === 'static') return { ...position, output: staticOutput }
      const own =
        state.output === 'none' || is('gives the output without its state’s')
          ? undefined
          : state.output === 'static'
            ? staticOutput
            : outputOf({ context: this.context, event: this.event })
      const event = { type: `xstate.done.state.random.${nameOf(at)}`, output: own }
      return { ...position, output: outputOf({ context: this.context, event }) }
    }
  }

  return {
    kind: 'interpreted',
    isFinal: () => null,
    start(input, sink) {
      const init: MachineEvent & { readonly input: unknown } = { type: 'xstate.init', input }
      const run = new Run(contextOf(input), init, sink)
      if (!is('drops the actions of the transition that starts it')) run.perform(spec.starting)
      const dropped = is('drops the entry actions of the state it starts in')
      if (!dropped) run.perform(spec.states[spec.initial]?.entry ?? [])
      return run.finish(run.settle(spec.initial))
    },
    next(position, event, sink) {
      if (position.done && !is('goes on from a final state')) return position
      const run = new Run(position.context as RandomContext, event, sink)
      const from = Number(position.state.slice(1))
      if (is('evaluates always before the actions')) return run.finish(run.on(run.settle(from)))
      return run.finish(run.settle(run.on(from)))
    },
  }
}
