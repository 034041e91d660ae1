/** Messages that a caller in the same process makes unreadable, and happenings that are none. */
import { describe, expect, it } from 'vitest'
import { conversation } from '../../machines/conversation/index.ts'
import { simulatedClock } from '../../src/engine/clock.ts'
import { deadlines } from '../../src/engine/deadlines.ts'
import { freshId, freshUuid } from '../../src/engine/fresh-id.ts'
import { openConversation } from '../../src/engine/opening.ts'
import type { Protocol } from '../../src/engine/protocol.ts'
import { ColloquyError } from '../../src/errors.ts'
import type { Happening } from '../../src/schema/record.ts'

const open = () =>
  openConversation({ protocol: conversation as Protocol, id: 'c1', members: ['ann', 'ben'], at: 0 })

describe('a message', () => {
  it('whose fields throw when they are read is malformed, and nothing else happens', () => {
    const talk = open()
    const message = {
      id: 'm1',
      from: 'ann',
      get intent(): string {
        throw new Error('no')
      },
    }
    expect(talk.send(message, 1)).toMatchObject({
      effect: 'rejected',
      issues: [{ path: '', message: 'cannot be read: reading one of its fields throws' }],
    })
    expect(talk.seq).toBe(0)
  })
})

describe('a happening', () => {
  it('that is none is rejected with what is wrong', () => {
    const talk = open()
    const wrong = { type: 'leave', at: 1 } as unknown as Happening
    expect(talk.apply(wrong)).toMatchObject({
      effect: 'rejected',
      reason: 'invalid',
      issues: [{ path: 'member' }],
    })
    expect(talk.seq).toBe(0)
  })
})

describe('a deadline', () => {
  it('at no time at all is refused', () => {
    const timer = deadlines<string>(simulatedClock(), () => {})
    expect(() => timer.set('a', Number.NaN)).toThrow(ColloquyError)
    try {
      timer.set('a', Number.NaN)
    } catch (error) {
      expect(error).toMatchObject({ code: 'USAGE', remedy: 'Give ms, or null for none.' })
      expect(String(error)).toContain('The time of a deadline is NaN')
    }
    expect(timer.size).toBe(0)
  })
})

describe('a fresh id', () => {
  it('is a UUID for a message, and else a nanoid behind its prefix', () => {
    expect(freshUuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(freshId('c-')).toMatch(/^c-[\w-]{21}$/)
    expect(freshUuid()).not.toBe(freshUuid())
  })
})
