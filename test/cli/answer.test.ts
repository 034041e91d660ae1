import { once } from 'node:events'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { answerText } from '../../src/cli/answer-text.ts'
import { createHost, type Host, jsonlJournal, type PendingQuestion } from '../../src/index.ts'
import { linesIn } from './desk.ts'
import { colloquy, folder, start } from './process.ts'

const here = folder()
const running: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of running.splice(0)) await stop()
})
afterAll(() => here.remove())

interface Hosted {
  readonly place: string
  readonly host: Host
  stop(): Promise<void>
}

let count = 0
/** A host over a folder, with people. */
const hosted = async (place = join(here.path, String(count++)), people = ['ben']): Promise<Hosted> => {
  const journal = jsonlJournal(place, { sync: false })
  const host = await createHost({ journal, people, poll: 20 })
  const stop = async (): Promise<void> => {
    await host.close()
    await journal.close()
  }
  running.push(stop)
  return { place, host, stop }
}

const proposal = {
  id: 'p',
  from: 'ana',
  intent: 'proposal',
  content: 'Ship it',
  payload: { subtasks: [{ id: 't' }] },
}

/** Ben, or Cy too, is asked to vote. */
const voting = async (
  { host }: Hosted,
  members = ['ana', 'ben', 'cy'],
  asked = 1,
): Promise<readonly PendingQuestion[]> => {
  await host.open({ id: 'c', goal: 'Ship the library', members })
  await host.send('c', proposal)
  for (;;) {
    const found = (await host.questions()).filter(({ state }) => state === 'proposal')
    if (found.length === asked) return found
    await sleep(10)
  }
}

describe('questions', () => {
  it('tell of whom, why, in which form and until when', async () => {
    const hosting = await hosted()
    const [question] = await voting(hosting)
    const { code, stdout } = await colloquy(['questions', hosting.place])
    expect(code).toBe(0)
    expect(stdout).toContain(`${question?.id}: ben is asked in "proposal" of c\n`)
    expect(stdout).toMatch(/Asked at \S+Z, until \S+Z/)
    expect(stdout).toContain('Goal: Ship the library')
    expect(stdout).toMatch(/Why: \S/)
    expect(stdout).toMatch(/ \[agree\] .*\n(?: {6}.*\n)* {4}\[/)
    const json = await colloquy(['questions', hosting.place, '--json'])
    expect(linesIn(json.stdout)).toEqual([{ ...question, answer: null }])
    const shown = await colloquy(['journal', 'show', hosting.place, 'c'])
    expect(shown.stdout).toContain(`${question?.id}: ben is asked`)
  })

  it('are none when nobody is asked', async () => {
    const { place } = await hosted()
    expect(await colloquy(['questions', place])).toEqual({
      code: 0,
      stdout: 'Nobody is asked.\n',
      stderr: '',
    })
  })
})

describe('an answer', () => {
  it('to the only question is taken by the host, and what the rules made of it is told', async () => {
    const hosting = await hosted()
    const [question] = await voting(hosting)
    const { code, stdout } = await colloquy([
      'answer',
      hosting.place,
      question?.id ?? '',
      '[agree]',
      'fine',
      'with',
      'me',
    ])
    expect(stdout).toMatch(
      /^c: the answer of ben is event 2, taken as "agree": applied, consensus → assign\. It is in "assign" now\.$/m,
    )
    expect(code).toBe(0)
    expect((await hosting.host.record('c'))[2]).toMatchObject({
      message: { id: question?.id, from: 'ben', intent: 'agree', content: 'fine with me' },
    })
  })

  it('is read from stdin, and told as JSON', async () => {
    const hosting = await hosted()
    const [question] = await voting(hosting)
    const { code, stdout } = await colloquy(['answer', hosting.place, '--json'], {
      input: 'I agree,\nlet us.\n',
    })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      question: question?.id,
      fate: 'said',
      seq: 2,
      decision: { effect: 'applied', from: 'proposal' },
    })
  })

  it('that nobody can use is told with the reason', async () => {
    const hosting = await hosted()
    await voting(hosting)
    const { code, stdout } = await colloquy(['answer', hosting.place], {
      input: 'It rains.',
    })
    expect(stdout).toMatch(/^c: the answer of ben could not be used: .+ \(event 2\)\n$/)
    expect(code).toBe(0)
  })

  it('is kept when no host runs, and taken by the next one', async () => {
    const hosting = await hosted()
    const [question] = await voting(hosting)
    await hosting.stop()
    const { code, stdout } = await colloquy(['answer', hosting.place, '--wait', '0'], { input: '[agree]' })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `The answer to ${question?.id} is kept. The next host that looks after c takes it.\n`,
    })
    expect((await colloquy(['questions', hosting.place])).stdout).toContain(
      'It has been answered, and waits for a host.',
    )
    const again = await colloquy(['answer', hosting.place, question?.id ?? '', 'no'])
    expect(again).toMatchObject({ code: 65, stderr: expect.stringContaining('QUESTION_ANSWERED') })
    const next = await hosted(hosting.place)
    await expect.poll(async () => (await next.host.record('c')).length, { timeout: 10_000 }).toBe(3)
  })

  it('is kept when waiting is cut short by Ctrl-C', async () => {
    const hosting = await hosted()
    await voting(hosting)
    await hosting.stop()
    const { child, ended } = start(['answer', hosting.place, '--wait', '60'], { input: '[agree]' })
    const journal = jsonlJournal(hosting.place)
    await expect.poll(async () => (await journal.questions())[0]?.answer, { timeout: 10_000 }).toBe('[agree]')
    await journal.close()
    child.kill('SIGINT')
    const { code, stdout } = await ended
    expect(code).toBe(130)
    expect(stdout).toContain('is kept')
  })

  it('that comes when the group has moved on is said to be late', async () => {
    const hosting = await hosted()
    const [question] = await voting(hosting)
    await hosting.stop()
    const running = start(['answer', hosting.place, question?.id ?? '', '[agree]', '--wait', '15'])
    const journal = jsonlJournal(hosting.place)
    await expect.poll(async () => (await journal.questions())[0]?.answer, { timeout: 10_000 }).toBe('[agree]')
    // A host that is told of the end before it has anybody to ask.
    const lease = await journal.lease(60_000)
    await lease.take('c')
    const { events, length } = (await journal.load('c')) ?? { events: [], length: 0 }
    const at = events.at(-1)?.at ?? Date.now()
    await journal.append('c', length, [{ type: 'cancel', at }], {
      lease: lease.id,
      standing: { state: 'closed', dueAt: null, outcome: { status: 'cancelled' }, questions: [] },
    })
    expect(await running.ended).toMatchObject({
      code: 0,
      stdout: 'c: nobody waited for the answer any more: the group has moved on. It is in "closed" now.\n',
    })
    await lease.release()
    await journal.close()
  })

  it('to nothing, or to what nobody asked, is refused with what is asked', async () => {
    const hosting = await hosted()
    const none = await colloquy(['answer', hosting.place], { input: 'yes' })
    expect(none).toMatchObject({
      code: 66,
      stderr: expect.stringContaining('QUESTION_UNKNOWN: No question waits for an answer'),
    })
    const [question] = await voting(hosting)
    const wrong = await colloquy(['answer', hosting.place, 'yes'])
    expect(wrong.code).toBe(66)
    expect(wrong.stderr).toContain('QUESTION_UNKNOWN: No question "yes" waits for an answer')
    expect(wrong.stderr).toContain(`→ These wait for an answer: ${question?.id}; \`colloquy questions `)
    const empty = await colloquy(['answer', hosting.place], { input: ' \n' })
    expect(empty).toMatchObject({ code: 64, stderr: expect.stringContaining('USAGE: The answer is empty') })
    expect(await hosting.host.questions()).toMatchObject([{ answer: null }])
  })

  it('must name its question when there are several', async () => {
    const hosting = await hosted(undefined, ['ben', 'cy'])
    const asked = await voting(hosting, ['ana', 'ben', 'cy', 'dan'], 2)
    const { code, stderr } = await colloquy(['answer', hosting.place], { input: 'yes' })
    expect(code).toBe(64)
    expect(stderr).toContain('USAGE: 2 questions wait for an answer')
    for (const { id } of asked) expect(stderr).toContain(id)
  })
})

