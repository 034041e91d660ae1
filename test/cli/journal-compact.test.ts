import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { journalCompact } from '../../src/cli/journal-compact.ts'
import { journalExport } from '../../src/cli/journal-export.ts'
import {
  atDesk,
  CANCEL,
  imported,
  opening,
  recordNames,
  recordPath,
  refusalOf,
  someConversations,
} from './desk.ts'
import { folder } from './process.ts'

const here = folder()
afterAll(() => here.remove())
const at = (name: string): string => join(here.path, name)
const some = someConversations(here)

describe('journal compact', () => {
  it('makes the records of closed conversations smaller, and loses nothing of them', async () => {
    const place = await imported(at('large'), ...recordNames.map(recordPath))
    await atDesk((desk) => journalExport(place, [], { output: at('before') }, desk))
    const { code, text } = await atDesk((desk) => journalCompact(place, [], desk))
    expect(code).toBe(0)
    expect(text).toMatch(/^happy-path: \d+ → \d+ bytes \(\d+ %\)$/m)
    const [, before, after] = /^\d+ conversations: (\d+) → (\d+) bytes \(\d+ %\)$/m.exec(text) ?? []
    expect(Number(after)).toBeLessThan(Number(before) / 2)
    expect(existsSync(join(place, 'happy-path.jsonl'))).toBe(false)
    await atDesk((desk) => journalExport(place, [], { output: at('after') }, desk))
    for (const name of readdirSync(at('before')))
      expect(readFileSync(join(at('after'), name))).toEqual(readFileSync(join(at('before'), name)))
    const again = await atDesk((desk) => journalCompact(place, [], desk))
    expect(again.text).toMatch(/^\d+ conversations: \d+ bytes, as before\n$/)
  })

  it('leaves what is open as it is, and knows who is not there', async () => {
    const { text } = await atDesk(async (desk) => journalCompact(await some, ['b-open'], desk))
    expect(text).toMatch(/^b-open: \d+ bytes, as before$/m)
    const error = await refusalOf(atDesk(async (desk) => journalCompact(await some, ['nobody'], desk)))
    expect(error).toMatchObject({ code: 'CONVERSATION_UNKNOWN' })
  })

  it('stops between two conversations when it is told to', async () => {
    const place = await imported(
      join(here.path, 'two'),
      recordPath('happy-path'),
      here.file('z', opening('z') + CANCEL),
    )
    const stop = new AbortController()
    const { code, text } = await atDesk((desk) => journalCompact(place, [], desk), {
      signal: stop.signal,
      wrote: () => stop.abort(),
    })
    expect(code).toBe(130)
    expect(text).toMatch(/^happy-path: \d+ → \d+ bytes .*\n1 conversation: /)
  })
})
