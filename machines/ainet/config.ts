/**
 * The five states as an XState config of plain JSON: guards and actions by name, nothing else. The rules' one statement;
 * guards.ts and actions.ts say what the names mean. The first branch whose guard holds is taken, in the order: turns
 * spent, applied, lost a race, late, not permitted. What a state does not admit falls to the root.
 */
import type { Cause, Ending, Status } from './context.ts'
import type { State } from './policy.ts'

const decide = <Effect extends string, Reason extends string>(effect: Effect, reason: Reason) =>
  ({ type: 'decide', params: { effect, reason } }) as const
const because = <Reason extends string>(reason: Reason) =>
  ({ type: 'transition', params: { reason } }) as const
const enter = (state: State) => ({ type: 'enter', params: { state } }) as const
const close = (status: Status, cause: Cause | null) =>
  ({ target: 'closed', actions: [{ type: 'close', params: { status, cause } }, because(status)] }) as const
/** The request has ended, and the mailbox is free again. */
const back = (ending: Ending) =>
  ({
    target: 'idle',
    actions: [{ type: 'end', params: { ending } }, enter('idle'), because(ending)],
  }) as const

const applied = decide('applied', 'continue')
const turnsSpent = { guard: 'turnsSpent', actions: ['violation', decide('recorded', 'turns_spent')] } as const
const notPermitted = { actions: ['violation', decide('recorded', 'not_permitted')] } as const
const notAllowed = { actions: ['violation', decide('recorded', 'intent_not_allowed')] } as const
const taken = { actions: ['turn', decide('recorded', 'taken')] } as const
const late = { guard: 'isLate', actions: ['late', decide('recorded', 'late')] } as const
/** What is about a request may come after its end. */
const overdue = [late, notAllowed] as const

/** Who wants to ask while another's request is in the mailbox was not quick enough. */
const busy = [turnsSpent, { guard: 'isRequester', ...notPermitted }, taken] as const
const finish = {
  guard: 'isOpener',
  target: 'closed',
  actions: ['turn', ...close('done', null).actions],
} as const

// These stand first in every open state: XState tries a root's eventless transitions only after the state's own.
const expelled = { guard: 'hasOffender', actions: ['expel', 'expelled'] } as const
const abandoned = { guard: 'tooFew', ...close('abandoned', 'members') } as const
const withdrawn = { guard: 'requesterGone', ...back('withdrawn') } as const
const maxTurns = { guard: 'maxTurnsSpent', ...close('timeout', 'max_turns') } as const

export const config = {
  id: 'ainet',
  initial: 'idle',
  states: {
    idle: {
      description: 'Nothing is in the mailbox: anybody may ask. Or nobody has opened the talk yet.',
      on: {
        request: [
          { guard: 'isTalk', ...notAllowed },
          turnsSpent,
          {
            guard: 'mayRequest',
            target: 'pending',
            actions: ['turn', 'request', enter('pending'), because('requested')],
          },
          notPermitted,
        ],
        say: [
          { guard: 'isMailbox', ...notAllowed },
          turnsSpent,
          // The first word is a turn of the talk that it opens.
          { target: 'talking', actions: ['open', enter('talking'), 'turn', because('opened')] },
        ],
        done: [turnsSpent, finish, notPermitted],
      },
      always: [
        expelled,
        abandoned,
        { guard: 'isServed', ...close('done', null) },
        { guard: 'roundsSpent', ...close('timeout', 'rounds') },
        maxTurns,
        { guard: 'allSpent', ...close('timeout', 'turns') },
      ],
    },
    pending: {
      description: 'A request waits for its first reply; one member may claim a TASK.',
      on: {
        request: busy,
        claim: [
          turnsSpent,
          { guard: 'mayClaim', actions: ['turn', 'claim', applied] },
          { guard: 'isTaken', ...taken },
          late,
          notPermitted,
        ],
        reply: [
          turnsSpent,
          {
            guard: 'mayReply',
            target: 'done',
            actions: ['turn', 'reply', enter('done'), because('answered')],
          },
          { guard: 'isTaken', ...taken },
          late,
          notPermitted,
        ],
        deadline: [{ guard: 'isDue', ...back('unanswered') }],
      },
      always: [
        expelled,
        abandoned,
        withdrawn,
        { guard: 'isClaimLost', actions: ['free'] },
        { guard: 'isUnanswerable', ...back('unanswerable') },
        maxTurns,
      ],
    },
    done: {
      description: 'There is a reply; more may come until the requester has read them.',
      on: {
        request: busy,
        claim: [turnsSpent, { guard: 'isTaken', ...taken }, late, notPermitted],
        reply: [
          turnsSpent,
          { guard: 'mayReply', actions: ['turn', 'reply', applied] },
          { guard: 'isTaken', ...taken },
          late,
          notPermitted,
        ],
        read: [
          turnsSpent,
          { guard: 'isRequester', target: 'idle', actions: ['turn', ...back('read').actions] },
          late,
          notPermitted,
        ],
        deadline: [{ guard: 'isDue', ...back('unread') }],
      },
      always: [expelled, abandoned, withdrawn, { guard: 'requesterSpent', ...back('unread') }, maxTurns],
    },
    talking: {
      description: 'Messages go back and forth until the opener is done.',
      on: {
        say: [turnsSpent, { actions: ['turn', applied] }],
        // Another's part is done; the talk goes on.
        done: [turnsSpent, finish, { actions: ['turn', applied] }],
      },
      always: [
        expelled,
        abandoned,
        { guard: 'openerGone', ...close('abandoned', 'opener') },
        maxTurns,
        { guard: 'openerSpent', ...close('timeout', 'turns') },
      ],
    },
    closed: { description: 'Nothing is admitted any more.', type: 'final' },
  },
  on: {
    request: notAllowed,
    claim: overdue,
    reply: overdue,
    read: overdue,
    say: notAllowed,
    done: notAllowed,
    join: [
      { guard: 'isMember', actions: [decide('ignored', 'already_member')] },
      { guard: 'isExpelled', actions: [decide('ignored', 'expelled')] },
      { actions: ['join', decide('applied', 'joined')] },
    ],
    leave: [
      { guard: 'isMember', actions: ['leave', decide('applied', 'left')] },
      { actions: [decide('ignored', 'not_member')] },
    ],
    fault: [
      { guard: 'isMember', actions: ['fault', decide('recorded', 'fault')] },
      { actions: [decide('ignored', 'not_member')] },
    ],
    deadline: [
      { guard: 'isDue', ...close('timeout', 'deadline'), target: '.closed' },
      { actions: [decide('ignored', 'not_due')] },
    ],
    cancel: { ...close('cancelled', null), target: '.closed' },
  },
} as const
