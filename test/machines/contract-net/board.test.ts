/** What a member is shown and told when it is asked: the table, what it may say, and why it is asked. */
import { describe, expect, it } from 'vitest'
import { contractNet, type PolicyInput } from '../../../machines/contract-net/index.ts'
import type { Intent } from '../../../machines/contract-net/intents.ts'
import { openConversation } from '../../../src/engine/opening.ts'
import type { Talk } from './scenario.ts'

const MEMBERS = ['ini', 'ana', 'ben', 'cem']

type Line = readonly [from: string, intent: Intent, payload?: Readonly<Record<string, unknown>>]
const CALLED: readonly Line[] = [['ini', 'cfp', { task: 'paint' }]]
const BIDDEN: readonly Line[] = [
  ...CALLED,
  ['ana', 'propose', { price: 3 }],
  ['ben', 'propose', { offer: 'quick' }],
  ['cem', 'refuse'],
]
const AWARDED: readonly Line[] = [...BIDDEN, ['ini', 'accept', { bidder: 'ben' }]]

const said = (lines: readonly Line[], policy: PolicyInput = {}): Talk => {
  const talk = openConversation({ protocol: contractNet, members: MEMBERS, lead: 'ini', policy, at: 0 })
  for (const [index, [from, intent, payload = {}]] of lines.entries())
    talk.send({ id: `m${index + 1}`, from, intent, payload }, 0)
  return talk
}
const boardOf = (talk: Talk, member: string) => contractNet.board(talk.context, member, talk.state)
const allowedTo = (talk: Talk, member: string): string[] =>
  contractNet.allowed(talk.context, member, talk.state).map(({ intent }) => intent)
const asked = (talk: Talk) =>
  contractNet.floor(talk.context, { capabilities: new Map(), talk: 'round_robin' }, talk.state)

describe('the board', () => {
  it('shows the task, the proposals and who has refused', () => {
    expect(boardOf(said(BIDDEN, { rounds: 2, awards: 2 }), 'ini')).toEqual({
      initiator: 'ini',
      round: 1,
      rounds: 2,
      task: 'paint',
      bids: [
        { id: 'm2', bidder: 'ana', price: 3, offer: '', status: 'open' },
        { id: 'm3', bidder: 'ben', price: null, offer: 'quick', status: 'open' },
      ],
      refusals: ['cem'],
      awards: [],
      awardsLeft: 2,
      isYours: false,
    })
  })

  it('shows what became of each proposal, and to whom something is awarded', () => {
    const talk = said([...BIDDEN, ['ini', 'accept', { bidder: 'ben' }]], { awards: 2 })
    talk.leave('ana', 0)
    const { bids, awards } = boardOf(talk, 'ben')
    expect(bids.map(({ bidder, status }) => [bidder, status])).toEqual([
      ['ana', 'withdrawn'],
      ['ben', 'accepted'],
    ])
    expect(awards).toEqual([{ bidder: 'ben', status: null, output: null }])
    expect(['ini', 'ben', 'cem'].map((member) => boardOf(talk, member).isYours)).toEqual([false, true, false])
    expect(boardOf(said(AWARDED), 'ini').bids[0]?.status).toBe('rejected')
  })

  it('counts the awards that are left down, and has an outcome in short', () => {
    const talk = said(AWARDED, { awards: 2 })
    expect(boardOf(talk, 'ini').awardsLeft).toBe(1)
    expect(talk.outcome).toBeNull()
    talk.cancel(0)
    expect(talk.outcome).not.toBeNull()
    expect(talk.outcome && contractNet.brief(talk.outcome)).toEqual({
      status: 'cancelled',
      state: 'awarding',
      awards: [{ bidder: 'ben', bid: 'm3', round: 1, status: null }],
      rounds: 1,
      turns: 5,
    })
  })

  it('shows nothing before the call', () => {
    expect(boardOf(said([], { awards: null }), 'ana')).toMatchObject({
      round: 0,
      task: null,
      awardsLeft: null,
    })
  })
})

describe('what a member may say', () => {
  it.each<[string, readonly Line[], PolicyInput, readonly string[], readonly string[], readonly string[]]>([
    ['calling', [], {}, ['cfp', 'call_off'], [], []],
    [
      'bidding',
      CALLED,
      {},
      ['call_off'],
      ['propose', 'refuse', 'not_understood'],
      ['propose', 'refuse', 'not_understood'],
    ],
    ['awarding', BIDDEN, {}, ['accept', 'reject', 'not_understood', 'call_off'], [], []],
    ['performing', AWARDED, {}, ['call_off'], [], ['inform', 'failure', 'not_understood']],
  ])('in %s', (_state, lines, policy, ini, ana, ben) => {
    const talk = said(lines, policy)
    expect([allowedTo(talk, 'ini'), allowedTo(talk, 'ana'), allowedTo(talk, 'ben')]).toEqual([ini, ana, ben])
    expect(allowedTo(talk, 'stranger')).toEqual([])
  })

  it('is nothing without a turn left', () => {
    const talk = said(CALLED, { turnLimit: { bidding: 1 } })
    talk.fault('ana', undefined, 0)
    expect(contractNet.turnsLeft(talk.context, 'ana', talk.state)).toBe(0)
    expect([allowedTo(talk, 'ana'), allowedTo(talk, 'ben').length]).toEqual([[], 3])
  })

  it('is told with its form, and what it means in this state', () => {
    const told = (lines: readonly Line[], member: string) => {
      const talk = said(lines)
      const all = contractNet.allowed(talk.context, member, talk.state)
      return (intent: Intent) => all.find((each) => each.intent === intent)
    }
    expect(told(CALLED, 'ana')('not_understood')).toEqual({
      intent: 'not_understood',
      does: 'says that you do not understand what was asked; counts as a refusal',
      form: '{reason?}',
    })
    expect(told(BIDDEN, 'ini')('not_understood')).toEqual({
      intent: 'not_understood',
      does: 'says that you do not understand a proposal; turns it down',
      form: '{bidder, reason?}',
    })
    expect(told(BIDDEN, 'ini')('accept')).not.toMatchObject({ form: '{bidder, reason?}' })
    expect(told(AWARDED, 'ben')('not_understood')).toEqual({
      intent: 'not_understood',
      does: 'says that you do not understand what was awarded; counts as a failure',
      form: '{reason?}',
    })
    expect(told(AWARDED, 'ben')('inform')?.does).toBe('reports that the work is done, and its result')
  })
})

