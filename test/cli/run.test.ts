import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { colloquy, type Folder, folder, isAlive, start, until } from './process.ts'

let here: Folder
beforeEach(() => {
  here = folder()
})
afterEach(() => here.remove())

/** An agent for every state: proposes one piece of work, agrees, takes it, does it, passes it. */
const AGENT = `
  const turn = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
  const answers = {
    discussion: { intent: 'proposal', content: 'Let us do it', payload: { subtasks: [{ id: 'it', title: 'The work' }] } },
    proposal: { intent: 'agree', content: 'Yes', replyTo: turn.replyTo },
    assign: { intent: 'accept', content: 'Mine' },
    execution: { intent: 'result', content: 'Here it is: 42' },
    review: { intent: 'verdict', content: 'Well done', payload: { verdict: 'pass' } },
  }
  process.stdout.write(JSON.stringify(answers[turn.state]))
`
const GROUP =
  'goal: Do it\nlead: ada\nmembers:\n  ada: { exec: node agent.cjs }\n  ben: { exec: [node, agent.cjs] }\n'

const task = (content: string): string => {
  here.file('agent.cjs', AGENT)
  return here.file('task.yaml', content)
}

const recordsIn = (name: string): string[] => {
  const path = join(here.path, name)
  return existsSync(path) ? readdirSync(path).map((file) => join(path, file)) : []
}
const recordedIn = (
  name = '.colloquy',
): { type: string; error?: string; message?: { content: string } }[] => {
  const [path] = recordsIn(name)
  if (path === undefined) throw new Error(`There is no record in ${name}`)
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('run', () => {
  it('shows the conversation as it goes, how it ended, and where its record is', async () => {
    const { code, stdout, stderr } = await colloquy(['run', task(GROUP)], { cwd: here.path })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^Do it\nMembers: ada \(lead\), ben\n\n── discussion\nada proposal\n {2}Let us do it\n/,
    )
    expect(stdout).toContain('── execution (all_assigned)\n')
    expect(stdout).toContain('Closed in "review": accepted, after ')
    expect(stdout).toContain('Path: discussion → proposal → assign → execution → review → closed\n')
    expect(stdout).toContain('  it The work: by ada, success\n      Here it is: 42\n')
    const [record] = recordsIn('.colloquy')
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(`Record: ${record?.slice(here.path.length + 1)}`)
    expect(record).toMatch(/\/\d{4}-\d\d-\d\dt\d{6}-[0-9a-z]{8}\.jsonl$/)
  })

  it('writes a record that replays to the same end', async () => {
    await colloquy(['run', task(GROUP), '--quiet', '--record', 'kept'], { cwd: here.path })
    const [record] = recordsIn('kept')
    const { code, stdout } = await colloquy(['replay', record ?? ''])
    expect(code).toBe(0)
    expect(stdout).toContain('Closed in "review": accepted, after ')
  })

  it('says with --quiet only how it ended', async () => {
    const { code, stdout } = await colloquy(['run', task(GROUP), '--quiet'], { cwd: here.path })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Closed in "review": accepted, after \d turns and .*\. Record: \S+\.jsonl\n$/)
  })

  it('prints with --json each event with its decision, and last the outcome with results', async () => {
    const { code, stdout } = await colloquy(['run', task(GROUP), '--json'], { cwd: here.path })
    expect(code).toBe(0)
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines[0]).toMatchObject({ seq: 0, event: { type: 'open', goal: 'Do it' } })
    expect(lines[1]).toMatchObject({ seq: 1, effect: 'applied', reason: 'proposal_raised', to: 'proposal' })
    expect(lines.at(-1)).toMatchObject({
      outcome: { status: 'accepted', subtasks: [{ id: 'it', output: 'Here it is: 42' }] },
      state: 'closed',
      record: expect.stringMatching(/\.jsonl$/),
    })
    expect(lines).toHaveLength(recordedIn().length + 1)
  })

  it('finds programs, modules and folders from where the task file is', async () => {
    here.file('agent.mjs', `export const talker = () => '[proposal] Let us'\n`)
    task('goal: Talk\nmembers:\n  ada: { module: ./agent.mjs, export: talker }\npolicy: { maxTurns: 1 }\n')
    const { code, stdout } = await colloquy(['run', join(here.path, 'task.yaml'), '--record', here.path])
    expect(stdout).toContain('ada proposal\n  Let us\n')
    expect(code).toBe(0)
  })

  it('gives programs the environment, as the task changes it', async () => {
    const exec = 'echo "[proposal] $GIVEN, $TAKEN, $KEPT"'
    const path = task(
      `goal: x\nmembers:\n  ada:\n    exec: '${exec}'\n    env: { GIVEN: 7, TAKEN: null }\npolicy: { maxTurns: 1 }\n`,
    )
    const env = { TAKEN: 'secret', KEPT: 'kept' }
    const { stdout } = await colloquy(['run', path], { cwd: here.path, env })
    expect(stdout).toContain('  7, , kept\n')
  })

  it('says that --model changes nothing where nobody is a model', async () => {
    const { code, stderr } = await colloquy(['run', task(GROUP), '--quiet', '--model', 'm'], {
      cwd: here.path,
    })
    expect(code).toBe(0)
    expect(stderr).toMatch(/^colloquy: warning: --model changes nothing: no member of .* is a model\n$/)
  })

  it('shows what agents write without terminal escapes, and in colour only on a terminal', async () => {
    here.file('agent.mjs', `export default () => '[proposal] \\u001b[31mred\\u001b[0m\\u0007\\u202e'\n`)
    const path = task('goal: "\\e[1mx"\nmembers: { ada: { module: agent.mjs } }\npolicy: { maxTurns: 1 }\n')
    const { stdout } = await colloquy(['run', path], { cwd: here.path })
    expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e/u)
    expect(stdout).toContain('  red\n')
  })

  it('lets a person take part from a pipe', async () => {
    const path = task('goal: Do it\nmembers: { you: { person: true } }\n')
    const input = '[proposal] I do it\nI take it\nIt is done\nIt is fine\n'
    const { code, stdout } = await colloquy(['run', path], { cwd: here.path, input })
    expect(stdout).toContain('it is your turn in "discussion"')
    expect(stdout).toContain('Path: discussion → proposal → ')
    expect(code).toBe(0)
  })

  it('keeps a person’s prompts out of its JSON', async () => {
    const path = task('goal: Do it\nmembers: { you: { person: true } }\npolicy: { maxTurns: 1 }\n')
    const { stdout, stderr } = await colloquy(['run', path, '--json'], { cwd: here.path, input: 'Hm.\n' })
    for (const line of stdout.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow()
    expect(stderr).toContain('it is your turn')
  })
})

