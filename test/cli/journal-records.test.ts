import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { journalExport } from '../../src/cli/journal-export.ts'
import { journalVerify } from '../../src/cli/journal-verify.ts'
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
  it.each(['all', 'all.db'])(
    'come out of %s as they went in, whatever conversation they are of',
    async (name) => {
      const place = await imported(at(name), ...recordNames.map(recordPath))
      const out = at(`out-of-${name}`)
      const { text } = await atDesk((desk) => journalExport(place, [], { output: out }, desk))
      expect(text).toBe(`${recordNames.length} records in ${out}\n`)
      expect(readdirSync(out)).toHaveLength(recordNames.length)
      const verified = await atDesk((desk) => journalVerify(place, {}, desk))
      expect(verified).toMatchObject({ code: 0, warnings: [] })
      for (const each of recordNames) {
        const record = decided(recordPath(each))
        const path = join(out, `${fileNameOf(idIn(record))}.jsonl`)
        expect(linesOfFile(path), each).toEqual(record)
      }
      // And again: what was written by us is the same to the byte.
      const paths = readdirSync(out).map((file) => join(out, file))
      const again = await imported(at(`again-${name}`), ...paths)
      await atDesk((desk) => journalExport(again, [], { output: `${out}-again` }, desk))
      for (const file of readdirSync(out))
        expect(readFileSync(join(`${out}-again`, file))).toEqual(readFileSync(join(out, file)))
    },
  )

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

  it('are not written where there can be no folder, and it is said why, at once', async () => {
    const place = await some
    const file = here.file('taken', '')
    for (const [output, why] of [
      [file, 'is a file, and the records need a folder'],
      [join(file, 'in', 'it'), 'leads through something that is no folder'],
    ] as const)
      expect(await refusalOf(atDesk((desk) => journalExport(place, [], { output }, desk)))).toMatchObject({
        code: 'IO_FAILED',
        message: `Cannot write: ${output} ${why}`,
        remedy: 'Name another folder with -o.',
      })
    if (!existsSync('/proc/self')) return
    for (const command of [
      ['journal', 'export', place, '-o', '/proc/nope/records'],
      ['journal', 'import', '/proc/nope/records', recordPath('happy-path')],
    ]) {
      const { code, stderr } = await colloquy(command)
      expect(code).toBe(74)
      expect(stderr).toContain('colloquy: IO_FAILED: Cannot write: /proc/nope/records cannot be made there\n')
    }
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
