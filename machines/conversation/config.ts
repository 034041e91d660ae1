/**
 * The six states as an XState config of plain JSON: guards and actions by name, nothing else. The rules' one statement;
 * guards.ts and actions.ts say what the names mean. The first branch whose guard holds is taken, in the order of the
 * specification's checks: turns spent, not permitted, lost a race, applied. What a state does not admit falls to the root.
 */

const decide = <Effect extends string, Reason extends string>(effect: Effect, reason: Reason) =>
  ({ type: 'decide', params: { effect, reason } }) as const
const because = <Reason extends string>(reason: Reason) =>
  ({ type: 'transition', params: { reason } }) as const
const close = <Status extends string>(status: Status) =>
  ({ type: 'close', params: { status, cause: null } }) as const
const timeout = <Cause extends string>(cause: Cause) =>
  ({
    target: 'closed',
    actions: [{ type: 'close', params: { status: 'timeout', cause } }, because('timeout')],
  }) as const

const applied = decide('applied', 'continue')
const turnsSpent = { guard: 'turnsSpent', actions: ['violation', decide('recorded', 'turns_spent')] } as const
const notPermitted = { actions: ['violation', decide('recorded', 'not_permitted')] } as const
const taken = { actions: ['turn', decide('recorded', 'taken')] } as const

/** Talk costs a turn and does nothing else, in the states that the policy names. */
const talk = [
  { guard: 'talkSpent', actions: ['violation', decide('recorded', 'turns_spent')] },
  { guard: 'talkAdmitted', actions: ['turn', applied] },
] as const

/** Offers and claims of work are the same while it is shared out and while it is done. */
const work = {
  assign: [turnsSpent, { guard: 'mayAssign', actions: ['turn', 'assignSubtask', applied] }, notPermitted],
  accept: [
    turnsSpent,
    { guard: 'mayAccept', actions: ['turn', 'acceptSubtasks', applied] },
    { guard: 'isTaken', ...taken },
    notPermitted,
  ],
  object: [turnsSpent, { guard: 'mayGiveBack', actions: ['turn', 'giveBack', applied] }, notPermitted],
} as const

// These stand first in every open state: XState tries a root's eventless transitions only after the state's own.
const expelled = { guard: 'hasOffender', actions: ['expel', 'expelled'] } as const
const abandoned = {
  guard: 'tooFew',
  target: 'closed',
  actions: [close('abandoned'), because('abandoned')],
} as const
const tokens = { guard: 'tokensSpent', ...timeout('tokens') } as const
const maxTurns = { guard: 'maxTurnsSpent', ...timeout('max_turns') } as const
const turns = { guard: 'limitReached', ...timeout('turns') } as const

const enter = <State extends string>(state: State) => ({ type: 'enter', params: { state } }) as const
const unadmitted = [
  { guard: 'isLate', actions: ['late', decide('recorded', 'late')] },
  { actions: ['violation', decide('recorded', 'intent_not_allowed')] },
] as const

export const config = {
  id: 'conversation',
  initial: 'discussion',
  states: {
    discussion: {
      description: 'Members ask and inform until somebody proposes a plan.',
      on: {
        question: talk,
        info: talk,
        proposal: [
          turnsSpent,
          { target: 'proposal', actions: ['turn', 'propose', because('proposal_raised')] },
        ],
      },
      always: [expelled, abandoned, tokens, maxTurns, turns],
    },
    proposal: {
      description: 'Members vote on the open proposals; any member may raise another.',
      entry: [enter('proposal')],
      on: {
        question: talk,
        info: talk,
        proposal: [turnsSpent, { actions: ['turn', 'propose', applied] }],
        agree: [
          turnsSpent,
          { guard: 'unknownProposal', ...notPermitted },
          { guard: 'ambiguousVote', actions: ['turn', decide('recorded', 'ambiguous')] },
          {
            guard: 'isDecisive',
            target: 'assign',
            actions: ['turn', 'adoptNamed', because('lead_decision')],
          },
          { actions: ['turn', { type: 'vote', params: { agree: true } }, applied] },
        ],
        object: [
          turnsSpent,
          { guard: 'unknownProposal', ...notPermitted },
          { guard: 'ambiguousVote', actions: ['turn', decide('recorded', 'ambiguous')] },
          { actions: ['turn', { type: 'vote', params: { agree: false } }, applied] },
        ],
        deadline: [{ guard: 'dueAdopts', target: 'assign', actions: ['adoptBest', because('adopted')] }],
      },
      always: [
        expelled,
        abandoned,
        { guard: 'isCarried', target: 'assign', actions: ['adoptCarried', because('consensus')] },
        tokens,
        maxTurns,
        { guard: 'limitAdopts', target: 'assign', actions: ['adoptBest', because('adopted')] },
        turns,
      ],
    },
    assign: {
      description: 'The subtasks of the adopted proposal find their owners.',
      entry: [enter('assign')],
      on: { question: talk, info: talk, ...work },
      always: [
        expelled,
        abandoned,
        { guard: 'allAssigned', target: 'execution', actions: [because('all_assigned')] },
        tokens,
        maxTurns,
        turns,
      ],
    },
    execution: {
      description: 'Owners work and report; work that is given back finds another owner.',
      entry: [enter('execution')],
      on: {
        question: talk,
        info: talk,
        ...work,
        progress: [
          { guard: 'talkTurnsSpent', actions: ['violation', decide('recorded', 'turns_spent')] },
          { guard: 'mayProgress', actions: ['turn', applied] },
          notPermitted,
        ],
        result: [turnsSpent, { guard: 'mayReport', actions: ['turn', 'report', applied] }, notPermitted],
        deadline: [{ guard: 'dueReviews', target: 'review', actions: ['reportFailed', because('partial')] }],
      },
      always: [
        expelled,
        abandoned,
        { guard: 'allReported', target: 'review', actions: [because('all_reported')] },
        tokens,
        maxTurns,
        { guard: 'limitReviews', target: 'review', actions: ['reportFailed', because('partial')] },
        turns,
      ],
    },
    review: {
      description: 'Reviewers pass the results or send them back.',
      entry: [enter('review'), 'appointReviewers'],
      on: {
        question: talk,
        info: talk,
        verdict: [turnsSpent, { guard: 'mayJudge', actions: ['turn', 'judge', applied] }, notPermitted],
        reject: [turnsSpent, { guard: 'mayJudge', actions: ['turn', 'judge', applied] }, notPermitted],
      },
      always: [
        expelled,
        abandoned,
        { guard: 'isPassed', target: 'closed', actions: [close('accepted'), because('accepted')] },
        {
          guard: 'rejectsExhausted',
          target: 'closed',
          actions: ['countRejection', close('rejects_exhausted'), because('rejects_exhausted')],
        },
        {
          guard: 'isRejected',
          target: 'execution',
          actions: ['countRejection', 'rework', because('rework')],
        },
        maxTurns,
        turns,
      ],
    },
    closed: { description: 'Nothing is admitted any more.', type: 'final' },
  },
  on: {
    question: unadmitted,
    info: unadmitted,
    proposal: unadmitted,
    agree: unadmitted,
    object: unadmitted,
    assign: unadmitted,
    accept: unadmitted,
    progress: unadmitted,
    result: unadmitted,
    verdict: unadmitted,
    reject: unadmitted,
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
      { guard: 'isDeadline', ...timeout('deadline'), target: '.closed' },
      { guard: 'isIdle', ...timeout('idle'), target: '.closed' },
      { actions: [decide('ignored', 'not_due')] },
    ],
    cancel: { target: '.closed', actions: [close('cancelled'), because('cancelled')] },
  },
} as const
