import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { catalogue } from '../../machines/catalogue.ts'
import { conversation } from '../../machines/conversation/index.ts'
import { type CheckCommandOptions, checkCommand } from '../../src/cli/check-command.ts'
import { progressLine, progressText } from '../../src/cli/check-progress.ts'
import { reportText } from '../../src/cli/check-report.ts'
import type { SyncOutput } from '../../src/cli/sync-output.ts'
import { painter, widthOf } from '../../src/cli/text.ts'
import type { Protocol } from '../../src/engine/protocol.ts'
import { check } from '../../src/testing/check.ts'
import { merged } from '../../src/testing/merge.ts'
import type { Bound, CheckReport } from '../../src/testing/report.ts'
import { built } from '../support/build.ts'
import { parameters } from '../support/property.ts'
import { colloquy, folder, start, until } from './process.ts'

const here = folder()
afterAll(() => here.remove())

const limits = (turns: number | null) => ({
  discussion: turns,
  proposal: turns,
  assign: turns,
  execution: turns,
  review: turns,
})
/** As little to explore as there can be. */
const SMALL = here.file(
  'small.yaml',
  `turnLimit: {${Object.keys(limits(1)).map((state) => `${state}: 1`)}}\nmaxReject: 0\n`,
)
const SMALLEST = ['--members', '1', '--subtasks', '0', '--policy', SMALL]

/** Where searches run in the test's own process. */
const inProcess = async (options: Partial<CheckCommandOptions>, isTTY = false) => {
  let [text, errors] = ['', '']
  const output: SyncOutput = {
    write: (part) => {
      text += part
    },
    flush: () => {},
  }
  const code = await checkCommand(
    undefined,
    { members: 1, subtasks: 0, policy: SMALL, maxStates: 100_000, ...options },
    {
      output,
      errors: {
        isTTY,
        columns: 60,
        write: (part: string) => {
          errors += part
        },
      },
      isColoured: false,
      width: 100,
      threads: false,
    },
  )
  return { code, text, errors }
}

/** The command's answer without what differs each time. */
const timeless = (text: string): string => text.replace(/ in \d+\.\d s,/, ' in T s,')

