/** What a report of the checker shows, replayed: it is as it says. */
import { expect } from 'vitest'
import type { Protocol } from '../../src/engine/protocol.ts'
import { replay } from '../../src/engine/replay.ts'
import type { CheckReport, RecordEntry } from '../../src/testing/report.ts'

export const replayed = (rules: Protocol, record: readonly RecordEntry[]) =>
  replay(
    record.map((value, index) => ({ line: index + 1, value })),
    { [rules.name]: rules },
  )

const messagesIn = (record: readonly RecordEntry[] | null): number =>
  (record ?? []).filter(({ type }) => type === 'message').length

/** Every bound comes with a closed record that has just as much; where there is none, it goes on. */
export const confirm = (rules: Protocol, { turns, messages, ms }: CheckReport): void => {
  const shown = ({ most, record }: CheckReport['turns']): ReturnType<typeof replayed> => {
    if (record === null) throw new Error('It shows no record')
    const again = replayed(rules, record)
    expect(again.talk.isClosed).toBe(most !== null)
    const unrecorded = again.decisions.filter(({ effect }) => effect === 'ignored' || effect === 'rejected')
    expect(unrecorded).toEqual([])
    return again
  }
  const longest = shown(turns)
  const counted = rules.checking?.turns
  if (turns.most !== null && counted !== undefined) expect(counted(longest.talk.context)).toBe(turns.most)
  shown(messages)
  if (messages.most !== null) expect(messagesIn(messages.record)).toBe(messages.most)
  expect(ms.most).not.toBeNull()
  shown(ms)
  expect((ms.record ?? []).at(-1)?.at).toBe(ms.most)
}
