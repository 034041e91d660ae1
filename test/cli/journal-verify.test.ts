import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { catalogue } from '../../machines/catalogue.ts'
import { differencesNow } from '../../src/cli/journal-differences.ts'
import { journalVerify } from '../../src/cli/journal-verify.ts'
import type { Conversation } from '../../src/engine/conversation.ts'
import { resumeConversation } from '../../src/engine/replay.ts'
import { standingOf } from '../../src/engine/standing.ts'
import {
  type Journal,
  memoryJournal,
  type RecordEvent,
  type Standing,
  type Summary,
} from '../../src/index.ts'
import { parameters } from '../support/property.ts'
import {
  atDesk,
  decided,
  idIn,
  imported,
  linesIn,
  opening,
  recordNames,
  recordPath,
  someConversations,
} from './desk.ts'
import { colloquy, folder } from './process.ts'

const here = folder()
afterAll(() => here.remove())
const some = someConversations(here)

const happy = decided(recordPath('happy-path'))
const talkOf = (events: readonly RecordEvent[]): Conversation => {
  const [open] = events
  const machine = open?.type === 'open' ? open.machine : ''
  const protocol = new Map(Object.entries(catalogue)).get(machine as keyof typeof catalogue)
  if (protocol === undefined) throw new Error(`There are no rules "${machine}"`)
  return resumeConversation<object, object, object>(events, { protocol })
}

/** A journal with one record, and what it says of it after so many events of it. */
const kept = async (
  events: readonly RecordEvent[],
  standing: Standing,
  rest: readonly RecordEvent[] = [],
) => {
  const journal = memoryJournal()
  await journal.append(idIn(events), 0, events, { standing })
  if (rest.length > 0) {
    const whole = talkOf([...events, ...rest])
    await journal.append(idIn(events), events.length, rest, { standing: standingOf(whole) })
  }
  return journal
}

/** What differs when the journal's list says something else, for so many looks. */
const differences = async (journal: Journal, wrong: Partial<Summary> = {}, looks = 99) => {
  let left = looks
  const list = async (): Promise<readonly Summary[]> =>
    (await journal.list()).map((summary) => (left-- > 0 ? { ...summary, ...wrong } : summary))
  const [summary] = await list()
  if (summary === undefined) throw new Error('There is no conversation')
  return differencesNow({ ...journal, list }, summary, undefined, () => {})
}

describe('the differences of a conversation', () => {
  it('are none when the journal was written by the rules, wherever its snapshot was taken', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...recordNames), fc.nat(), async (name, cut) => {
        const events = decided(recordPath(name))
        const length = 1 + (cut % events.length)
        const then = talkOf(events.slice(0, length))
        const standing = { ...standingOf(then), snapshot: then.snapshot() }
        const journal = await kept(events.slice(0, length), standing, events.slice(length))
        expect(await differences(journal)).toEqual([])
      }),
      parameters(60),
    )
  })

  const talk = talkOf(happy)
  const whole = { ...standingOf(talk), snapshot: talk.snapshot() }

  it.each<[string, Partial<Standing>, Partial<Summary>, object]>([
    ['its state', { state: 'review' }, {}, { place: 9, what: 'state', kept: 'review', decided: 'closed' }],
    ['its due time', { dueAt: 5 }, {}, { place: 9, what: 'dueAt', kept: 5, decided: null }],
    [
      'its outcome',
      { outcome: { status: 'timeout' } },
      {},
      { place: 9, what: 'outcome', kept: { status: 'timeout' } },
    ],
    ['its length', {}, { length: 7 }, { what: 'events', kept: 7, decided: 10 }],
    ['its newest event', {}, { at: 7 }, { what: 'at', kept: 7 }],
    ['its goal', {}, { goal: 'another' }, { what: 'goal', kept: 'another' }],
    [
      'what its snapshot knows',
      { snapshot: { ...talk.snapshot(), context: { ...talk.snapshot().context, rejections: 3 } } },
      {},
      { place: 9, what: 'the snapshot’s context' },
    ],
    [
      'the messages that its snapshot knows',
      { snapshot: { ...talk.snapshot(), known: talk.snapshot().known.slice(1) } },
      {},
      { place: 9, what: 'the snapshot’s known' },
    ],
    [
      'how far its snapshot is',
      { snapshot: { ...talk.snapshot(), seq: 40 } },
      {},
      { place: 40, what: 'the snapshot is ahead of the record' },
    ],
  ])('tell %s, with its place', async (_, standing, summary, difference) => {
    const journal = await kept(happy, { ...whole, ...standing })
    expect(await differences(journal, summary)).toContainEqual(expect.objectContaining(difference))
  })

  it('tell an event that changed nothing: whoever goes on would count one less', async () => {
    const [open, said, ...others] = happy as [RecordEvent, RecordEvent, ...RecordEvent[]]
    // In memory no message is kept twice: the second has no id to know it by.
    const bare = { type: 'message', at: said.at, message: { from: 'a' } } as const
    const journal = await kept([open, said, bare, ...others], whole)
    expect(await differences(journal)).toContainEqual({
      place: 2,
      what: 'it changed nothing (rejected: invalid)',
    })
  })

  it('are none of what somebody has written while it was looked at', async () => {
    const journal = await kept(happy, whole)
    const before = { length: 9, at: happy[8]?.at ?? 0, state: 'review', dueAt: 5, outcome: null }
    expect(await differences(journal, before)).not.toEqual([])
    expect(await differences(journal, before, 1)).toEqual([])
  })

  it('are none of what nobody has kept', async () => {
    const journal = memoryJournal()
    await journal.append('happy-path', 0, happy)
    expect(await differences(journal)).toEqual([])
  })
})

describe('journal verify', () => {
  it('says that all is well', async () => {
    const { code, text } = await atDesk(async (desk) => journalVerify(await some, {}, desk))
    expect({ code, text }).toEqual({ code: 0, text: '5 conversations: all is well\n' })
  })

  it('reports each difference with its conversation and place, and ends with 65', async () => {
    const place = await imported(
      join(here.path, 'wrong'),
      recordPath('happy-path'),
      recordPath('broken-agent'),
    )
    const path = join(place, 'happy-path.state.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('"state":"closed"', '"state":"review"'))
    writeFileSync(join(place, 'broken-agent.jsonl'), `${opening('broken-agent')}nonsense\n`)
    const { code, stdout } = await colloquy(['journal', 'verify', place])
    expect(code).toBe(65)
    expect(stdout).toMatch(/^broken-agent: JOURNAL_CORRUPT: .*broken-agent\.jsonl, line 2: is no JSON$/m)
    expect(stdout).toMatch(/^happy-path, event 9: state is "review", by the record "closed"$/m)
    expect(stdout).toMatch(/^2 conversations: something is wrong with 2$/m)
    const json = await colloquy(['journal', 'verify', place, '--json'])
    expect(json.code).toBe(65)
    expect(linesIn(json.stdout)).toContainEqual({
      conversation: 'happy-path',
      place: 9,
      what: 'state',
      kept: 'review',
      decided: 'closed',
    })
    expect(linesIn(json.stdout).at(-1)).toEqual({ conversations: 2, wrong: 2, complete: true })
  })

  it('stops between two conversations when it is told to, and does not say that all is well', async () => {
    const stop = new AbortController()
    stop.abort()
    const { code, text } = await atDesk(async (desk) => journalVerify(await some, { json: true }, desk), {
      signal: stop.signal,
    })
    expect(code).toBe(130)
    expect(linesIn(text)).toEqual([{ conversations: 0, wrong: 0, complete: false }])
  })
})
