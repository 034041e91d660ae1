/** Whom the rules ask next, what for, and what a bare text of theirs is taken as. */
import { describe, expect, it } from 'vitest'
import type { ConversationContext } from '../../../machines/conversation/context.ts'
import { floor } from '../../../machines/conversation/floor.ts'
import type { PolicyInput } from '../../../machines/conversation/policy.ts'
import type { FloorOptions } from '../../../src/engine/protocol.ts'
import { contextIn, plan, work } from './table.ts'

const asked = (context: ConversationContext, options: Partial<FloorOptions> = {}) =>
  floor(context, { capabilities: new Map(), talk: 'round_robin', ...options })
const whom = (context: ConversationContext, options: Partial<FloorOptions> = {}) =>
  asked(context, options).map(({ member }) => member)
const ALL = { talk: 'all_at_once' } as const
const SPENT = { a: 2, b: 2, c: 2 }

describe('in discussion', () => {
  const talk = 'Say what helps the group towards a plan, or propose one.'
  const propose = 'Propose a plan, or the group may close without one.'

  it('who spoke least is asked, the first to have joined among equals; or all at once', () => {
    expect(asked(contextIn('discussion'))).toEqual([
      { member: 'a', task: talk, expected: 'info', replyTo: null },
    ])
    expect(whom(contextIn('discussion', { turnsOf: { a: 2, b: 1, c: 1 } }))).toEqual(['b'])
    expect(whom(contextIn('discussion', { turnsOf: { a: 2, b: 1 } }))).toEqual(['c'])
    expect(whom(contextIn('discussion', { turnsOf: { a: 2, b: 1, c: 1 } }), ALL)).toEqual(['a', 'b', 'c'])
  })

  it('a last turn is for a plan, and so is every turn where talk is not admitted', () => {
    const late = asked(contextIn('discussion', { turnsOf: { a: 5, b: 4, c: 6 } }), ALL)
    expect(late).toEqual([
      { member: 'a', task: propose, expected: 'proposal', replyTo: null },
      { member: 'b', task: talk, expected: 'info', replyTo: null },
    ])
    expect(asked(contextIn('discussion', {}, { talk: [] }))).toMatchObject([
      { task: propose, expected: 'proposal' },
    ])
  })

  it('nobody is asked who has left or has no turns, and nobody at all once it is closed', () => {
    expect(whom(contextIn('discussion', { gone: ['a'], turnsOf: { b: 6 } }), ALL)).toEqual(['c'])
    expect(whom(contextIn('discussion', { turnsOf: { a: 6, b: 6, c: 6 } }))).toEqual([])
    const closing = { status: 'cancelled', cause: null } as const
    expect(whom(contextIn('discussion', { closing }), ALL)).toEqual([])
  })
})

describe('in proposal', () => {
  it('everybody is asked to vote on the earliest proposal that wants its vote', () => {
    const proposals = [plan('m1', 'a', ['b']), plan('m2', 'b', [], ['c']), plan('m3', 'c')]
    expect(asked(contextIn('proposal', { proposals }))).toEqual([
      {
        member: 'a',
        task: 'Vote on the proposal "m2" of "b": agree or object.',
        expected: null,
        replyTo: 'm2',
      },
      {
        member: 'b',
        task: 'Vote on the proposal "m3" of "c": agree or object.',
        expected: null,
        replyTo: 'm3',
      },
      {
        member: 'c',
        task: 'Vote on the proposal "m1" of "a": agree or object.',
        expected: null,
        replyTo: 'm1',
      },
    ])
  })

  it('it is talked over when all have voted in vain', () => {
    const proposals = [plan('m1', 'a', ['b'], ['c'])]
    expect(asked(contextIn('proposal', { proposals, turnsOf: { a: 1 } }))).toEqual([
      {
        member: 'b',
        task: 'All have voted and no proposal is carried: change your vote, or propose a better plan.',
        expected: 'proposal',
        replyTo: null,
      },
    ])
    expect(whom(contextIn('proposal', { proposals }), ALL)).toEqual(['a', 'b', 'c'])
  })

  it('long names are told as cut texts, never as words of ours', () => {
    const long = `"${'x'.repeat(78)}😀y`
    const task = (id: string) => asked(contextIn('proposal', { proposals: [plan(id, 'a')] }))[0]?.task
    expect(task(long)).toBe(`Vote on the proposal "\\"${'x'.repeat(78)}\ufffd…" of "a": agree or object.`)
    expect(task('y'.repeat(80))).toContain(`"${'y'.repeat(80)}"`)
    expect(task('y'.repeat(81))).toContain(`"${'y'.repeat(80)}…"`)
  })
})

