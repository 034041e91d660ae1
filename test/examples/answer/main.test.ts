/** `npm start` as a person runs it: the whole process, on documents of a folder, with and without a model. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalogue } from '../../../machines/catalogue.ts'
import { readLines, replay } from '../../../src/index.ts'
import { answer, type Endpoint, endpoint } from '../../agents/endpoint.ts'

const main = join(import.meta.dirname, '../../../dist/examples/answer/main.js')
const root = mkdtempSync(join(tmpdir(), 'colloquy-answer-'))
const docs = join(root, 'docs')
beforeAll(() => {
  mkdirSync(docs)
  writeFileSync(
    join(docs, 'kettle.md'),
    [
      '# The kettle',
      '',
      'The kettle boils one litre of water in exactly four minutes when its lid is closed and its base stands level.',
      '',
      '## Cleaning',
      '',
      'Vinegar removes the scale from the kettle, which should be rinsed twice afterwards (or the tea will taste of it).',
    ].join('\n'),
  )
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const run = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  interruptAt?: RegExp,
): Promise<Ran> =>
  new Promise((resolve) => {
    const { PATH = '', HOME = '' } = process.env
    const child = spawn(process.execPath, [main, ...args], { cwd: root, env: { PATH, HOME, ...env } })
    let out = ''
    let err = ''
    let isInterrupted = false
    child.stdout.on('data', (data) => {
      out += String(data)
      // Once: the second time ends at once.
      if (isInterrupted || interruptAt?.test(out) !== true || child.exitCode !== null) return
      isInterrupted = true
      child.kill('SIGINT')
    })
    child.stderr.on('data', (data) => {
      err += String(data)
    })
    child.stdin.end()
    child.on('close', (code) => resolve({ code, out, err }))
  })

const records = (folder: string) =>
  readdirSync(join(root, folder)).map(
    (name) => readLines(readFileSync(join(root, folder, name), 'utf8')).lines,
  )

describe('a question to a folder of documents', () => {
  it('is answered with its sources, the way through the states, and a record that replays', async () => {
    const { code, out } = await run([
      '--docs',
      'docs',
      '--record',
      'one',
      '--question',
      'How does vinegar clean the kettle?',
    ])
    expect(code).toBe(0)
    expect(out).toContain('Path: discussion → proposal → assign → execution → review → closed')
    const told = out.slice(out.indexOf('── closed'))
    expect(told).toMatch(/vinegar/i)
    expect(told).toContain('kettle.md')
    // Condensed: the writer may not hand on whole sentences.
    expect(told).not.toContain('(or the tea will taste of it)')
    const [lines] = records('one')
    expect(replay(lines ?? [], catalogue).talk.outcome).toMatchObject({ status: 'accepted' })
  })

  it('that the documents do not answer ends in rework and a warning, without an invention', async () => {
    const { code, out } = await run([
      '--docs',
      'docs',
      '--record',
      'two',
      '--question',
      'Who invented the telescope?',
    ])
    expect(code).toBe(0)
    expect(out).toContain('execution (rework)')
    expect(out).toContain('No answer')
    expect(out).toContain('Warnings: rejects_exhausted')
    const [lines] = records('two')
    expect(replay(lines ?? [], catalogue).talk.outcome).toMatchObject({
      status: 'rejects_exhausted',
      rejections: 3,
    })
  })

  it('ends quietly when nobody reads on', async () => {
    const child = spawn('sh', ['-c', `"${process.execPath}" "${main}" --docs docs --record five | head -1`], {
      cwd: root,
    })
    let err = ''
    child.stderr.on('data', (data) => {
      err += String(data)
    })
    await new Promise((resolve) => child.on('close', resolve))
    expect(err).toBe('')
  })

  it.each([
    [['--docs', 'nowhere'], 64, 'nowhere'],
    [['--qestion', 'x'], 64, "'--qestion'"],
    [['--docs', 'docs', '--question', ' '], 64, '--question is empty'],
  ])('%j is refused with a remedy and no stack', async (args, code, text) => {
    const ran = await run(args)
    expect(ran.code).toBe(code)
    expect(ran.err).toContain(text)
    expect(ran.err).toContain('→')
    expect(ran.err).not.toContain('    at ')
  })
})

describe('with a language model', () => {
  const KEY = 'sk-very-secret-key'
  const question = 'How long does the kettle take?'
  interface Body {
    readonly messages: readonly { readonly role: string; readonly content: string }[]
  }
  const bodies = (server: Endpoint): Body[] => server.requests.map(({ body }) => body as Body)
  const isWriter = ({ messages }: Body): boolean => messages[0]?.content.startsWith('You answer') === true

  it('writer and verifier are calls of their own, and the key is in no record', async () => {
    const answers = ['It takes three minutes.', 'It takes four minutes for a litre.']
    const server = await endpoint((response, request) => {
      const all = bodies(server)
      const isWriting = isWriter(all.at(-1) as Body)
      const drafts = all.filter(isWriter).length
      const source = 'docs'
      const given = JSON.parse((all.at(-1) as Body).messages[1]?.content ?? '{}') as {
        passages?: { id: string }[]
      }
      const sources = [given.passages?.[0]?.id ?? source]
      const reply = isWriting
        ? { sentences: [{ text: answers[Math.min(drafts, 2) - 1], sources }] }
        : { unsupported: drafts === 1 ? [{ sentence: 1, reason: 'the passage says four' }] : [] }
      answer(JSON.stringify(reply))(response, request)
    })
    try {
      const { code, out, err } = await run(
        ['--docs', 'docs', '--record', 'three', '--model', 'stub', '--question', question],
        { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: KEY },
      )
      expect(err).toBe('')
      expect(code).toBe(0)
      expect(out.slice(out.indexOf('── closed'))).toContain('It takes four minutes for a litre.')
      const [writing, judging] = [
        bodies(server).filter(isWriter),
        bodies(server).filter((body) => !isWriter(body)),
      ]
      expect([writing.length, judging.length]).toEqual([2, 2])
      // The verifier is not told the question; the writer is told what was refused.
      for (const { messages } of judging) expect(JSON.stringify(messages)).not.toContain(question)
      expect(writing[1]?.messages[1]?.content).toContain('It takes three minutes.')
      expect(
        readFileSync(join(root, 'three', readdirSync(join(root, 'three'))[0] ?? ''), 'utf8'),
      ).not.toContain(KEY)
      expect(out).not.toContain(KEY)
    } finally {
      await server.close()
    }
  })

  it('that never answers is left by Ctrl-C: the conversation is cancelled, and the record says so', async () => {
    const server = await endpoint(() => {})
    try {
      const ran = await run(
        ['--docs', 'docs', '--record', 'four', '--model', 'stub'],
        { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: KEY },
        /── execution[\s\S]*passages/,
      )
      expect(ran.code).toBe(130)
      const [lines] = records('four')
      expect(lines?.at(-1)?.value).toMatchObject({ type: 'cancel' })
    } finally {
      await server.close()
    }
  })

  it('without a key is refused by the name of the variable', async () => {
    const ran = await run(['--docs', 'docs', '--model', 'stub'])
    expect(ran.code).toBe(69)
    expect(ran.err).toContain('OPENAI_')
    expect(ran.err).not.toContain('    at ')
  })
})
