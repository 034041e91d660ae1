/** Conversations worked out by hand: each event with the decision that it must lead to, and the end. */
import { describe, expect, it } from 'vitest'
import { ioa, type PolicyInput } from '../../../machines/ioa/index.ts'
import type { Sent } from '../../../src/engine/events.ts'
import { openConversation } from '../../../src/engine/opening.ts'
import { readLines, replay } from '../../../src/engine/replay.ts'

type Payload = Readonly<Record<string, unknown>>
/** Somebody says something (the content, if the last is a text), something happens to somebody, or time passes. */
type Step =
  | readonly [from: string, intent: string, payload?: Payload, content?: string]
  | readonly ['join' | 'leave' | 'fault', string]
  | readonly ['at', number]
  | readonly ['cancel']

interface Story {
  readonly name: string
  readonly members?: readonly string[]
  readonly lead?: string
  readonly policy?: PolicyInput
  /** Each step with `effect/reason`, ` > state` for each transition, ` - member` for one that is expelled, `; floor` who has it now. */
  readonly steps: readonly (readonly [Step, string])[]
  /** The brief outcome; null: it is still open. */
  readonly end: Payload | null
}

const CLOCKS = { chatDeadline: 1_000, turnDeadline: 100, taskDeadline: 300, concludeDeadline: 200 } as const

