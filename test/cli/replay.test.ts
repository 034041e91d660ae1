import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { replayCommand } from '../../src/cli/replay-command.ts'
import type { SyncOutput } from '../../src/cli/sync-output.ts'
import { built } from '../support/build.ts'
import { colloquy, folder } from './process.ts'

const vectors = fileURLToPath(new URL('../vectors/', import.meta.url))
const names = readdirSync(vectors)
  .filter((name) => name.endsWith('.expected.jsonl'))
  .map((name) => name.replace('.expected.jsonl', ''))
const expectedOf = (name: string): unknown[] =>
  readFileSync(join(vectors, `${name}.expected.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
const linesOf = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

const inProcess = (path: string, options: Parameters<typeof replayCommand>[1]) => {
  let text = ''
  const warnings: string[] = []
  const output: SyncOutput = {
    write: (part) => {
      text += part
    },
    flush: () => {},
  }
  replayCommand(path, options, { output, width: 120, warn: (warning) => warnings.push(warning) })
  return { text, warnings }
}

const here = folder()
afterAll(() => here.remove())

const OPEN = '{"type":"open","at":0,"id":"c","members":["a","b"]}\n'
const INFO =
  '{"type":"message","at":1000,"message":{"id":"m1","from":"a","intent":"info","content":"hello"}}\n'
const INFO_DECIDED =
  '{"effect":"applied","reason":"continue","from":"discussion","to":"discussion","transitions":[]}\n'

describe('replay --json', () => {
  it.each(names)('prints what the specification says of %s', (name) => {
    const { text, warnings } = inProcess(join(vectors, `${name}.jsonl`), { json: true })
    const got = linesOf(text)
    const expected = expectedOf(name)
    expect(got).toHaveLength(expected.length)
    for (const [index, line] of expected.entries()) expect(got[index]).toMatchObject(line as object)
    expect(got.at(-1)).toEqual(expected.at(-1))
    expect(warnings).toEqual([])
  })

  it.each(['happy-path', 'malformed', 'spammer-expelled', 'random-48'])(
    'does so as a process, from a file and from stdin: %s',
    async (name) => {
      const path = join(vectors, `${name}.jsonl`)
      const byPath = await colloquy(['replay', path, '--json'])
      expect(byPath).toMatchObject({ code: 0, stderr: '' })
      expect(linesOf(byPath.stdout)).toEqual(expectedOf(name))
      expect(await colloquy(['replay', '--json', '-'], { input: readFileSync(path) })).toEqual(byPath)
    },
  )

  it('takes line ends of Windows', async () => {
    const input = (OPEN + INFO).replaceAll('\n', '\r\n')
    expect(await colloquy(['replay', '--json', '-'], { input })).toEqual({
      code: 0,
      stdout: `${INFO_DECIDED}{"outcome":null,"state":"discussion"}\n`,
      stderr: '',
    })
  })

  it('drops a last line that was cut short, with a warning, also when it is cut within a character', async () => {
    const whole = Buffer.from(`${OPEN}${INFO}{"type":"fault","at":2000,"member":"b","error":"é`)
    for (const input of [whole, whole.subarray(0, -1)]) {
      expect(await colloquy(['replay', '--json', '-'], { input })).toEqual({
        code: 0,
        stdout: `${INFO_DECIDED}{"outcome":null,"state":"discussion"}\n`,
        stderr: 'colloquy: warning: stdin: line 3 was cut short and is dropped\n',
      })
    }
  })

  it.each([
    ['is no JSON', 'nonsense\n', 'is no JSON'],
    ['is empty', '\n', 'is no JSON'],
    ['is no UTF-8', Buffer.from([0x22, 0xff, 0x22, 0x0a]), 'is no UTF-8'],
    ['is no event', '{"type":"party","at":2000}\n', 'is no event: type '],
    ['is before the last', '{"type":"cancel","at":999}\n', 'has "at" 999, which is before 1000'],
    ['opens again', OPEN, 'is no event: type'],
  ])('prints what precedes a line that %s, then its number, and ends with 65', async (_, line, words) => {
    const input = Buffer.concat([Buffer.from(OPEN + INFO), Buffer.from(line), Buffer.from(INFO)])
    const { code, stdout, stderr } = await colloquy(['replay', '--json', '-'], { input })
    expect(stderr).toContain(`colloquy: RECORD_INVALID: line 3: ${words}`)
    expect(stderr).toMatch(/^→ Correct or cut the record at the line named/m)
    expect(stderr.trimEnd().split('\n')).toHaveLength(2)
    expect({ code, stdout }).toEqual({ code: 65, stdout: INFO_DECIDED })
  })

  it.each([
    ['nothing', '', 'line 1: is missing: a record begins with its "open" event'],
    ['a message first', INFO, 'line 1: is no "open" event'],
    ['a byte order mark', `\ufeff${OPEN}`, 'line 1: is no JSON: it begins with a byte order mark'],
    [
      'an unknown machine',
      OPEN.replace('"members"', '"machine":"chess","members"'),
      'line 1: names the machine "chess"; known are: conversation',
    ],
    [
      'a version from the future',
      OPEN.replace('"members"', '"version":99,"members"'),
      'line 1: is of version 99 of "conversation"',
    ],
    [
      'a wrong policy',
      OPEN.replace('"members"', '"policy":{"maxRejct":1},"members"'),
      'line 1: The conversation was not opened: policy.maxRejct is unknown; did you mean "maxReject"?',
    ],
  ])('refuses a record of %s', async (_, input, words) => {
    const { code, stdout, stderr } = await colloquy(['replay', '--json', '-'], { input })
    expect(stderr).toContain(`colloquy: RECORD_INVALID: ${words}`)
    expect({ code, stdout }).toEqual({ code: 65, stdout: '' })
  })

  it('names each wrong field of an open once, on a line of its own', async () => {
    const input = OPEN.replace('"members"', '"policy":{"maxReject":-1,"minMembers":0},"members"')
    const { stderr } = await colloquy(['replay', '-'], { input })
    expect(stderr).toBe(
      [
        'colloquy: RECORD_INVALID: line 1: The conversation was not opened',
        '  policy.maxReject: must be an integer of at least 0',
        '  policy.minMembers: must be an integer of at least 1',
        '→ Correct or cut the record at the line named; what precedes it is intact.',
        '',
      ].join('\n'),
    )
  })
})

