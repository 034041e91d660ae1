/** Contract nets step by step, worked out by hand from docs/protocols/contract-net.md: what is said, and what must come of it. */
import type { PolicyInput } from '../../../machines/contract-net/index.ts'
import type { Intent } from '../../../machines/contract-net/intents.ts'

/** Somebody says something; its message id is `m` and the number of its step. */
interface Say {
  readonly from: string
  readonly intent: Intent
  readonly payload: Readonly<Record<string, unknown>>
  readonly replyTo: string | null
}
interface Happen {
  readonly type: 'join' | 'leave' | 'fault'
  readonly member: string
}
type Event = Say | Happen | { readonly type: 'tick' | 'cancel' }

/** A step: what happens, at a time in ms or at that of the step before, and `effect reason state` of what comes of it. */
export interface Step {
  readonly event: Event
  readonly at?: number
  readonly expected: string
}

export interface Case {
  readonly title: string
  readonly members: readonly string[]
  readonly policy: PolicyInput
  readonly steps: readonly Step[]
  /** Null: still open. */
  readonly outcome: Readonly<Record<string, unknown>> | null
}

const step = (event: Event, expected: string, at?: number): Step => ({
  event,
  expected,
  ...(at === undefined ? {} : { at }),
})

/** @param about payload, or the id of the message that is answered */
const says = (
  from: string,
  intent: Intent,
  expected: string,
  about: Readonly<Record<string, unknown>> | string = {},
  at?: number,
): Step => {
  const [payload, replyTo] = typeof about === 'string' ? [{}, about] : [about, null]
  return step({ from, intent, payload, replyTo }, expected, at)
}
const joins = (member: string, expected: string): Step => step({ type: 'join', member }, expected)
const leaves = (member: string, expected: string): Step => step({ type: 'leave', member }, expected)
const fails = (member: string, expected: string): Step => step({ type: 'fault', member }, expected)
const tick = (at: number, expected: string): Step => step({ type: 'tick' }, expected, at)
const cancels = (expected: string): Step => step({ type: 'cancel' }, expected)

const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)

const TRIO = ['ini', 'ana', 'ben']
const QUARTET = ['ini', 'ana', 'ben', 'cem']
const SHORT: PolicyInput = { deadline: { calling: 10, bidding: 100, awarding: 1000, performing: 10_000 } }

const made = (
  title: string,
  steps: readonly Step[],
  outcome: Case['outcome'],
  policy: PolicyInput = {},
  members: readonly string[] = TRIO,
): Case => ({ title, members, policy, steps, outcome })

const called = says('ini', 'cfp', 'applied called bidding', { task: 'paint the fence' })
/** The call, and two proposals: m2 of ana for 30, m3 of ben for 20. */
const bidden: readonly Step[] = [
  called,
  says('ana', 'propose', 'applied continue bidding', { price: 30, offer: 'two coats' }),
  says('ben', 'propose', 'applied all_answered awarding', { price: 20 }),
]
const award = (bidder: string, bid: string, status: string | null, more: object = {}) => ({
  bidder,
  bid,
  price: null,
  round: 1,
  status,
  output: null,
  ...more,
})

