import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  admit,
  type ControlEvent,
  completePolicy,
  type MessageEvent,
  open,
  outcome,
  RecordError,
  Refused,
  reduce,
  replay,
  type Session,
  type State,
  type Step,
} from '../../bench/reducer.ts'

const vectors = new URL('../vectors/', import.meta.url)
const names = readdirSync(vectors)
  .filter((name) => name.endsWith('.jsonl') && !name.endsWith('.expected.jsonl'))
  .map((name) => name.slice(0, -'.jsonl'.length))
const linesOf = (name: string): string[] => readFileSync(new URL(name, vectors), 'utf8').trimEnd().split('\n')

/** Only the keys that the expectation has: others may be added. */
function like(actual: unknown, expected: unknown): unknown {
  if (Array.isArray(actual) && Array.isArray(expected)) {
    return actual.map((item, index) => like(item, expected[index]))
  }
  if (typeof actual !== 'object' || actual === null) return actual
  if (typeof expected !== 'object' || expected === null) return actual
  const wanted = new Map<string, unknown>(Object.entries(expected))
  return Object.fromEntries(
    Object.entries(actual)
      .filter(([key]) => wanted.has(key) || key === 'expelled' || key === 'cause')
      .map(([key, value]) => [key, like(value, wanted.get(key))]),
  )
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) freeze(inner)
  }
  return value
}

let count = 0
const say = (from: string, intent: string, more: Partial<MessageEvent> = {}): MessageEvent => {
  count += 1
  return {
    type: intent,
    at: 1,
    id: `i${count}`,
    from,
    content: '',
    payload: {},
    replyTo: null,
    tokens: 0,
    ...more,
  }
}
const start = (members: readonly string[], policy: unknown = {}, lead: string | null = null): State =>
  open({ members, lead, policy: completePolicy(policy), at: 0 })
const run = (state: State, ...events: readonly (MessageEvent | ControlEvent)[]): Step[] => {
  let now = freeze(state)
  return events.map((event) => {
    const step = reduce(now, event)
    now = freeze(step.state)
    return step
  })
}
const reasons = (steps: readonly Step[]): string[] => steps.map((step) => step.decision.reason)
const last = (steps: readonly Step[]): State => steps.at(-1)!.state
const two = { subtasks: [{ id: 'x' }, { id: 'y' }] }

describe('vectors', () => {
  it.each(names)('%s', (name) => {
    const got = replay(linesOf(`${name}.jsonl`))
    const lines = [...got.decisions, { outcome: got.outcome, state: got.state.phase }]
    const expected = linesOf(`${name}.expected.jsonl`).map((line): unknown => JSON.parse(line))
    expect(lines.map((line, index) => like(line, expected[index]))).toStrictEqual(expected)
  })

  it('are all there', () => expect(names.length).toBeGreaterThan(130))
})

describe('states are values', () => {
  it('never change, and stay the same when nothing happened', () => {
    const steps = run(
      start(['a', 'b', 'c'], { talk: ['discussion', 'execution'] }, 'a'),
      say('a', 'proposal', { payload: two }),
      say('b', 'agree'),
      say('b', 'accept'),
      { type: 'leave', at: 1, member: 'b' },
      { type: 'join', at: 1, member: 'b' },
      say('a', 'assign', { payload: { subtask: 'x', owner: 'b' } }),
      say('b', 'accept'),
      say('c', 'accept'),
      say('b', 'result'),
      say('c', 'object'),
      { type: 'fault', at: 1, member: 'c' },
      { type: 'deadline', at: 3_600_001 },
      say('a', 'reject', { payload: { subtasks: ['y'] } }),
      { type: 'cancel', at: 3_600_002 },
    )
    expect(outcome(last(steps))?.status).toBe('cancelled')
    const open = steps[1]!.state
    for (const event of [
      say('z', 'info'),
      { type: 'join', at: 1, member: 'a' } as const,
      { type: 'leave', at: 1, member: 'z' } as const,
      { type: 'fault', at: 1, member: 'z' } as const,
      { type: 'deadline', at: 1 } as const,
    ]) {
      expect(reduce(open, event).state).toBe(open)
    }
    for (const event of [say('a', 'info'), { type: 'cancel', at: 9e6 } as const]) {
      const closed = last(steps)
      expect(reduce(closed, event).state).toBe(closed)
    }
  })
})