describe('an answer that is typed', () => {
  const question: PendingQuestion = {
    id: 'q_1',
    conversation: 'c',
    member: 'ben',
    state: 'proposal',
    task: 'Vote',
    goal: '',
    seq: 1,
    at: 0,
    dueAt: null,
    allowed: [{ intent: 'agree', does: 'votes for it' }],
    expected: null,
    notice: 'It did not tell a vote',
    answer: null,
  }

  const typing = () => {
    const input = Object.assign(new PassThrough(), { isTTY: true })
    const prompt = new PassThrough()
    let shown = ''
    prompt.on('data', (chunk: Buffer) => {
      shown += chunk.toString()
    })
    const stop = new AbortController()
    const text = answerText(question, { input, prompt, width: 80, signal: stop.signal })
    return { input, text, stop, shown: () => shown }
  }

  it('is one line, after the question; a backslash goes on with the next', async () => {
    const { input, text, shown } = typing()
    await expect.poll(shown).toContain('ben> ')
    expect(shown()).toContain('q_1: ben is asked in "proposal" of c')
    expect(shown()).toContain('The last answer could not be used: It did not tell a vote')
    input.write('[agree] yes,\\\r')
    await expect.poll(shown).toContain('… ')
    input.write('of course\rnever read\r')
    expect(await text).toBe('[agree] yes,\nof course')
  })

  it('is none when it is interrupted', async () => {
    const { text, stop, shown, input } = typing()
    await expect.poll(shown).toContain('ben> ')
    stop.abort()
    await expect(text).rejects.toMatchObject({ name: 'AbortError' })
    input.destroy()
    await once(input, 'close')
  })
})
