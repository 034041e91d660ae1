import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Agent, Turn } from '../../src/agents/agent.ts'
import { renderTurn } from '../../src/agents/render.ts'
import { subprocess } from '../../src/agents/subprocess.ts'
import { compiled } from './compiled.ts'
import { quiet, turn } from './turn.ts'

let dir = ''
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'colloquy-subprocess-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** Writes a Python program; returns the command that runs it. */
const python = (name: string, code: string): [string, string, string] => {
  const file = join(dir, name)
  writeFileSync(file, code)
  return ['python3', '-u', file]
}

/** A process that is there and no zombie. */
const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}

const children = (): string[] =>
  readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean)

const pidsIn = async (file: string, count: number): Promise<number[]> => {
  for (;;) {
    const pids = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []
    if (pids.length >= count && pids.every((pid) => pid > 0)) return pids
    await sleep(10)
  }
}

const failureOf = async (
  agent: Agent<unknown>,
  given: Turn<unknown> = turn(),
): Promise<Error & { code?: string }> => {
  try {
    await agent(given, quiet())
  } catch (thrown) {
    if (thrown instanceof Error) return thrown
  }
  throw new Error('It should have failed')
}

const answered = async (agent: Agent<unknown>, signal: AbortSignal) => agent(turn(), signal)

let before: string[] = []
const listeners = (): number => process.listenerCount('exit')
const exitListeners = listeners()
beforeAll(() => {
  before = children()
})
afterEach(() => {
  expect(children().filter((pid) => !before.includes(pid) && lives(Number(pid)))).toEqual([])
  expect(listeners()).toBe(exitListeners)
})