describe('the floor', () => {
  it('asks for the call, for proposals in answer to it, for a choice, and for reports', () => {
    expect(asked(said([]))).toMatchObject([{ member: 'ini', expected: 'cfp', replyTo: null }])
    expect(asked(said(CALLED))).toMatchObject(
      ['ana', 'ben', 'cem'].map((member) => ({ member, expected: null, replyTo: 'm1' })),
    )
    const [choice] = asked(said(BIDDEN, { awards: null }))
    expect(choice).toMatchObject({ member: 'ini', expected: null, replyTo: null })
    expect(choice?.task).toMatch(/^2 proposals are open.*2 at most/)
    expect(asked(said(AWARDED))).toMatchObject([{ member: 'ben', expected: 'inform' }])
  })

  it('names the only proposal there is to decide on', () => {
    const talk = said([...BIDDEN, ['ini', 'reject', { bidder: 'ana' }]])
    expect(asked(talk)).toMatchObject([
      { member: 'ini', replyTo: 'm3', task: 'One proposal is open: accept or reject it.' },
    ])
  })

  it('tells in one line what is wanted', () => {
    const call = { replyTo: null }
    expect(asked(said([]))).toEqual([
      {
        ...call,
        member: 'ini',
        task: 'Call for proposals: say what is to be done, and what a proposal should tell.',
        expected: 'cfp',
      },
    ])
    expect(asked(said(CALLED))[0]).toEqual({
      member: 'ana',
      task: 'Propose how you would do it and at what price, or refuse. A proposal binds you.',
      expected: null,
      replyTo: 'm1',
    })
    expect(asked(said(BIDDEN))).toEqual([
      {
        ...call,
        member: 'ini',
        task: "2 proposals are open: accept one, by its bidder's name (1 at most), or reject one, or all that are left.",
        expected: null,
      },
    ])
    expect(asked(said(AWARDED))).toEqual([
      {
        ...call,
        member: 'ben',
        task: 'Your proposal was accepted: do the work, and report its result or that it failed.',
        expected: 'inform',
      },
    ])
  })

  it('tells no more awards than are left, nor more than there are proposals', () => {
    const four: readonly Line[] = [...CALLED, ...MEMBERS.slice(1).map((who): Line => [who, 'propose', {}])]
    const most = (policy: PolicyInput, lines = four) =>
      /\((\d) at most\)/.exec(asked(said(lines, policy))[0]?.task ?? '')?.[1]
    expect(most({ awards: null })).toBe('3')
    expect(most({ awards: 9 })).toBe('3')
    expect(most({ awards: 2 })).toBe('2')
    expect(most({ awards: 2 }, [...four, ['ini', 'accept', { bidder: 'ana' }]])).toBe('1')
  })

  it('asks nobody without a turn left', () => {
    const talk = said(CALLED, { turnLimit: { bidding: 1 } })
    talk.fault('ana', undefined, 0)
    expect(asked(talk).map(({ member }) => member)).toEqual(['ben', 'cem'])
  })

  it('asks no more who has replied', () => {
    expect(asked(said(BIDDEN.slice(0, 2))).map(({ member }) => member)).toEqual(['ben', 'cem'])
  })

  it.each<[string, readonly Line[], PolicyInput]>([
    ['Nobody made a proposal.', [...CALLED, ['ana', 'refuse'], ['ben', 'refuse'], ['cem', 'refuse']], {}],
    ['No proposal was accepted.', [...BIDDEN, ['ini', 'reject']], {}],
    ['What was awarded has failed.', [...AWARDED, ['ben', 'failure']], {}],
    [
      'Some of what was awarded has failed.',
      [...AWARDED, ['ini', 'accept', { bidder: 'ana' }], ['ana', 'inform'], ['ben', 'failure']],
      { awards: 2 },
    ],
  ])('tells the initiator that is to call again why: %s', (why, lines, policy) => {
    const talk = said(lines, { ...policy, rounds: 2 })
    expect(asked(talk)).toMatchObject([
      { member: 'ini', expected: 'cfp', task: `${why} Call anew, on better terms, or call it off.` },
    ])
  })

  it('asks nobody after the end', () => {
    const talk = said(CALLED)
    talk.cancel(0)
    expect(asked(talk)).toEqual([])
    expect(allowedTo(talk, 'ana')).toEqual([])
  })
})
