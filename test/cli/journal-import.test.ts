import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { journalExport } from '../../src/cli/journal-export.ts'
import { journalImport } from '../../src/cli/journal-import.ts'
import { jsonlJournal } from '../../src/index.ts'
import { atDesk, CANCEL, INFO, imported, opening, refusalOf, someConversations } from './desk.ts'
import { colloquy, folder, start, until } from './process.ts'

const here = folder()
afterAll(() => here.remove())
const at = (name: string): string => join(here.path, name)
const some = someConversations(here)

describe('journal import', () => {
  const refused = async (place: string, paths: string[]) => {
    const error = await refusalOf(atDesk((desk) => journalImport(place, paths, desk)))
    const { text } = await atDesk((desk) => journalExport(place, [], { output: `${place}-left` }, desk))
    return { error, text }
  }

  it('refuses a conversation that is there already by name, and imports nothing', async () => {
    const place = await imported(at('there'), at('1'))
    const { error, text } = await refused(place, [at('2'), at('1')])
    expect(error).toMatchObject({
      code: 'CONVERSATION_EXISTS',
      message: `${at('1')} is of "b-open", which is in ${place} already`,
    })
    expect(text).toMatch(/^1 record in /)
  })

  it('refuses two records of one conversation', async () => {
    const { error } = await refused(at('twice'), [at('1'), here.file('1-again', opening('b-open'))])
    expect(error).toMatchObject({ code: 'CONVERSATION_EXISTS' })
    expect(readdirSync(at('twice'))).toEqual([])
  })

  it.each([
    ['is no JSON', `${opening('x')}nonsense\n`, 'RECORD_INVALID', 'line 2: is no JSON'],
    ['goes back in time', `${opening('x')}${CANCEL}${INFO}`, 'RECORD_INVALID', 'line 3: has "at" 1000'],
    [
      'is of unknown rules',
      opening('x', ',"machine":"chess"'),
      'RECORD_INVALID',
      'names the machine "chess"',
    ],
    ['is empty', '', 'RECORD_INVALID', 'line 1: is missing'],
  ])('refuses a record that %s by file and line, and imports nothing', async (what, record, code, words) => {
    const path = here.file(`wrong ${what}`, record)
    const place = at(`nothing of what ${what}`)
    const { error } = await refused(place, [at('1'), path])
    expect(error).toMatchObject({ code, message: expect.stringContaining(`${path}: line`) })
    expect(error).toMatchObject({ message: expect.stringContaining(words) })
    expect(readdirSync(place)).toEqual([])
  })

  it('leaves lines behind that changed nothing, and says so', async () => {
    const twice = here.file('twice-said', opening('twice') + INFO + INFO)
    const place = at('said-twice')
    const { warnings } = await atDesk((desk) => journalImport(place, [twice], desk))
    expect(warnings).toEqual([`${twice}: 1 line changed nothing, and stayed behind`])
    const journal = jsonlJournal(place)
    expect((await journal.read('twice')).events).toHaveLength(2)
    await journal.close()
  })

  it('keeps how a conversation stands, with a snapshot', async () => {
    const journal = jsonlJournal(await some)
    expect(await journal.list({ status: 'accepted' })).toMatchObject([{ id: 'happy-path', state: 'closed' }])
    expect(await journal.load('b-open')).toMatchObject({
      length: 2,
      events: [],
      snapshot: { seq: 1, known: [['m1', 'a']] },
    })
    await journal.close()
  })

  it('stops between two conversations when it is told to', async () => {
    const stop = new AbortController()
    stop.abort()
    const { code } = await atDesk((desk) => journalImport(at('stopped'), [at('1'), at('2')], desk), {
      signal: stop.signal,
    })
    expect(code).toBe(130)
    expect(readdirSync(at('stopped'))).toEqual([])
  })

  it('refuses from stdin what is no text, and ends its wait for it by Ctrl-C', async () => {
    const broken = await colloquy(['journal', 'import', at('bytes'), '-'], {
      input: Buffer.from([0x22, 0xff]),
    })
    expect(broken).toMatchObject({
      code: 65,
      stderr: expect.stringContaining('RECORD_INVALID: stdin: is no UTF-8'),
    })
    const { child, ended, says } = start(['journal', 'import', at('waiting'), '-'])
    await until(() => existsSync(at('waiting')), 'began')
    child.kill('SIGINT')
    await says('Stopping: ')
    expect(await ended).toMatchObject({ code: 130 })
    expect(readdirSync(at('waiting'))).toEqual([])
  })
})