describe('check', () => {
  it('proves that every conversation closes, as a sentence, bounds, and what nothing leads to; and ends with 0', async () => {
    const { code, stdout, stderr } = await colloquy(['check', ...SMALLEST])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [first, , ...lines] = timeless(stdout).split('\n')
    expect(first).toBe('Every conversation of conversation with 1 member and no work closes.')
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Turns {5}at most \d+ \(the formula says /),
        expect.stringMatching(/^Messages {2}at most \d+, with those against the rules$/),
        expect.stringMatching(/^Time {6}at most .* \(\d+ ms\)$/),
        expect.stringMatching(
          /^Explored {2}\d+ states and \d+ steps in T s, with nobody leading and with a leading$/,
        ),
        expect.stringMatching(/^Rank {6}fell on all \d+ events/),
        expect.stringMatching(/^Unreachable states: /),
        expect.stringMatching(/^Intents without use: /),
        'States without a due time: none',
        'Transitions never taken under this policy: 96 (--json lists them)',
        'To read how it comes to this, add --records DIR, then: colloquy replay DIR/turns.jsonl',
      ]),
    )
  })

  it('finds in two threads what it finds without', async () => {
    const args = ['--members', '2', '--subtasks', '1', '--policy', SMALL]
    const { stdout } = await colloquy(['check', ...args])
    const { text } = await inProcess({ members: 2, subtasks: 1 })
    expect(timeless(stdout)).toBe(timeless(text))
  })

  it('prints the whole report as one JSON object, and nothing else', async () => {
    const { code, stdout, stderr } = await colloquy(['check', ...SMALLEST, '--json', '--lead', 'none'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.trimEnd()).not.toContain('\n')
    const report: CheckReport = JSON.parse(stdout)
    const policy = { turnLimit: limits(1), maxReject: 0 }
    const expected = check({ protocol: conversation as Protocol, members: 1, size: 0, policy, lead: null })
    const { states, steps } = expected.explored
    expect(report).toEqual({ ...expected, explored: { states, steps, ms: expect.any(Number) } })
  })

  it('ends with 3 where there is too much to explore, says what to lower, and claims nothing', async () => {
    const { code, stdout } = await colloquy(['check', '--policy', SMALL, '--max-states', '100'])
    expect(code).toBe(3)
    const text = stdout.replaceAll('\n', ' ')
    expect(text).toMatch(
      /^Not proved: the search was given up after 50 states\. Lower the number of members \(3\)/,
    )
    expect(text).not.toMatch(/at most|Unreachable|never taken/)
  })

  it('checks one lead only where one is named', async () => {
    expect((await inProcess({ lead: 'none' })).text).toContain(' s, with nobody leading\n')
    expect((await inProcess({ lead: 'a' })).text).toContain(' s, with a leading\n')
    expect((await inProcess({})).text).toContain(' s, with nobody leading and with a leading\n')
  })

  it('says how turns have no bound, and that time has one', async () => {
    const policy = here.file('unlimited.json', JSON.stringify({ turnLimit: limits(null), maxReject: 0 }))
    const records = join(here.path, 'unlimited')
    const { code, text } = await inProcess({ policy, records })
    expect(code).toBe(0)
    expect(text).toContain('Turns     no bound: they can go on as long as there is time\n')
    expect(text).toMatch(/^Time {6}at most /m)
    expect(text).toMatch(/turns {5}colloquy replay \S+turns\.jsonl {2}\(lines \d+ to \d+ can be repeated\)/)
  })

  it('reads the policy from stdin, as YAML or JSON', async () => {
    for (const input of [
      readFileSync(SMALL, 'utf8'),
      JSON.stringify({ turnLimit: limits(1), maxReject: 0 }),
    ]) {
      const args = ['check', '--members', '1', '--subtasks', '0', '--policy', '-']
      expect(await colloquy(args, { input })).toMatchObject({ code: 0, stderr: '' })
    }
  })
})

describe('a search that cannot be', () => {
  it.each([
    ['--members 0', "option '--members <number>' argument '0' is invalid. It must be a whole number from 1"],
    ['--members x', "option '--members <number>' argument 'x' is invalid. It must be a whole number from 1"],
    ['--members 1.5', "argument '1.5' is invalid. It must be a whole number from 1"],
    ['--subtasks -1', "argument '-1' is invalid. It must be a whole number from 0"],
    ['--max-states 0', 'It must be a whole number from 1 to 16000000.'],
    ['--lead z', '--lead names "z", who is no member; the members are a, b, c, and "none" is for nobody'],
  ])('%s is answered with what is wrong, and 64', async (line, words) => {
    const { code, stdout, stderr } = await colloquy(['check', ...line.split(' ')])
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toContain(words)
  })

  it('names the nearest protocol for one that it does not know', async () => {
    const [first = ''] = Object.keys(catalogue)
    const { code, stderr } = await colloquy(['check', first.slice(0, -1)])
    expect(code).toBe(64)
    expect(stderr).toContain(`"${first.slice(0, -1)}" is unknown; did you mean "${first}"?`)
  })

  it('says each wrong field of a policy with its place, and ends with 65', async () => {
    const policy = here.file('wrong.yaml', 'turnLimit:\n  review: 0\nmaxRejct: 2\n')
    expect(await colloquy(['check', '--policy', policy])).toEqual({
      code: 65,
      stdout: '',
      stderr: [
        'colloquy: POLICY_INVALID: The policy has 2 faults',
        `  ${policy}:2:11: policy.turnLimit.review must be an integer of at least 1`,
        `  ${policy}:3:1: policy.maxRejct is unknown; did you mean "maxReject"?`,
        '→ Correct the fields named; nothing was checked.',
        '',
      ].join('\n'),
    })
  })

  it.each([
    ['is a list', '- 1\n', 'stdin:1:1: policy '],
    ['is no YAML', 'a: [', 'stdin:1:5: is no valid YAML'],
    ['is no UTF-8', Buffer.from([0xff]), 'stdin:1:1: is not encoded in UTF-8'],
    ['has no end', `# ${'x'.repeat(1 << 20)}`, 'stdin:1:1: is longer than 1048576 bytes'],
  ])('refuses a policy that %s with 65', async (_, input, words) => {
    const { code, stdout, stderr } = await colloquy(['check', '--policy', '-'], { input })
    expect({ code, stdout }).toEqual({ code: 65, stdout: '' })
    expect(stderr).toContain(`colloquy: POLICY_INVALID: ${words}`)
  })

  it('says that a policy is missing, or is a folder, with 66', async () => {
    for (const [path, words] of [
      ['no-such-file', 'does not exist'],
      [here.path, 'is a folder, not a file'],
    ] as const) {
      const { code, stderr } = await colloquy(['check', '--policy', path])
      expect(code).toBe(66)
      expect(stderr).toContain(`colloquy: INPUT_MISSING: ${path} ${words}\n`)
    }
  })
})