describe('one process a turn', () => {
  test('the turn goes in as a line of JSON, plain text comes out', async () => {
    const agent = subprocess(
      python(
        'plain.py',
        'import json, sys\nt = json.loads(sys.stdin.readline())\nprint("[hum]", t["goal"], "é", t["transcript"][0]["content"])',
      ),
    )
    expect(await agent(turn(), quiet())).toBe('[hum] Name the tune é Shall we?')
  })

  test('a message, with its payload', async () => {
    const agent = subprocess(
      python(
        'message.py',
        'import json, sys\njson.load(sys.stdin)\nprint(json.dumps({"intent": "name-it", "content": "a\\nb", "payload": {"title": "x"}, "tokens": 7}, indent=2))',
      ),
      { reportsTokens: true },
    )
    expect(await agent(turn(), quiet())).toEqual({
      intent: 'name-it',
      content: 'a\nb',
      payload: { title: 'x' },
      tokens: 7,
    })
  })

  test.each([
    ['["one", {"intent": "hum"}]', ['one', { intent: 'hum' }]],
    // What it says of its cost does not count, unless it is trusted with that.
    ['{"text": "la", "tokens": 3}', { text: 'la' }],
    ['[{"intent": "hum", "tokens": 1e15}, "la"]', [{ intent: 'hum' }, 'la']],
    ['[hum] la', '[hum] la'],
    ['{"la": 1}', '{"la": 1}'],
    ['[1, 2]', '[1, 2]'],
    ['[]', '[]'],
    ['{"intent": broken', '{"intent": broken'],
    ['"quoted"', '"quoted"'],
  ])('%s', async (out, answer) => {
    expect(await subprocess(['printf', '%s\\n', out])(turn(), quiet())).toEqual(answer)
  })

  test('fields of a wrong type are named', async () => {
    const agent = subprocess(['printf', '%s', '["a", {"intent": "hum", "content": 5, "tokens": "many"}]'])
    await expect(agent(turn(), quiet())).rejects.toMatchObject({
      code: 'AGENT_ANSWER_INVALID',
      issues: [{ path: '[1].content' }, { path: '[1].tokens' }],
    })
  })

  test('the text of the turn, when asked for', async () => {
    expect(await subprocess('cat', { input: 'text' })(turn(), quiet())).toBe(renderTurn(turn()).trim())
  })

  test('a string is for the shell, an array is not; directory and environment', async () => {
    const env = { ...process.env, TUNE: 'Nocturne' }
    expect(await subprocess('echo "$TUNE" && pwd', { env, cwd: dir })(turn(), quiet())).toMatch(
      /^Nocturne\n.*colloquy-subprocess/,
    )
    expect(await subprocess(['echo', '$TUNE; pwd'], { env })(turn(), quiet())).toBe('$TUNE; pwd')
    process.env.COLLOQUY_TEST_INHERITED = 'yes'
    expect(await subprocess('echo "$COLLOQUY_TEST_INHERITED"')(turn(), quiet())).toBe('yes')
    expect(
      await subprocess('echo "<$COLLOQUY_TEST_INHERITED>"', { env: { PATH: process.env.PATH } })(
        turn(),
        quiet(),
      ),
    ).toBe('<>')
  })

  test('it need not read a large turn', async () => {
    const big = turn({ goal: 'x'.repeat(4 << 20) })
    expect(await subprocess(['echo', 'la'])(big, quiet())).toBe('la')
    const reads = python('length.py', 'import sys\nprint(len(sys.stdin.read()))')
    expect(await subprocess(reads)(big, quiet())).toBe(String(JSON.stringify(big).length + 1))
  })

  test('a crash: its code and the last lines of stderr', async () => {
    const agent = subprocess(
      python(
        'crash.py',
        'import sys\nfor n in range(500): print("note", n, file=sys.stderr)\nraise ValueError("\\x1b[31mno tune")',
      ),
    )
    const error = await failureOf(agent)
    expect(error.code).toBe('AGENT_FAILED')
    expect(error.message).toContain('ended with exit code 1')
    expect(error.message).toContain('ValueError: no tune')
    expect(error.message).toContain('note 499')
    expect(error.message).not.toContain('note 400')
    expect(error.message.length).toBeLessThan(2500)
  })

  test('an answer does not count when the exit code is not 0', async () => {
    expect((await failureOf(subprocess('echo la; exit 3'))).message).toContain('exit code 3')
  })

  test('a signal is named', async () => {
    expect((await failureOf(subprocess('kill -9 $$'))).message).toContain('was ended by SIGKILL')
  })

  test.each([
    [['no-such-program-here', '--key=hush'] as const, /there is no program no-such-program-here/],
    ['no-such-program-here --key=hush', /exit code 127 \(command not found\)/],
    [['/etc/passwd', '--key=hush'] as const, /\/etc\/passwd may not be executed/],
  ])('%j cannot be started, and its arguments stay out of the error', async (command, message) => {
    const error = await failureOf(subprocess(command))
    expect(error.code).toBe('AGENT_FAILED')
    expect(error.message).toMatch(message)
    expect(`${error.message}${JSON.stringify(error)}${error.cause}`).not.toContain('hush')
  })

  test('a missing directory is named', async () => {
    expect((await failureOf(subprocess(['echo'], { cwd: join(dir, 'nowhere') }))).message).toMatch(
      /no working directory .*nowhere/,
    )
  })

  test('nothing said', async () => {
    const error = await failureOf(subprocess('echo "was afraid" >&2; echo'))
    expect(error.code).toBe('AGENT_EMPTY')
    expect(error.message).toContain('was afraid')
  })

  test('too much said: it is stopped', async () => {
    const agent = subprocess(python('flood.py', 'while True: print("la" * 1000)'), { maxOutput: 100_000 })
    const error = await failureOf(agent)
    expect(error.code).toBe('AGENT_FAILED')
    expect(error.message).toContain('more than 100000 bytes')
  })

  test('the limit counts to the byte', async () => {
    expect(await subprocess(['printf', 'é'.repeat(5)], { maxOutput: 10 })(turn(), quiet())).toBe('ééééé')
    expect((await failureOf(subprocess(['printf', 'é'.repeat(5)], { maxOutput: 9 }))).message).toContain(
      'more than 9 bytes',
    )
  })

  test('bytes that are no text', async () => {
    expect((await failureOf(subprocess(['printf', 'la \\377\\376']))).message).toContain('not UTF-8')
  })

  test('stderr line by line, characters whole', async () => {
    const lines: string[] = []
    const code =
      'import sys, time\nb = "première\\nzweite für".encode()\nfor i in b:\n  sys.stderr.buffer.write(bytes([i])); sys.stderr.flush(); time.sleep(0.001)\nprint("la")'
    await subprocess(python('stderr.py', code), { onStderr: (line) => lines.push(line) })(turn(), quiet())
    expect(lines).toEqual(['première', 'zweite für'])
  })

  test('many at once', async () => {
    const agent = subprocess('cat > /dev/null; echo $$')
    const answers = await Promise.all(Array.from({ length: 20 }, () => agent(turn(), quiet())))
    expect(new Set(answers).size).toBe(20)
  })
})

