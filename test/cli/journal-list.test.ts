import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { pagesOf } from '../../src/cli/journal-desk.ts'
import { journalList } from '../../src/cli/journal-list.ts'
import { journalVerify } from '../../src/cli/journal-verify.ts'
import {
  createHost,
  jsonlJournal,
  type ListFilter,
  memoryJournal,
  type RecordEvent,
} from '../../src/index.ts'
import { built } from '../support/build.ts'
import { atDesk, INFO, imported, linesIn, opening, someConversations } from './desk.ts'
import { folder } from './process.ts'

const here = folder()
afterAll(() => here.remove())
const at = (name: string): string => join(here.path, name)
const some = someConversations(here)

const listed = async (options: Parameters<typeof journalList>[1], place?: string) => {
  const { text } = await atDesk(async (desk) =>
    journalList(place ?? (await some), { ...options, json: true }, desk),
  )
  return linesIn(text).map(({ id }) => id)
}

describe('journal ls', () => {
  it('tells of each conversation where it stands or how it ended, in columns', async () => {
    const { code, text } = await atDesk(async (desk) => journalList(await some, {}, desk))
    expect(code).toBe(0)
    const lines = text.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^id +protocol +state +status +events +opened +due +questions$/)
    expect(lines[1]).toMatch(/^a-cancelled +conversation 1 +closed +cancelled +2 +0 ms +– +0$/)
    expect(lines[2]).toMatch(/^b-open +conversation 1 +discussion +– +2 +0 ms +600000 ms +0$/)
    expect(lines).toHaveLength(6)
    expect(new Set(lines.map((line) => line.length)).size).toBe(1)
  })

  it('tells times of the calendar in ISO 8601', async () => {
    const record = here.file('2030', opening('c').replace('"at":0', '"at":1893456000000'))
    const place = await imported(at('calendar'), record)
    const { text } = await atDesk((desk) => journalList(place, {}, desk))
    expect(text).toMatch(/ 2030-01-01T00:00:00\.000Z +2030-01-01T00:10:00\.000Z +0$/m)
  })

  it.each([
    [{}, ['a-cancelled', 'b-open', 'broken-agent', 'c-ioa', 'happy-path']],
    [{ open: true }, ['b-open', 'broken-agent', 'c-ioa']],
    [{ closed: true }, ['a-cancelled', 'happy-path']],
    [{ machine: 'ioa' }, ['c-ioa']],
    [{ state: 'discussion', machine: 'conversation' }, ['b-open', 'broken-agent']],
    [{ status: 'accepted' }, ['happy-path']],
    [{ limit: 2 }, ['a-cancelled', 'b-open']],
    [{ limit: 1, open: true }, ['b-open']],
    [{ status: 'no such' }, []],
  ])('lists those that are meant by %j', async (options, ids) => {
    expect(await listed(options)).toEqual(ids)
  })

  it('says so when there are none', async () => {
    const { code, text } = await atDesk(async (desk) => journalList(await some, { state: 'nowhere' }, desk))
    expect({ code, text }).toEqual({ code: 0, text: `There is no such conversation in ${await some}.\n` })
    mkdirSync(at('other'))
    const other = await atDesk((desk) => journalList(at('other'), {}, desk))
    expect(other).toMatchObject({ code: 0, text: `There is no conversation in ${at('other')}.\n` })
  })

  it('finds by the record how a conversation stands when nobody has kept it, and lists it by that', async () => {
    const place = await imported(at('bare'), ...['1', '2'].map((name) => at(name)))
    for (const name of readdirSync(place))
      if (name.endsWith('.state.json')) writeFileSync(join(place, name), '')
    const journal = jsonlJournal(place)
    expect((await journal.list()).map(({ state }) => state)).toEqual([null, null])
    await journal.close()
    expect(await listed({ closed: true }, place)).toEqual(['a-cancelled'])
    expect(await listed({ open: true }, place)).toEqual(['b-open'])
    expect(await listed({ state: 'discussion' }, place)).toEqual(['b-open'])
  })

  it('tells where conversations are that a host has, as does verify, though the folder tells it only at times', async () => {
    const place = at('hosted')
    const journal = jsonlJournal(place)
    const host = await createHost({ journal })
    await host.open({ id: 'c', members: ['a', 'b'] })
    const payload = { subtasks: [{ id: 't' }] }
    await host.send('c', { id: 'p', from: 'a', intent: 'proposal', payload })
    const { text } = await atDesk((desk) => journalList(place, {}, desk))
    expect(text).toMatch(/^c +conversation 1 +proposal +– +2 /m)
    expect(await listed({ state: 'proposal' }, place)).toEqual(['c'])
    const verified = await atDesk((desk) => journalVerify(place, {}, desk))
    expect(verified).toMatchObject({ code: 0, text: '1 conversation: all is well\n' })
    await host.close()
    await journal.close()
  })

  it('lists also what it cannot decide, and says why', async () => {
    const place = at('own-rules')
    const journal = jsonlJournal(place)
    const event = {
      type: 'open',
      at: 0,
      id: 'c',
      machine: 'chess',
      goal: '',
      members: ['a'],
      lead: null,
      policy: {},
    }
    await journal.append('c', 0, [event as RecordEvent])
    await journal.close()
    const { text, warnings } = await atDesk((desk) => journalList(place, {}, desk))
    expect(text).toMatch(/^c +chess +\? +– +1 /m)
    expect(warnings).toEqual([expect.stringContaining('Conversations of "chess" cannot be decided here')])
  })

  it('lists also what is broken, and says where', async () => {
    const place = await imported(at('spoilt'), at('1'))
    writeFileSync(join(place, 'b-open.jsonl'), `${opening('b-open')}nonsense\n${INFO}`)
    const { code, text, warnings } = await atDesk((desk) => journalList(place, {}, desk))
    expect(code).toBe(0)
    expect(text).toMatch(/^b-open +conversation +discussion /m)
    expect(warnings).toEqual([expect.stringMatching(/^"b-open": JOURNAL_CORRUPT: .*line 2: is no JSON$/)])
  })

  it('goes through pages, each asked for after the last id, and stops at its limit', async () => {
    const inner = memoryJournal()
    for (let count = 0; count < 2_500; count++) {
      const id = `c${String(count).padStart(4, '0')}`
      const event = {
        type: 'open',
        at: 0,
        id,
        machine: 'conversation',
        goal: '',
        members: ['a'],
        lead: null,
        policy: {},
      }
      await inner.append(id, 0, [event as RecordEvent])
    }
    const asked: (ListFilter | undefined)[] = []
    const journal = {
      ...inner,
      capabilities: { durable: false, shared: true },
      list(filter?: ListFilter) {
        asked.push(filter)
        return inner.list(filter)
      },
    }
    const ids: string[] = []
    for await (const page of pagesOf(journal, { machine: 'conversation' }))
      for (const { id } of page) ids.push(id)
    expect(ids).toHaveLength(2_500)
    expect(new Set(ids).size).toBe(2_500)
    expect(asked).toEqual([
      { machine: 'conversation', limit: 1_000 },
      { machine: 'conversation', limit: 1_000, after: 'c0999' },
      { machine: 'conversation', limit: 1_000, after: 'c1999' },
    ])
  })

  it('ends in peace when its reader has enough', async () => {
    const main = join(built(), 'dist/src/cli/main.js')
    const status = `{ "$0" "$1" journal ls "$2"; echo $? >"$3"; } | head -1`
    const out = execFileSync('/bin/sh', ['-c', status, process.execPath, main, await some, at('code')])
    expect(out.toString()).toMatch(/^id /)
    expect(readFileSync(at('code'), 'utf8').trim()).toBe('0')
  })
})
