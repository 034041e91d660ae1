/**
 * Cases worked out by hand from AINET's document and what docs/protocols/ainet.md adds to it. A step is `who intent
 * details > effect reason state`; each takes a millisecond, unless it begins with the time at which it happens. All are
 * replayed as well.
 */
import { describe, expect, it } from 'vitest'
import { ainet, type Outcome, type PolicyInput } from '../../../machines/ainet/index.ts'
import type { Sent } from '../../../src/engine/events.ts'
import { openConversation } from '../../../src/engine/opening.ts'
import { readLines, replay } from '../../../src/engine/replay.ts'
import type { Talk } from './scenario.ts'

interface Case {
  readonly members?: readonly string[]
  readonly lead?: string
  readonly policy?: PolicyInput
  readonly steps: readonly string[]
  readonly outcome?: Partial<Outcome> | null
}

const TYPES: readonly string[] = ['TASK', 'BROADCAST', 'PRIVATE']

/** `BROADCAST`, `TASK`, `to=b`, `re=m1`. */
const detailsOf = (words: readonly string[]) => {
  const textOf = (key: string): string | undefined =>
    words.find((word) => word.startsWith(`${key}=`))?.slice(key.length + 1)
  const type = words.find((word) => TYPES.includes(word))
  const to = textOf('to')
  return {
    payload: { ...(type === undefined ? {} : { type }), ...(to === undefined ? {} : { to }) },
    replyTo: textOf('re') ?? null,
  }
}

const take = (talk: Talk, text: string, count: number): Sent => {
  const words = text.split(' ')
  const at = /^\d+$/.test(words[0] ?? '') ? Number(words.shift()) : talk.at + 1
  const [first = '', second = '', ...details] = words
  if (first === 'tick') return talk.tick(at)
  if (first === 'cancel') return talk.cancel(at)
  if (first === 'join') return talk.join(second, at)
  if (first === 'leave') return talk.leave(second, at)
  if (first === 'fault') return talk.fault(second, 'failed', at)
  return talk.send({ id: `m${count}`, from: first, intent: second, ...detailsOf(details) }, at)
}

const run = ({ members = ['a', 'b', 'c'], lead, policy, steps, outcome }: Case): void => {
  const talk = openConversation({ protocol: ainet, id: 'c1', members, lead: lead ?? null, policy, at: 0 })
  for (const [index, step] of steps.entries()) {
    const [said = '', expected] = step.split(' > ')
    const { effect, reason, to, expelled } = take(talk, said, index + 1)
    const decided = `${effect} ${reason} ${to}${expelled === undefined ? '' : ` expelled ${expelled}`}`
    expect(`${said} > ${decided}`).toBe(`${said} > ${expected}`)
  }
  if (outcome === undefined) expect(talk.outcome).toBeNull()
  else expect(talk.outcome).toMatchObject({ ...outcome })
  const text = talk
    .record()
    .map((event) => JSON.stringify(event))
    .join('\n')
  const again = replay(readLines(text).lines, { ainet })
  expect(again.decisions.map(({ seq: _, id: __, ...decision }) => decision)).toEqual(
    talk.events().flatMap(({ decision }) => (decision === null ? [] : [{ ...decision }])),
  )
  expect(again.talk.outcome).toEqual(talk.outcome)
}