/** Starts a child and a grandchild; all deaf to SIGTERM if so told; writes their pids. */
const FAMILY = `
import os, signal, subprocess, sys, time
deaf, pids = sys.argv[1] == 'deaf', sys.argv[2]
if deaf: signal.signal(signal.SIGTERM, signal.SIG_IGN)
depth = int(sys.argv[3]) if len(sys.argv) > 3 else 0
if depth < 2: subprocess.Popen([sys.executable, __file__, sys.argv[1], pids, str(depth + 1)])
with open(pids, 'a') as f: f.write(f'{os.getpid()}\\n')
while True: time.sleep(1)
`

describe('ending a process', () => {
  test.each(['heeding', 'deaf'])(
    'on abort it is gone with its children, %s to SIGTERM, before the promise settles',
    async (kind) => {
      const pids = join(dir, `${kind}.pids`)
      const agent = subprocess([...python('family.py', FAMILY), kind, pids], { killGrace: 300 })
      const controller = new AbortController()
      const outcome = answered(agent, controller.signal).then(
        () => 'answered',
        (reason: unknown) => ({ reason, left: family.filter(lives) }),
      )
      const family = await pidsIn(pids, 3)
      expect(family.filter(lives)).toHaveLength(3)
      const start = performance.now()
      controller.abort('moved on')
      expect(await outcome).toEqual({ reason: 'moved on', left: [] })
      const took = performance.now() - start
      if (kind === 'deaf') expect(took).toBeGreaterThan(290)
      expect(took).toBeLessThan(1500)
    },
  )

  test('a leader that ends at SIGTERM does not save its deaf children', async () => {
    const pids = join(dir, 'orphans.pids')
    const [shell, ...rest] = [...python('family.py', FAMILY), 'deaf', pids]
    const agent = subprocess(`${shell} ${rest.join(' ')} & wait`, { killGrace: 300 })
    const controller = new AbortController()
    const outcome = answered(agent, controller.signal).catch(() => family.filter(lives))
    const family = await pidsIn(pids, 3)
    controller.abort()
    expect(await outcome).toEqual([])
  })

  test('what it leaves running when it exits is ended, and does not hold up the answer for long', async () => {
    const start = performance.now()
    const answer = await subprocess('sleep 60 & echo "la $!"')(turn(), quiet())
    expect(answer).toMatch(/^la \d+$/)
    expect(lives(Number(String(answer).slice(3)))).toBe(false)
    expect(performance.now() - start).toBeLessThan(1500)
  })

  test('a descendant in another session that holds stdout does not hold up the answer', async () => {
    const start = performance.now()
    expect(await subprocess('setsid sleep 5 & sleep 0.3; echo la')(turn(), quiet())).toBe('la')
    expect(performance.now() - start).toBeLessThan(2000)
  })

  test('nothing starts when the turn is over already', async () => {
    const file = join(dir, 'started')
    await expect(subprocess(['touch', file])(turn(), AbortSignal.abort('over'))).rejects.toBe('over')
    await sleep(50)
    expect(existsSync(file)).toBe(false)
  })

  test('close() ends a turn that runs', async () => {
    const pids = join(dir, 'closed.pids')
    const agent = subprocess([...python('family.py', FAMILY), 'heeding', pids], { killGrace: 100 })
    const outcome = failureOf(agent)
    const family = await pidsIn(pids, 3)
    await agent.close?.()
    expect(family.filter(lives)).toEqual([])
    expect((await outcome).message).toContain('SIGTERM')
  })

  test('a signal keeps no listener', async () => {
    const { signal } = new AbortController()
    let kept = 0
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      kept++
      add(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      kept--
      remove(...args)
    }
    await subprocess(['echo', 'la'])(turn(), signal)
    expect(kept).toBe(0)
  })
})

