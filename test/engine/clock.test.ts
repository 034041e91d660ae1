/** Clocks wake in time and in order; deadlines agree with a naive list of them. */
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Heap, simulatedClock, systemClock } from '../../src/engine/clock.ts'
import { deadlines } from '../../src/engine/deadlines.ts'
import { parameters } from '../support/property.ts'

interface Item {
  readonly at: number
  readonly name: number
}
const inOrder = (a: Item, b: Item): number => a.at - b.at || a.name - b.name

describe('a heap', () => {
  const command = fc.oneof(
    { arbitrary: fc.record({ do: fc.constant('push' as const), n: fc.nat({ max: 30 }) }), weight: 4 },
    { arbitrary: fc.record({ do: fc.constant('pop' as const), n: fc.nat() }), weight: 1 },
    { arbitrary: fc.record({ do: fc.constant('remove' as const), n: fc.nat() }), weight: 1 },
    { arbitrary: fc.record({ do: fc.constant('removeGone' as const), n: fc.nat() }), weight: 1 },
  )

  it('gives what a sorted list would, whatever is pushed, popped and removed', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 120, size: 'max' }), (commands) => {
        const heap = new Heap<Item>(inOrder)
        let list: Item[] = []
        const gone: Item[] = []
        let names = 0
        const drop = (item: Item | undefined): void => {
          if (item === undefined) return
          list = list.filter((each) => each !== item)
          gone.push(item)
        }
        for (const { do: what, n } of commands) {
          if (what === 'push') {
            const item = { at: n, name: names++ }
            heap.push(item)
            list = [...list, item].sort(inOrder)
          } else if (what === 'pop') {
            expect(heap.pop()).toBe(list[0])
            drop(list[0])
          } else {
            const item =
              what === 'remove' ? list[n % Math.max(1, list.length)] : gone[n % Math.max(1, gone.length)]
            if (item !== undefined) heap.remove(item)
            if (what === 'remove') drop(item)
          }
          expect(heap.peek()).toBe(list[0])
          expect(heap.size).toBe(list.length)
        }
        const rest: (Item | undefined)[] = []
        while (heap.size > 0) rest.push(heap.pop())
        expect(rest).toEqual(list)
        expect(heap.pop()).toBeUndefined()
      }),
      parameters(400),
    )
  })

  it('takes an item back that was removed', () => {
    const heap = new Heap<Item>(inOrder)
    const item = { at: 1, name: 0 }
    heap.push(item)
    heap.remove(item)
    heap.remove(item)
    heap.push(item)
    expect([heap.pop(), heap.pop()]).toEqual([item, undefined])
  })
})

describe('a simulated clock', () => {
  it('stands still until it is told to go on', () => {
    const clock = simulatedClock(5)
    const woken: number[] = []
    clock.wake(5, () => woken.push(clock.now()))
    clock.wake(3, () => woken.push(clock.now()))
    expect([clock.now(), woken]).toEqual([5, []])
    clock.advance(0)
    expect(woken).toEqual([5, 5])
    expect(simulatedClock().now()).toBe(0)
  })

  it('wakes in the order of the times, equal times in the order in which they were asked for', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 20 }), { maxLength: 30, size: 'max' }),
        fc.array(fc.nat({ max: 9 })),
        (times, steps) => {
          const clock = simulatedClock()
          const woken: [number, number][] = []
          times.forEach((at, name) => {
            clock.wake(at, () => {
              expect(clock.now()).toBe(at)
              woken.push([at, name])
            })
          })
          let now = 0
          for (const ms of [...steps, 20]) {
            clock.advance(ms)
            now += ms
            expect(clock.now()).toBe(now)
            expect(woken).toHaveLength(times.filter((at) => at <= now).length)
          }
          const expected = times.map((at, name): [number, number] => [at, name])
          expect(woken).toEqual(expected.sort(([a, one], [b, other]) => a - b || one - other))
        },
      ),
      parameters(200),
    )
  })

  it('wakes also those who ask while others are woken, and nobody who took it back', () => {
    const clock = simulatedClock()
    const woken: string[] = []
    clock.wake(10, () => {
      woken.push(`ten ${clock.now()}`)
      clock.wake(15, () => woken.push(`fifteen ${clock.now()}`))
      clock.wake(1, () => woken.push(`past ${clock.now()}`))
      back()
    })
    const back = clock.wake(12, () => woken.push('taken back'))
    const never = clock.wake(11, () => woken.push('never'))
    never()
    never()
    clock.advance(20)
    expect(woken).toEqual(['ten 10', 'past 10', 'fifteen 15'])
    back()
  })

  it('goes on to the next time at which somebody is to be woken', () => {
    const clock = simulatedClock(1)
    const woken: number[] = []
    for (const at of [50, 7, 0]) clock.wake(at, () => woken.push(at))
    expect([1, 2, 3, 4].map(() => [clock.advanceToNext(), clock.now()])).toEqual([
      [true, 1],
      [true, 7],
      [true, 50],
      [false, 50],
    ])
    expect(woken).toEqual([0, 7, 50])
  })
})

