/**
 * The five states as an XState config of plain JSON: guards and actions by name, nothing else. The rules' one statement;
 * guards.ts and actions.ts say what the names mean. The first branch whose guard holds is taken: turns spent, not
 * permitted, no longer to be decided, applied. What a state does not admit falls to the root.
 */

const decide = <Effect extends string, Reason extends string>(effect: Effect, reason: Reason) =>
  ({ type: 'decide', params: { effect, reason } }) as const
const because = <Reason extends string>(reason: Reason) =>
  ({ type: 'transition', params: { reason } }) as const
const enter = <State extends string>(state: State) => ({ type: 'enter', params: { state } }) as const

/** Closes with a status. */
const close = <Status extends string, Cause extends string | null>(status: Status, cause: Cause) =>
  ({ type: 'close', params: { status, cause } }) as const
/** Closes as it stands. */
const conclude = <Cause extends string | null>(cause: Cause) =>
  ({ type: 'conclude', params: { cause } }) as const

const applied = decide('applied', 'continue')
const turnsSpent = { guard: 'turnsSpent', actions: ['violation', decide('recorded', 'turns_spent')] } as const
const notPermitted = { actions: ['violation', decide('recorded', 'not_permitted')] } as const

/** What participants answer to the call; the last answer counts. */
const declined = [
  turnsSpent,
  { guard: 'isParticipant', actions: ['turn', 'decline', applied] },
  notPermitted,
] as const

/** What comes before the initiator's choice is made. */
const choosing = [
  turnsSpent,
  { guard: 'isParticipant', ...notPermitted },
  { guard: 'isUnknown', ...notPermitted },
] as const
const decided = { guard: 'isDecided', actions: ['turn', decide('recorded', 'taken')] } as const
const ambiguous = { guard: 'isAmbiguous', actions: ['turn', decide('recorded', 'ambiguous')] } as const

/** What those who were awarded something report. */
const report = <Status extends string>(status: Status) =>
  [
    turnsSpent,
    { guard: 'isPerformer', actions: ['turn', { type: 'report', params: { status } }, applied] },
    notPermitted,
  ] as const

/** The initiator's way to end it at any time. */
const calledOff = {
  guard: 'isInitiator',
  target: 'closed',
  actions: ['turn', close('cancelled', 'called_off'), because('called_off')],
} as const
const callOff = [turnsSpent, calledOff, notPermitted] as const

// The entry of `calling` is an action of its ways in: the opening enters it without an event that has a time.
const renewed = { target: 'calling', actions: [enter('calling'), because('renewed')] } as const

// These stand first in every open state: XState tries a root's eventless transitions only after the state's own.
const standing = [
  { guard: 'hasOffender', actions: ['expel', 'expelled'] },
  {
    guard: 'initiatorIsGone',
    target: 'closed',
    actions: [close('abandoned', 'initiator'), because('abandoned')],
  },
  { guard: 'tooFew', target: 'closed', actions: [close('abandoned', 'members'), because('abandoned')] },
] as const

const unadmitted = [
  { guard: 'isLate', actions: ['late', decide('recorded', 'late')] },
  { actions: ['violation', decide('recorded', 'intent_not_allowed')] },
] as const

