/** The journal in a folder and what it keeps beside the records: after crashes, with other processes, and compact. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Journal } from '../../src/journals/journal.ts'
import { jsonlJournal } from '../../src/journals/jsonl.ts'
import { built } from '../support/build.ts'
import { cancel, closed, opening, question, said, snapshot, standing, TTL } from './contract/samples.ts'

const root = mkdtempSync(join(tmpdir(), 'colloquy-jsonl-folder-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let folders = 0
const fresh = (): string => join(root, `f${folders++}`)

const journalIn = (folder: string): Journal => {
  const journal = jsonlJournal(folder)
  onTestFinished(() => journal.close())
  return journal
}

const module = (): string => pathToFileURL(join(built(), 'dist/src/journals/jsonl.js')).href

/** Runs a script with the folder's journal as `journal` in another process; resolves to the first line that it prints. */
const elsewhere = async (folder: string, script: string) => {
  const source = `
    import { jsonlJournal } from ${JSON.stringify(module())}
    const journal = jsonlJournal(${JSON.stringify(folder)})
    ${script}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(kill)
  const line = await new Promise<string>((resolve) => {
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      text += more
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
    })
    child.once('close', () => resolve(text))
  })
  return { line, pid: child.pid, kill }
}

describe('a folder that cannot be', () => {
  it('fails by name, at once', async () => {
    const file = fresh()
    writeFileSync(file, '')
    for (const place of [file, join(file, 'in', 'it')])
      await expect(journalIn(place).lease(TTL)).rejects.toMatchObject({
        code: 'JOURNAL_FAILED',
        message: expect.stringContaining(file),
      })
    if (existsSync('/proc/self'))
      await expect(journalIn('/proc/nope/talks').append('c', 0, [opening('c')])).rejects.toMatchObject({
        code: 'JOURNAL_FAILED',
        message: expect.stringContaining('/proc/nope'),
      })
  })
})

/** What a host does until it is killed: takes a conversation, writes, and says so. */
const HOST = `
  const lease = await journal.lease(${TTL})
  await lease.take('c')
  const standing = { state: 'discussion', dueAt: null, outcome: null }
  const under = { standing, lease: lease.id }
  await journal.append('c', 0, [${JSON.stringify(opening('c'))}], under)
  await journal.append('c', 1, [${JSON.stringify(said('m1'))}], { ...under, standing: { ...standing, state: 'review' } })
  console.log('ready')
  setInterval(() => {}, 1_000)`

describe('a folder', () => {
  it('is for the hosts of one process at a time, and says whose it is', async () => {
    const folder = fresh()
    const host = await elsewhere(folder, HOST)
    const journal = journalIn(folder)
    const locked = { code: 'JOURNAL_LOCKED', message: expect.stringContaining(`process ${host.pid} `) }
    await expect(journal.lease(TTL)).rejects.toMatchObject(locked)
    await expect(journal.lease(TTL)).rejects.toMatchObject(locked)
    // Refused, it leaves the lock to the other.
    expect(readdirSync(folder).filter((name) => name.endsWith('.lock'))).toHaveLength(1)
  })

  it('is for one journal of a process', async () => {
    const folder = fresh()
    const [one, other] = [journalIn(folder), journalIn(folder)]
    await one.lease(TTL)
    await expect(other.lease(TTL)).rejects.toMatchObject({ code: 'JOURNAL_LOCKED' })
    await one.close()
    await other.lease(TTL)
  })

  it('is free again when the process that locked it has been killed; what was open there is looked after', async () => {
    const folder = fresh()
    const host = await elsewhere(folder, HOST)
    await host.kill()
    const journal = journalIn(folder)
    const heir = await journal.lease(TTL)
    expect(await heir.takeUrgent(0, 9)).toEqual(['c'])
    expect(await heir.takeUrgent(0, 9)).toEqual([])
    expect(await journal.load('c')).toMatchObject({ length: 2, events: [opening('c'), said('m1')] })
    await journal.append('c', 2, [said('m2')], { lease: heir.id, standing: standing() })
    expect(readdirSync(folder).filter((name) => name.endsWith('.lock'))).toHaveLength(1)
  })

  it('is not kept from others by the number of a process that was another’s before', async () => {
    const folder = fresh()
    await journalIn(folder).append('c', 0, [opening('c')])
    // This very process, but as if it had been started at another time.
    writeFileSync(join(folder, `host.${process.pid}.1.before.lock`), '')
    await journalIn(folder).lease(TTL)
    expect(existsSync(join(folder, `host.${process.pid}.1.before.lock`))).toBe(false)
  })

  it('takes answers from any process, the first of which stands, and is read by any', async () => {
    const folder = fresh()
    const journal = journalIn(folder)
    const lease = await journal.lease(TTL)
    await lease.take('c')
    await journal.append('c', 0, [opening('c')], {
      lease: lease.id,
      standing: standing({ questions: [question('c', 'q')] }),
    })
    const { line } = await elsewhere(
      folder,
      `const [{ id }] = await journal.questions()
      await journal.answer(id, 'from afar')
      const [{ length }] = await journal.list()
      console.log(JSON.stringify({ id, length, events: (await journal.read('c')).events.length }))`,
    )
    expect(JSON.parse(line)).toEqual({ id: 'q', length: 1, events: 1 })
    await expect(journal.answer('q', 'late')).rejects.toMatchObject({ code: 'QUESTION_ANSWERED' })
    expect(await lease.takeUrgent(0, 9)).toEqual(['c'])
    expect(await journal.questions()).toMatchObject([{ answer: 'from afar' }])
    const settling = { lease: lease.id, standing: standing({ questions: [] }) }
    await journal.append('c', 1, [cancel(1)], settling)
    expect(readdirSync(folder).filter((name) => name.startsWith('answer-'))).toEqual([])
  })
})

describe('the file beside a record', () => {
  const filled = async (): Promise<{ folder: string; state: string; record: string }> => {
    const folder = fresh()
    const journal = jsonlJournal(folder)
    const questions = [question('c', 'q')]
    await journal.append('c', 0, [opening('c'), said('m1')], {
      standing: standing({ snapshot: snapshot('c', 1, [['m1', 'a']]), questions }),
    })
    await journal.close()
    return { folder, state: join(folder, 'c.state.json'), record: join(folder, 'c.jsonl') }
  }

  it('may be behind the record: then the events after its snapshot tell the rest', async () => {
    const { folder, state } = await filled()
    const before = readFileSync(state)
    const journal = jsonlJournal(folder)
    await journal.append('c', 2, [said('m2')], { standing: { ...closed(), questions: [] } })
    await journal.close()
    writeFileSync(state, before)
    const again = journalIn(folder)
    expect(await again.load('c')).toMatchObject({
      snapshot: { seq: 1, known: [['m1', 'a']] },
      events: [said('m2')],
      length: 3,
      questions: [{ id: 'q' }],
      warnings: [],
    })
    expect(await again.list()).toMatchObject([{ length: 3, state: 'discussion', outcome: null }])
    expect(await (await again.lease(TTL)).takeUrgent(0, 9)).toEqual(['c'])
  })

  it('is left aside with a warning where a disk has lost what it tells of', async () => {
    const { folder, record } = await filled()
    writeFileSync(record, readFileSync(record, 'utf8').split('\n').slice(0, 1).join('\n'))
    const journal = journalIn(folder)
    expect(await journal.load('c')).toEqual({
      snapshot: null,
      events: [opening('c')],
      length: 1,
      questions: [],
      warnings: [expect.stringContaining('c.state.json is ahead of the record')],
    })
    expect(await journal.list()).toMatchObject([{ length: 1, state: null, questions: 0 }])
    await journal.append('c', 1, [said('m1')], { standing: standing({ state: 'review' }) })
    expect(await journal.list()).toMatchObject([{ length: 2, state: 'review', questions: 0 }])
  })

  it('names a file whose answer a disk has spoilt', async () => {
    const { folder } = await filled()
    const journal = journalIn(folder)
    await journal.answer('q', 'yes')
    writeFileSync(join(folder, 'answer-q.json'), '"ye')
    const spoilt = { code: 'JOURNAL_CORRUPT', message: expect.stringContaining('answer-q.json') }
    await expect(journal.questions()).rejects.toMatchObject(spoilt)
    await expect(journal.load('c')).rejects.toMatchObject(spoilt)
  })

  it('is replaced as a whole, and nothing else stays behind', async () => {
    const { folder } = await filled()
    expect(readdirSync(folder).sort()).toEqual(['c.jsonl', 'c.state.json'])
  })

  it('is not written again for each append', async () => {
    const { folder, state } = await filled()
    const before = readFileSync(state, 'utf8')
    const journal = journalIn(folder)
    await journal.append('c', 2, [said('m2')], { standing: standing({ state: 'review' }) })
    expect(readFileSync(state, 'utf8')).toBe(before)
    expect(await journal.list()).toMatchObject([{ state: 'review', length: 3 }])
    await journal.close()
    expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({
      state: 'review',
      length: 3,
      snapshot: { seq: 1 },
    })
  })

  it('has its own name also for ids that are longer than a name', async () => {
    const folder = fresh()
    const journal = journalIn(folder)
    const [id, other] = ['智'.repeat(128), `${'智'.repeat(127)}能`]
    for (const conversation of [id, other])
      await journal.append(conversation, 0, [opening(conversation)], {
        standing: standing({ questions: [question(conversation, conversation)] }),
      })
    await journal.answer(other, 'yes')
    expect(await journal.questions(id)).toMatchObject([{ answer: null }])
    expect(await journal.questions(other)).toMatchObject([{ answer: 'yes' }])
  })
})

describe('a compact record', () => {
  const messages = Array.from({ length: 50 }, (_, index) => said(`m${index}`, 'the same again '.repeat(20)))
  const events = [opening('c'), ...messages]
  const compact = async (): Promise<string> => {
    const folder = fresh()
    const journal = jsonlJournal(folder)
    await journal.append('c', 0, events, { standing: closed() })
    const { before, after } = await journal.compact('c')
    expect(after).toBeLessThan(before / 5)
    await journal.close()
    expect(readdirSync(folder).sort()).toEqual(['c.jsonl.gz', 'c.state.json'])
    return folder
  }

  it('is a gzipped file of the same lines, there after a restart', async () => {
    const journal = journalIn(await compact())
    expect((await journal.read('c')).events).toEqual(events)
    expect(await journal.list({ closed: true })).toMatchObject([{ id: 'c', length: 51, state: 'closed' }])
  })

  it('counts for nothing beside a plain one, whichever of the two a crash has left', async () => {
    const folder = await compact()
    const more = [...events, cancel(9)]
    writeFileSync(join(folder, 'c.jsonl'), more.map((event) => `${JSON.stringify(event)}\n`).join(''))
    const journal = journalIn(folder)
    expect((await journal.read('c')).events).toEqual(more)
    expect(await journal.list()).toMatchObject([{ id: 'c', length: 52 }])
    await journal.append('c', 52, [cancel(10)], { standing: closed() })
    expect(existsSync(join(folder, 'c.jsonl.gz'))).toBe(false)
    await journal.compact('c')
    expect((await journal.read('c')).events).toEqual([...more, cancel(10)])
  })

  it('tells of more than its file does when a crash came before that was written', async () => {
    const folder = await compact()
    rmSync(join(folder, 'c.state.json'))
    const journal = journalIn(folder)
    expect(await journal.list()).toMatchObject([{ id: 'c', length: 51, at: 1, state: null }])
    expect(await journal.load('c')).toMatchObject({ length: 51, snapshot: null })
  })

  it.each([
    ['is no gzip', (packed: Buffer) => Buffer.from(packed.toString('hex'))],
    ['is cut short', (packed: Buffer) => packed.subarray(0, packed.length / 2)],
    ['has a spoilt line', () => gzipSync('{"type":"open"}\n')],
  ])('names its file when it %s', async (_, spoil) => {
    const folder = await compact()
    const file = join(folder, 'c.jsonl.gz')
    writeFileSync(file, spoil(readFileSync(file)))
    const journal = journalIn(folder)
    await expect(journal.read('c')).rejects.toMatchObject({
      code: 'JOURNAL_CORRUPT',
      message: expect.stringContaining('c.jsonl'),
    })
  })
})
