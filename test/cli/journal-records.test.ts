import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { journalExport } from '../../src/cli/journal-export.ts'
import { fileNameOf } from '../../src/file-name.ts'
import {
  atDesk,
  CANCEL,
  decided,
  idIn,
  imported,
  linesOfFile,
  opening,
  recordNames,
  recordPath,
  refusalOf,
  someConversations,
} from './desk.ts'
import { colloquy, folder } from './process.ts'

const here = folder()
afterAll(() => here.remove())
const at = (name: string): string => join(here.path, name)
const some = someConversations(here)

describe('records through a journal', () => {
  it('come out as they went in, whatever conversation they are of', async () => {
    const place = await imported(at('all'), ...recordNames.map(recordPath))
    const { text } = await atDesk((desk) => journalExport(place, [], { output: at('out') }, desk))
    expect(text).toBe(`${recordNames.length} records in ${at('out')}\n`)
    expect(readdirSync(at('out'))).toHaveLength(recordNames.length)
    for (const name of recordNames) {
      const record = decided(recordPath(name))
      const path = join(at('out'), `${fileNameOf(idIn(record))}.jsonl`)
      expect(linesOfFile(path), name).toEqual(record)
    }
    // And again: what was written by us is the same to the byte.
    const again = await imported(at('again'), ...readdirSync(at('out')).map((name) => join(at('out'), name)))
    await atDesk((desk) => journalExport(again, [], { output: at('out-again') }, desk))
    for (const name of readdirSync(at('out')))
      expect(readFileSync(join(at('out-again'), name))).toEqual(readFileSync(join(at('out'), name)))
  })

  it('go to stdout and come from stdin one by one', async () => {
    const { code, stdout } = await colloquy(['journal', 'export', await some, 'happy-path'])
    expect(code).toBe(0)
    const result = await colloquy(['journal', 'import', at('piped'), '-'], { input: stdout })
    expect(result).toMatchObject({
      code: 0,
      stdout: `1 conversation imported into ${at('piped')}\n`,
      stderr: '',
    })
    const back = await colloquy(['journal', 'export', at('piped'), 'happy-path', '-o', '-'])
    expect(back.stdout).toBe(stdout)
  })

  it('go into files when there are several, or all are meant', async () => {
    for (const ids of [[], ['a-cancelled', 'b-open']]) {
      const error = await refusalOf(atDesk(async (desk) => journalExport(await some, ids, {}, desk)))
      expect(error).toMatchObject({ code: 'USAGE', remedy: 'Name one conversation, or a folder with -o.' })
    }
  })

  it('are not written of a conversation that is not there', async () => {
    const error = await refusalOf(
      atDesk(async (desk) => journalExport(await some, ['nobody'], { output: at('none') }, desk)),
    )
    expect(error).toMatchObject({ code: 'CONVERSATION_UNKNOWN' })
    expect(readdirSync(at('none'))).toEqual([])
  })

  it('keep no other from being written when one is broken', async () => {
    const place = await imported(at('broken'), at('1'), at('2'))
    writeFileSync(join(place, 'a-cancelled.jsonl'), `${opening('a-cancelled')}nonsense\n${CANCEL}`)
    const { code, warnings } = await atDesk((desk) => journalExport(place, [], { output: at('rest') }, desk))
    expect(code).toBe(65)
    expect(warnings).toEqual([expect.stringMatching(/"a-cancelled": JOURNAL_CORRUPT: .*line 2: is no JSON/)])
    expect(readdirSync(at('rest'))).toEqual(['b-open.jsonl'])
  })
})
