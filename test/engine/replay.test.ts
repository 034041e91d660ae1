/** Records are read line by line; what is wrong with one is told by the line's number. */
import { describe, expect, it } from 'vitest'
import { catalogue } from '../../machines/catalogue.ts'
import type { Sent } from '../../src/engine/events.ts'
import { openConversation } from '../../src/engine/opening.ts'
import { readLines, replay } from '../../src/engine/replay.ts'
import { thrownBy } from '../support/thrown.ts'

const OPEN = '{"type":"open","at":5,"id":"c1","members":["a","b"]}'
const SAID = '{"type":"message","at":6,"message":{"id":"m1","from":"a","intent":"info"}}'
const CANCEL = '{"type":"cancel","at":7}'

const read = (...lines: string[]) => replay(readLines(lines.join('\n')).lines, catalogue)

describe('a record', () => {
  it('is replayed to its end, with its own times and defaults', () => {
    const { talk, decisions } = read(OPEN, SAID, CANCEL, '')
    expect(decisions.map(({ effect, reason, seq }) => [effect, reason, seq])).toEqual([
      ['applied', 'continue', 1],
      ['applied', 'cancelled', 2],
    ])
    expect([talk.id, talk.goal, talk.lead, talk.at, talk.isClosed]).toEqual(['c1', '', null, 7, true])
    expect(talk.record()[1]).toMatchObject({
      message: { conversation: 'c1', to: 'broadcast', content: '', sentAt: '1970-01-01T00:00:00.006Z' },
    })
  })

  it('need not be complete: what is not decided goes on from there', () => {
    const { talk } = read(OPEN, SAID)
    expect(talk.isClosed).toBe(false)
    expect(talk.send({ id: 'm1', from: 'a', intent: 'info' }, 7).reason).toBe('duplicate')
    expect(talk.send({ id: 'm2', from: 'b', intent: 'proposal' }, 7)).toMatchObject({
      seq: 2,
      to: 'proposal',
    })
  })

  it('may hold a message that fails its schema: it is rejected, and the rest is replayed', () => {
    const { decisions } = read(
      OPEN,
      '{"type":"message","at":6,"message":{"id":"m1","from":"a","intent":"sing"}}',
      '{"type":"message","at":6,"message":5}',
      '{"type":"message","at":6,"message":{"id":"m1","from":"a","intent":"info","conversation":"c2"}}',
      SAID,
    )
    expect(decisions.map(({ effect, reason }) => `${effect}/${reason}`)).toEqual([
      'rejected/invalid',
      'rejected/invalid',
      'rejected/invalid',
      'applied/continue',
    ])
  })

  it('may say what changed nothing: it is decided again, and fires no deadline by itself', () => {
    const { talk, decisions } = read(
      OPEN,
      '{"type":"deadline","at":600004}',
      '{"type":"join","at":600004,"member":"a"}',
      '{"type":"leave","at":600004,"member":"z"}',
      '{"type":"message","at":900000,"message":{"id":"m1","from":"a","intent":"info"}}',
      '{"type":"deadline","at":900000}',
      '{"type":"deadline","at":900000}',
    )
    expect(decisions.map(({ reason }) => reason)).toEqual([
      'not_due',
      'already_member',
      'not_member',
      'continue',
      'timeout',
      'closed',
    ])
    expect(talk.outcome).toMatchObject({ status: 'timeout', cause: 'deadline' })
  })

  it('of another NFC form is of the same members', () => {
    const { talk } = read(
      '{"type":"open","at":0,"id":"c1","members":["e\u0301"],"lead":"e\u0301"}',
      '{"type":"leave","at":1,"member":"e\u0301"}',
    )
    expect(talk.outcome?.['status' as never]).toBe('abandoned')
  })

  it.each<[number, string, string[]]>([
    [1, 'is missing', ['']],
    [1, 'is no "open" event', ['{}']],
    [1, 'is no "open" event', [SAID]],
    [1, 'is no "open" event: at', ['{"type":"open","at":-1,"id":"c1","members":["a"]}']],
    [1, 'is no "open" event: id', ['{"type":"open","at":0,"id":"","members":["a"]}']],
    [1, 'is no "open" event: members', ['{"type":"open","at":0,"id":"c1"}']],
    [1, 'is no "open" event: members[1]', ['{"type":"open","at":0,"id":"c1","members":["a","task"]}']],
    [
      1,
      'names the machine "chess"; known are: conversation',
      [OPEN.replace('"id"', '"machine":"chess","id"')],
    ],
    [1, 'names the machine "constructor"', [OPEN.replace('"id"', '"machine":"constructor","id"')]],
    [1, 'names the machine "__proto__"', [OPEN.replace('"id"', '"machine":"__proto__","id"')]],
    [1, 'is of version 2 of "conversation"; this is version 1', [OPEN.replace('"id"', '"version":2,"id"')]],
    [1, 'members must name at least one member', ['{"type":"open","at":0,"id":"c1","members":[]}']],
    [1, 'repeats "a"', ['{"type":"open","at":0,"id":"c1","members":["a","a"]}']],
    [1, 'lead names "z"', ['{"type":"open","at":0,"id":"c1","members":["a"],"lead":"z"}']],
    [
      1,
      'policy.maxTurn is unknown; did you mean "maxTurns"?',
      ['{"type":"open","at":0,"id":"c1","members":["a"],"policy":{"maxTurn":1}}'],
    ],
    [2, 'is no JSON', [OPEN, '{"type":"cancel"', CANCEL]],
    [2, 'is no JSON', [OPEN, '', CANCEL]],
    [3, 'is no JSON', [OPEN, SAID, '', '']],
    [2, 'is no JSON', [OPEN, '  ', CANCEL]],
    [1, 'is no JSON', [`\ufeff${OPEN}`, CANCEL]],
    [2, 'is no event', [OPEN, 'null']],
    [2, 'is no event', [OPEN, '[]']],
    [2, 'is no event', [OPEN, OPEN]],
    [2, 'is no event', [OPEN, '{"type":"dance","at":6}']],
    [2, 'is no event: at', [OPEN, '{"type":"cancel"}']],
    [2, 'is no event: at', [OPEN, '{"type":"cancel","at":6.5}']],
    [2, 'is no event: at', [OPEN, '{"type":"cancel","at":"6"}']],
    [2, 'is no event: at', [OPEN, '{"type":"cancel","at":8640000000000001}']],
    [2, 'is no event: member', [OPEN, '{"type":"join","at":6}']],
    [2, 'is no event: member', [OPEN, '{"type":"join","at":6,"member":"BROADCAST"}']],
    [2, 'is no event: error', [OPEN, '{"type":"fault","at":6,"member":"a","error":5}']],
    [2, 'has "at" 4, which is before 5', [OPEN, '{"type":"cancel","at":4}']],
    [3, 'has "at" 5, which is before 6', [OPEN, SAID, '{"type":"cancel","at":5}']],
  ])('is refused at line %i where it %s', (line, what, lines) => {
    const error = thrownBy(() => read(...lines))
    expect(error.code).toBe('RECORD_INVALID')
    expect(error.message).toContain(`line ${line}: `)
    expect(error.message).toContain(what)
    expect(error.issues.length).toBeGreaterThan(0)
  })

  it('tells what precedes a broken line', () => {
    const told: Sent[] = []
    const { lines } = readLines([OPEN, SAID, '{"type":"dance","at":6}'].join('\n'))
    expect(() => replay(lines, catalogue, (decision) => told.push(decision))).toThrow('line 3')
    expect(told.map(({ reason }) => reason)).toEqual(['continue'])
  })
})