const STORIES: readonly Story[] = [
  {
    name: 'ideas go round in joining order until somebody concludes',
    steps: [
      [['a', 'discuss'], 'applied/continue; b'],
      [['b', 'discuss'], 'applied/continue; c'],
      [['c', 'discuss'], 'applied/continue; a'],
      [['a', 'conclude'], 'applied/concluding > conclusion; a'],
      [['a', 'conclude', {}, 'Tea it is.'], 'applied/concluded > closed'],
    ],
    end: { status: 'concluded', state: 'conclusion', conclusion: 'Tea it is.', tasks: [], turns: 5 },
  },
  {
    name: 'the lead begins, and the speaker names who is next, itself included',
    lead: 'c',
    steps: [
      [['c', 'discuss', { next: 'b' }], 'applied/continue; b'],
      [['b', 'discuss', { next: 'b' }], 'applied/continue; b'],
      [['b', 'conclude', { next: 'a' }], 'applied/concluding > conclusion; a'],
      [['b', 'conclude'], 'recorded/not_permitted; a'],
      [['a', 'conclude', { output: { answer: 42 } }, 'forty-two'], 'applied/concluded > closed'],
    ],
    end: {
      status: 'concluded',
      state: 'conclusion',
      conclusion: { answer: 42 },
      tasks: [],
      turns: 4,
    },
  },
  {
    name: 'only whoever has the floor may speak',
    steps: [
      [['b', 'discuss'], 'recorded/not_permitted; a'],
      [['c', 'conclude'], 'recorded/not_permitted; a'],
      [['b', 'assign_sync', { to: ['a'] }], 'recorded/not_permitted; a'],
      [['c', 'report'], 'recorded/not_permitted; a'],
      [['x', 'discuss'], 'ignored/not_member'],
      [['a', 'discuss'], 'applied/continue; b'],
    ],
    end: null,
  },
  {
    name: 'the next speaker must be there: who has left is not, and the floor stays',
    steps: [
      [['a', 'discuss', { next: 'nobody' }], 'recorded/not_permitted; a'],
      [['leave', 'b'], 'applied/left; a'],
      [['a', 'discuss', { next: 'b' }], 'recorded/not_permitted; a'],
      [['a', 'discuss'], 'applied/continue; c'],
    ],
    end: null,
  },
  {
    name: 'a synchronous task makes the chat wait for every result; then its giver speaks',
    steps: [
      [['a', 'assign_sync', { to: ['b', 'c'], title: 'look' }], 'applied/assigned > sync_assignment; a'],
      [['a', 'discuss'], 'recorded/intent_not_allowed; a'],
      [['b', 'report', {}, 'found it'], 'applied/continue; a'],
      [['b', 'report'], 'recorded/not_permitted; a'],
      [
        ['c', 'report', { task: 't2', status: 'partial', output: [1] }],
        'applied/all_reported > discussion; a',
      ],
      [['a', 'conclude'], 'applied/concluding > conclusion; a'],
      [['a', 'conclude', {}, 'so be it'], 'applied/concluded > closed'],
    ],
    end: {
      status: 'concluded',
      state: 'conclusion',
      conclusion: 'so be it',
      tasks: [
        { id: 't1', owner: 'b', status: 'success' },
        { id: 't2', owner: 'c', status: 'partial' },
      ],
      turns: 5,
    },
  },
  {
    name: 'a synchronous task may name another to go on with, and oneself to work',
    steps: [
      [['a', 'assign_sync', { to: ['a', 'a'], next: 'c' }], 'applied/assigned > sync_assignment; c'],
      [['c', 'report'], 'recorded/not_permitted; c'],
      [['a', 'report', { task: 't1' }], 'applied/all_reported > discussion; c'],
      [['c', 'discuss'], 'applied/continue; a'],
    ],
    end: null,
  },
  {
    name: 'nobody is given work who is not there',
    steps: [
      [['a', 'assign_sync', { to: ['b', 'x'] }], 'recorded/not_permitted; a'],
      [['a', 'assign_async', { to: ['x'] }], 'recorded/not_permitted; a'],
      [['a', 'assign_sync', { to: [] }], 'rejected/invalid'],
      [['a', 'assign_sync'], 'rejected/invalid'],
    ],
    end: null,
  },
  {
    name: 'an asynchronous task leaves the floor with its giver, and the talk goes on meanwhile',
    steps: [
      [['a', 'assign_async', { to: ['b'] }], 'applied/assigned > async_assignment; a'],
      [['a', 'assign_async', { to: ['c'] }], 'applied/continue; a'],
      [['a', 'discuss', { next: 'c' }], 'applied/continue; c'],
      [['b', 'report'], 'applied/continue; c'],
      [['c', 'discuss'], 'applied/continue; a'],
      [['c', 'report'], 'applied/all_reported > discussion; a'],
      [['b', 'pause'], 'recorded/intent_not_allowed; a'],
    ],
    end: null,
  },
  {
    name: 'a pause waits for the tasks named, and their results trigger the talk',
    steps: [
      [['a', 'assign_async', { to: ['b', 'c'] }], 'applied/assigned > async_assignment; a'],
      [['a', 'pause', { tasks: ['t2'] }], 'applied/paused > pause; a'],
      [['a', 'conclude'], 'recorded/intent_not_allowed; a'],
      [['c', 'report'], 'applied/resumed > async_assignment; a'],
      [['a', 'pause', { next: 'b' }], 'applied/paused > pause; b'],
      [['b', 'report'], 'applied/resumed > discussion; b'],
    ],
    end: null,
  },
  {
    name: 'a pause that waits for nothing is against the rules',
    steps: [
      [['a', 'pause'], 'recorded/intent_not_allowed; a'],
      [['a', 'assign_async', { to: ['b', 'c'] }], 'applied/assigned > async_assignment; a'],
      [['a', 'pause', { tasks: ['t1', 't9'] }], 'recorded/not_permitted; a'],
      [['b', 'report'], 'applied/continue; a'],
      [['a', 'pause', { tasks: ['t1'] }], 'recorded/not_permitted; a'],
      [['a', 'pause', { tasks: ['t1', 't2'] }], 'applied/paused > pause; a'],
      [['c', 'report'], 'applied/resumed > discussion; a'],
    ],
    end: null,
  },
  {
    name: 'synchronous work amid asynchronous: the chat waits for the first only',
    steps: [
      [['a', 'assign_async', { to: ['b'] }], 'applied/assigned > async_assignment; a'],
      [['a', 'assign_sync', { to: ['c'] }], 'applied/assigned > sync_assignment; a'],
      [['c', 'report'], 'applied/all_reported > async_assignment; a'],
      [['a', 'assign_sync', { to: ['c'] }], 'applied/assigned > sync_assignment; a'],
      [['b', 'report'], 'applied/continue; a'],
      [['c', 'report'], 'applied/all_reported > discussion; a'],
    ],
    end: null,
  },
  {
    name: 'at the limit of turns the conclusion is forced, and nobody steers away',
    policy: { maxTurns: 2 },
    steps: [
      [['a', 'discuss'], 'applied/continue; b'],
      [['b', 'discuss'], 'applied/forced > conclusion; c'],
      [['a', 'discuss'], 'recorded/intent_not_allowed; c'],
      [['c', 'discuss'], 'recorded/intent_not_allowed; a'],
      [['a', 'conclude', {}, 'enough'], 'applied/forced > closed'],
    ],
    end: { status: 'forced', state: 'conclusion', cause: 'turns', conclusion: 'enough', tasks: [], turns: 4 },
  },
  {
    name: 'the lead gives a forced conclusion',
    lead: 'b',
    policy: { maxTurns: 1 },
    steps: [
      [['b', 'discuss', { next: 'c' }], 'applied/forced > conclusion; b'],
      [['b', 'conclude', {}, 'mine'], 'applied/forced > closed'],
    ],
    end: { status: 'forced', state: 'conclusion', cause: 'turns', conclusion: 'mine', tasks: [], turns: 2 },
  },
  {
    name: 'to conclude with the last turn is no forced conclusion',
    policy: { maxTurns: 1 },
    steps: [
      [['a', 'conclude'], 'applied/concluding > conclusion; a'],
      [['a', 'conclude', {}, 'ok'], 'applied/concluded > closed'],
    ],
    end: { status: 'concluded', state: 'conclusion', conclusion: 'ok', tasks: [], turns: 2 },
  },
  {
    name: 'the results that the chat waits for come in before the limit ends it',
    policy: { maxTurns: 1 },
    steps: [
      [['a', 'assign_sync', { to: ['b'] }], 'applied/assigned > sync_assignment; a'],
      [['b', 'report', {}, 'done'], 'applied/forced > discussion > conclusion; a'],
    ],
    end: null,
  },
  {
    name: 'results still come in while the conclusion is being thought over, and end nothing',
    policy: { maxTurns: 1 },
    steps: [
      [['a', 'assign_async', { to: ['b', 'c'] }], 'applied/forced > async_assignment > conclusion; a'],
      [['b', 'report'], 'applied/continue; a'],
      [['b', 'report'], 'recorded/not_permitted; a'],
      [['a', 'report'], 'recorded/not_permitted; b'],
      [['b', 'conclude', {}, 'late'], 'applied/forced > closed'],
    ],
    end: {
      status: 'forced',
      state: 'conclusion',
      cause: 'turns',
      conclusion: 'late',
      tasks: [
        { id: 't1', owner: 'b', status: 'success' },
        { id: 't2', owner: 'c', status: null },
      ],
      turns: 4,
    },
  },
  {
    name: 'digressions spend the turns for the conclusion, and then it closes without one',
    policy: { concludeTurns: 2 },
    steps: [
      [['a', 'conclude'], 'applied/concluding > conclusion; a'],
      [['a', 'discuss'], 'recorded/intent_not_allowed; b'],
      [['b', 'assign_sync', { to: ['a'] }], 'recorded/intent_not_allowed > closed'],
    ],
    end: { status: 'timeout', state: 'conclusion', cause: 'turns', conclusion: null, tasks: [], turns: 3 },
  },
  {
    name: 'a failure passes the floor on and costs a turn, and so does one in conclusion',
    policy: { maxTurns: 2, concludeTurns: 2 },
    steps: [
      [['fault', 'a'], 'recorded/fault; b'],
      [['fault', 'c'], 'recorded/fault > conclusion; b'],
      [['fault', 'a'], 'recorded/fault; b'],
      [['fault', 'b'], 'recorded/fault; c'],
      [['fault', 'c'], 'recorded/fault > closed'],
    ],
    end: { status: 'timeout', state: 'conclusion', cause: 'turns', conclusion: null, tasks: [], turns: 4 },
  },
  {
    name: 'silence costs the floor and a turn; what comes just after is late, once',
    policy: CLOCKS,
    steps: [
      [['at', 99], 'ignored/not_due; a'],
      [['at', 100], 'applied/silent; b'],
      [['a', 'discuss'], 'recorded/late; b'],
      [['a', 'discuss'], 'recorded/not_permitted; b'],
      [['b', 'discuss'], 'applied/continue; c'],
      [['at', 199], 'ignored/not_due; c'],
      [['at', 200], 'applied/silent; a'],
    ],
    end: null,
  },
  {
    name: 'who has the floor again is not late any more',
    members: ['a', 'b'],
    policy: CLOCKS,
    steps: [
      [['at', 100], 'applied/silent; b'],
      [['b', 'discuss'], 'applied/continue; a'],
      [['a', 'discuss', { next: 'x' }], 'recorded/not_permitted; a'],
    ],
    end: null,
  },
  {
    name: 'silence of all spends the turns, forces the conclusion, and spends its turns too',
    members: ['a', 'b'],
    policy: { ...CLOCKS, maxTurns: 3, concludeTurns: 2 },
    steps: [
      [['at', 100], 'applied/silent; b'],
      [['at', 200], 'applied/silent; a'],
      [['at', 300], 'applied/forced > conclusion; b'],
      [['at', 400], 'applied/silent; a'],
      [['at', 500], 'applied/timeout > closed'],
    ],
    // The deadline of the conclusion is as near as its last turn, and is looked at first.
    end: { status: 'timeout', state: 'conclusion', cause: 'deadline', conclusion: null, tasks: [], turns: 4 },
  },
  {
    name: 'the deadline of the chat forces the conclusion; who was about to speak is late, and pays nothing',
    lead: 'c',
    policy: { ...CLOCKS, turnDeadline: null, taskDeadline: null },
    steps: [
      [['c', 'discuss'], 'applied/continue; a'],
      [['at', 999], 'ignored/not_due; a'],
      [['at', 1000], 'applied/forced > conclusion; c'],
      [['a', 'discuss'], 'recorded/late; c'],
      [['at', 1199], 'ignored/not_due; c'],
      [['at', 1200], 'applied/timeout > closed'],
    ],
    end: { status: 'timeout', state: 'conclusion', cause: 'deadline', conclusion: null, tasks: [], turns: 1 },
  },
  {
    name: 'a conclusion forced by the clock says so',
    policy: { ...CLOCKS, turnDeadline: null },
    steps: [
      [['at', 1000], 'applied/forced > conclusion; a'],
      [['a', 'conclude', {}, 'in time'], 'applied/forced > closed'],
    ],
    end: {
      status: 'forced',
      state: 'conclusion',
      cause: 'deadline',
      conclusion: 'in time',
      tasks: [],
      turns: 1,
    },
  },
  {
    name: 'the deadline of the chat comes amid waiting, too',
    policy: { ...CLOCKS, taskDeadline: null },
    steps: [
      [['a', 'assign_sync', { to: ['b'] }], 'applied/assigned > sync_assignment; a'],
      [['at', 1000], 'applied/forced > conclusion; a'],
      [['b', 'report'], 'applied/continue; a'],
    ],
    end: null,
  },
  {
    name: 'an overdue synchronous task counts as failed, and the chat goes on; a late result is taken all the same',
    policy: CLOCKS,
    steps: [
      [['a', 'assign_sync', { to: ['b', 'c'] }], 'applied/assigned > sync_assignment; a'],
      [['b', 'report'], 'applied/continue; a'],
      [['at', 299], 'ignored/not_due; a'],
      [['at', 300], 'applied/all_reported > discussion; a'],
      [['c', 'report', {}, 'sorry'], 'applied/continue; a'],
      [['c', 'report'], 'recorded/not_permitted; a'],
      [['cancel'], 'applied/cancelled > closed'],
    ],
    end: {
      status: 'cancelled',
      state: 'discussion',
      conclusion: null,
      tasks: [
        { id: 't1', owner: 'b', status: 'success' },
        { id: 't2', owner: 'c', status: 'success' },
      ],
      turns: 3,
    },
  },
  {
    name: 'a report that names no task is about what is owed, and only then about what is late',
    policy: { ...CLOCKS, turnDeadline: null },
    steps: [
      [['a', 'assign_async', { to: ['b'] }], 'applied/assigned > async_assignment; a'],
      [['at', 200], 'ignored/not_due; a'],
      [['a', 'assign_async', { to: ['b'] }], 'applied/continue; a'],
      [['at', 300], 'applied/task_overdue; a'],
      [['b', 'report'], 'applied/all_reported > discussion; a'],
      [['b', 'report'], 'applied/continue; a'],
      [['b', 'report'], 'recorded/not_permitted; a'],
    ],
    end: null,
  },
  {
    name: 'in conclusion a failure of anybody else costs no turn, and a conclusion may come late',
    policy: CLOCKS,
    steps: [
      [['a', 'conclude'], 'applied/concluding > conclusion; a'],
      [['fault', 'b'], 'recorded/fault; a'],
      [['at', 100], 'applied/silent; b'],
      [['a', 'conclude'], 'recorded/late; b'],
      [['a', 'conclude'], 'recorded/not_permitted; b'],
      [['b', 'conclude', {}, 'yes'], 'applied/concluded > closed'],
    ],
    end: { status: 'concluded', state: 'conclusion', conclusion: 'yes', tasks: [], turns: 3 },
  },
  {
    name: 'a task that was overdue when its owner went has failed for good',
    policy: CLOCKS,
    steps: [
      [['a', 'assign_sync', { to: ['b'] }], 'applied/assigned > sync_assignment; a'],
      [['at', 300], 'applied/all_reported > discussion; a'],
      [['leave', 'b'], 'applied/left; a'],
      [['join', 'b'], 'applied/joined; a'],
      [['b', 'report'], 'recorded/not_permitted; a'],
    ],
    end: null,
  },
  {
    name: 'an overdue asynchronous task fails beside the talk',
    policy: { ...CLOCKS, turnDeadline: 250 },
    steps: [
      [['a', 'assign_async', { to: ['b'] }], 'applied/assigned > async_assignment; a'],
      [['at', 200], 'ignored/not_due; a'],
      [['a', 'assign_async', { to: ['c'] }], 'applied/continue; a'],
      [['at', 300], 'applied/task_overdue; a'],
      [['at', 450], 'applied/silent; b'],
      [['at', 500], 'applied/all_reported > discussion; b'],
    ],
    end: null,
  },
  {
    name: 'a task that is overdue together with the silence of the speaker',
    policy: { ...CLOCKS, turnDeadline: 300 },
    steps: [
      [['a', 'assign_async', { to: ['b'] }], 'applied/assigned > async_assignment; a'],
      [['at', 300], 'applied/all_reported > discussion; b'],
    ],
    end: null,
  },
  {
    name: 'a pause is over at its deadline; what it waited for is still owed',
    policy: { ...CLOCKS, pauseDeadline: 50 },
    steps: [
      [['a', 'assign_async', { to: ['b'] }], 'applied/assigned > async_assignment; a'],
      [['a', 'pause'], 'applied/paused > pause; a'],
      [['at', 49], 'ignored/not_due; a'],
      [['at', 50], 'applied/resumed > async_assignment; a'],
      [['a', 'pause'], 'applied/paused > pause; a'],
      [['at', 99], 'ignored/not_due; a'],
      [['b', 'report'], 'applied/resumed > discussion; a'],
    ],
    end: null,
  },
  {
    name: 'a speaker who leaves costs a turn',
    policy: { maxTurns: 2 },
    steps: [
      [['leave', 'b'], 'applied/left; a'],
      [['leave', 'a'], 'applied/left; c'],
      [['c', 'discuss'], 'applied/forced > conclusion; c'],
      [['join', 'a'], 'applied/joined; c'],
      [['leave', 'c'], 'applied/left; a'],
      [['a', 'conclude', {}, 'alone'], 'applied/forced > closed'],
    ],
    end: { status: 'forced', state: 'conclusion', cause: 'turns', conclusion: 'alone', tasks: [], turns: 3 },
  },
  {
    name: 'a pause and what it waited for may be over at the same time',
    policy: { ...CLOCKS, pauseDeadline: 300 },
    steps: [
      [['a', 'assign_async', { to: ['b'] }], 'applied/assigned > async_assignment; a'],
      [['a', 'pause'], 'applied/paused > pause; a'],
      [['at', 300], 'applied/resumed > discussion; a'],
    ],
    end: null,
  },
  {
    name: 'the floor of a speaker who leaves passes on, also while the chat waits',
    members: ['a', 'b', 'c', 'd'],
    steps: [
      [['a', 'discuss', { next: 'd' }], 'applied/continue; d'],
      [['leave', 'd'], 'applied/left; a'],
      [['a', 'assign_sync', { to: ['c'], next: 'b' }], 'applied/assigned > sync_assignment; b'],
      [['leave', 'b'], 'applied/left; c'],
      [['c', 'report'], 'applied/all_reported > discussion; c'],
    ],
    end: null,
  },
  {
    name: 'what a member owes has failed when it goes, and coming back does not bring it back',
    steps: [
      [['a', 'assign_sync', { to: ['b'] }], 'applied/assigned > sync_assignment; a'],
      [['leave', 'b'], 'applied/all_reported > discussion; a'],
      [['join', 'b'], 'applied/joined; a'],
      [['join', 'b'], 'ignored/already_member; a'],
      [['b', 'report'], 'recorded/not_permitted; a'],
      [['a', 'discuss'], 'applied/continue; c'],
      [['c', 'discuss'], 'applied/continue; b'],
      [['cancel'], 'applied/cancelled > closed'],
    ],
    end: {
      status: 'cancelled',
      state: 'discussion',
      conclusion: null,
      tasks: [{ id: 't1', owner: 'b', status: 'failed' }],
      turns: 3,
    },
  },
  {
    name: 'a member that breaks the rules too often is expelled, keeps no floor, and cannot come back',
    policy: { violationLimit: 2 },
    steps: [
      [['a', 'discuss', { next: 'x' }], 'recorded/not_permitted; a'],
      [['a', 'pause'], 'recorded/intent_not_allowed - a; b'],
      [['join', 'a'], 'ignored/expelled; b'],
      [['fault', 'b'], 'recorded/fault; c'],
      [['fault', 'b'], 'recorded/fault - b; c'],
      [['leave', 'c'], 'applied/abandoned > closed'],
    ],
    end: { status: 'abandoned', state: 'discussion', conclusion: null, tasks: [], turns: 3 },
  },
  {
    name: 'leaving and coming back launders neither turns nor violations',
    policy: { memberTurns: 1, violationLimit: 2 },
    steps: [
      [['a', 'discuss'], 'applied/continue; b'],
      [['a', 'discuss'], 'recorded/not_permitted; b'],
      [['leave', 'a'], 'applied/left; b'],
      [['join', 'a'], 'applied/joined; b'],
      [['b', 'discuss', { next: 'a' }], 'applied/continue; c'],
      [['a', 'discuss'], 'recorded/not_permitted - a; c'],
    ],
    end: null,
  },
  {
    name: 'a violation limit of null expels nobody',
    policy: { violationLimit: null },
    steps: [
      ...Array.from({ length: 30 }, () => [['b', 'discuss'], 'recorded/not_permitted; a'] as const),
      [['fault', 'b'], 'recorded/fault; a'],
    ],
    end: null,
  },
  {
    name: 'an owner that keeps failing is expelled, and the chat goes on without its result',
    policy: { violationLimit: 2, maxTurns: 1 },
    steps: [
      [['a', 'assign_sync', { to: ['b'] }], 'applied/assigned > sync_assignment; a'],
      [['fault', 'b'], 'recorded/fault; a'],
      [['fault', 'b'], 'recorded/fault > discussion > conclusion - b; a'],
    ],
    end: null,
  },
  {
    name: 'whoever has had its own turns is passed by, also when it is named',
    policy: { memberTurns: 1 },
    steps: [
      [['a', 'discuss', { next: 'a' }], 'applied/continue; b'],
      [['b', 'discuss', { next: 'a' }], 'applied/continue; c'],
      [['c', 'discuss'], 'applied/forced > conclusion; a'],
      [['a', 'conclude', {}, 'all said'], 'applied/forced > closed'],
    ],
    end: {
      status: 'forced',
      state: 'conclusion',
      cause: 'turns',
      conclusion: 'all said',
      tasks: [],
      turns: 4,
    },
  },
  {
    name: 'a result costs none of one’s own turns',
    policy: { memberTurns: 1 },
    steps: [
      [['a', 'assign_async', { to: ['a', 'b'] }], 'applied/assigned > async_assignment; b'],
      [['b', 'discuss'], 'applied/continue; c'],
      [['b', 'report'], 'applied/continue; c'],
      [['a', 'report'], 'applied/all_reported > discussion; c'],
      [['c', 'discuss'], 'applied/forced > conclusion; a'],
    ],
    end: null,
  },
  {
    name: 'with his last own turn a member may conclude and sum up himself',
    policy: { memberTurns: 1 },
    steps: [
      [['a', 'conclude'], 'applied/concluding > conclusion; a'],
      [['a', 'conclude', {}, 'me'], 'applied/concluded > closed'],
    ],
    end: { status: 'concluded', state: 'conclusion', conclusion: 'me', tasks: [], turns: 2 },
  },
  {
    name: 'fewer members than there must be close it, in whatever state',
    policy: { minMembers: 2 },
    steps: [
      [['a', 'conclude'], 'applied/concluding > conclusion; a'],
      [['leave', 'a'], 'applied/left; b'],
      [['leave', 'c'], 'applied/abandoned > closed'],
    ],
    end: { status: 'abandoned', state: 'conclusion', conclusion: null, tasks: [], turns: 1 },
  },
  {
    name: 'a newcomer sits at the end, and a group of one talks to itself',
    members: ['a'],
    steps: [
      [['a', 'discuss'], 'applied/continue; a'],
      [['join', 'b'], 'applied/joined; a'],
      [['a', 'discuss'], 'applied/continue; b'],
      [['b', 'discuss'], 'applied/continue; a'],
      [['leave', 'x'], 'ignored/not_member; a'],
      [['fault', 'x'], 'ignored/not_member; a'],
    ],
    end: null,
  },
  {
    name: 'nothing is said after the end',
    steps: [
      [['cancel'], 'applied/cancelled > closed'],
      [['a', 'discuss'], 'ignored/closed'],
      [['cancel'], 'ignored/closed'],
      [['join', 'd'], 'ignored/closed'],
    ],
    end: { status: 'cancelled', state: 'discussion', conclusion: null, tasks: [], turns: 0 },
  },
]