export const config = {
  id: 'contract-net',
  initial: 'calling',
  states: {
    calling: {
      description: 'The initiator calls for proposals.',
      on: {
        cfp: [
          turnsSpent,
          { guard: 'isInitiator', target: 'bidding', actions: ['turn', 'call', because('called')] },
          notPermitted,
        ],
        call_off: [
          turnsSpent,
          {
            guard: 'endsEarlier',
            target: 'closed',
            actions: ['turn', conclude('called_off'), because('called_off')],
          },
          calledOff,
          notPermitted,
        ],
      },
      always: [
        ...standing,
        { guard: 'initiatorSpent', target: 'closed', actions: [conclude('turns'), because('timeout')] },
      ],
    },
    bidding: {
      description: 'Participants propose or refuse, until all have or the time to reply is up.',
      entry: [enter('bidding')],
      on: {
        propose: [turnsSpent, { guard: 'isParticipant', actions: ['turn', 'bid', applied] }, notPermitted],
        refuse: declined,
        not_understood: declined,
        call_off: callOff,
        deadline: [
          { guard: 'dueWithBids', target: 'awarding', actions: [because('timeout')] },
          { ...renewed, guard: 'dueAndRenewed' },
        ],
      },
      always: [
        ...standing,
        { guard: 'isAnsweredWithBids', target: 'awarding', actions: [because('all_answered')] },
        { ...renewed, guard: 'isAnsweredAndRenewed' },
        { guard: 'allReplied', target: 'closed', actions: [conclude(null), because('no_bids')] },
        { guard: 'isAnswered', target: 'closed', actions: [conclude('turns'), because('timeout')] },
      ],
    },
    awarding: {
      description: 'The initiator accepts and rejects proposals; what it leaves open is rejected.',
      entry: [enter('awarding')],
      on: {
        accept: [...choosing, decided, ambiguous, { actions: ['turn', 'award', applied] }],
        reject: [...choosing, decided, { actions: ['turn', 'turnDown', applied] }],
        not_understood: [...choosing, decided, ambiguous, { actions: ['turn', 'turnDown', applied] }],
        call_off: callOff,
        deadline: [{ guard: 'dueWithAwards', target: 'performing', actions: [because('timeout')] }],
      },
      always: [
        ...standing,
        { guard: 'isAwarded', target: 'performing', actions: [because('awarded')] },
        { ...renewed, guard: 'noneIsLeftAndRenewed' },
        { guard: 'noneIsLeft', target: 'closed', actions: [conclude(null), because('not_awarded')] },
        { guard: 'initiatorSpentWithAwards', target: 'performing', actions: [because('timeout')] },
        { guard: 'initiatorSpent', target: 'closed', actions: [conclude('turns'), because('timeout')] },
      ],
    },
    performing: {
      description: 'Those whose proposals were accepted do the work and report.',
      entry: [enter('performing'), 'rejectOthers'],
      on: {
        inform: report('done'),
        failure: report('failed'),
        not_understood: report('failed'),
        call_off: callOff,
        deadline: [
          {
            guard: 'dueAndRenewed',
            target: 'calling',
            actions: ['failUnreported', enter('calling'), because('renewed')],
          },
          {
            guard: 'isDue',
            target: 'closed',
            actions: ['failUnreported', conclude('deadline'), because('timeout')],
          },
        ],
      },
      always: [
        ...standing,
        { guard: 'allDone', target: 'closed', actions: [conclude(null), because('all_reported')] },
        { ...renewed, guard: 'allReportedAndRenewed' },
        { guard: 'allReported', target: 'closed', actions: [conclude(null), because('all_reported')] },
        {
          guard: 'nobodyCanReportAndRenewed',
          target: 'calling',
          actions: ['failUnreported', enter('calling'), because('renewed')],
        },
        {
          guard: 'nobodyCanReport',
          target: 'closed',
          actions: ['failUnreported', conclude('turns'), because('timeout')],
        },
      ],
    },
    closed: { description: 'Nothing is admitted any more.', type: 'final' },
  },
  on: {
    cfp: unadmitted,
    propose: unadmitted,
    refuse: unadmitted,
    accept: unadmitted,
    reject: unadmitted,
    inform: unadmitted,
    failure: unadmitted,
    not_understood: unadmitted,
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
      { guard: 'isDue', target: '.closed', actions: [conclude('deadline'), because('timeout')] },
      { actions: [decide('ignored', 'not_due')] },
    ],
    cancel: { target: '.closed', actions: [close('cancelled', null), because('cancelled')] },
  },
} as const
