import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Begun, Fact, Observer, Work } from '../../src/index.ts'
import { observing } from '../../src/observers/observing.ts'

const work: Work = { type: 'append', conversation: 'c', events: 1 }
const fact: Fact = { type: 'warning', conversation: null, text: 'x' }

const broken = (): never => {
  throw new Error('broken observer')
}

/** An observer whose work has this. */
const beginning = (begun: Partial<Begun>): Observer => ({ began: () => ({ end: () => {}, ...begun }) })

const begunBy = (...observers: readonly Observer[]): Begun => {
  const begun = observing(observers)?.began?.(work)
  if (begun === undefined) throw new Error('nothing was begun')
  return begun
}

let warnings: string[] = []
beforeEach(() => {
  warnings = []
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => {
    warnings.push(String(warning))
  })
})
afterEach(() => vi.restoreAllMocks())

describe('observers together', () => {
  it('are nobody where there is none, so that nothing is called', () => {
    expect(observing([])).toBeNull()
  })

  it('each hear every fact, and each begin and end of work', () => {
    const heard: unknown[] = []
    const listening = (name: string): Observer => ({
      happened: (each) => heard.push([name, each]),
      began: (each) => {
        heard.push([name, each])
        return { end: (ended) => heard.push([name, ended]) }
      },
    })
    const all = observing([listening('a'), listening('b')])
    all?.happened?.(fact)
    all?.began?.(work)?.end({ tokens: 3 })
    const expected = [fact, work, { tokens: 3 }].flatMap((each) => [
      ['a', each],
      ['b', each],
    ])
    expect(heard).toEqual(expected)
  })

  it('make no work of what nobody observes', () => {
    expect(observing([{}, { began: () => undefined }])?.began?.(work)).toBeUndefined()
  })

  it('are not harmed by one that throws, and the process is warned', () => {
    const heard: string[] = []
    const sound: Observer = {
      happened: () => heard.push('happened'),
      began: () => ({ end: () => heard.push('ended') }),
    }
    const all = observing([{ began: broken, happened: broken }, beginning({ end: broken }), sound])
    all?.happened?.(fact)
    all?.began?.(work)?.end({})
    expect(heard).toEqual(['happened', 'ended'])
    expect(warnings).toEqual(Array(3).fill('An observer threw: broken observer'))
  })

  it('give the first trace that there is', () => {
    const begun = begunBy(
      beginning({}),
      beginning({ trace: { traceparent: 'a' } }),
      beginning({ trace: { traceparent: 'b' } }),
    )
    expect(begun.trace).toEqual({ traceparent: 'a' })
    expect(begunBy(beginning({})).trace).toBeUndefined()
  })
})

describe('what is done within work', () => {
  const nesting = (name: string, order: string[]): Observer =>
    beginning({
      within: (act) => {
        order.push(`${name} in`)
        try {
          return act()
        } finally {
          order.push(`${name} out`)
        }
      },
    })

  it('is within that of every observer, the first outermost', () => {
    const order: string[] = []
    const begun = begunBy(nesting('a', order), beginning({}), nesting('b', order))
    expect(begun.within?.(() => order.push('act'))).toBe(3)
    expect(order).toEqual(['a in', 'b in', 'act', 'b out', 'a out'])
  })

  it('fails as it fails, and no observer is blamed', () => {
    const error = new Error('the agent broke')
    const failing = (): never => {
      throw error
    }
    const begun = begunBy(nesting('a', []), nesting('b', []))
    expect(() => begun.within?.(failing)).toThrow(error)
    expect(warnings).toEqual([])
  })

  it.each<[string, NonNullable<Begun['within']>, number]>([
    ['throws before it', broken, 1],
    [
      'throws after it',
      (act) => {
        act()
        return broken()
      },
      1,
    ],
    [
      'does it twice',
      (act) => {
        act()
        return act()
      },
      0,
    ],
  ])('is done once, with its result, by an observer that %s', (_, within, told) => {
    let times = 0
    const begun = begunBy(beginning({ within }), nesting('b', []))
    expect(begun.within?.(() => `answer ${++times}`)).toBe('answer 1')
    expect(times).toBe(1)
    expect(warnings).toHaveLength(told)
  })

  it('is done by an observer that forgets it or answers something else', () => {
    // As JavaScript can: by the types it is impossible.
    const other = { end: () => {}, within: () => 'forged' } as Begun
    expect(begunBy({ began: () => other }).within?.(() => 'answer')).toBe('answer')
  })
})