describe('replay for people', () => {
  it('tells each event, how it ended and by which way', () => {
    const { text } = inProcess(join(vectors, 'happy-path.jsonl'), {})
    expect(text).toContain('Members: a (lead), b, c')
    expect(text).toMatch(/ 4 +0:04\.0 {2}proposal +b +agree +→ assign \(consensus\)/)
    expect(text).toContain('Closed in "review": accepted, after 9 turns and 9 s.')
    expect(text).toContain('Path: discussion → proposal → assign → execution → review → closed')
  })

  it('says where a conversation stands that has not ended', () => {
    const { text } = inProcess(here.file('open.jsonl', OPEN + INFO), {})
    expect(text).toContain('Still open in "discussion" after 1 event; its time here is up 9 min 59 s later.')
  })

  it('tells what explains the end: faults, lines that were refused, and the numbers that are not the usual ones', () => {
    const { text } = inProcess(join(vectors, 'broken-agent.jsonl'), {})
    expect(text).toContain('Faults: 2 of 2 events are failures of members.')
    expect(text).toContain('Refused: 2 lines of the record changed nothing (marked –).')
    expect(text).toContain('Policy: violationLimit 2')
    expect(inProcess(join(vectors, 'happy-path.jsonl'), {}).text).not.toMatch(/Faults|Refused|Policy/)
  })

  it('tells of a record that holds only its opening', () => {
    expect(inProcess(here.file('only.jsonl', OPEN), {}).text).toContain(
      'Still open in "discussion" after 0 events',
    )
  })

  it('shows why a message was rejected, of whatever shape', () => {
    const message = (value: string): string => `{"type":"message","at":1,"message":${value}}\n`
    const record = [OPEN, message('7'), message('{"from":{},"intent":3,"content":null}')].join('')
    expect(inProcess(here.file('shapes.jsonl', record), {}).text).toMatch(/rejected: invalid · \S+/)
  })

  it('shows only the events asked for', () => {
    const { text } = inProcess(join(vectors, 'happy-path.jsonl'), { from: 3, to: 4 })
    expect([...text.matchAll(/^ +(\d+) +\d:/gm)].map(([, seq]) => seq)).toEqual(['3', '4'])
  })

  it('takes out of a record what would move the cursor', () => {
    const nasty = '\\u001b[31mred\\u001b[0m\\r\\n\\u0007\\u202e'
    const record =
      OPEN.replace('"id":"c"', `"id":"${nasty}","goal":"${nasty}"`) + INFO.replace('hello', nasty)
    const { text } = inProcess(here.file('nasty.jsonl', record), {})
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e/u)
    expect(text).toContain('red')
  })
})

describe('what replay reads and where it writes', () => {
  it('says that a file is missing, or is a folder, with 66', async () => {
    expect(await colloquy(['replay', 'no-such-file'])).toEqual({
      code: 66,
      stdout: '',
      stderr: 'colloquy: INPUT_MISSING: no-such-file does not exist\n→ Check the path.\n',
    })
    expect(await colloquy(['replay', here.path])).toMatchObject({
      code: 66,
      stderr: expect.stringContaining('is a folder, not a file'),
    })
  })

  it('ends in peace when its reader has enough', async () => {
    const many = Array.from({ length: 50_000 }, () => INFO).join('')
    const path = here.file('long.jsonl', OPEN + many)
    const main = join(built(), 'dist/src/cli/main.js')
    // The shell gives head's code; that of replay goes to a file of its own.
    const status = `{ "$0" "$1" replay --json "$2"; echo $? >"$3"; } | head -1`
    const out = execFileSync('/bin/sh', ['-c', status, process.execPath, main, path, join(here.path, 'code')])
    expect(out.toString()).toBe(INFO_DECIDED)
    expect(readFileSync(join(here.path, 'code'), 'utf8').trim()).toBe('0')
  })

  it('prints while it reads, and keeps little in memory', async () => {
    const main = join(built(), 'dist/src/cli/main.js')
    const child = spawn(process.execPath, ['--max-old-space-size=64', main, 'replay', '--json', '-'])
    let size = 0
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
    })
    child.stdin.write(OPEN)
    // The same id again and again: ignored, so that nothing is to be remembered. 100 MB in all.
    const content = 'x'.repeat(10_000)
    const chunk = INFO.replace('hello', content).repeat(100)
    for (let count = 0; count < 100; count++) {
      if (!child.stdin.write(chunk)) await once(child.stdin, 'drain')
    }
    child.stdin.end()
    const [code] = await once(child, 'close')
    expect(code).toBe(0)
    expect(size).toBeGreaterThan(10_000 * 50)
  })
})