describe('the system’s clock', () => {
  describe('by fake timers', () => {
    beforeEach(() => {
      vi.useFakeTimers({ now: 1_700_000_000_000 })
    })
    afterEach(() => {
      vi.useRealTimers()
    })

    it.each([0, 1, 1000, 2 ** 31 - 2, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 33])(
      'wakes after %i ms, not a millisecond earlier, once',
      (ms) => {
        const act = vi.fn()
        systemClock.wake(systemClock.now() + ms, act)
        expect(act).not.toHaveBeenCalled()
        if (ms > 0) vi.advanceTimersByTime(ms - 1)
        expect(act).toHaveBeenCalledTimes(0)
        vi.advanceTimersByTime(ms > 0 ? 1 : 0)
        expect(act).toHaveBeenCalledTimes(1)
        vi.advanceTimersByTime(2 ** 31)
        expect(act).toHaveBeenCalledTimes(1)
        expect(vi.getTimerCount()).toBe(0)
      },
    )

    it('asks no timer for more than it can count', () => {
      const asked = vi.spyOn(globalThis, 'setTimeout')
      const back = systemClock.wake(Number.POSITIVE_INFINITY, () => {})
      vi.advanceTimersByTime(2 ** 32)
      for (const [, ms] of asked.mock.calls) expect(ms).toBeLessThan(2 ** 31)
      expect(asked.mock.calls.length).toBeGreaterThan(1)
      back()
      expect(vi.getTimerCount()).toBe(0)
      asked.mockRestore()
    })

    it('wakes at once, but not during the call, for a time that is past', () => {
      const act = vi.fn()
      systemClock.wake(0, act)
      expect(act).not.toHaveBeenCalled()
      vi.advanceTimersByTime(0)
      expect(act).toHaveBeenCalledTimes(1)
    })

    it('waits on where the wall clock was set back', () => {
      const act = vi.fn()
      systemClock.wake(Date.now() + 100, act)
      vi.setSystemTime(Date.now() - 1000)
      vi.advanceTimersByTime(100)
      expect(act).not.toHaveBeenCalled()
      vi.advanceTimersByTime(1000)
      expect(act).toHaveBeenCalledTimes(1)
    })

    it('takes a wait back, also one of many parts', () => {
      const act = vi.fn()
      const back = systemClock.wake(Date.now() + 2 ** 32, act)
      vi.advanceTimersByTime(2 ** 31 + 5)
      back()
      vi.advanceTimersByTime(2 ** 33)
      expect(act).not.toHaveBeenCalled()
      expect(vi.getTimerCount()).toBe(0)
    })
  })

  // The control: what fake timers say of very long waits holds for real ones.
  it('does not fire a real wait of more than 2³¹ ms early, and fires a short one', async () => {
    const long = vi.fn()
    const back = systemClock.wake(Date.now() + 2 ** 31 + 10, long)
    const asked = Date.now()
    await new Promise<void>((resolve) => {
      systemClock.wake(asked + 30, resolve)
    })
    expect(Date.now()).toBeGreaterThanOrEqual(asked + 30)
    expect(long).not.toHaveBeenCalled()
    back()
  })
})

