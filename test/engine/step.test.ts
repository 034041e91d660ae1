/** One event, one decision: of machines that say what they decide, and of those that do not. */
import { describe, expect, it } from 'vitest'
import { assign, createMachine } from 'xstate'
import { start, step } from '../../src/engine/step.ts'
import { ColloquyError } from '../../src/errors.ts'

const decide = (effect: string, reason: string) => ({ type: 'decide', params: { effect, reason } })
const throws = (): never => {
  throw new Error('on purpose')
}
const machine = createMachine({
  id: 'm',
  initial: 'a',
  context: {},
  states: {
    a: {
      on: {
        STAY: {},
        GO: 'b',
        WHY: { target: 'b', actions: { type: 'transition', params: { reason: 'because' } } },
        NO: { actions: decide('recorded', 'not_permitted') },
        NO_BUT_GO: { target: 'b', actions: decide('recorded', 'not_permitted') },
        YES: { actions: decide('applied', 'noted') },
        FAR: 'passing',
        OUT: { actions: 'expelled' },
        ODD: { actions: 'something' },
        THROW: { actions: assign(throws) },
      },
    },
    passing: { always: 'b' },
    b: {},
  },
})
const at = { state: 'a', context: {}, done: false, output: undefined }
const decided = (event: { readonly type: string }) => step(machine, at, event).decision
const moved = (from: string, to: string, reason = to) => ({ from, to, reason })

describe('a decision', () => {
  it('of a machine that does not say is: applied where it handles the event, recorded where not', () => {
    const here = { from: 'a', to: 'a', transitions: [] }
    expect(decided({ type: 'STAY' })).toEqual({ effect: 'applied', reason: 'continue', ...here })
    expect(decided({ type: 'OTHER' })).toEqual({ effect: 'recorded', reason: 'intent_not_allowed', ...here })
    expect(decided({ type: 'ODD' })).toEqual({ effect: 'applied', reason: 'continue', ...here })
  })

  it('is what the machine says', () => {
    expect(decided({ type: 'NO' })).toMatchObject({ effect: 'recorded', reason: 'not_permitted' })
    expect(decided({ type: 'YES' })).toMatchObject({ effect: 'applied', reason: 'noted' })
  })

  it('has the last move’s reason where it is applied: the machine’s, or else the state’s name', () => {
    expect(decided({ type: 'GO' })).toMatchObject({ reason: 'b', to: 'b', transitions: [moved('a', 'b')] })
    expect(decided({ type: 'WHY' })).toMatchObject({
      reason: 'because',
      transitions: [moved('a', 'b', 'because')],
    })
    expect(decided({ type: 'FAR' })).toMatchObject({
      reason: 'b',
      from: 'a',
      to: 'b',
      transitions: [moved('a', 'passing'), moved('passing', 'b')],
    })
    expect(decided({ type: 'NO_BUT_GO' })).toMatchObject({ effect: 'recorded', reason: 'not_permitted' })
  })

  it('names whom it expels: the sender, or else the member; where there is one', () => {
    expect(decided({ type: 'OUT', from: 'ann' } as { type: string })).toMatchObject({ expelled: 'ann' })
    expect(decided({ type: 'OUT', member: 'ben' } as { type: string })).toMatchObject({ expelled: 'ben' })
    expect(decided({ type: 'OUT' })).not.toHaveProperty('expelled')
    expect(decided({ type: 'OUT', from: 7 } as { type: string })).not.toHaveProperty('expelled')
    expect(decided({ type: 'ODD', from: 'ann' } as { type: string })).not.toHaveProperty('expelled')
  })
})

describe('a machine that throws', () => {
  it('is named with event and state, and what it threw', () => {
    try {
      decided({ type: 'THROW' })
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(ColloquyError)
      expect(error).toMatchObject({ code: 'INTERNAL', cause: { message: 'on purpose' } })
      expect(String(error)).toContain('The machine "m" threw on "THROW" in state "a": on purpose')
    }
  })

  it('opens where its initial state is', () => {
    expect(start(machine, {})).toMatchObject({ state: 'a', done: false })
  })
})
