/** A machine that XState itself runs: names of states, ends, and what a machine that fails is told as. */
import { describe, expect, it } from 'vitest'
import { assign, createMachine } from 'xstate'
import { interpret } from '../../src/engine/interpret.ts'
import type { Sink } from '../../src/engine/runner.ts'
import { thrownBy } from '../support/thrown.ts'

/** What a runner tells, in its order. */
const listening = () => {
  const heard: string[] = []
  const sink: Sink = {
    took: () => void heard.push('took'),
    note: (type) => void heard.push(`note ${type}`),
    moved: (from, to) => void heard.push(`${from} → ${to}`),
  }
  return { heard, sink }
}

const machine = createMachine({
  id: 'm',
  initial: 'a',
  context: { n: 0 },
  states: {
    a: {
      on: {
        GO: 'b',
        COUNT: { actions: assign({ n: 1 }) },
        STAY: {},
        SAY: { actions: 'say' },
      },
    },
    b: { initial: 'c', states: { c: { on: { GO: '#m.d' } } } },
    d: { type: 'final' },
  },
})
const runner = interpret(machine)
const at = (state: string) => ({ state, context: { n: 0 }, done: false, output: undefined })

describe('an interpreted machine', () => {
  it('names a nested state by its value as JSON, and goes on from there', () => {
    const { heard, sink } = listening()
    const inner = runner.next(runner.start({}, sink), { type: 'GO' }, sink)
    expect([inner.state, inner.done]).toEqual(['{"b":"c"}', false])
    const end = runner.next(inner, { type: 'GO' }, sink)
    expect([end.state, end.done]).toEqual(['d', true])
    expect(heard.filter((each) => each.includes('→'))).toEqual(['a → {"b":"c"}', '{"b":"c"} → d'])
    expect(runner.next(end, { type: 'GO' }, sink)).toBe(end)
  })

  it('knows which states are final, and which are none', () => {
    expect(['a', 'd', '{"b":"c"}', 'nowhere', '{"b":"x"}', '{broken'].map(runner.isFinal)).toEqual([
      false,
      true,
      false,
      null,
      null,
      null,
    ])
  })

  it('tells of a branch that was taken, also where it changed nothing, and of none where none was', () => {
    const told = (type: string) => {
      const { heard, sink } = listening()
      runner.next(at('a'), { type }, sink)
      return heard
    }
    expect(told('STAY')).toEqual(['took'])
    expect(told('SAY')).toEqual(['took', 'note say'])
    expect(told('COUNT')).toEqual(['took'])
    expect(told('OTHER')).toEqual([])
  })

  it('is where it was after an event that changed nothing', () => {
    const before = at('a')
    const { sink } = listening()
    expect(runner.next(before, { type: 'OTHER' }, sink)).toBe(before)
    expect(runner.next(before, { type: 'COUNT' }, sink)).toMatchObject({ state: 'a', context: { n: 1 } })
  })

  it('that has failed by XState’s own account is named, with the reason', () => {
    const { sink } = listening()
    const event = { type: 'xstate.error.actor.x', error: new Error('on purpose') }
    const error = thrownBy(() => runner.next(at('a'), event, sink))
    expect(error.code).toBe('PROTOCOL_INVALID')
    expect(error.message).toContain('The machine "m" failed')
    expect(error.cause).toMatchObject({ message: 'on purpose' })
  })
})
