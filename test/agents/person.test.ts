import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Agent, Turn } from '../../src/agents/agent.ts'
import { person } from '../../src/agents/person.ts'
import { compiled } from './compiled.ts'
import { entry, quiet, turn } from './turn.ts'

const desk = () => {
  const input = new PassThrough()
  const output = new PassThrough()
  let screen = ''
  output.on('data', (chunk) => {
    screen += chunk
  })
  return { input, output, screen: () => screen, agent: person({ input, output }) }
}

const ask = async (agent: Agent<unknown>, given: Turn<unknown> = turn(), signal = quiet()) =>
  agent(given, signal)

describe('a person', () => {
  test('sees the turn and answers', async () => {
    const { agent, input, screen } = desk()
    const answer = ask(agent, turn({ lastTurn: true, notice: 'Nobody heard it' }))
    await vi.waitFor(() => expect(screen()).toContain('ann> '))
    expect(screen()).toMatchInlineSnapshot(`
      "
      --- ann, it is your turn in "dusk" (2 turns left, 42 s left)
      Goal: Name the tune
      New messages:
        ben [hum] Shall we?
      Your last answer could not be used: Nobody heard it
      Say what you heard
      You may: hum, name-it (/help tells more)
      This is your last turn here.
      ann> "
    `)
    input.write('[hum] la\n')
    expect(await answer).toBe('[hum] la')
    expect(agent.timeout).toBeNull()
    await agent.close?.()
  })

  test('by another name', async () => {
    const { input, output, screen } = desk()
    const agent = person({ input, output, name: 'Dr. Ann' })
    input.write('la\n')
    await ask(agent)
    expect(screen()).toContain('Dr. Ann, it is your turn')
    await agent.close?.()
  })

  test('sees what is new only, and the goal once', async () => {
    const { agent, input, screen } = desk()
    input.write('la\nla\n')
    await ask(agent)
    const first = screen().length
    const mine = entry({ id: 'm2', from: 'ann', content: 'my own' })
    await ask(agent, turn({ transcript: [entry(), mine, entry({ id: 'm3', content: 'Indeed' })] }))
    const second = screen().slice(first)
    expect(second).toContain('ben [hum] Indeed')
    expect(second).not.toMatch(/Shall we|my own|Goal/)
    await agent.close?.()
  })

  test('plain text, JSON and several lines', async () => {
    const { agent, input } = desk()
    input.write('just talk\n{"intent": "name-it"}\n[hum] one\\\ntwo\\\n\n[1] is a number\n')
    expect(await ask(agent)).toBe('just talk')
    expect(await ask(agent)).toBe('{"intent": "name-it"}')
    expect(await ask(agent)).toBe('[hum] one\ntwo')
    expect(await ask(agent)).toBe('[1] is a number')
    await agent.close?.()
  })

  test('an empty line, an intent that is not allowed, /help: asked again', async () => {
    const { agent, input, screen } = desk()
    input.write('\n   \n[shout] hey\n[shout at=ben] hey\n/help\n[Name-it title=x] yes\n')
    expect(await ask(agent)).toBe('[Name-it title=x] yes')
    expect(screen().split('ann> ')).toHaveLength(7)
    expect(screen().match(/\[shout\] is not allowed now. You may: hum, name-it\./g)).toHaveLength(2)
    expect(screen()).toContain('[name-it] names the tune\n      fields: {title, year?}')
    await agent.close?.()
  })

  test('nothing that others wrote can steer the terminal', async () => {
    const { agent, input, screen } = desk()
    const evil = '\u001b[2J\u001b]0;pwned\u0007\u009b31m\u202eab\u0008\rc'
    input.write('/help\nla\u001b[A\n')
    const answer = await ask(
      agent,
      turn({
        goal: evil,
        state: evil,
        task: evil,
        notice: evil,
        member: `m${evil}`,
        expected: evil,
        transcript: [entry({ content: evil, from: evil, intent: evil })],
        allowed: [{ intent: evil, does: evil, form: evil }],
      }),
    )
    expect(answer).toBe('la')
    expect(screen()).toContain('ab\n    c')
    expect(screen()).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e]/u)
    await agent.close?.()
  })

  test('end of input: what was said counts, then the person has left', async () => {
    const { agent, input } = desk()
    input.end('one\ntwo\n')
    expect(await ask(agent)).toBe('one')
    expect(await ask(agent)).toBe('two')
    const left = { code: 'AGENT_FAILED', message: expect.stringContaining('left the terminal') }
    await expect(ask(agent)).rejects.toMatchObject(left)
    await expect(ask(agent)).rejects.toMatchObject(left)
    await agent.close?.()
  })

  test('end of input while asked', async () => {
    const { agent, input, screen } = desk()
    const answer = ask(agent)
    await vi.waitFor(() => expect(screen()).toContain('ann> '))
    input.end()
    await expect(answer).rejects.toMatchObject({ code: 'AGENT_FAILED' })
    await agent.close?.()
  })

  test('abort ends the prompt, and says why; the next turn asks anew', async () => {
    const { agent, input, screen } = desk()
    const controller = new AbortController()
    const answer = ask(agent, turn(), controller.signal)
    await vi.waitFor(() => expect(screen()).toContain('ann> '))
    controller.abort(new Error('the group moved on'))
    await expect(answer).rejects.toThrow('the group moved on')
    expect(screen()).toMatch(/\(The turn is over: the group moved on\)\n$/)
    input.write('la\n')
    expect(await ask(agent)).toBe('la')
    await agent.close?.()
  })

  test('two at one terminal are asked one after the other', async () => {
    const { input, output, screen, agent: ann } = desk()
    const ben = person({ input, output })
    const controller = new AbortController()
    const first = ask(ann)
    const second = ask(ben, turn({ member: 'ben' }))
    const third = ask(ann, turn(), controller.signal)
    const fourth = ask(ben, turn({ member: 'ben' }))
    await vi.waitFor(() => expect(screen()).toContain('ann> '))
    expect(screen()).not.toContain('ben> ')
    controller.abort('over')
    await expect(third).rejects.toBe('over')
    input.write('a\nb\nc\n')
    expect(await Promise.all([first, second, fourth])).toEqual(['a', 'b', 'c'])
    await ann.close?.()
    input.write('d\n')
    expect(await ask(ben, turn({ member: 'ben' }))).toBe('d')
    await ben.close?.()
  })

  test('close() gives the input free, with all its listeners', async () => {
    const { agent, input, output } = desk()
    const before = [...input.eventNames(), ...output.eventNames()].length
    input.write('la\n')
    await ask(agent)
    await agent.close?.()
    await sleep(0)
    expect(input.listenerCount('data') + input.listenerCount('keypress')).toBe(0)
    expect([...input.eventNames(), ...output.eventNames()].length).toBe(before)
    input.write('lo\n')
    const again = person({ input, output })
    expect(await ask(again)).toBe('lo')
    await again.close?.()
  })
})

