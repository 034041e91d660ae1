import { existsSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { complaintOf } from '../../src/cli/failure.ts'
import { readTask } from '../../src/cli/task.ts'
import { agentsOf } from '../../src/cli/task-agents.ts'

import { colloquy, folder } from './process.ts'

const here = folder()
afterAll(() => here.remove())

/** What is complained of, without the folder's name; null when nothing is. */
const complaintsOf = async (content: string | Buffer): Promise<string[] | null> => {
  const path = here.file('task.yaml', content)
  try {
    await agentsOf(readTask(path), { personOutput: process.stdout, onStderr: () => {} })
    return null
  } catch (error) {
    const { text, exit } = complaintOf(error)
    expect(exit).toBe(text.startsWith('colloquy: ENDPOINT') ? 69 : 65)
    const lines = text.trimEnd().replaceAll(`${here.path}/`, '').split('\n')
    expect(lines.at(-1)).toMatch(/^→ \S/)
    return lines.slice(0, -1)
  }
}

const YOU = 'members: { you: { person: true } }\n'
const invalid = (rest: string): string[] => [`colloquy: TASK_INVALID: task.yaml:${rest}`]
const PLACED = 'must have exactly one of exec, model, person, module'

describe('a task file that is no task', () => {
  it.each<[string, string | Buffer, string]>([
    ['is empty', '', '1:1: is empty: a task needs goal and members'],
    ['holds a comment', '# later\n', '1:1: is empty: a task needs goal and members'],
    ['is a list', '- a\n', '1:1: must be a mapping with the keys goal and members'],
    ['is text', 'Dear group\n', '1:1: must be a mapping with the keys goal and members'],
    ['has a tab', 'goal: x\nmembers:\n\ta: 1\n', '3:1: is indented with a tab; indent with spaces'],
    ['has a key twice', `goal: x\n${YOU}goal: y\n`, '3:1: goal is given twice; remove one'],
    [
      'has a colon in bare text',
      `goal: Decide this: now\n${YOU}`,
      '1:7: has a colon or an indentation too many; put text that holds ": " in quotes',
    ],
    ['has an open quote', `goal: "x\n${YOU}`, '3:1: is no valid YAML: Missing closing "quote'],
    ['has an open bracket', `goal: [x\n${YOU}`, '2:1: is no valid YAML: '],
    ['is two documents', `goal: x\n---\n${YOU}`, '2:1: begins a second document; a task is one'],
    ['has an unknown tag', `goal: !secret x\n${YOU}`, '1:7: is no valid YAML: Unresolved tag: !secret'],
    [
      'has an alias of nothing',
      'goal: x\nmembers: { you: *me }\n',
      '2:17: *me names an anchor that is not set before it',
    ],
    ['is Latin-1', Buffer.from(`goal: x\nlead: \xfc\n${YOU}`, 'latin1'), '2:1: is not encoded in UTF-8'],
    [
      'has a list for a key',
      `goal: x\n${YOU}? [a]\n: b\n`,
      '3:3: must be plain text: a list or mapping is no name',
    ],
    [
      'would set a prototype',
      'goal: x\nmembers: { __proto__: { person: true } }\n',
      '2:12: members "__proto__" cannot be used as a name here',
    ],
  ])('and %s is refused at its place', async (_, content, rest) => {
    const complaints = await complaintsOf(content)
    expect(complaints).toHaveLength(1)
    expect(complaints?.[0]).toContain(invalid(rest)[0])
  })

  it('is nested too deeply, or too long', async () => {
    for (const deep of [
      `goal: ${'['.repeat(100_000)}`,
      '- '.repeat(100_000),
      '? '.repeat(100_000),
      '{a: '.repeat(9_000),
    ])
      expect(await complaintsOf(deep)).toEqual(invalid('1:1: is nested too deeply'))
    const steps = Array.from({ length: 1_000 }, (_, index) => `${' '.repeat(index)}a:\n`).join('')
    expect(await complaintsOf(steps)).toEqual(invalid('1:1: is nested too deeply'))
    expect(await complaintsOf(`goal: ${'x'.repeat(1 << 20)}`)).toEqual(
      invalid('1:1: is longer than 1048576 bytes: this is no task'),
    )
  })

  it('does not fill the memory by aliases of aliases', async () => {
    const level = (index: number): string =>
      `a${index}: &a${index} [${Array(10).fill(index === 0 ? 'x' : `*a${index - 1}`)}]\n`
    const bomb = Array.from({ length: 9 }, (_, index) => level(index)).join('')
    expect(await complaintsOf(bomb)).toEqual(invalid('1:1: repeats values by aliases too often'))
  })
})

describe('a field that is wrong', () => {
  const member = (fields: string): string => `goal: x\nmembers:\n  ada: { ${fields} }\n`
  it.each([
    [
      'goal: x\n',
      '1:1: members is missing: it must be a mapping of members, each with exec, model, person or module',
    ],
    [YOU, '1:1: goal is missing: it must be text: what the group is to do'],
    [`goal:\n${YOU}`, '1:1: goal must be text: what the group is to do'],
    [`goal: 42\n${YOU}`, '1:7: goal must be text: what the group is to do'],
    [`goal: "  "\n${YOU}`, '1:7: goal must not be empty'],
    [
      'goal: x\nmembers:\n',
      '2:1: members must be a mapping of members, each with exec, model, person or module',
    ],
    ['goal: x\nmembers: {}\n', '2:10: members must name at least one member'],
    [`goal: x\n${YOU}led: you\n`, '3:1: led is unknown; did you mean "lead"?'],
    [`goal: x\n${YOU}lead: yuo\n`, '3:7: lead "yuo" is no member; did you mean "you"?'],
    [`goal: x\n${YOU}lead: somebody\n`, '3:7: lead "somebody" is no member; members are: you'],
    [`goal: x\n${YOU}talk: in turn\n`, '3:7: talk must be round_robin or all_at_once'],
    [
      `goal: x\n${YOU}turnTimeout: 1s\n`,
      '3:14: turnTimeout must be a whole number of ms of at least 1, or null for no limit',
    ],
    [
      `goal: x\n${YOU}protocol: chess\n`,
      '3:11: protocol "chess" is unknown; known are: conversation, ioa, contract-net, ainet',
    ],
    [
      `goal: x\n${YOU}protocol: conversatoin\n`,
      '3:11: protocol "conversatoin" is unknown; did you mean "conversation"?',
    ],
    [
      `goal: x\n${YOU}policy: { turnLimit: { reveiw: 1 } }\n`,
      '3:24: policy.turnLimit.reveiw is unknown; did you mean "review"?',
    ],
    [
      `goal: x\n${YOU}policy:\n  minMembers: 2\n`,
      '2:10: members must be at least 2 (policy.minMembers), but are 1',
    ],
    [
      `goal: x\n${YOU}policy:\n  reviewers: lead\n`,
      '4:14: policy.reviewers is "lead", but the conversation has no lead: name one, or choose another value',
    ],
    [
      `goal: x\n${YOU}policy:\n  deadline:\n    review:\n`,
      '5:5: policy.deadline.review must not be null: silence could go on for ever; set it, or both idle and turnLimit of this state',
    ],
    [
      'goal: x\nmembers: { broadcast: { person: true } }\n',
      '2:12: members.broadcast is no name for a member: it is reserved: "broadcast" cannot be an agent\'s id',
    ],
    [
      'goal: x\nmembers: { "\\u00e9": { person: true }, "e\\u0301": { person: true } }\n',
      '2:40: members.e\u0301 is given twice; each member needs a name of its own',
    ],
    [member(''), `3:8: members.ada ${PLACED}`],
    [
      'goal: x\nmembers:\n  ada: hello\n',
      '3:8: members.ada must be a mapping with exactly one of exec, model, person, module',
    ],
    [member('exec: a, model: b'), `3:26: members.ada.model ${PLACED}, but has exec and model`],
    [member('exec: a, tiemout: 1'), '3:19: members.ada.tiemout is unknown; did you mean "timeout"?'],
    [
      member('exec: [sleep, 5]'),
      '3:16: members.ada.exec must be a command: text for the shell, or a list of a program and its arguments, each in quotes where it looks like a number or true or false',
    ],
    [
      member('exec: []'),
      '3:16: members.ada.exec must be a command: text for the shell, or a list of a program and its arguments',
    ],
    [member('exec: a, persistent: yes'), '3:31: members.ada.persistent must be true or false'],
    [member('exec: a, input: xml'), '3:26: members.ada.input must be json or text'],
    [member('exec: a, env: [A]'), '3:24: members.ada.env must be a mapping of variables'],
    [member('exec: a, env: { A: [] }'), '3:29: members.ada.env.A must be text, or null to take it away'],
    [member('exec: a, cwd: no/where'), '3:24: members.ada.cwd names no folder: no/where'],
    [
      member('exec: a, timeout: 0'),
      '3:28: members.ada.timeout must be a whole number of ms of at least 1, or null for no limit',
    ],
    [
      member('exec: a, capabilities: all'),
      '3:33: members.ada.capabilities must be a list of what the member can do',
    ],
    [member('model: 4'), "3:17: members.ada.model must be the model's name"],
    [member('model: m, temperature: hot'), '3:33: members.ada.temperature must be a number'],
    [member('model: m, maxTokens: 0'), '3:31: members.ada.maxTokens must be at least 1'],
    [
      member('model: m, apiKeyEnv: 3'),
      '3:31: members.ada.apiKeyEnv must be the name of an environment variable, or null to send no key',
    ],
    [member('person: false'), '3:18: members.ada.person must be true; leave the field out for no person'],
    [member('module: ./none.js'), '3:18: members.ada.module names no file: ./none.js'],
    [member('module: .'), '3:18: members.ada.module names a folder, not a module: .'],
  ])('%j is said with line and column', async (content, rest) => {
    expect(await complaintsOf(content)).toEqual(invalid(rest))
  })

  it('is listed with all others, in the order of the file', async () => {
    const content = 'gaol: x\nmembers:\n  ada: { exce: ls }\npolicy: { maxRejct: 1 }\n'
    expect(await complaintsOf(content)).toEqual([
      'colloquy: TASK_INVALID: task.yaml has 5 faults',
      '  task.yaml:1:1: goal is missing: it must be text: what the group is to do',
      '  task.yaml:1:1: gaol is unknown; did you mean "goal"?',
      `  task.yaml:3:8: members.ada ${PLACED}`,
      '  task.yaml:3:10: members.ada.exce is unknown; did you mean "exec"?',
      '  task.yaml:4:11: policy.maxRejct is unknown; did you mean "maxReject"?',
    ])
  })

  it('is counted beyond the first twenty', async () => {
    const content = `goal: x\n${YOU}${Array.from({ length: 25 }, (_, index) => `zzzzzz${index}: 1\n`).join('')}`
    const complaints = await complaintsOf(content)
    expect(complaints).toHaveLength(22)
    expect(complaints?.at(-1)).toBe('  and 5 more')
  })
})

describe('an agent that a task names', () => {
  const module = (name: string, content: string, more = ''): Promise<string[] | null> => {
    here.file(name, content)
    return complaintsOf(`goal: x\nmembers:\n  ada: { module: ./${name}${more} }\n`)
  }

  it('is a function that a module exports', async () => {
    expect(await module('good.mjs', 'export default () => "hi"; export const other = () => "ho"')).toBeNull()
    expect(
      await module(
        'good.mjs',
        'export default () => "hi"; export const other = () => "ho"',
        ', export: other',
      ),
    ).toBeNull()
  })

  it('is not there, or nothing like it', async () => {
    expect(await module('empty.mjs', '')).toEqual(
      invalid('3:18: members.ada.module has no function as its default export'),
    )
    expect(await module('named.mjs', 'export const agent = () => "hi"')).toEqual(
      invalid(
        '3:18: members.ada.module has no function as its default export; functions that it exports: agent',
      ),
    )
    expect(await module('named2.mjs', 'export const agent = () => "hi"', ', export: agnt')).toEqual(
      invalid(
        '3:40: members.ada.export has no function as its export "agnt"; functions that it exports: agent',
      ),
    )
  })

  it('comes from a module that cannot be loaded', async () => {
    expect(await module('throws.mjs', 'throw new Error("no luck today")')).toEqual(
      invalid('3:18: members.ada.module could not be loaded: no luck today'),
    )
  })

  it('keeps the limits of its module, unless the task has its own', async () => {
    here.file('limits.mjs', 'export default Object.assign(() => "hi", { capabilities: ["a"], timeout: 5 })')
    const path = here.file(
      'limits.yaml',
      'goal: x\nmembers:\n  ada: { module: limits.mjs }\n  ben: { module: limits.mjs, capabilities: [b], timeout: null }\n',
    )
    const agents = await agentsOf(readTask(path), { personOutput: process.stdout, onStderr: () => {} })
    const limits = [...agents.values()].map(({ capabilities, timeout }) => ({ capabilities, timeout }))
    expect(limits).toEqual([
      { capabilities: ['a'], timeout: 5 },
      { capabilities: ['b'], timeout: null },
    ])
  })

  it('is a model without a key, or with an address that is none', async () => {
    const run = async (fields: string) => {
      const path = here.file('model.yaml', `goal: x\nmembers:\n  ada: { model: m${fields} }\n`)
      const env = { OPENAI_API_KEY: undefined, OPENAI_BASE_URL: undefined }
      const { code, stderr } = await colloquy(['run', basename(path)], { cwd: here.path, env })
      expect(code).toBe(69)
      return stderr
    }
    expect(await run('')).toBe(
      'colloquy: ENDPOINT_INVALID: model.yaml, member "ada": The endpoint\'s key is missing: the environment variable OPENAI_API_KEY is not set\n→ Set OPENAI_API_KEY, or name another variable as apiKeyEnv; null sends no key.\n',
    )
    expect(await run(', baseURL: ftp://example.org')).toContain(
      'colloquy: ENDPOINT_INVALID: model.yaml, member "ada": The option baseURL is not an http or https address\n',
    )
  })
})

describe('members', () => {
  it('may be many, in JSON on one line', () => {
    const members = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`m${index}`, { person: true }]),
    )
    const path = here.file('task.json', JSON.stringify({ goal: 'x', members }))
    expect(readTask(path).members.size).toBe(300)
  })

  it('join in the order of the file, also where their names are numbers', () => {
    const path = here.file(
      'order.yaml',
      'goal: x\nmembers:\n  b: { person: true }\n  2: { person: true }\n  1: { person: true }\n',
    )
    expect([...readTask(path).members.keys()]).toEqual(['b', '2', '1'])
  })
})