describe('lines', () => {
  it('keep their numbers', () => {
    expect(readLines(`${OPEN}\n${SAID}\n${CANCEL}\n`)).toEqual({
      lines: [OPEN, SAID, CANCEL].map((text, index) => ({
        line: index + 1,
        value: JSON.parse(text) as unknown,
      })),
      warnings: [],
    })
    expect(readLines(`${OPEN}\r\n${SAID}\r\n`).lines.map(({ line }) => line)).toEqual([1, 2])
    expect(readLines('')).toEqual({ lines: [], warnings: [] })
  })

  it('end with one that a crash may have cut short at any byte: it is dropped with a warning, or whole', () => {
    const whole = `${OPEN}\n${SAID}`
    for (let length = OPEN.length + 2; length < whole.length; length++) {
      const { lines, warnings } = readLines(whole.slice(0, length))
      expect(lines).toHaveLength(1)
      expect(warnings).toEqual(['line 2 was cut short and is dropped'])
    }
    expect(readLines(whole)).toMatchObject({ lines: [{ line: 1 }, { line: 2 }], warnings: [] })
    expect(() => readLines(`${OPEN}\n{"type":\n`)).toThrow('line 2')
  })
})

describe('a replay', () => {
  it('is the same on another day', () => {
    const talk = openConversation({ protocol: catalogue.conversation, members: ['a', 'b'], at: 5, id: 'c1' })
    talk.send({ id: 'p', from: 'a', intent: 'proposal' }, 6)
    talk.send({ id: 'v', from: 'b', intent: 'agree' }, 7)
    talk.fault('b', 'no answer', 8)
    const text = talk
      .record()
      .map((event) => JSON.stringify(event))
      .join('\n')
    const again = replay(readLines(text).lines, catalogue)
    expect(again.talk.snapshot()).toEqual(talk.snapshot())
    expect(again.decisions.map(({ reason }) => reason)).toEqual(['proposal_raised', 'consensus', 'fault'])
  })

  it('writes the same record again', () => {
    const talk = openConversation({ protocol: catalogue.conversation, members: ['a', 'b'], at: 5, id: 'c1' })
    talk.send({ id: 'p', from: 'a', intent: 'proposal' }, 6)
    const text = talk
      .record()
      .map((event) => JSON.stringify(event))
      .join('\n')
    expect(replay(readLines(text).lines, catalogue).talk.record()).toEqual(talk.record())
  })

  it('admits again what a host with a higher content limit admitted', () => {
    const talk = openConversation({
      protocol: catalogue.conversation,
      members: ['a'],
      at: 5,
      id: 'c1',
      contentLimit: 2 ** 21,
    })
    const content = 'x'.repeat(2 ** 20 + 1)
    expect(talk.send({ id: 'm', from: 'a', intent: 'info', content }, 6).effect).toBe('applied')
    const text = talk
      .record()
      .map((event) => JSON.stringify(event))
      .join('\n')
    const { lines } = readLines(text)
    // The record does not say what the host's limit was.
    expect(replay(lines, catalogue).decisions[0]?.reason).toBe('invalid')
    const { decisions } = replay(lines, catalogue, () => {}, { contentLimit: 2 ** 21 })
    expect(decisions[0]?.effect).toBe('applied')
  })
})