describe('what the vectors leave out', () => {
  it('counts a fraction by integers', () => {
    const steps = run(
      start(['a', 'b', 'c', 'd'], { agreeRatio: '333333333333333333333/999999999999999999999' }),
      say('a', 'proposal'),
      say('b', 'agree'),
    )
    expect(reasons(steps)).toEqual(['proposal_raised', 'consensus'])
    const above = run(
      start(['a', 'b', 'c', 'd'], { agreeRatio: '333333333333333333334/999999999999999999999' }),
      say('a', 'proposal'),
      say('b', 'agree'),
    )
    expect(reasons(above)).toEqual(['proposal_raised', 'continue'])
  })

  it('adopts at the limit the proposal with most agreements, the earliest of equals', () => {
    const opened = start(['a', 'b', 'c', 'd', 'e', 'f'], { agreeRatio: 1, onLimit: { proposal: 'adopt' } })
    const steps = run(
      opened,
      say('a', 'proposal', { id: 'p1' }),
      say('b', 'proposal', { id: 'p2' }),
      say('c', 'proposal', { id: 'p3' }),
      say('d', 'agree', { replyTo: 'p2' }),
      say('e', 'agree', { replyTo: 'p3' }),
      { type: 'deadline', at: 600_001 },
    )
    expect(reasons(steps).at(-1)).toBe('adopted')
    expect(last(steps).adopted?.id).toBe('p2')
    expect(last(steps).warnings).toEqual(['adopted_without_quorum'])
  })

  it('takes an unnamed accept for lost when what is pending is not the sender’s', () => {
    const steps = run(
      start(['a', 'b', 'c'], { assigners: 'lead' }, 'a'),
      say('b', 'proposal', { payload: two }),
      say('a', 'agree'),
      say('b', 'accept'),
      say('b', 'accept', { payload: { subtask: 'x' } }),
      say('a', 'assign', { payload: { subtask: 'x', owner: 'c' } }),
      say('b', 'accept', { payload: { subtask: 'x' } }),
    )
    expect(reasons(steps).slice(2)).toEqual(['taken', 'not_permitted', 'continue', 'taken'])
  })

  it('keeps ids apart that are names of object members', () => {
    const steps = run(
      start(['__proto__', 'constructor', 'toString']),
      say('__proto__', 'proposal', { id: '__proto__', payload: { subtasks: [{ id: 'constructor' }] } }),
      say('constructor', 'agree', { replyTo: '__proto__' }),
      say('toString', 'accept', { payload: { subtask: 'hasOwnProperty' } }),
      say('toString', 'accept', { payload: { subtask: 'constructor' } }),
      say('toString', 'result'),
      say('__proto__', 'verdict'),
    )
    expect(reasons(steps)).toEqual([
      'proposal_raised',
      'consensus',
      'not_permitted',
      'all_assigned',
      'all_reported',
      'accepted',
    ])
  })

  it('knows an id only once its message was a member’s', () => {
    const session: Session = { state: start(['a', 'b']), known: new Map() }
    const info = { id: 'm', intent: 'info' }
    expect(admit(session, { ...info, from: 'z' }, 1).reason).toBe('not_member')
    expect(admit(session, { ...info, from: 'a' }, 1).reason).toBe('continue')
    expect(admit(session, { ...info, from: 'a' }, 1).reason).toBe('duplicate')
    expect(admit(session, { ...info, from: 'b' }, 1).reason).toBe('id_taken')
  })
})

describe('what is refused', () => {
  it.each<[string, unknown]>([
    ['policy.colour', { colour: 1 }],
    ['policy.turnLimit.closed', { turnLimit: { closed: 1 } }],
    ['policy.maxReject', { maxReject: -1 }],
    ['policy.reviewQuorum', { reviewQuorum: 0 }],
    ['policy.violationLimit', { violationLimit: 1.5 }],
    ['policy.agreeRatio', { agreeRatio: '3/2' }],
    ['policy.agreeRatio', { agreeRatio: 0 }],
    ['policy.talk', { talk: ['closed'] }],
    ['policy.deadline.review', { deadline: { review: null } }],
    [
      'policy.deadline.review',
      { deadline: { review: null }, idle: { review: 1 }, turnLimit: { review: null } },
    ],
  ])('%s', (field, policy) => {
    try {
      completePolicy(policy)
      expect.unreachable()
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(Refused)
      if (thrown instanceof Refused) expect(thrown.issues.map((issue) => issue.field)).toEqual([field])
    }
  })

  const opening = '{"type":"open","at":5,"id":"c","members":["a"]}'
  it.each<[number, string[]]>([
    [1, ['']],
    [1, ['{"type":"open","at":0,"id":"c","members":[]}']],
    [1, ['{"type":"open","at":0,"id":"c","members":["a","a"]}']],
    [1, ['{"type":"open","at":0,"id":"c","members":["a"],"lead":"b"}']],
    [1, ['{"type":"open","at":0,"id":"c","members":["a"],"policy":{"reviewers":"lead"}}']],
    [2, [opening, '{"type":"deadline","at":4}']],
    [2, [opening, '{"type":"dance","at":6}']],
    [2, [opening, '{"type":"leave","at":6', '']],
    [2, [opening, '', opening]],
  ])('line %i', (line, lines) => {
    try {
      replay(lines)
      expect.unreachable()
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(RecordError)
      if (thrown instanceof RecordError) expect(thrown.line).toBe(line)
    }
  })

  it('but a last line cut short is dropped', () => {
    expect(replay([opening, '{"type":"cancel","at":6}', '{"type":"can']).outcome?.status).toBe('cancelled')
  })
})