describe('one process for all turns', () => {
  const COUNTING = `
import json, os, sys
n = 0
for line in sys.stdin:
    n += 1
    said = json.loads(line)['task']
    if said == 'die': print('am dying', file=sys.stderr); sys.exit(4)
    if said == 'hang':
        while True: pass
    if said == 'twice': print('one'); print('two'); continue
    if said == 'flood':
        while True: sys.stdout.write('la')
    if said == 'empty': print(); continue
    if said == 'blank': print(n); print(); continue
    if said == 'bytes': sys.stdout.buffer.write(b'\\xff\\n'); sys.stdout.flush(); continue
    print(json.dumps(f'{n} {os.getpid()}\\n{said}'))
`
  const counting = (options = {}) =>
    subprocess(python('counting.py', COUNTING), { persistent: true, killGrace: 500, ...options })
  const say = async (
    agent: Agent<unknown>,
    task: string,
    signal = quiet(),
  ): Promise<{ n: number; pid: number }> => {
    const answer = await agent(turn({ task }), signal)
    const [n, pid] = String(answer).split(/\s/).map(Number)
    return { n: n ?? 0, pid: pid ?? 0 }
  }

  test('a line in, a line out, one process; close() ends it', async () => {
    const agent = counting()
    const first = await say(agent, 'a')
    const second = await say(agent, 'b')
    expect([first.n, second.n]).toEqual([1, 2])
    expect(second.pid).toBe(first.pid)
    expect(await agent(turn({ task: 'c\nd' }), quiet())).toBe(`3 ${first.pid}\nc\nd`)
    expect(lives(first.pid)).toBe(true)
    const start = performance.now()
    await agent.close?.()
    expect(lives(first.pid)).toBe(false)
    expect(performance.now() - start).toBeLessThan(450)
  })

  test('turns wait for one another', async () => {
    const agent = counting()
    const answers = await Promise.all(['a', 'b', 'c'].map((task) => say(agent, task)))
    expect(answers.map(({ n }) => n)).toEqual([1, 2, 3])
    await agent.close?.()
  })

  test('a turn that is over while it waits lets the others be', async () => {
    const agent = counting()
    const controller = new AbortController()
    const first = say(agent, 'a')
    const second = say(agent, 'b', controller.signal)
    const third = say(agent, 'c')
    controller.abort('over')
    await expect(second).rejects.toBe('over')
    expect([(await first).n, (await third).n]).toEqual([1, 2])
    await agent.close?.()
  })

  test('it dies: that turn fails with its stderr, the next starts anew', async () => {
    const agent = counting()
    const first = await say(agent, 'a')
    const error = await failureOf(agent, turn({ task: 'die' }))
    expect(error.code).toBe('AGENT_FAILED')
    expect(error.message).toContain('exit code 4 before it answered')
    expect(error.message).toContain('am dying')
    const next = await say(agent, 'b')
    expect(next.n).toBe(1)
    expect(next.pid).not.toBe(first.pid)
    await agent.close?.()
  })

  test('it is killed between turns: the next starts anew', async () => {
    const agent = counting()
    const { pid } = await say(agent, 'a')
    process.kill(pid, 'SIGKILL')
    while (lives(pid)) await sleep(5)
    await sleep(50)
    expect((await say(agent, 'b')).n).toBe(1)
    await agent.close?.()
  })

  test('it hangs: abort ends it, the next starts anew', async () => {
    const agent = counting()
    const { pid } = await say(agent, 'a')
    await expect(say(agent, 'hang', AbortSignal.timeout(100))).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(lives(pid)).toBe(false)
    expect((await say(agent, 'b')).n).toBe(1)
    await agent.close?.()
  })

  test('a line too many never answers another turn', async () => {
    const agent = counting()
    expect(await agent(turn({ task: 'twice' }), quiet())).toBe('one')
    await sleep(200)
    expect(await say(agent, 'b')).toMatchObject({ n: 1 })
    await agent.close?.()
  })

  test('an empty line is an empty answer; one after the answer is nothing', async () => {
    const agent = counting()
    expect((await failureOf(agent, turn({ task: 'empty' }))).code).toBe('AGENT_EMPTY')
    expect(await agent(turn({ task: 'blank' }), quiet())).toBe('2')
    await sleep(200)
    expect((await say(agent, 'b')).n).toBe(3)
    await agent.close?.()
  })

  test('an endless line is stopped', async () => {
    const agent = counting({ maxOutput: 100_000 })
    expect((await failureOf(agent, turn({ task: 'flood' }))).message).toContain('more than 100000 bytes')
    expect((await say(agent, 'b')).n).toBe(1)
    await agent.close?.()
  })

  test('bytes that are no text', async () => {
    const agent = counting()
    expect((await failureOf(agent, turn({ task: 'bytes' }))).message).toContain('not UTF-8')
    await agent.close?.()
  })

  test('the text of the turn is one line: a JSON string', async () => {
    const agent = subprocess('cat', { persistent: true, input: 'text' })
    expect(await agent(turn(), quiet())).toBe(renderTurn(turn()))
    await agent.close?.()
  })

  test('a program that is not there fails every turn', async () => {
    const agent = subprocess(['no-such-program-here'], { persistent: true })
    for (let time = 0; time < 2; time++)
      expect((await failureOf(agent)).message).toContain('there is no program')
  })
})