describe('while work is shared out', () => {
  const capabilities = new Map([
    ['a', ['paint']],
    ['b', ['paint', 'print']],
    ['c', ['print']],
  ])

  it('the chair is asked to assign what is free to whom it suits best', () => {
    const subtasks = [work('x', { title: 'X', requires: ['print', 'paint'] })]
    expect(asked(contextIn('assign', { subtasks }), { capabilities })).toEqual([
      {
        member: 'a',
        task: 'Assign "x" ("X"). It requires: "print", "paint". Best suited: "b".',
        expected: 'assign',
        replyTo: null,
        defaults: { subtask: 'x', owner: 'b' },
      },
    ])
  })

  const bestFor = (
    subtasks: ConversationContext['subtasks'],
    known: ReadonlyMap<string, readonly string[]> = capabilities,
  ) => asked(contextIn('assign', { subtasks }), { capabilities: known })[0]?.defaults?.owner

  it('who is known to be able comes before who may be, and who may be before who is known not to be', () => {
    const printing = [work('x', { requires: ['print'] })]
    expect(bestFor(printing)).toBe('b')
    expect(bestFor(printing, new Map([['c', ['print']]]))).toBe('c')
    expect(bestFor(printing, new Map([['a', ['paint']]]))).toBe('b')
    expect(bestFor(printing, new Map())).toBe('a')
  })

  it('who has least to do comes first where nothing is required, and what one is known for tells nothing', () => {
    const owned = (owner: string) => work(`of ${owner}`, { owner })
    expect(bestFor([work('x')], new Map([['a', []]]))).toBe('a')
    expect(bestFor([owned('a'), work('x')])).toBe('b')
    expect(bestFor([owned('a'), owned('b'), work('x')])).toBe('c')
    expect(bestFor([owned('a'), owned('b'), owned('c'), owned('c'), work('x')])).toBe('a')
    const offered = asked(
      contextIn('assign', { subtasks: [owned('a'), work('y', { offered: 'b' }), work('x')] }),
    )
    expect(offered.at(-1)?.defaults).toEqual({ subtask: 'x', owner: 'c' })
    // What is required counts for more.
    expect(bestFor([owned('b'), owned('c'), owned('c'), work('x', { requires: ['print'] })])).toBe('b')
  })

  it('offers are answered first, together with what the chair has to share out', () => {
    const subtasks = [
      work('x', { title: 'X', offered: 'b' }),
      work('y', { offered: 'b' }),
      work('z', { offered: 'b', status: 'failed' }),
      work('w'),
    ]
    expect(asked(contextIn('assign', { subtasks }))).toEqual([
      {
        member: 'b',
        task: 'Offered to you: "x" ("X"), "y". Accept it, or give it back.',
        expected: 'accept',
        replyTo: null,
      },
      {
        member: 'a',
        task: 'Assign "w". Best suited: "a".',
        expected: 'assign',
        replyTo: null,
        defaults: { subtask: 'w', owner: 'a' },
      },
    ])
    // A chair that is offered something answers that.
    expect(asked(contextIn('assign', { subtasks: [work('x', { offered: 'a' }), work('w')] }))).toMatchObject([
      { member: 'a', expected: 'accept' },
    ])
    expect(whom(contextIn('assign', { subtasks: [work('x', { offered: 'b' })] }))).toEqual(['b'])
  })

  it('work whose owner can speak no more is shared out again, after what is free', () => {
    const stuck = work('x', { owner: 'b' })
    const turnsOf = { b: 2 }
    expect(asked(contextIn('assign', { subtasks: [stuck], turnsOf }))).toMatchObject([
      { member: 'a', defaults: { subtask: 'x', owner: 'a' } },
    ])
    expect(asked(contextIn('assign', { subtasks: [stuck, work('y')], turnsOf }))).toMatchObject([
      { member: 'a', defaults: { subtask: 'y', owner: 'a' } },
    ])
    expect(whom(contextIn('assign', { subtasks: [stuck] }))).toEqual([])
    expect(whom(contextIn('assign', { subtasks: [{ ...stuck, status: 'success' }], turnsOf }))).toEqual([])
    expect(whom(contextIn('assign', { subtasks: [work('x', { status: 'failed' })] }))).toEqual([])
  })

  it('a plan without work is taken on by the chair, or assigned where only the lead assigns', () => {
    const task = 'The plan names no subtasks: take on the whole task, or assign it under a name.'
    expect(asked(contextIn('assign'))).toEqual([{ member: 'a', task, expected: 'accept', replyTo: null }])
    expect(asked(contextIn('assign', {}, { assigners: 'lead' }))).toEqual([
      {
        member: 'a',
        task,
        expected: 'assign',
        replyTo: null,
        defaults: { subtask: 'task', owner: 'a' },
      },
    ])
  })

  it('without a chair that can speak, whoever is suited may take what is free, where anybody assigns', () => {
    const silent = (subtasks: ConversationContext['subtasks'], policy: PolicyInput = {}) =>
      asked(contextIn('assign', { subtasks, turnsOf: { a: 2 } }, policy), { capabilities })
    expect(silent([work('y', { owner: 'c' }), work('x', { title: 'X', requires: ['print'] })])).toEqual([
      {
        member: 'b',
        task: 'Take on "x" ("X"), or assign it to another.',
        expected: 'accept',
        replyTo: null,
        defaults: { subtask: 'x' },
      },
    ])
    expect(silent([work('x')], { assigners: 'lead' })).toEqual([])
    expect(silent([work('x', { owner: 'b' })])).toEqual([])
    expect(silent([work('x', { status: 'failed' })])).toEqual([])
    expect(silent([])).toEqual([])
    expect(silent([work('x', { offered: 'b' }), work('y')]).map(({ member }) => member)).toEqual(['b'])
    expect(whom(contextIn('assign', { subtasks: [work('x')], turnsOf: SPENT }))).toEqual([])
    expect(whom(contextIn('assign', { subtasks: [work('x')], lead: null, gone: ['a', 'b', 'c'] }))).toEqual(
      [],
    )
  })
})

