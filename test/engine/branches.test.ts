/** Choices written out as code do what the loop does: the same branch, the same notes in the same order, the same context. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Action,
  type Args,
  type Branch,
  type Choice,
  walked,
  written,
} from '../../src/engine/branches.ts'
import { parameters } from '../support/property.ts'

type Context = Record<string, unknown>
const constant = (value: unknown) => ({ of: null, value })
const computed = (of: (args: Args) => unknown) => ({ of, value: undefined })

const key = fc.constantFrom('a', 'b', 'c', 'constructor', 'it’s "quoted"', 'new\nline', '1')
const value = fc.oneof(fc.integer(), fc.constant(undefined), fc.constant(null))
const patch = fc.dictionary(key, value, { maxKeys: 3, noNullPrototype: true })

const assignment = patch.map(
  (given): Action => ({
    assign: ({ context }, params) => ({ ...given, seen: Object.keys(context).length, params }),
    params: computed(({ context }) => (context as Context).a),
  }),
)
const nothing = fc.constant<Action>({ assign: () => ({}), params: constant(undefined) })
const note = fc
  .tuple(key, fc.integer())
  .map(([type, params]): Action => ({ assign: null, type, params: constant({ params }) }))

const branch = (number: number): fc.Arbitrary<Branch<number>> =>
  fc.record({
    guard: fc.oneof(
      fc.constant(null),
      fc.boolean().map((holds) => () => holds),
      fc.constant(({ context }: Args, params: unknown) => (context as Context).a === params),
    ),
    guardParams: fc.oneof(fc.constant(constant(1)), fc.constant(computed(({ event }) => event.type.length))),
    actions: fc.array(fc.oneof(assignment, nothing, note), { maxLength: 4 }),
    target: fc.constantFrom(null, number),
    assigns: fc.boolean(),
  })
const branches = fc.tuple(branch(0), branch(1), branch(2)).chain((all) => fc.subarray(all))

/** What a choice does to contexts, one after the other. */
const outcome = (choice: Choice<number>, contexts: readonly Context[]): unknown[] =>
  contexts.map((given) => {
    const context = Object.freeze({ ...given })
    const heard: unknown[] = []
    const args: Args = { context, event: { type: 'event' }, shape: null }
    const taken = choice(args, {
      took: () => heard.push('took'),
      note: (type, params) => heard.push([type, params]),
      moved: () => heard.push('moved'),
    })
    return { taken, heard, context: args.context, keys: Object.keys(args.context) }
  })

describe('choices', () => {
  it('are the same as code and as a loop', () => {
    let count = 0
    fc.assert(
      fc.property(branches, fc.array(patch, { minLength: 1, maxLength: 5 }), (all, contexts) => {
        const choice = written(all, `choice ${count++}`)
        expect(choice).not.toBeNull()
        if (choice !== null) expect(outcome(choice, contexts)).toStrictEqual(outcome(walked(all), contexts))
      }),
      parameters(500),
    )
  })

  it('are a loop where the host forbids code from strings', () => {
    const { Function: own } = globalThis
    globalThis.Function = class {
      constructor() {
        throw new EvalError('Code generation from strings disallowed for this context')
      }
    } as FunctionConstructor
    try {
      expect(written([], 'forbidden')).toBeNull()
    } finally {
      globalThis.Function = own
    }
  })
})
