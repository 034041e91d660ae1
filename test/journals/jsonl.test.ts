import { execFileSync, spawn } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { fileNameOf } from '../../src/file-name.ts'
import { jsonlJournal } from '../../src/journals/jsonl.ts'
import type { RecordEvent } from '../../src/schema/record.ts'
import { journalContract } from './contract.ts'

const root = mkdtempSync(join(tmpdir(), 'colloquy-jsonl-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let folders = 0
const folder = (): string => join(root, `f${folders++}`)

for (const [name, sync] of [
  ['jsonl', true],
  ['jsonl without fsync', false],
] as const)
  journalContract(name, () => {
    const dir = folder()
    let time = 0
    return {
      open: () => jsonlJournal(dir, { sync, now: () => time }),
      pass: (ms) => {
        time += ms
      },
    }
  })

const open: RecordEvent = {
  type: 'open',
  at: 0,
  id: 'c',
  machine: 'conversation',
  version: 1,
  goal: '',
  members: ['a'],
  lead: null,
  policy: {},
}
const leave: RecordEvent = { type: 'leave', at: 1, member: '智能体' }
const filled = async (): Promise<{ dir: string; file: string }> => {
  const dir = folder()
  const journal = jsonlJournal(dir)
  await journal.append('c', 0, [open, leave, leave])
  await journal.close()
  return { dir, file: join(dir, `${fileNameOf('c')}.jsonl`) }
}

describe('a file of JSON Lines', () => {
  it('drops a last line that was cut anywhere, with a warning, and goes on after it', async () => {
    const { file } = await filled()
    const whole = readFileSync(file)
    const lastLine = whole.lastIndexOf(0x0a, whole.length - 2) + 1
    for (let size = lastLine + 1; size < whole.length - 1; size++) {
      const dir = folder()
      const journal = jsonlJournal(dir)
      await journal.append('c', 0, [open])
      await journal.close()
      const cut = join(dir, `${fileNameOf('c')}.jsonl`)
      writeFileSync(cut, whole.subarray(0, size))
      const again = jsonlJournal(dir)
      const { events, warnings } = await again.read('c')
      expect(events).toEqual([open, leave])
      expect(warnings).toEqual([expect.stringContaining('cut short')])
      await again.append('c', 2, [{ type: 'cancel', at: 2 }])
      expect(await again.read('c')).toEqual({
        events: [open, leave, { type: 'cancel', at: 2 }],
        warnings: [],
      })
      await again.close()
    }
  })

  it('keeps a last line that lacks only its end, and gives it one', async () => {
    const { dir, file } = await filled()
    truncateSync(file, statSync(file).size - 1)
    const journal = jsonlJournal(dir)
    expect(await journal.read('c')).toEqual({ events: [open, leave, leave], warnings: [] })
    await journal.append('c', 3, [{ type: 'cancel', at: 2 }])
    expect((await journal.read('c')).events).toEqual([open, leave, leave, { type: 'cancel', at: 2 }])
  })

  it('leaves no file behind for an append at a wrong place', async () => {
    const dir = folder()
    await expect(jsonlJournal(dir).append('c', 4, [leave])).rejects.toMatchObject({
      code: 'JOURNAL_CONFLICT',
    })
    expect(readdirSync(dir)).toEqual([])
  })

  it.each([
    [
      'a torn line in the middle',
      (text: string) => text.replace('"type":"leave"', '"type":"lea'),
      'line 2: is no JSON',
    ],
    ['bytes that are no UTF-8', (text: string) => text.replace('智', '\u0000'), 'line 2'],
    ['JSON that is no event', (text: string) => text.replace('"leave"', '"lost"'), 'line 2: is no event'],
    [
      'an opening of another conversation',
      (text: string) => text.replace('"id":"c"', '"id":"d"'),
      'line 1: opens the conversation "d"',
    ],
    ['no opening', (text: string) => text.slice(text.indexOf('\n') + 1), 'line 1: is no "open" event'],
    ['an empty line', (text: string) => text.replace('\n', '\n\n'), 'line 2: is no JSON'],
  ])('names the file and line of %s, for reading and for appending', async (_, spoil, expected) => {
    const { dir, file } = await filled()
    const bytes = Buffer.from(spoil(readFileSync(file, 'utf8')))
    writeFileSync(
      file,
      bytes.map((byte) => (byte === 0 ? 0xff : byte)),
    )
    const journal = jsonlJournal(dir)
    await expect(journal.read('c')).rejects.toMatchObject({
      code: 'JOURNAL_CORRUPT',
      message: expect.stringContaining(expected),
    })
    await expect(journal.append('c', 3, [leave])).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' })
    expect(readFileSync(file).equals(Buffer.from(bytes.map((byte) => (byte === 0 ? 0xff : byte))))).toBe(true)
    await journal.close()
  })

  it('says which file it cannot write, and acknowledges nothing', async () => {
    const dir = folder()
    writeFileSync(dir, 'a file where the folder should be')
    const journal = jsonlJournal(dir)
    await expect(journal.append('c', 0, [open])).rejects.toMatchObject({
      code: 'JOURNAL_FAILED',
      message: expect.stringContaining(dir),
    })
  })

  it('takes back half a line when the disk is full, and writes on when there is room again', async (context) => {
    const dir = folder()
    try {
      execFileSync('sh', ['-c', `mkdir -p ${dir} && mount -t tmpfs -o size=64k tmpfs ${dir}`], {
        stdio: 'ignore',
      })
    } catch {
      context.skip('this system allows no tmpfs')
    }
    try {
      const journal = jsonlJournal(dir)
      await journal.append('c', 0, [open])
      const big: RecordEvent = { type: 'fault', at: 1, member: 'a', error: 'x'.repeat(100_000) }
      await expect(journal.append('c', 1, [big])).rejects.toMatchObject({
        code: 'JOURNAL_FAILED',
        message: expect.stringContaining('ENOSPC'),
      })
      expect(await journal.read('c')).toEqual({ events: [open], warnings: [] })
      await journal.append('c', 1, [leave])
      expect((await journal.read('c')).events).toEqual([open, leave])
      await journal.close()
    } finally {
      execFileSync('umount', [dir])
    }
  })

  it('keeps whatever was acknowledged when the process is killed', async () => {
    const dir = folder()
    const script = `
      import { jsonlJournal } from ${JSON.stringify(new URL('../../dist/src/journals/jsonl.js', import.meta.url).href)}
      const journal = jsonlJournal(${JSON.stringify(dir)})
      await journal.append('c', 0, [${JSON.stringify(open)}])
      for (let seq = 1; ; seq++) {
        await journal.append('c', seq, [{ type: 'leave', at: seq, member: 'm' + seq }])
        process.stdout.write(seq + '\\n')
      }`
    const main = join(root, 'writer.mjs')
    writeFileSync(main, script)
    const writer = spawn(process.execPath, [main])
    let said = ''
    writer.stdout.on('data', (data) => {
      said += String(data)
      if (said.split('\n').length > 20) writer.kill('SIGKILL')
    })
    await new Promise((resolve) => writer.on('close', resolve))
    const acknowledged = Number(
      said
        .split('\n')
        .filter((line) => line !== '')
        .at(-1),
    )
    expect(acknowledged).toBeGreaterThan(0)
    const { events } = await jsonlJournal(dir).read('c')
    expect(events.length).toBeGreaterThan(acknowledged)
  })

  it('keeps no file open', async () => {
    const dir = folder()
    const journal = jsonlJournal(dir, { sync: false })
    const openFiles = (): number => readdirSync('/proc/self/fd').length
    const before = openFiles()
    for (let index = 0; index < 50; index++) {
      await journal.append(`c${index}`, 0, [{ ...open, id: `c${index}` }])
    }
    expect(openFiles()).toBeLessThan(before + 10)
  })

  it('notices another writer, and appends nothing beside it', async () => {
    const dir = folder()
    const [one, other] = [jsonlJournal(dir), jsonlJournal(dir)]
    await one.append('c', 0, [open])
    await other.append('c', 1, [leave])
    await expect(one.append('c', 1, [leave])).rejects.toMatchObject({ code: 'JOURNAL_CONFLICT' })
    expect((await one.read('c')).events).toEqual([open, leave])
    await one.append('c', 2, [{ type: 'cancel', at: 2 }])
    expect((await other.read('c')).events).toHaveLength(3)
  })

  it('lists conversations, and neither half-born files nor others', async () => {
    const { dir, file } = await filled()
    writeFileSync(join(dir, 'note.txt'), 'hello')
    writeFileSync(join(dir, 'x.jsonl'), '{"type":"op')
    expect(await jsonlJournal(dir).list()).toMatchObject([{ id: 'c', length: 3, at: 1 }])
    truncateSync(file, 0)
    expect(statSync(file).size).toBe(0)
    expect(await jsonlJournal(dir).list()).toEqual([])
    expect(await jsonlJournal(join(dir, 'nowhere')).list()).toEqual([])
    expect(existsSync(join(dir, 'nowhere'))).toBe(false)
    expect(readdirSync(dir)).toHaveLength(3)
  })
})

describe('file names from ids', () => {
  it('are different for different ids, also where case does not count, short enough, and stay in their folder', () => {
    const seen = new Map<string, string>()
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', minLength: 1, maxLength: 128 }),
          fc.stringMatching(/^[aA=%~.\-/]{1,6}$/),
        ),
        (raw) => {
          const id = raw.toWellFormed()
          const name = fileNameOf(id)
          expect(name).toMatch(/^[a-z0-9_%=~-]{1,200}$/)
          expect(seen.get(name.toLowerCase()) ?? id).toBe(id)
          seen.set(name.toLowerCase(), id)
        },
      ),
      { numRuns: 3000 },
    )
  })
})