export const cases: readonly Case[] = [
  made(
    'one of two proposals is accepted, the other is rejected with it, and the work is done',
    [
      ...bidden,
      says('ini', 'accept', 'applied awarded performing', { bidder: 'ben' }),
      says('ben', 'inform', 'applied all_reported closed', { output: 'white' }),
    ],
    {
      status: 'done',
      state: 'performing',
      awards: [award('ben', 'm3', 'done', { price: 20, output: 'white' })],
      rounds: 1,
      turns: 5,
    },
  ),
  made(
    'the accepted proposal may be named by its message',
    [
      ...bidden,
      says('ini', 'accept', 'applied awarded performing', 'm2'),
      says('ana', 'failure', 'applied all_reported closed', { reason: 'no paint' }),
    ],
    {
      status: 'failed',
      state: 'performing',
      awards: [award('ana', 'm2', 'failed', { price: 30, output: 'no paint' })],
      rounds: 1,
      turns: 5,
    },
  ),
  made(
    'everybody refuses: there is nothing to award',
    [
      called,
      says('ana', 'refuse', 'applied continue bidding', { reason: 'busy' }),
      says('ben', 'not_understood', 'applied no_bids closed', { reason: 'which fence?' }),
    ],
    { status: 'no_bids', state: 'bidding', awards: [], rounds: 1, turns: 3 },
  ),
  made(
    'a second proposal replaces the first, and the first can no longer be accepted',
    [
      called,
      says('ana', 'propose', 'applied continue bidding', { price: 30 }),
      says('ana', 'propose', 'applied continue bidding', { price: 25 }),
      says('ben', 'refuse', 'applied all_answered awarding'),
      says('ini', 'accept', 'recorded not_permitted awarding', 'm2'),
      says('ini', 'accept', 'applied awarded performing'),
      says('ana', 'inform', 'applied all_reported closed', { output: null }),
    ],
    {
      status: 'done',
      state: 'performing',
      awards: [award('ana', 'm3', 'done', { price: 25 })],
      rounds: 1,
      turns: 6,
    },
  ),
  made(
    'a refusal takes an earlier proposal back',
    [
      called,
      says('ana', 'propose', 'applied continue bidding'),
      says('ana', 'refuse', 'applied continue bidding'),
      says('ben', 'refuse', 'applied no_bids closed'),
    ],
    { status: 'no_bids', state: 'bidding', awards: [], rounds: 1, turns: 4 },
  ),
  made(
    'a proposal takes an earlier refusal back',
    [
      called,
      says('ana', 'refuse', 'applied continue bidding'),
      says('ana', 'propose', 'applied continue bidding'),
      says('ben', 'refuse', 'applied all_answered awarding'),
      says('ini', 'accept', 'applied awarded performing', { bidder: 'ana' }),
    ],
    null,
  ),
  made(
    'a proposal that comes after the time to reply is late, once, and no violation',
    [
      called,
      says('ana', 'propose', 'applied continue bidding'),
      tick(100, 'applied timeout awarding'),
      says('ben', 'propose', 'recorded late awarding'),
      says('ben', 'propose', 'recorded intent_not_allowed awarding'),
      says('ini', 'accept', 'applied awarded performing'),
    ],
    null,
    SHORT,
  ),
  made(
    'the call may shorten the time to reply',
    [
      says('ini', 'cfp', 'applied called bidding', { replyWithin: 40 }, 5),
      tick(44, 'ignored not_due bidding'),
      tick(45, 'applied timeout closed'),
    ],
    { status: 'no_bids', state: 'bidding', cause: 'deadline', awards: [], rounds: 1, turns: 1 },
    SHORT,
  ),
  made(
    'the call cannot lengthen the time to reply',
    [
      says('ini', 'cfp', 'applied called bidding', { replyWithin: 400 }),
      tick(99, 'ignored not_due bidding'),
      tick(100, 'applied timeout closed'),
    ],
    { status: 'no_bids', state: 'bidding', cause: 'deadline', awards: [], rounds: 1, turns: 1 },
    SHORT,
  ),
  made(
    'nobody calls in time',
    [tick(9, 'ignored not_due calling'), tick(10, 'applied timeout closed')],
    { status: 'timeout', state: 'calling', cause: 'deadline', awards: [], rounds: 0, turns: 0 },
    SHORT,
  ),
  made(
    'the initiator fails until it has no turn left to call',
    [...times(2, fails('ini', 'recorded fault calling')), fails('ini', 'recorded fault closed')],
    { status: 'timeout', state: 'calling', cause: 'turns', awards: [], rounds: 0, turns: 3 },
  ),
  made(
    'only the initiator calls, chooses and calls off; only participants propose',
    [
      says('ana', 'cfp', 'recorded not_permitted calling'),
      says('ana', 'call_off', 'recorded not_permitted calling'),
      called,
      says('ini', 'propose', 'recorded not_permitted bidding'),
      says('ini', 'refuse', 'recorded not_permitted bidding'),
      says('ini', 'not_understood', 'recorded not_permitted bidding'),
      says('ana', 'propose', 'applied continue bidding'),
      says('ben', 'propose', 'applied all_answered awarding'),
      says('ana', 'accept', 'recorded not_permitted awarding', { bidder: 'ana' }),
      says('ben', 'reject', 'recorded not_permitted awarding', { bidder: 'ana' }),
      says('ana', 'not_understood', 'recorded not_permitted awarding'),
    ],
    null,
  ),
  made(
    'what a state does not admit is against the rules',
    [
      says('ana', 'propose', 'recorded intent_not_allowed calling'),
      says('ini', 'accept', 'recorded intent_not_allowed calling', { bidder: 'ana' }),
      called,
      says('ana', 'inform', 'recorded intent_not_allowed bidding'),
      says('ini', 'reject', 'recorded intent_not_allowed bidding'),
    ],
    null,
  ),
  made(
    'an acceptance that names none of several proposals is ambiguous and costs a turn',
    [
      ...bidden,
      says('ini', 'accept', 'recorded ambiguous awarding'),
      says('ini', 'not_understood', 'recorded ambiguous awarding'),
      says('ini', 'accept', 'applied awarded performing', { bidder: 'ana' }),
    ],
    null,
  ),
  made(
    'an acceptance of a stranger, of a participant without a proposal, or of two different ones is not permitted',
    [
      called,
      says('ana', 'propose', 'applied continue bidding'),
      says('ben', 'propose', 'applied continue bidding'),
      says('cem', 'refuse', 'applied all_answered awarding'),
      says('ini', 'accept', 'recorded not_permitted awarding', { bidder: 'nobody' }),
      says('ini', 'accept', 'recorded not_permitted awarding', { bidder: 'cem' }),
      step(
        { from: 'ini', intent: 'accept', payload: { bidder: 'ana' }, replyTo: 'm3' },
        'recorded not_permitted awarding',
      ),
      step(
        { from: 'ini', intent: 'accept', payload: { bidder: 'ana' }, replyTo: 'm2' },
        'applied awarded performing',
      ),
    ],
    null,
    {},
    QUARTET,
  ),
  made(
    'a rejection that names nobody turns down all who are left',
    [...bidden, says('ini', 'reject', 'applied not_awarded closed')],
    { status: 'not_awarded', state: 'awarding', awards: [], rounds: 1, turns: 4 },
  ),
  made(
    'proposals are turned down one by one, also because they are not understood',
    [
      ...bidden,
      says('ini', 'reject', 'applied continue awarding', { bidder: 'ben', reason: 'too cheap' }),
      says('ini', 'reject', 'recorded taken awarding', { bidder: 'ben' }),
      says('ini', 'not_understood', 'applied not_awarded closed', { bidder: 'ana' }),
    ],
    { status: 'not_awarded', state: 'awarding', awards: [], rounds: 1, turns: 6 },
  ),
  made(
    'a rejected proposal cannot be accepted any more',
    [
      ...bidden,
      says('ini', 'reject', 'applied continue awarding', { bidder: 'ben' }),
      says('ini', 'accept', 'recorded taken awarding', { bidder: 'ben' }),
    ],
    null,
  ),
  made(
    'several are awarded as the policy has it; one fails, and the other is done',
    [
      called,
      says('ana', 'propose', 'applied continue bidding'),
      says('ben', 'propose', 'applied continue bidding'),
      says('cem', 'propose', 'applied all_answered awarding'),
      says('ini', 'accept', 'applied continue awarding', { bidder: 'cem' }),
      says('ini', 'accept', 'applied awarded performing', { bidder: 'ana' }),
      says('ben', 'inform', 'recorded not_permitted performing', { output: 1 }),
      says('ana', 'failure', 'applied continue performing'),
      says('ana', 'inform', 'recorded not_permitted performing', { output: 1 }),
      says('cem', 'inform', 'applied all_reported closed', { output: [1] }),
    ],
    {
      status: 'partial',
      state: 'performing',
      awards: [award('cem', 'm4', 'done', { output: [1] }), award('ana', 'm2', 'failed', { output: '' })],
      rounds: 1,
      turns: 8,
    },
    { awards: 2 },
    QUARTET,
  ),
  made(
    'without a limit of awards the initiator says when it has enough',
    [
      ...bidden,
      says('ini', 'accept', 'applied continue awarding', { bidder: 'ben' }),
      says('ini', 'reject', 'applied awarded performing'),
      says('ben', 'inform', 'applied all_reported closed', { output: null }),
    ],
    {
      status: 'done',
      state: 'performing',
      awards: [award('ben', 'm3', 'done', { price: 20 })],
      rounds: 1,
      turns: 6,
    },
    { awards: null },
  ),
  made(
    'the time to award passes with one accepted: the others are rejected',
    [
      called,
      says('ana', 'propose', 'applied continue bidding'),
      says('ben', 'propose', 'applied all_answered awarding', {}, 50),
      says('ini', 'accept', 'applied continue awarding', { bidder: 'ana' }),
      tick(1049, 'ignored not_due awarding'),
      tick(1050, 'applied timeout performing'),
      says('ini', 'accept', 'recorded late performing', { bidder: 'ben' }),
      says('ana', 'inform', 'applied all_reported closed', { output: true }),
    ],
    {
      status: 'done',
      state: 'performing',
      awards: [award('ana', 'm2', 'done', { output: true })],
      rounds: 1,
      turns: 5,
    },
    { ...SHORT, awards: 2 },
  ),
  made(
    'the time to award passes with nothing accepted',
    [...bidden, tick(1000, 'applied timeout closed')],
    { status: 'not_awarded', state: 'awarding', cause: 'deadline', awards: [], rounds: 1, turns: 3 },
    SHORT,
  ),
  made(
    'the initiator has one more turn for each proposal, and no more',
    [
      ...bidden,
      ...times(2, says('ini', 'accept', 'recorded ambiguous awarding')),
      says('ini', 'accept', 'recorded ambiguous closed'),
    ],
    { status: 'not_awarded', state: 'awarding', cause: 'turns', awards: [], rounds: 1, turns: 6 },
    { turnLimit: { awarding: 1 } },
  ),
  made(
    'what is not reported in time has failed',
    [
      ...bidden,
      says('ini', 'accept', 'applied awarded performing', { bidder: 'ben' }),
      tick(10_000, 'applied timeout closed'),
    ],
    {
      status: 'failed',
      state: 'performing',
      cause: 'deadline',
      awards: [award('ben', 'm3', 'failed', { price: 20 })],
      rounds: 1,
      turns: 4,
    },
    SHORT,
  ),
  made(
    'a participant that leaves after it was accepted has failed',
    [
      called,
      ...['ana', 'ben'].map((each) => says(each, 'propose', 'applied continue bidding')),
      says('cem', 'refuse', 'applied all_answered awarding'),
      says('ini', 'accept', 'applied awarded performing', { bidder: 'ben' }),
      leaves('ben', 'applied all_reported closed'),
    ],
    {
      status: 'failed',
      state: 'performing',
      awards: [award('ben', 'm3', 'failed')],
      rounds: 1,
      turns: 5,
    },
    {},
    QUARTET,
  ),
  made(
    'an acceptance of somebody who has just gone costs no violation',
    [
      called,
      ...['ana', 'ben'].map((each) => says(each, 'propose', 'applied continue bidding')),
      says('cem', 'refuse', 'applied all_answered awarding'),
      leaves('ben', 'applied left awarding'),
      says('ini', 'accept', 'recorded taken awarding', { bidder: 'ben' }),
      says('ini', 'accept', 'applied awarded performing'),
    ],
    null,
    {},
    QUARTET,
  ),
  made(
    'all bidders go while the initiator is choosing',
    [
      called,
      says('ana', 'propose', 'applied continue bidding'),
      says('ben', 'refuse', 'applied all_answered awarding'),
      leaves('ana', 'applied not_awarded closed'),
    ],
    { status: 'not_awarded', state: 'awarding', awards: [], rounds: 1, turns: 3 },
  ),
  made(
    'whoever is the last to be waited for may also leave: the others have answered',
    [
      called,
      says('ana', 'propose', 'applied continue bidding'),
      leaves('ben', 'applied all_answered awarding'),
    ],
    null,
  ),
  made(
    'the proposal of a participant that leaves is gone, and coming back does not bring it back',
    [
      called,
      says('ana', 'propose', 'applied continue bidding'),
      leaves('ana', 'applied left bidding'),
      joins('ana', 'applied joined bidding'),
      says('ben', 'refuse', 'applied continue bidding'),
      says('ana', 'refuse', 'applied no_bids closed'),
    ],
    { status: 'no_bids', state: 'bidding', awards: [], rounds: 1, turns: 4 },
  ),
  made(
    'coming back gives no turns back, and whoever has none left is not waited for',
    [
      called,
      says('ana', 'propose', 'applied continue bidding'),
      leaves('ana', 'applied left bidding'),
      joins('ana', 'applied joined bidding'),
      says('ana', 'propose', 'recorded turns_spent bidding'),
      says('ben', 'refuse', 'applied timeout closed'),
    ],
    { status: 'no_bids', state: 'bidding', cause: 'turns', awards: [], rounds: 1, turns: 3 },
    { turnLimit: { bidding: 1 } },
  ),
  made(
    'coming back makes no violation undone',
    [
      called,
      says('ana', 'inform', 'recorded intent_not_allowed bidding'),
      leaves('ana', 'applied left bidding'),
      joins('ana', 'applied joined bidding'),
      says('ana', 'inform', 'recorded intent_not_allowed bidding expelled'),
    ],
    null,
    { violationLimit: 2 },
  ),
  made(
    'whoever has spoken since a change of state has heard of it, and is not late any more',
    [
      ...bidden,
      says('ini', 'accept', 'applied awarded performing', { bidder: 'ben' }),
      tick(10_000, 'applied renewed calling'),
      called,
      says('ana', 'propose', 'applied continue bidding'),
      says('ana', 'inform', 'recorded intent_not_allowed bidding'),
      says('ben', 'inform', 'recorded late bidding'),
      says('ben', 'inform', 'recorded intent_not_allowed bidding'),
    ],
    null,
    { ...SHORT, rounds: 2 },
  ),
  made(
    'who joins during bidding may propose, and is waited for',
    [
      called,
      joins('cem', 'applied joined bidding'),
      joins('cem', 'ignored already_member bidding'),
      says('ana', 'refuse', 'applied continue bidding'),
      says('ben', 'refuse', 'applied continue bidding'),
      says('cem', 'propose', 'applied all_answered awarding'),
    ],
    null,
  ),
  made('the initiator leaves, and nobody can go on', [...bidden, leaves('ini', 'applied abandoned closed')], {
    status: 'abandoned',
    state: 'awarding',
    cause: 'initiator',
    awards: [],
    rounds: 1,
    turns: 3,
  }),
  made(
    'too few are left',
    [called, leaves('ana', 'applied left bidding'), leaves('ben', 'applied abandoned closed')],
    { status: 'abandoned', state: 'bidding', cause: 'members', awards: [], rounds: 1, turns: 1 },
  ),
  made(
    'a member that breaks the rules too often is expelled, and is not let in again',
    [
      called,
      says('ana', 'inform', 'recorded intent_not_allowed bidding'),
      says('ana', 'accept', 'recorded intent_not_allowed bidding expelled', { bidder: 'ben' }),
      joins('ana', 'ignored expelled bidding'),
      says('ben', 'propose', 'applied all_answered awarding'),
    ],
    null,
    { violationLimit: 2 },
  ),
  made(
    'an initiator that is expelled abandons it',
    [
      called,
      says('ini', 'accept', 'recorded intent_not_allowed bidding', { bidder: 'ana' }),
      says('ini', 'propose', 'recorded not_permitted closed expelled'),
    ],
    { status: 'abandoned', state: 'bidding', cause: 'initiator', awards: [], rounds: 1, turns: 1 },
    { violationLimit: 2 },
  ),
  made(
    'participants that fail until they have no turn left are not waited for',
    [
      called,
      says('ben', 'propose', 'applied continue bidding'),
      ...times(2, fails('ana', 'recorded fault bidding')),
      fails('ana', 'recorded fault awarding'),
    ],
    null,
  ),
  made(
    'nobody answers but by failing',
    [
      called,
      says('ben', 'refuse', 'applied continue bidding'),
      ...times(2, fails('ana', 'recorded fault bidding')),
      fails('ana', 'recorded fault closed'),
    ],
    { status: 'no_bids', state: 'bidding', cause: 'turns', awards: [], rounds: 1, turns: 5 },
  ),
  made(
    'a turn too many is a violation',
    [
      called,
      says('ana', 'propose', 'applied continue bidding'),
      says('ana', 'propose', 'recorded turns_spent bidding'),
      says('ben', 'refuse', 'applied all_answered awarding'),
    ],
    null,
    { turnLimit: { bidding: 1 } },
  ),
  made(
    'whom the work was given to fails until it has no turn left to report',
    [
      ...bidden,
      says('ini', 'accept', 'applied awarded performing', { bidder: 'ben' }),
      fails('ben', 'recorded fault performing'),
      fails('ben', 'recorded fault closed'),
    ],
    {
      status: 'failed',
      state: 'performing',
      cause: 'turns',
      awards: [award('ben', 'm3', 'failed', { price: 20 })],
      rounds: 1,
      turns: 6,
    },
    { turnLimit: { performing: 2 } },
  ),
  made(
    'an award that is not understood has failed',
    [
      ...bidden,
      says('ini', 'accept', 'applied awarded performing', { bidder: 'ben' }),
      says('ben', 'not_understood', 'applied all_reported closed', { reason: 'which fence?' }),
    ],
    {
      status: 'failed',
      state: 'performing',
      awards: [award('ben', 'm3', 'failed', { price: 20, output: 'which fence?' })],
      rounds: 1,
      turns: 5,
    },
  ),
  made(
    'the initiator calls it off while the work is under way',
    [
      ...bidden,
      says('ini', 'accept', 'applied awarded performing', { bidder: 'ben' }),
      says('ini', 'call_off', 'applied called_off closed'),
      says('ben', 'inform', 'ignored closed closed', { output: 1 }),
    ],
    {
      status: 'cancelled',
      state: 'performing',
      cause: 'called_off',
      awards: [award('ben', 'm3', null, { price: 20 })],
      rounds: 1,
      turns: 5,
    },
  ),
  made(
    'somebody outside cancels',
    [called, cancels('applied cancelled closed'), cancels('ignored closed closed')],
    { status: 'cancelled', state: 'bidding', awards: [], rounds: 1, turns: 1 },
  ),
  made(
    'after a failure the work is called for again, and then it is done',
    [
      ...bidden,
      says('ini', 'accept', 'applied awarded performing', { bidder: 'ben' }),
      says('ben', 'failure', 'applied renewed calling'),
      says('ben', 'failure', 'recorded late calling'),
      says('ini', 'cfp', 'applied called bidding'),
      says('ben', 'refuse', 'applied continue bidding'),
      says('ana', 'propose', 'applied all_answered awarding'),
      says('ini', 'accept', 'recorded not_permitted awarding', 'm2'),
      says('ini', 'accept', 'applied awarded performing', 'm9'),
      says('ana', 'inform', 'applied all_reported closed', { output: 'white' }),
    ],
    {
      status: 'done',
      state: 'performing',
      awards: [
        award('ben', 'm3', 'failed', { price: 20, output: '' }),
        award('ana', 'm9', 'done', { round: 2, output: 'white' }),
      ],
      rounds: 2,
      turns: 10,
    },
    { rounds: 2 },
  ),
  made(
    'the last round’s awards tell how it ended',
    [
      called,
      says('ana', 'propose', 'applied continue bidding'),
      says('ben', 'refuse', 'applied all_answered awarding'),
      says('ini', 'accept', 'applied awarded performing'),
      tick(10_000, 'applied renewed calling'),
      called,
      says('ana', 'propose', 'applied continue bidding'),
      says('ben', 'propose', 'applied all_answered awarding'),
      says('ini', 'accept', 'applied awarded performing', { bidder: 'ben' }),
      says('ben', 'inform', 'applied all_reported closed', { output: 'green' }),
    ],
    {
      status: 'done',
      state: 'performing',
      awards: [award('ana', 'm2', 'failed'), award('ben', 'm8', 'done', { round: 2, output: 'green' })],
      rounds: 2,
      turns: 9,
    },
    { ...SHORT, rounds: 2 },
  ),
  made(
    'a second round that brings nothing leaves it as it was: some of the work is done',
    [
      called,
      says('ana', 'propose', 'applied continue bidding'),
      says('ben', 'propose', 'applied all_answered awarding'),
      says('ini', 'accept', 'applied continue awarding', { bidder: 'ana' }),
      says('ini', 'accept', 'applied awarded performing', { bidder: 'ben' }),
      says('ana', 'inform', 'applied continue performing', { output: 1 }),
      says('ben', 'failure', 'applied renewed calling', { reason: 'rain' }),
      called,
      tick(100, 'applied timeout closed'),
    ],
    {
      status: 'partial',
      state: 'bidding',
      cause: 'deadline',
      awards: [award('ana', 'm2', 'done', { output: 1 }), award('ben', 'm3', 'failed', { output: 'rain' })],
      rounds: 2,
      turns: 8,
    },
    { ...SHORT, rounds: 2, awards: 2 },
  ),
  made(
    'the initiator turns all proposals down and calls for better ones: all must propose anew',
    [
      ...bidden,
      says('ini', 'cfp', 'recorded late awarding'),
      says('ini', 'cfp', 'recorded intent_not_allowed awarding'),
      says('ini', 'reject', 'applied renewed calling', { reason: 'too dear' }),
      says('ini', 'cfp', 'applied called bidding', { task: 'one coat is enough' }),
      says('ana', 'propose', 'applied continue bidding', { price: 10 }),
      says('ben', 'refuse', 'applied all_answered awarding'),
      says('ini', 'accept', 'recorded not_permitted awarding', 'm2'),
      says('ini', 'accept', 'applied awarded performing', 'm8'),
    ],
    null,
    { rounds: 2 },
  ),
  made(
    'everybody refuses, and the initiator does not call again',
    [
      called,
      says('ana', 'refuse', 'applied continue bidding'),
      says('ben', 'refuse', 'applied renewed calling', {}, 5),
      tick(14, 'ignored not_due calling'),
      tick(15, 'applied timeout closed'),
    ],
    { status: 'no_bids', state: 'calling', cause: 'deadline', awards: [], rounds: 1, turns: 3 },
    { ...SHORT, rounds: 2 },
  ),
  made(
    'nobody answers in time, the call is renewed, and the initiator would rather leave it',
    [
      called,
      tick(100, 'applied renewed calling'),
      says('ana', 'propose', 'recorded late calling'),
      says('ini', 'call_off', 'applied called_off closed'),
    ],
    { status: 'no_bids', state: 'calling', cause: 'called_off', awards: [], rounds: 1, turns: 2 },
    { ...SHORT, rounds: 3 },
  ),
  made(
    'calling it off before the first call cancels it',
    [says('ini', 'call_off', 'applied called_off closed')],
    { status: 'cancelled', state: 'calling', cause: 'called_off', awards: [], rounds: 0, turns: 1 },
  ),
  made(
    'ids that are names of an object’s own parts are names like any other',
    [
      says('constructor', 'cfp', 'applied called bidding'),
      says('__proto__', 'propose', 'applied continue bidding', { offer: { constructor: 1 } }),
      says('toString', 'propose', 'applied all_answered awarding'),
      says('constructor', 'accept', 'applied awarded performing', { bidder: '__proto__' }),
      says('__proto__', 'inform', 'applied all_reported closed', { output: 1 }),
    ],
    {
      status: 'done',
      state: 'performing',
      awards: [award('__proto__', 'm2', 'done', { output: 1 })],
      rounds: 1,
      turns: 5,
    },
    {},
    ['constructor', '__proto__', 'toString'],
  ),
]
