import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { colloquy } from './process.ts'

const ADVICE = '→ Run the command with --help.\n'

describe('a wrong command line', () => {
  it.each([
    ['repla x', "unknown command 'repla' (Did you mean replay?)"],
    ['xyzzy', "unknown command 'xyzzy'"],
    ['replay x --jsn', "unknown option '--jsn' (Did you mean --json?)"],
    ['run --recrod d x', "unknown option '--recrod' (Did you mean --record?)"],
    ['replay', "missing required argument 'record'"],
    ['run', "missing required argument 'task'"],
    ['replay a b', "too many arguments for 'replay'. Expected 1 argument but got 2."],
    ['run --model', "option '--model <name>' argument missing"],
    ['run x --json --quiet', "option '--json' cannot be used with option '--quiet'"],
    ['replay x --json --from 2', "option '--from <seq>' cannot be used with option '--json'"],
    [
      'replay x --from two',
      "option '--from <seq>' argument 'two' is invalid. It must be the number of an event, as the table shows it.",
    ],
    [
      'draw --format svg',
      "option '--format <format>' argument 'svg' is invalid. Allowed choices are mermaid, dot, json.",
    ],
  ])('%s is answered with what is wrong, and 64', async (line, words) => {
    expect(await colloquy(line.split(' '))).toEqual({
      code: 64,
      stdout: '',
      stderr: `colloquy: USAGE: ${words}\n${ADVICE}`,
    })
  })

  it('shows a stack only when asked', async () => {
    const { stderr } = await colloquy(['--debug', 'replay', 'no-such-file'])
    expect(stderr).toMatch(
      /^colloquy: INPUT_MISSING.*\n→ Check the path\.\nFileFailure: [\s\S]* at .*\ncaused by Error: ENOENT/,
    )
  })
})

describe('help', () => {
  it('is the answer to no command at all', async () => {
    const { code, stdout, stderr } = await colloquy([])
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toContain('Usage: colloquy')
  })

  it.each([['--help'], ['run --help'], ['replay --help'], ['draw --help'], ['check --help'], ['help run']])(
    '%s has an example',
    async (line) => {
      const { code, stdout, stderr } = await colloquy(line.split(' '))
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(/^Example:\n {2}\$ colloquy /m)
    },
  )

  it('tells the version of the package', async () => {
    const path = fileURLToPath(new URL('../../package.json', import.meta.url))
    const { version } = JSON.parse(readFileSync(path, 'utf8'))
    expect(await colloquy(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })
})