describe('deadlines', () => {
  const command = fc.oneof(
    fc.record({
      do: fc.constant('set' as const),
      key: fc.nat({ max: 5 }),
      ms: fc.integer({ min: -3, max: 12 }),
    }),
    fc.record({ do: fc.constant('unset' as const), key: fc.nat({ max: 5 }), ms: fc.constant(0) }),
    fc.record({ do: fc.constant('advance' as const), key: fc.constant(0), ms: fc.nat({ max: 6 }) }),
  )

  it('fire what a naive list would, when it would, each once', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60, size: 'max' }), (commands) => {
        const clock = simulatedClock(100)
        const fired: [number, number][] = []
        const due = deadlines<number>(clock, (key, now) => fired.push([key, now]))
        let model: { key: number; at: number; order: number }[] = []
        const expected: [number, number][] = []
        let order = 0
        for (const { do: what, key, ms } of commands) {
          const now = clock.now()
          if (what === 'advance') {
            const end = now + ms
            const ripe = model.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at || a.order - b.order)
            model = model.filter(({ at }) => at > end)
            // What was past already is woken at the time that it is now.
            expected.push(...ripe.map((each): [number, number] => [each.key, Math.max(each.at, now)]))
            clock.advance(ms)
          } else {
            const at = what === 'set' ? now + ms : null
            const before = model.find((each) => each.key === key)
            if (before?.at !== at) {
              model = model.filter((each) => each.key !== key)
              if (at !== null) model.push({ key, at, order: order++ })
            }
            due.set(key, at)
          }
          expect(fired).toEqual(expected)
          expect(due.size).toBe(model.length)
        }
        due.stop()
        clock.advance(100)
        expect(fired).toEqual(expected)
      }),
      parameters(400),
    )
  })

  it('that are equal fire in the order in which they were set', () => {
    const clock = simulatedClock()
    const fired: string[] = []
    const due = deadlines<string>(clock, (key) => fired.push(key))
    for (const key of ['c', 'a', 'b']) due.set(key, 10)
    due.set('a', null)
    due.set('a', 10)
    clock.advance(10)
    expect(fired).toEqual(['c', 'b', 'a'])
  })

  it('can be set anew while they fire, at a later time or one already past', () => {
    const clock = simulatedClock()
    const fired: [string, number][] = []
    const due = deadlines<string>(clock, (key, now) => {
      fired.push([key, now])
      if (fired.length < 4) due.set(key, fired.length === 2 ? now - 5 : now + 10)
    })
    due.set('a', 10)
    clock.advance(100)
    expect(fired).toEqual([
      ['a', 10],
      ['a', 20],
      ['a', 20],
      ['a', 30],
    ])
    expect(due.size).toBe(0)
  })

  it('that one before them unset, put off, or stopped do not fire', () => {
    const clock = simulatedClock()
    const fired: [string, number][] = []
    const due = deadlines<string>(clock, (key, now) => {
      fired.push([key, now])
      if (key === 'a') {
        due.set('b', null)
        due.set('c', now + 5)
      }
      if (key === 'd') due.stop()
    })
    for (const key of ['a', 'b', 'c', 'd', 'e']) due.set(key, 10)
    clock.advance(10)
    expect(fired).toEqual([
      ['a', 10],
      ['d', 10],
    ])
    clock.advance(10)
    expect(fired).toHaveLength(2)
    expect(due.size).toBe(0)
  })

  it('all fire though one of them throws, which its caller hears', () => {
    const clock = simulatedClock()
    const fired: string[] = []
    const due = deadlines<string>(clock, (key) => {
      fired.push(key)
      if (key !== 'b') throw new Error(`${key} threw`)
    })
    for (const key of ['a', 'b', 'c']) due.set(key, 10)
    due.set('d', 20)
    expect(() => clock.advance(10)).toThrow('a threw')
    expect(fired).toEqual(['a', 'b', 'c'])
    expect(() => clock.advance(10)).toThrow('d threw')
    expect([due.size, clock.advanceToNext()]).toEqual([0, false])
  })

  it('keep one timer, for the earliest, and leave none', () => {
    const armed: number[] = []
    const clock = simulatedClock()
    const counting = {
      now: () => clock.now(),
      wake: (at: number, act: () => void) => {
        armed.push(at)
        const back = clock.wake(at, () => {
          armed.splice(armed.indexOf(at), 1)
          act()
        })
        return () => {
          armed.splice(armed.indexOf(at), 1)
          back()
        }
      },
    }
    const due = deadlines<number>(counting, () => {})
    for (const at of [50, 20, 70, 20, 10]) due.set(at * 100 + armed.length, at)
    expect(armed).toEqual([10])
    clock.advance(10)
    expect(armed).toEqual([20])
    due.set(7001, 70)
    clock.advance(45)
    expect(armed).toEqual([70])
    due.stop()
    expect([armed, due.size, clock.advanceToNext()]).toEqual([[], 0, false])
    due.set(1, 80)
    expect(armed).toEqual([80])
    due.set(1, null)
    expect([armed, due.size]).toEqual([[], 0])
  })

  it('on the system’s clock leave no timer once they stop', () => {
    vi.useFakeTimers()
    try {
      const due = deadlines<string>(systemClock, () => {})
      due.set('a', Date.now() + 2 ** 40)
      due.set('b', Date.now() + 5)
      expect(vi.getTimerCount()).toBe(1)
      due.stop()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