describe('the records of a check', () => {
  const linesOf = (path: string): string[] => readFileSync(path, 'utf8').trimEnd().split('\n')

  it('are as long as the bounds say, and can be replayed', async () => {
    const records = join(here.path, 'new', 'long est')
    const { stdout } = await colloquy(['check', ...SMALLEST, '--records', records])
    expect(readdirSync(records).sort()).toEqual(['messages.jsonl', 'time.jsonl', 'turns.jsonl'])
    const most = Number(/^Messages {2}at most (\d+)/m.exec(stdout)?.[1])
    const messages = linesOf(join(records, 'messages.jsonl')).filter((line) => line.includes('"message"'))
    expect(messages).toHaveLength(most)
    for (const name of readdirSync(records)) {
      // As a person would: the line is copied into a shell.
      const line = stdout.split('\n').find((each) => each.includes(name)) ?? ''
      const [, path = ''] = /colloquy replay '(.*)'$/.exec(line) ?? []
      const { code, stdout: told } = await colloquy(['replay', path])
      expect(code).toBe(0)
      expect(told).toContain('\nClosed in ')
    }
  })

  it('take the place of those of an earlier check', async () => {
    const records = join(here.path, 'again')
    await inProcess({ records, members: 2 })
    const before = readFileSync(join(records, 'turns.jsonl'), 'utf8')
    // What an earlier check had and this one has not would mislead.
    here.file('again/counterexample.jsonl', before)
    await inProcess({ records })
    expect(readFileSync(join(records, 'turns.jsonl'), 'utf8')).not.toBe(before)
    expect(existsSync(join(records, 'counterexample.jsonl'))).toBe(false)
  })

  it.each([
    ['a text', 'dear diary\n'],
    ['the record of a conversation', '{"type":"open","at":0,"id":"c","members":["a","b"]}\n'],
    ['an empty file', ''],
  ])('never take the place of %s: it ends with 74, before anything is explored', async (what, content) => {
    const records = join(here.path, what)
    await inProcess({ records })
    const path = here.file(`${what}/turns.jsonl`, content)
    const { code, stdout, stderr } = await colloquy(['check', '--records', records])
    expect({ code, stdout }).toEqual({ code: 74, stdout: '' })
    expect(stderr).toBe(
      `colloquy: IO_FAILED: Cannot write: ${path} is there, and is no record of a check\n→ Name another folder with --records.\n`,
    )
    expect(readFileSync(path, 'utf8')).toBe(content)
  })

  it('cannot be in a file: it ends with 74', async () => {
    const { code, stderr } = await colloquy(['check', '--records', SMALL])
    expect(code).toBe(74)
    expect(stderr).toContain(
      `colloquy: IO_FAILED: Cannot write: ${SMALL} is a file, and the records need a folder`,
    )
  })

  it.runIf(existsSync('/proc/self'))(
    'cannot be where nothing can be made: it ends with 74, at once',
    async () => {
      const { code, stderr } = await colloquy(['check', '--records', '/proc/nope/records'])
      expect(code).toBe(74)
      expect(stderr).toContain('colloquy: IO_FAILED: Cannot write: /proc/nope/records ')
    },
  )
})