describe('a whole process', () => {
  let dir = ''
  let file = ''
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'colloquy-person-'))
    file = join(dir, 'main.js')
    writeFileSync(
      file,
      `import { person } from ${JSON.stringify(compiled('person', dir))}
       const agent = person()
       const turn = ${JSON.stringify(turn())}
       for (let n = 0; n < 2; n++) {
         const said = await agent(turn, new AbortController().signal).catch(({ message }) => ({ message }))
         console.log('SAID ' + JSON.stringify(said))
         await new Promise((resolve) => setTimeout(resolve, 200))
       }`,
    )
  })
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  test('a pipe: a line an answer, and it ends by itself', () => {
    const { stdout, status } = spawnSync(process.execPath, [file], { input: 'one\ntwo\n', encoding: 'utf8' })
    expect(stdout.match(/SAID .*/g)).toEqual(['SAID "one"', 'SAID "two"'])
    expect(status).toBe(0)
  })

  test('an input that stays open does not keep it alive', async () => {
    const child = spawn(process.execPath, [file], { stdio: ['pipe', 'ignore', 'inherit'] })
    child.stdin.write('one\ntwo\n')
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0)
    child.stdin.destroy()
  })

  /** Runs the program at a pseudo-terminal; `type` is called with what is on the screen whenever that changes. */
  const atTerminal = (type: (screen: string, write: (keys: string) => void) => void) =>
    new Promise<{ screen: string; status: number | null }>((resolve) => {
      const command = `${process.execPath} ${file}`
      const terminal = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] })
      let screen = ''
      terminal.stdout.on('data', (chunk) => {
        screen += chunk
        type(screen, (keys) => terminal.stdin.write(keys))
      })
      terminal.on('close', (status) => resolve({ screen, status }))
    })

  test('a terminal: lines are edited, what was typed between turns is dropped, Ctrl-D leaves', async () => {
    const steps = [
      { seen: /ann> /, keys: 'helo\u007f\u007fllo la\r' },
      { seen: /SAID "hello la"/, keys: 'too early\rhalf' },
      { seen: /SAID [\s\S]*ann> /, keys: '\u0004' },
    ]
    const { screen, status } = await atTerminal((seen, write) => {
      const [step] = steps
      if (step?.seen.test(seen)) {
        steps.shift()
        write(step.keys)
      }
    })
    expect(screen).toContain('SAID "hello la"')
    expect(screen).toContain('SAID {"message":"The person left the terminal"}')
    expect(screen).not.toContain('SAID "too early"')
    expect(status).toBe(0)
  })

  test('Ctrl-C ends the program as ever', async () => {
    let typed = false
    const { screen, status } = await atTerminal((seen, write) => {
      if (!typed && seen.includes('ann> ')) {
        typed = true
        write('\u0003')
      }
    })
    expect(screen).not.toContain('SAID')
    expect(status).toBe(130)
  })
})