describe('an agent that misbehaves', () => {
  const withOneTurn = (fields: string): string =>
    task(`goal: x\nmembers:\n  ada: { ${fields} }\npolicy: { violationLimit: 1 }\nturnTimeout: 300\n`)

  it.each([
    ['never answers', 'exec: sleep 60', 'did not answer within 300 ms'],
    ['is killed', 'exec: "kill -9 $$"', 'was ended by SIGKILL'],
    ['is not there', 'exec: no-such-program-at-all', 'ended with exit code 127 (command not found)'],
    ['is no program', 'exec: [no-such-program-at-all]', 'there is no program no-such-program-at-all'],
    [
      'fails',
      'exec: "echo no luck today >&2; exit 3"',
      'ended with exit code 3; its stderr ended with: no luck today',
    ],
    ['says nothing', 'exec: "true"', 'The process answered nothing'],
  ])('and %s costs a fault, not the run', async (_, fields, words) => {
    const { code, stdout } = await colloquy(['run', withOneTurn(fields)], { cwd: here.path })
    expect(stdout.replace(/\s+/g, ' ')).toContain(words)
    expect(stdout).toContain('  ada is expelled\n')
    expect(stdout).toContain('Closed in "discussion": abandoned')
    expect(code).toBe(0)
  })

  it('has what it writes to stderr shown, with its name', async () => {
    const { stderr } = await colloquy(['run', withOneTurn('exec: "echo thinking >&2; exit 1"')], {
      cwd: here.path,
    })
    expect(stderr).toBe('ada: thinking\n')
  })
})

describe('an interrupted run', () => {
  /** Two agents, each a shell with a child, that never answer; their ids are in files. */
  const SLEEPERS = `goal: Wait
members:
  ada: { exec: "echo $$ > ada; sleep 300 & echo $! > ada-child; wait" }
  ben: { exec: "trap '' TERM; echo $$ > ben; sleep 300 & echo $! > ben-child; while :; do sleep 1; done" }
talk: all_at_once
`
  const NAMES = ['ada', 'ada-child', 'ben', 'ben-child']
  const pids = (): number[] =>
    NAMES.map((name) => {
      const path = join(here.path, name)
      return existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0
    })

  it.each<[NodeJS.Signals, number]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('by %s cancels, stops agents with their children, and completes the record', async (signal, code) => {
    const { child, ended } = start(['run', task(SLEEPERS)], { cwd: here.path })
    await until(() => pids().every((pid) => pid > 0), 'started all agents')
    child.kill(signal)
    const end = await ended
    expect(end.code).toBe(code)
    expect(end.stdout).toContain('Closed in "discussion": cancelled')
    expect(end.stderr).toContain('Stopping: the conversation is cancelled and its agents are ended.')
    expect(pids().filter(isAlive)).toEqual([])
    expect(recordedIn().map(({ type }) => type)).toEqual(['open', 'cancel'])
  })

  it('ends at once at the second Ctrl-C, and leaves no agent behind', async () => {
    const { child, ended, says } = start(['run', task(SLEEPERS)], { cwd: here.path })
    await until(() => pids().every((pid) => pid > 0), 'started all agents')
    child.kill('SIGINT')
    await says('again ends at once')
    child.kill('SIGINT')
    expect((await ended).code).toBe(130)
    await until(() => !pids().some(isAlive), 'ended all agents')
  })

  it('leaves no agent behind when it is killed itself', async () => {
    const { child, ended } = start(['run', task(SLEEPERS)], { cwd: here.path })
    await until(() => pids().every((pid) => pid > 0), 'started all agents')
    child.kill('SIGKILL')
    expect((await ended).code).toBeNull()
    await until(() => !pids().some(isAlive), 'ended all agents')
    expect(recordedIn().map(({ type }) => type)).toEqual(['open'])
  })

  it('ends in peace when its reader has left, and completes the record', async () => {
    const { child, ended, says } = start(['run', task(GROUP), '--json'], { cwd: here.path })
    await says('"open"')
    child.stdout.destroy()
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
    expect(recordedIn().at(-1)?.type).toMatch(/^(?:cancel|message)$/)
  })
})