const MAILBOX: Readonly<Record<string, Case>> = {
  'a broadcast with several replies, read by its requester (the document’s first scenario)': {
    policy: { rounds: 1 },
    steps: [
      'a request BROADCAST > applied requested pending',
      'b reply > applied answered done',
      'c reply > applied continue done',
      'a read > applied done closed',
    ],
    outcome: {
      status: 'done',
      state: 'idle',
      opener: 'a',
      rounds: 1,
      turns: 4,
      requests: [
        {
          id: 'm1',
          from: 'a',
          type: 'BROADCAST',
          to: null,
          claimant: null,
          replies: [
            { from: 'b', id: 'm2' },
            { from: 'c', id: 'm3' },
          ],
          ending: 'read',
        },
      ],
    },
  },
  'a private request and its reply (the document’s second scenario), and it begins again': {
    steps: [
      'a request PRIVATE to=b > applied requested pending',
      'b reply re=m1 > applied answered done',
      'a read > applied read idle',
      'c request to=a > applied requested pending',
      'a reply > applied answered done',
      'c read > applied read idle',
    ],
  },
  'a request without a type is a broadcast, or private when it names somebody': {
    steps: [
      'a request > applied requested pending',
      'b reply > applied answered done',
      'c reply > applied continue done',
      'a read > applied read idle',
      'a request to=b > applied requested pending',
      'c reply > recorded late pending',
      'c reply > recorded not_permitted pending',
    ],
  },
  'a private request is answered by its recipient alone': {
    steps: [
      'a request to=b > applied requested pending',
      'c reply > recorded not_permitted pending',
      'a reply > recorded not_permitted pending',
      'c claim > recorded not_permitted pending',
      'b claim > recorded not_permitted pending',
      'b reply > applied answered done',
      'c reply > recorded not_permitted done',
    ],
  },
  'nobody can ask somebody who is no member, or itself, or who has left': {
    steps: [
      'a request to=x > recorded not_permitted idle',
      'a request to=a > recorded not_permitted idle',
      'leave b > applied left idle',
      'a request to=b > recorded not_permitted idle',
      'a request to=c > applied requested pending',
    ],
  },
  'nobody alone can ask at all': {
    members: ['a'],
    steps: ['a request > recorded not_permitted idle', 'a request TASK > recorded not_permitted idle'],
  },
  'a request names a recipient when it is private, and only then': {
    steps: ['a request PRIVATE > rejected invalid idle', 'a request TASK to=b > rejected invalid idle'],
  },
  'a task is claimed by exactly one': {
    steps: [
      'a request TASK > applied requested pending',
      'a claim > recorded not_permitted pending',
      'b claim > applied continue pending',
      'c claim > recorded taken pending',
      'c reply > recorded taken pending',
      'b claim > applied continue pending',
      'b reply > applied answered done',
      'c claim > recorded taken done',
      'c reply > recorded taken done',
      'b claim > recorded not_permitted done',
    ],
  },
  'a reply to a task that nobody claimed claims it': {
    policy: { rounds: 1 },
    steps: [
      'a request TASK > applied requested pending',
      'c reply > applied answered done',
      'b reply > recorded taken done',
      'a read > applied done closed',
    ],
    outcome: {
      requests: [
        {
          id: 'm1',
          from: 'a',
          type: 'TASK',
          to: null,
          claimant: 'c',
          replies: [{ from: 'c', id: 'm2' }],
          ending: 'read',
        },
      ],
    },
  },
  'a claimant that leaves frees the task': {
    steps: [
      'a request TASK > applied requested pending',
      'b claim > applied continue pending',
      'leave b > applied left pending',
      'c claim > applied continue pending',
      'c reply > applied answered done',
    ],
  },
  'a claimant whose turns are used up frees the task, and cannot take it again': {
    policy: { turnLimit: { pending: 2 } },
    steps: [
      'a request TASK > applied requested pending',
      'b claim > applied continue pending',
      'fault b > recorded fault pending',
      'b reply > recorded turns_spent pending',
      'c reply > applied answered done',
    ],
  },
  'a reply stands when its author leaves: nobody else takes the task then': {
    steps: [
      'a request TASK > applied requested pending',
      'b reply > applied answered done',
      'leave b > applied left done',
      'c claim > recorded taken done',
      'a read > applied read idle',
    ],
  },
  'of several replies of one member the last counts': {
    policy: { rounds: 1 },
    steps: [
      'a request > applied requested pending',
      'b reply > applied answered done',
      'c reply > applied continue done',
      'b reply > applied continue done',
      'a read > applied done closed',
    ],
    outcome: {
      requests: [
        {
          id: 'm1',
          from: 'a',
          type: 'BROADCAST',
          to: null,
          claimant: null,
          replies: [
            { from: 'b', id: 'm4' },
            { from: 'c', id: 'm3' },
          ],
          ending: 'read',
        },
      ],
    },
  },
  'a mailbox holds one request: another member was not quick enough, the requester is against the rules': {
    steps: [
      'a request > applied requested pending',
      'b request > recorded taken pending',
      'a request > recorded not_permitted pending',
      'c reply > applied answered done',
      'b request TASK > recorded taken done',
      'a request > recorded not_permitted done',
    ],
  },
  'only the requester reads, and only what there is': {
    steps: [
      'a read > recorded intent_not_allowed idle',
      'a request > applied requested pending',
      'a read > recorded intent_not_allowed pending',
      'b reply > applied answered done',
      'c read > recorded not_permitted done',
      'a read > applied read idle',
    ],
  },
  'a reply that nobody asked for is against the rules': {
    steps: ['b reply > recorded intent_not_allowed idle', 'b claim > recorded intent_not_allowed idle'],
  },
  'a reply after the requester has read is late, once: its author may not have heard': {
    steps: [
      'a request > applied requested pending',
      'b reply > applied answered done',
      'a read > applied read idle',
      'c reply > recorded late idle',
      'c reply > recorded intent_not_allowed idle',
      'a read > recorded intent_not_allowed idle',
    ],
  },
  'a reply to an earlier request is late, or against the rules, and never taken for one to the present': {
    steps: [
      'a request > applied requested pending',
      'b reply > applied answered done',
      'a read > applied read idle',
      'a request > applied requested pending',
      'c reply re=m1 > recorded late pending',
      'c reply re=m1 > recorded not_permitted pending',
      'c reply re=m4 > applied answered done',
    ],
  },
  'a reply to an earlier request loses no race for the present task': {
    steps: [
      'a request > applied requested pending',
      'b reply > applied answered done',
      'a read > applied read idle',
      'a request TASK > applied requested pending',
      'b claim > applied continue pending',
      'c reply re=m1 > recorded late pending',
      'c reply re=m1 > recorded not_permitted pending',
      'c reply > recorded taken pending',
    ],
  },
  'a reply may name another reply, or what nobody here knows': {
    steps: [
      'a request > applied requested pending',
      'b reply re=elsewhere > applied answered done',
      'c reply re=m2 > applied continue done',
    ],
  },
  'who has taken a turn since has heard, and is late no more': {
    steps: [
      'a request > applied requested pending',
      'c reply > applied answered done',
      'a read > applied read idle',
      'b request > applied requested pending',
      'b reply > recorded not_permitted pending',
    ],
  },
  'a request that nobody answers goes back to idle, and costs a round': {
    policy: { rounds: 2, deadline: { pending: 100 } },
    steps: [
      '10 a request > applied requested pending',
      '109 tick > ignored not_due pending',
      '110 tick > applied unanswered idle',
      'b reply > recorded late idle',
      '200 b request > applied requested pending',
      '300 tick > applied timeout closed',
    ],
    outcome: { status: 'timeout', cause: 'rounds', state: 'idle', rounds: 2, turns: 2 },
  },
  'replies that nobody reads do not keep the mailbox': {
    policy: { deadline: { done: 50 } },
    steps: [
      '0 a request > applied requested pending',
      '10 b reply > applied answered done',
      '59 c reply > applied continue done',
      '60 tick > applied unread idle',
      '61 a read > recorded late idle',
      '62 b request > applied requested pending',
    ],
  },
  'an overdue deadline comes before what is said next': {
    policy: { deadline: { pending: 100 } },
    steps: ['0 a request > applied requested pending', '100 b reply > recorded late idle'],
  },
  'silence closes it': {
    policy: { deadline: { idle: 100 } },
    steps: ['99 tick > ignored not_due idle', '100 tick > applied timeout closed'],
    outcome: { status: 'timeout', cause: 'deadline', state: 'idle', rounds: 0, turns: 0, requests: [] },
  },
  'the opener closes it while it is idle; nobody else does, at no other time': {
    steps: [
      'a done > recorded not_permitted idle',
      'a request > applied requested pending',
      'a done > recorded intent_not_allowed pending',
      'b reply > applied answered done',
      'a done > recorded intent_not_allowed done',
      'a read > applied read idle',
      'b done > recorded not_permitted idle',
      'a done > applied done closed',
      'b request > ignored closed closed',
    ],
    outcome: { status: 'done', state: 'idle', rounds: 1, turns: 4 },
  },
  'the lead is the opener, whoever asks first': {
    lead: 'c',
    steps: [
      'a request to=b > applied requested pending',
      'b reply > applied answered done',
      'a read > applied read idle',
      'a done > recorded not_permitted idle',
      'c done > applied done closed',
    ],
    outcome: { status: 'done', opener: 'c' },
  },
  'a requester that leaves takes its request along, and who asks next is the opener': {
    steps: [
      'a request > applied requested pending',
      'leave a > applied withdrawn idle',
      'b request > applied requested pending',
      'c reply > applied answered done',
      'leave b > applied withdrawn idle',
    ],
  },
  'a recipient that leaves leaves the request unanswerable': {
    steps: ['a request to=b > applied requested pending', 'leave b > applied unanswerable idle'],
  },
  'when nobody who is asked has a turn left, the request is unanswerable': {
    policy: { turnLimit: { pending: 1 } },
    steps: [
      'a request > applied requested pending',
      'b request > recorded taken pending',
      'c claim > recorded not_permitted pending',
      'fault c > recorded fault idle',
    ],
  },
  'a requester without a turn left cannot read': {
    policy: { turnLimit: { done: 2 } },
    steps: [
      'a request > applied requested pending',
      'b reply > applied answered done',
      'fault a > recorded fault done',
      'fault a > recorded fault idle',
    ],
  },
  'the violation limit costs the seat, for good': {
    policy: { violationLimit: 2 },
    steps: [
      'b say > recorded intent_not_allowed idle',
      'b reply > recorded intent_not_allowed idle expelled b',
      'b request > ignored not_member idle',
      'join b > ignored expelled idle',
      'leave b > ignored not_member idle',
    ],
  },
  'violations are counted anew in every visit, and leaving does not launder them': {
    policy: { violationLimit: 2 },
    steps: [
      'b reply > recorded intent_not_allowed idle',
      'leave b > applied left idle',
      'join b > applied joined idle',
      'join b > ignored already_member idle',
      'a request > applied requested pending',
      'b say > recorded intent_not_allowed pending',
      'b claim > recorded not_permitted pending expelled b',
    ],
  },
  'an expelled requester takes its request along': {
    policy: { violationLimit: 1 },
    steps: ['a request > applied requested pending', 'a reply > recorded not_permitted idle expelled a'],
  },
  'too few members abandon it': {
    policy: { minMembers: 2 },
    steps: ['leave c > applied left idle', 'leave a > applied abandoned closed'],
    outcome: { status: 'abandoned', cause: 'members', state: 'idle' },
  },
  'the turns of all states together are counted': {
    policy: { maxTurns: 3 },
    steps: [
      'a request > applied requested pending',
      'fault c > recorded fault pending',
      'b reply > applied timeout closed',
    ],
    outcome: { status: 'timeout', cause: 'max_turns', state: 'done', turns: 3, rounds: 0 },
  },
  'cancelling closes it, and what lay in the mailbox is told': {
    steps: ['a request > applied requested pending', 'cancel > applied cancelled closed'],
    outcome: {
      status: 'cancelled',
      state: 'pending',
      requests: [
        { id: 'm1', from: 'a', type: 'BROADCAST', to: null, claimant: null, replies: [], ending: null },
      ],
    },
  },
  'members whose turns are all used up close it': {
    members: ['a', 'b'],
    policy: { turnLimit: { idle: 1 }, violationLimit: null },
    steps: [
      'fault a > recorded fault idle',
      'a request > recorded turns_spent idle',
      'fault b > recorded fault closed',
    ],
    outcome: { status: 'timeout', cause: 'turns', state: 'idle', turns: 2 },
  },
  'who joins may reply to what was asked before': {
    steps: [
      'a request > applied requested pending',
      'join d > applied joined pending',
      'd reply > applied answered done',
    ],
  },
  'names that are keys of every object are names': {
    members: ['__proto__', 'constructor', 'toString'],
    steps: [
      '__proto__ request to=constructor > applied requested pending',
      'toString reply > recorded not_permitted pending',
      'constructor reply > applied answered done',
      '__proto__ read > applied read idle',
      'valueOf request > ignored not_member idle',
    ],
  },
}