type Talk = ReturnType<typeof begin>
const begin = ({ members = ['a', 'b', 'c'], lead, policy = {} }: Story) =>
  openConversation({ protocol: ioa, id: 'c1', members, lead: lead ?? null, policy, at: 0 })

const take = (talk: Talk, step: Step, number: number): Sent => {
  const [first, second] = step
  if (first === 'at') return talk.tick(second as number)
  if (first === 'cancel') return talk.cancel(talk.at)
  if (first === 'join') return talk.join(step[1], talk.at)
  if (first === 'leave') return talk.leave(step[1], talk.at)
  if (first === 'fault') return talk.fault(step[1], 'failed', talk.at)
  const [from, intent, payload = {}, content = ''] = step as readonly [string, string, Payload?, string?]
  return talk.send({ id: `m${number}`, from, intent, payload, content }, talk.at)
}

const told = (talk: Talk, { effect, reason, transitions, expelled }: Sent, isIgnored: boolean): string => {
  const ways = transitions.map(({ to }) => ` > ${to}`).join('')
  const gone = expelled === undefined ? '' : ` - ${expelled}`
  const floor = talk.isClosed || isIgnored ? '' : `; ${talk.context.speaker}`
  return `${effect}/${reason}${ways}${gone}${floor}`
}

describe('records', () => {
  it.each(STORIES)('$name', (story) => {
    const talk = begin(story)
    const live: Sent[] = []
    for (const [index, [step, expected]] of story.steps.entries()) {
      const sent = take(talk, step, index)
      expect(told(talk, sent, !expected.includes(';')), `step ${index + 1}`).toBe(expected)
      if (sent.seq !== undefined) live.push(sent)
    }
    const brief = talk.outcome === null ? null : ioa.brief(talk.outcome)
    expect(brief).toEqual(story.end)

    const text = talk
      .record()
      .map((event) => `${JSON.stringify(event)}\n`)
      .join('')
    const again = replay(readLines(text).lines, { ioa })
    expect(again.decisions).toEqual(live)
    expect(again.talk.state).toBe(talk.state)
    expect(again.talk.outcome).toEqual(talk.outcome)
  })

  it('keep what was reported and concluded in the outcome', () => {
    const talk = openConversation({ protocol: ioa, members: ['a', 'b'], at: 0 })
    talk.send({ id: '1', from: 'a', intent: 'assign_sync', payload: { to: ['b'], title: 'Sum' } }, 1)
    talk.send({ id: '2', from: 'b', intent: 'report', content: 'It is 3', payload: { output: null } }, 2)
    talk.send({ id: '3', from: 'a', intent: 'assign_sync', payload: { to: ['b'] } }, 3)
    talk.send({ id: '4', from: 'b', intent: 'report', content: 'It is 4' }, 4)
    talk.send({ id: '5', from: 'a', intent: 'conclude' }, 5)
    talk.send({ id: '6', from: 'a', intent: 'conclude', content: 'x', payload: { output: false } }, 6)
    expect(talk.outcome).toEqual({
      status: 'concluded',
      state: 'conclusion',
      conclusion: false,
      tasks: [
        { id: 't1', title: 'Sum', owner: 'b', status: 'success', output: null },
        { id: 't2', title: null, owner: 'b', status: 'success', output: 'It is 4' },
      ],
      turns: 6,
    })
  })
})