describe('run', () => {
  it('says that its file is missing or a folder, with 66', async () => {
    expect(await colloquy(['run', 'none.yaml'], { cwd: here.path })).toEqual({
      code: 66,
      stdout: '',
      stderr: 'colloquy: INPUT_MISSING: none.yaml does not exist\n→ Check the path.\n',
    })
    expect(await colloquy(['run', '.'], { cwd: here.path })).toMatchObject({
      code: 66,
      stderr: 'colloquy: INPUT_MISSING: . is a folder, not a file\n→ Check the path.\n',
    })
  })

  it('says that there can be no record in its folder, with 74, before anybody is asked', async () => {
    const path = here.file('record.yaml', 'goal: x\nmembers: { ada: { exec: touch asked } }\n')
    mkdirSync(join(here.path, 'taken'), { recursive: true })
    const { code, stderr } = await colloquy(['run', path, '--record', path], { cwd: here.path })
    expect(stderr).toContain(
      `colloquy: IO_FAILED: Cannot write: ${path} is a file, and the records need a folder\n→ Name another folder`,
    )
    expect(code).toBe(74)
    expect(await colloquy(['run', path, '--record', `${path}/in/it`], { cwd: here.path })).toMatchObject({
      code: 74,
      stderr: expect.stringContaining(
        `Cannot write: ${path}/in/it leads through something that is no folder`,
      ),
    })
    expect(existsSync(join(here.path, 'asked'))).toBe(false)
  })
})