const TALK: Readonly<Record<string, Case>> = {
  'messages go back and forth until the opener is done (the document’s rounds)': {
    members: ['a', 'b'],
    policy: { mode: 'talk' },
    steps: [
      'a say > applied opened talking',
      'b say > applied continue talking',
      'a say > applied continue talking',
      'b say > applied continue talking',
      'a done > applied done closed',
    ],
    outcome: { status: 'done', state: 'talking', opener: 'a', rounds: 0, requests: [], turns: 5 },
  },
  'any number join in, in any order; another’s DONE is of its own part and closes nothing': {
    policy: { mode: 'talk' },
    steps: [
      'a say > applied opened talking',
      'c say > applied continue talking',
      'c say > applied continue talking',
      'b done > applied continue talking',
      'b say > applied continue talking',
      'a done > applied done closed',
    ],
    outcome: { status: 'done', turns: 6 },
  },
  'the lead closes it, whoever spoke first': {
    lead: 'a',
    policy: { mode: 'talk' },
    steps: [
      'b say > applied opened talking',
      'b done > applied continue talking',
      'a done > applied done closed',
    ],
    outcome: { status: 'done', opener: 'a' },
  },
  'a lead may be done before it began; without a lead nobody can be': {
    lead: 'a',
    policy: { mode: 'talk' },
    steps: ['b done > recorded not_permitted idle', 'a done > applied done closed'],
    outcome: { status: 'done', state: 'idle' },
  },
  'it knows no mailbox, as a mailbox knows no talk': {
    policy: { mode: 'talk' },
    steps: [
      'a request > recorded intent_not_allowed idle',
      'a say > applied opened talking',
      'b reply > recorded intent_not_allowed talking',
      'b request > recorded intent_not_allowed talking',
      'b claim > recorded intent_not_allowed talking',
      'b read > recorded intent_not_allowed talking',
    ],
  },
  'an opener that leaves abandons it: nobody else could close it': {
    policy: { mode: 'talk' },
    steps: ['b say > applied opened talking', 'leave b > applied abandoned closed'],
    outcome: { status: 'abandoned', cause: 'opener', state: 'talking', opener: 'b' },
  },
  'a lead that leaves before it began makes way for the first to speak': {
    lead: 'a',
    policy: { mode: 'talk' },
    steps: [
      'leave a > applied left idle',
      'c say > applied opened talking',
      'join a > applied joined talking',
      'a done > applied continue talking',
      'c done > applied done closed',
    ],
    outcome: { status: 'done', opener: 'c' },
  },
  'an opener without a turn left cannot close it: time is up': {
    policy: { mode: 'talk', turnLimit: { talking: 2 } },
    steps: [
      'a say > applied opened talking',
      'b say > applied continue talking',
      'b say > applied continue talking',
      'b say > recorded turns_spent talking',
      'a say > applied timeout closed',
    ],
    outcome: { status: 'timeout', cause: 'turns', state: 'talking', turns: 4 },
  },
  'its time is counted from the first message': {
    policy: { mode: 'talk', deadline: { idle: 100, talking: 50 } },
    steps: [
      '70 a say > applied opened talking',
      '100 b say > applied continue talking',
      '120 b say > ignored closed closed',
    ],
    outcome: { status: 'timeout', cause: 'deadline', state: 'talking', turns: 2 },
  },
  'nobody opens it': {
    policy: { mode: 'talk', deadline: { idle: 100 } },
    steps: ['100 tick > applied timeout closed'],
    outcome: { status: 'timeout', cause: 'deadline', state: 'idle' },
  },
}

describe('a mailbox', () => {
  it.each(Object.entries(MAILBOX))('%s', (_, each) => run(each))
  it('does not open the talk', () => run({ steps: ['a say > recorded intent_not_allowed idle'] }))
})

describe('a talk', () => {
  it.each(Object.entries(TALK))('%s', (_, each) => run(each))
})