describe('when the parent ends', () => {
  let module = ''
  beforeAll(() => {
    module = compiled('subprocess', dir)
  })
  /** Writes a program whose agent starts a deaf family and never answers. */
  const host = (name: string, pids: string, body: string): string => {
    const command = JSON.stringify([...python('family.py', FAMILY), 'deaf', pids])
    const file = join(dir, `host-${name}.js`)
    writeFileSync(
      file,
      `import { subprocess } from ${JSON.stringify(module)}\nconst turn = ${JSON.stringify(turn())}\nconst command = ${command}\n${body}\n`,
    )
    return file
  }
  const HANG = 'subprocess(command)(turn, new AbortController().signal).catch(() => {})'

  test.each([
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGINT'],
    ['SIGKILL', 'SIGKILL'],
    ['exit', null],
  ] as const)('by %s, nothing is left', async (name, signal) => {
    const pids = join(dir, `host-${name}.pids`)
    const file = host(name, pids, `${HANG}\nprocess.stdin.once('data', () => process.exit(5))`)
    const parent = spawn(process.execPath, [file], { stdio: ['pipe', 'ignore', 'inherit'] })
    const over = new Promise<unknown>((resolve) => parent.once('exit', (code, by) => resolve(by ?? code)))
    const family = await pidsIn(pids, 3)
    if (signal === null) parent.stdin.write('x')
    else parent.kill(signal)
    expect(await over).toBe(signal ?? 5)
    const until = performance.now() + 5000
    while (family.some(lives) && performance.now() < until) await sleep(20)
    expect(family.filter(lives)).toEqual([])
    // Its exit handler kills at once; the warden first asks.
    if (signal === null) expect(performance.now()).toBeLessThan(until - 4000)
  })

  test('an idle persistent process does not keep it alive', async () => {
    const pids = join(dir, 'host-idle.pids')
    const file = host(
      'idle',
      pids,
      `const agent = subprocess('echo $$ > ${pids}; while read -r line; do echo la; done', { persistent: true })\nconsole.log(await agent(turn, new AbortController().signal))`,
    )
    const parent = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    parent.stdout.on('data', (chunk) => {
      out += chunk
    })
    expect(await new Promise((resolve) => parent.once('close', resolve))).toBe(0)
    expect(out).toBe('la\n')
    const [pid = 0] = await pidsIn(pids, 1)
    await sleep(100)
    expect(lives(pid)).toBe(false)
  })
})
