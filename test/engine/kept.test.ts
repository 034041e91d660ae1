/** An append that has to be done, and a journal that hangs. */
import { getEventListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { kept } from '../../src/engine/kept.ts'
import { ColloquyError } from '../../src/errors.ts'

const thrown = async (act: Promise<void>): Promise<ColloquyError> => {
  const error = await act.then(
    () => new Error('was kept'),
    (reason: unknown) => reason,
  )
  if (error instanceof ColloquyError) return error
  throw error
}
const hanging = (): Promise<void> => new Promise(() => {})
const HANGS = 'The journal had not answered 5 ms after the abort'

const listening = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

describe('an append', () => {
  it('is waited for, with an abort that does not come or without any', async () => {
    await kept(Promise.resolve(), undefined, 5)
    const { signal } = new AbortController()
    const late = wait(20)
    await kept(late, signal, 5)
    expect(listening(signal)).toBe(0)
  })

  it('that fails is the journal’s failure, with what it said', async () => {
    const cause = new Error('disk full')
    const error = await thrown(kept(Promise.reject(cause), undefined, 5))
    expect(error.code).toBe('JOURNAL_FAILED')
    expect(error.message).toContain('The journal failed: disk full')
    expect(error.cause).toBe(cause)
    const own = new ColloquyError('JOURNAL_CONFLICT', 'somebody else wrote')
    expect(await thrown(kept(Promise.reject(own), undefined, 5))).toBe(own)
  })

  it('that hangs is given up some time after the abort, and not before it', async () => {
    const abort = new AbortController()
    const given = thrown(kept(hanging(), abort.signal, 5))
    expect(await Promise.race([given, wait(20, 'waiting')])).toBe('waiting')
    expect(listening(abort.signal)).toBe(1)
    abort.abort()
    const error = await given
    expect([error.code, error.message]).toEqual(['JOURNAL_FAILED', expect.stringContaining(HANGS)])
    expect(listening(abort.signal)).toBe(0)
  })

  it('that hangs is given up also where the abort was before', async () => {
    expect((await thrown(kept(hanging(), AbortSignal.abort(), 5))).message).toContain(HANGS)
  })

  it('that is done in time after the abort is kept', async () => {
    await kept(wait(2), AbortSignal.abort(), 1000)
  })
})