describe('while work is done', () => {
  it('owners are asked for their pending work, and what nobody owns is shared out meanwhile', () => {
    const subtasks = [
      work('x', { title: 'X', owner: 'b' }),
      work('y', { owner: 'b' }),
      work('z', { owner: 'b', status: 'success' }),
      work('w', { owner: 'c', status: 'success' }),
      work('v'),
    ]
    expect(asked(contextIn('execution', { subtasks }))).toEqual([
      {
        member: 'b',
        task: 'Do "x" ("X"), "y" and report the result.',
        expected: 'result',
        replyTo: null,
      },
      {
        member: 'a',
        task: 'Assign "v". Best suited: "a".',
        expected: 'assign',
        replyTo: null,
        defaults: { subtask: 'v', owner: 'a' },
      },
    ])
  })

  it('who has work of its own is asked for that alone', () => {
    const busy = contextIn('execution', { subtasks: [work('x', { owner: 'a' }), work('y')] })
    expect(asked(busy).map(({ member, expected }) => [member, expected])).toEqual([['a', 'result']])
    const offered = contextIn('execution', {
      subtasks: [work('x', { owner: 'b' }), work('y', { offered: 'b' }), work('z', { offered: 'c' })],
    })
    expect(asked(offered).map(({ member, expected }) => [member, expected])).toEqual([
      ['b', 'result'],
      ['c', 'accept'],
    ])
  })
})

describe('in review', () => {
  const check = 'Check the results: pass them, or reject what is wrong and say why.'

  it('reviewers that have not judged are asked, and all of them again when they disagree', () => {
    const reviewers = ['b', 'c']
    const verdict = (from: string, pass: boolean) => ({ from, pass, subtasks: null })
    expect(asked(contextIn('review', { reviewers }))).toEqual([
      { member: 'b', task: check, expected: null, replyTo: null },
      { member: 'c', task: check, expected: null, replyTo: null },
    ])
    expect(asked(contextIn('review', { reviewers, verdicts: [verdict('b', true)] }))).toEqual([
      { member: 'c', task: check, expected: null, replyTo: null },
    ])
    const torn = { reviewers, verdicts: [verdict('b', true), verdict('c', false)] }
    const task = 'The reviewers disagree: consider what the others found, and judge again.'
    expect(asked(contextIn('review', torn))).toEqual([
      { member: 'b', task, expected: null, replyTo: null },
      { member: 'c', task, expected: null, replyTo: null },
    ])
  })

  it('only reviewers with turns left are asked', () => {
    expect(whom(contextIn('review', { reviewers: ['b', 'c'], turnsOf: { b: 2 } }))).toEqual(['c'])
    expect(whom(contextIn('review', { turnsOf: { b: 2 } }, { reviewers: 'any' }))).toEqual(['a', 'c'])
  })
})