describe('what is refuted', () => {
  const refutedBy = (parts: Parameters<typeof conversation.machine.provide>[0], members: number) => {
    const protocol: Protocol = {
      ...(conversation as Protocol),
      name: 'altered',
      machine: conversation.machine.provide(parts),
    }
    const report = check({ protocol, members, size: 1, policy: { turnLimit: limits(1) }, lead: null })
    const text = reportText(report, {
      protocol,
      leads: [null],
      folder: 'out',
      width: 90,
      paint: painter(false),
    })
    return { report, text }
  }

  it('is told with the conversation that need not close, what is repeated marked', () => {
    const { report, text } = refutedBy({ actions: { countRejection: () => {} } }, 2)
    expect(text).toMatch(/^A conversation need not close: in state "\w+" the same can be done again/)
    const [from, to] = report.counterexample?.loop ?? [0, 0]
    const marked = [...text.matchAll(/^↻ +(\d+) /gm)].map(([, seq]) => Number(seq))
    expect(marked).toEqual(Array.from({ length: to - from }, (_, index) => from + index))
    expect(text).toContain('(rework)')
    expect(text).toContain('\n↻ can be repeated for ever.\n')
    expect(text).toContain(
      `counterexample  colloquy replay out/counterexample.jsonl  (lines ${from + 1} to ${to} can be repeated)`,
    )
    expect(text).not.toMatch(/at most|never taken/)
    for (const line of text.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(110)
  })

  it('is told also when nothing is said any more', () => {
    const { text } = refutedBy({ guards: { isDeadline: () => false } }, 1)
    expect(text.replaceAll('\n', ' ')).toContain('so when everybody is silent it stays open for ever.')
    expect(text).not.toContain('↻')
    expect(text).toMatch(/^States without a due time: \w+/m)
  })
})

describe('a search under way', () => {
  it('tells how far it is on one line of a terminal, and takes the line away', async () => {
    const { errors } = await inProcess({}, true)
    expect(errors.endsWith('\r\u001b[K')).toBe(true)
    expect(errors).not.toContain('\n')
    expect((await inProcess({ json: true }, true)).errors).toBe('')
    expect((await inProcess({}, false)).errors).toBe('')
  })

  it('sums up what its searches have reached', async () => {
    expect(
      progressText(
        [
          { states: 100, steps: 900 },
          { states: 50, steps: 600 },
        ],
        500,
        2000,
      ),
    ).toBe('0:00.5  150 states of at most 2000, 1500 steps, 300 states a second')
    const written: string[] = []
    const line = progressLine({ isTTY: true, columns: 50, write: (text) => written.push(text) }, true, 2000)
    line.tell(0, { states: 5000, steps: 60_000 })
    line.tell(0, { states: 10_000, steps: 120_000 })
    line.tell(1, { states: 1, steps: 2 })
    while (written.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    line.stop()
    expect(written[0]?.replace(/0:0\d\.\d/, 'T')).toBe(
      '\r\u001b[KT  10001 states of at most 2000, 120002 ste…',
    )
  })

  it('tells it on lines of a log now and then', () => {
    vi.useFakeTimers()
    try {
      const written: string[] = []
      const line = progressLine({ write: (text) => written.push(text) }, true, 2000)
      vi.advanceTimersByTime(65_000)
      line.stop()
      vi.advanceTimersByTime(65_000)
      expect(written).toHaveLength(2)
      expect(written[0]).toMatch(/states of at most 2000, 0 steps, .*\n$/)
    } finally {
      vi.useRealTimers()
    }
  })

  it('is ended at once by Ctrl-C, with 130 and how far it was', async () => {
    const records = join(here.path, 'under way')
    const running = start(['check', '--members', '4', '--json', '--records', records])
    running.child.stdin.end()
    // Made just before the search begins.
    await until(() => existsSync(records), 'made its folder')
    const asked = performance.now()
    running.child.kill('SIGINT')
    const { stderr, ...ended } = await running.ended
    expect(ended).toEqual({ code: 130, stdout: '' })
    expect(stderr).toMatch(
      /^\ncolloquy: interrupted after 0:\d\d\.\d {2}\d+ states of at most 2000000, .*: nothing is proved\n$/,
    )
    expect(performance.now() - asked).toBeLessThan(5_000)
  })

  it('that outgrows its memory is given up with a word, and the process lives', async () => {
    // Only what is compiled has threads.
    const path = join(built(), 'dist/src/cli/check-search.js')
    const script = here.file(
      'outgrow.mjs',
      `import { searchedAll } from ${JSON.stringify(pathToFileURL(path).href)}
const order = { protocol: 'conversation', members: ['a', 'b', 'c'], lead: null, policy: {}, size: 2, joins: false, maxStates: 1e6 }
const report = await searchedAll([order], { threads: true, memory: 16, tell() {} })
console.log(JSON.stringify(report))`,
    )
    // What V8 says on stderr when memory runs out is not ours.
    const text = execFileSync(process.execPath, [script], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const report: CheckReport = JSON.parse(text)
    expect(report).toMatchObject({ verdict: 'unproved', turns: { most: null } })
    expect(report.problems[0]?.message).toContain('when 16 MiB of memory were used up')
  })
})

describe('merging what was found from several openings', () => {
  const base = check({
    protocol: conversation as Protocol,
    members: 1,
    size: 0,
    policy: { turnLimit: limits(1) },
    lead: null,
  })
  const names = fc.uniqueArray(fc.constantFrom('p', 'q', 'r'))
  const bound: fc.Arbitrary<Bound> = fc.record({
    most: fc.option(fc.nat(9)),
    record: fc.option(fc.constant([])),
    loop: fc.constant(null),
  })
  const report: fc.Arbitrary<CheckReport> = fc
    .record({
      verdict: fc.constantFrom('proved' as const, 'refuted' as const, 'unproved' as const),
      problems: fc.array(fc.record({ message: fc.constantFrom('x', 'y'), record: fc.constant(null) }), {
        maxLength: 1,
      }),
      turns: bound,
      messages: bound,
      ms: bound,
      formula: fc.option(fc.nat(9)),
      unreachableStates: names,
      unreachableTransitions: names,
      unusedIntents: names,
      statesWithoutDueTime: names,
      explored: fc.record({ states: fc.nat(9), steps: fc.nat(9), ms: fc.nat(9) }),
    })
    .map((parts) => ({ ...base, ...parts }))
  const WORST = { proved: 0, unproved: 1, refuted: 2 }

  it('claims of all only what holds of each', () => {
    fc.assert(
      fc.property(fc.array(report, { minLength: 1, maxLength: 3 }), fc.nat(9), (reports, ms) => {
        const [first, ...others] = reports
        if (first === undefined) return
        const all = merged([first, ...others], ms)
        for (const each of reports) {
          expect(WORST[all.verdict]).toBeGreaterThanOrEqual(WORST[each.verdict])
          for (const dimension of ['turns', 'messages', 'ms'] as const) {
            const [most, its] = [all[dimension].most, each[dimension].most]
            expect((most ?? Number.POSITIVE_INFINITY) >= (its ?? Number.POSITIVE_INFINITY)).toBe(true)
            expect(reports.map((one) => one[dimension])).toContain(all[dimension])
          }
          expect(
            (all.formula ?? Number.POSITIVE_INFINITY) >= (each.formula ?? Number.POSITIVE_INFINITY),
          ).toBe(true)
          for (const list of ['unreachableStates', 'unreachableTransitions', 'unusedIntents'] as const)
            expect(each[list]).toEqual(expect.arrayContaining([...all[list]]))
          expect(all.statesWithoutDueTime).toEqual(expect.arrayContaining([...each.statesWithoutDueTime]))
          expect(all.problems).toEqual(expect.arrayContaining([...each.problems]))
        }
        expect(reports.map(({ verdict }) => verdict)).toContain(all.verdict)
        expect(all.explored).toEqual({
          states: reports.reduce((sum, { explored }) => sum + explored.states, 0),
          steps: reports.reduce((sum, { explored }) => sum + explored.steps, 0),
          ms,
        })
      }),
      parameters(200),
    )
  })
})
