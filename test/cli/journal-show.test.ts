import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { journalShow } from '../../src/cli/journal-show.ts'
import {
  atDesk,
  decided,
  idIn,
  imported,
  linesOfFile,
  opening,
  recordNames,
  recordPath,
  someConversations,
} from './desk.ts'
import { colloquy, folder } from './process.ts'

const here = folder()
afterAll(() => here.remove())
const at = (name: string): string => join(here.path, name)
const some = someConversations(here)

describe('journal show', () => {
  const shown = async (id: string, json = false) =>
    (await atDesk(async (desk) => journalShow(await some, id, { json }, desk))).text

  it('tells how a conversation ended, by which way, with its newest events', async () => {
    const text = await shown('happy-path')
    expect(text).toContain('Members: a (lead), b, c')
    expect(text).toMatch(/ 4 +0:04\.0 {2}proposal +b +agree +→ assign \(consensus\)/)
    expect(text).toContain('Closed in "review": accepted, after 9 turns and 9 s.')
    expect(text).toContain('Path: discussion → proposal → assign → execution → review → closed')
  })

  it('tells where one stands that is open, and when it is due', async () => {
    const text = await shown('b-open')
    expect(text).toContain('Still open in "discussion" after 1 event; its time here is up 9 min 59 s later.')
    expect(text).toContain('Due at 600000 ms.\n')
  })

  it.each([
    [-605_000, / That was 5 s ago, and no host has acted on it\.\n/],
    [0, /^Due at \S+Z\.\n/m],
  ])('tells when one that was opened %d ms from now is overdue', async (shift, expected) => {
    const open = JSON.stringify({ ...JSON.parse(opening('c')), at: Date.now() + shift })
    const place = await imported(at(`due${shift}`), here.file(`due${shift}-1`, `${open}\n`))
    const { text } = await atDesk((desk) => journalShow(place, 'c', {}, desk))
    expect(text).toMatch(expected)
  })

  it('leaves out all but the newest events, and says how many', async () => {
    const [long = ''] = recordNames.filter((name) => linesOfFile(recordPath(name)).length > 30)
    const place = await imported(at('long'), recordPath(long))
    const { text } = await atDesk((desk) => journalShow(place, idIn(decided(recordPath(long))), {}, desk))
    const rows = [...text.matchAll(/^ +(\d+) +\d+:/gm)].map(([, seq]) => Number(seq))
    expect(rows).toHaveLength(10)
    expect(text).toContain(`… ${(rows[0] ?? 0) - 1} events before`)
  })

  it('tells who is left when members have joined or gone', async () => {
    const place = await imported(
      at('gone'),
      here.file('gone-1', `${opening('c')}{"type":"leave","at":1,"member":"b"}\n`),
    )
    const { text } = await atDesk((desk) => journalShow(place, 'c', {}, desk))
    expect(text).toContain('Members: a, b')
    expect(text).toContain('Members now: a\n')
  })

  it('tells all of it as JSON', async () => {
    expect(JSON.parse(await shown('b-open', true))).toMatchObject({
      id: 'b-open',
      protocol: 'conversation',
      members: ['a', 'b'],
      lead: null,
      state: 'discussion',
      events: 2,
      openedAt: 0,
      at: 1000,
      dueAt: 600_000,
      outcome: null,
      questions: [],
      newest: [{ event: { type: 'message' }, seq: 1, effect: 'applied', from: 'discussion' }],
    })
  })

  it('says where to look when there is no such conversation', async () => {
    const { code, stderr } = await colloquy(['journal', 'show', await some, 'nobody'])
    expect(stderr).toContain('CONVERSATION_UNKNOWN: There is no conversation "nobody"')
    expect(stderr).toContain('`colloquy journal ls ')
    expect(code).toBe(66)
  })
})
