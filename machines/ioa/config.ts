/**
 * The six states as an XState config of plain JSON: guards and actions by name, nothing else. The rules' one statement;
 * guards.ts and actions.ts say what the names mean. The first branch whose guard holds is taken. What a state does not
 * admit falls to the root.
 */

const decide = <Effect extends string, Reason extends string>(effect: Effect, reason: Reason) =>
  ({ type: 'decide', params: { effect, reason } }) as const
const because = <Reason extends string>(reason: Reason) =>
  ({ type: 'transition', params: { reason } }) as const
const enter = <State extends string>(state: State) => ({ type: 'enter', params: { state } }) as const
const close = <Status extends string, Cause extends string | null>(status: Status, cause: Cause) =>
  ({ type: 'close', params: { status, cause } }) as const

const applied = decide('applied', 'continue')
const failed = decide('recorded', 'fault')
const keepFloor = { type: 'hand', params: { keeps: true } } as const
const handOn = { type: 'hand', params: { keeps: false } } as const

const late = { guard: 'isLate', actions: ['late', decide('recorded', 'late')] } as const
const refused = <Reason extends string>(reason: Reason) =>
  [late, { actions: ['violation', decide('recorded', reason)] }] as const
const notPermitted = refused('not_permitted')
const unadmitted = refused('intent_not_allowed')

/** A limit has the group conclude, and nobody can steer away from that. */
const forced = <Guard extends string, Cause extends string>(guard: Guard, cause: Cause) =>
  ({
    guard,
    target: 'conclusion',
    actions: [{ type: 'force', params: { cause } }, enter('conclusion'), because('forced')],
  }) as const
const chatOver = forced('isChatDue', 'deadline')
const taskOverdue = {
  guard: 'isTaskDue',
  actions: ['failOverdue', decide('applied', 'task_overdue')],
} as const

// These stand first in every open state: XState tries a root's eventless transitions only after the state's own.
const expelled = { guard: 'hasOffender', actions: ['expel', 'expelled'] } as const
const abandoned = {
  guard: 'tooFew',
  target: 'closed',
  actions: [close('abandoned', null), because('abandoned')],
} as const
const timeout = <Guard extends string, Cause extends string>(guard: Guard, cause: Cause) =>
  ({ guard, target: 'closed', actions: [close('timeout', cause), because('timeout')] }) as const

const assignSync = [
  {
    guard: 'mayAssign',
    target: 'sync_assignment',
    actions: [
      'spend',
      keepFloor,
      { type: 'assignTasks', params: { awaits: true } },
      enter('sync_assignment'),
      because('assigned'),
    ],
  },
  ...notPermitted,
] as const
const assignTasks = { type: 'assignTasks', params: { awaits: false } } as const

/** Where members talk in turns: whoever has the floor says what comes next, and who. */
const talk = {
  discuss: [{ guard: 'mayTalk', actions: ['spend', handOn, applied] }, ...notPermitted],
  assign_sync: assignSync,
  conclude: [
    {
      guard: 'mayTalk',
      target: 'conclusion',
      actions: ['spend', 'appoint', enter('conclusion'), because('concluding')],
    },
    ...notPermitted,
  ],
  fault: [{ guard: 'isSpeaker', actions: ['spend', 'violation', 'pass', failed] }],
  // Or members that leave and come back could put the clock of the floor back for ever.
  leave: [{ guard: 'isSpeaker', actions: ['spend', 'leave', decide('applied', 'left')] }],
} as const
const silent = ['spend', 'overrun', 'pass', decide('applied', 'silent')] as const
const limit = forced('limitReached', 'turns')

/** Ways out of waiting. */
const goOn = <Reason extends string>(reason: Reason) =>
  [
    {
      guard: 'isInAndMoreOwed',
      target: 'async_assignment',
      actions: ['resume', enter('async_assignment'), because(reason)],
    },
    { guard: 'isIn', target: 'discussion', actions: ['resume', enter('discussion'), because(reason)] },
  ] as const

/** In conclusion only the conclusion counts: what the concluder says or does instead costs one of the turns for it. */
const digression = <Reason extends string>(reason: Reason) =>
  [
    late,
    { guard: 'isSpeaker', actions: ['attempt', 'violation', 'pass', decide('recorded', reason)] },
    { actions: ['violation', decide('recorded', reason)] },
  ] as const
const notNow = digression('intent_not_allowed')

export const config = {
  id: 'ioa',
  initial: 'discussion',
  states: {
    discussion: {
      description: 'Members exchange ideas, one after the other; nobody owes a result.',
      on: {
        ...talk,
        deadline: [chatOver, { guard: 'isTurnDue', actions: silent }],
        assign_async: [
          {
            guard: 'mayAssign',
            target: 'async_assignment',
            actions: ['spend', keepFloor, assignTasks, enter('async_assignment'), because('assigned')],
          },
          ...notPermitted,
        ],
      },
      always: [expelled, abandoned, limit],
    },
    sync_assignment: {
      description: 'The chat waits for the results of what was just assigned.',
      on: { deadline: [chatOver, taskOverdue] },
      always: [expelled, abandoned, ...goOn('all_reported')],
    },
    async_assignment: {
      description: 'The chat goes on while members work; their results come in between.',
      on: {
        ...talk,
        deadline: [chatOver, { guard: 'isTurnDue', actions: ['failOverdue', ...silent] }, taskOverdue],
        assign_async: [
          { guard: 'mayAssign', actions: ['spend', keepFloor, assignTasks, applied] },
          ...notPermitted,
        ],
        pause: [
          {
            guard: 'mayPause',
            target: 'pause',
            actions: ['spend', keepFloor, 'awaitTasks', enter('pause'), because('paused')],
          },
          ...notPermitted,
        ],
      },
      always: [
        expelled,
        abandoned,
        {
          guard: 'nothingOwed',
          target: 'discussion',
          actions: [enter('discussion'), because('all_reported')],
        },
        limit,
      ],
    },
    pause: {
      description: 'The chat waits until the results of the named tasks trigger it.',
      on: {
        deadline: [
          chatOver,
          { guard: 'isPauseDue', actions: ['failOverdue', 'stopWaiting', decide('applied', 'pause_over')] },
          taskOverdue,
        ],
      },
      always: [expelled, abandoned, ...goOn('resumed')],
    },
    conclusion: {
      description: 'The result is summed up, and the chat ends.',
      on: {
        conclude: [
          {
            guard: 'isForced',
            target: 'closed',
            actions: ['attempt', 'sumUp', close('forced', null), because('forced')],
          },
          {
            guard: 'isSpeaker',
            target: 'closed',
            actions: ['attempt', 'sumUp', close('concluded', null), because('concluded')],
          },
          ...notPermitted,
        ],
        discuss: notNow,
        assign_sync: notNow,
        assign_async: notNow,
        pause: notNow,
        report: [{ guard: 'mayReport', actions: ['report', applied] }, ...digression('not_permitted')],
        fault: [
          { guard: 'isSpeaker', actions: ['attempt', 'violation', 'pass', failed] },
          { guard: 'isMember', actions: ['violation', failed] },
        ],
        deadline: [
          timeout('isConclusionDue', 'deadline'),
          { guard: 'isTurnDue', actions: ['attempt', 'overrun', 'pass', decide('applied', 'silent')] },
        ],
      },
      always: [expelled, abandoned, timeout('triesSpent', 'turns')],
    },
    closed: { description: 'Nothing is admitted any more.', type: 'final' },
  },
  on: {
    discuss: unadmitted,
    assign_sync: unadmitted,
    assign_async: unadmitted,
    pause: unadmitted,
    conclude: unadmitted,
    report: [{ guard: 'mayReport', actions: ['report', applied] }, ...notPermitted],
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
      { guard: 'isMember', actions: ['spend', 'violation', failed] },
      { actions: [decide('ignored', 'not_member')] },
    ],
    deadline: { actions: [decide('ignored', 'not_due')] },
    cancel: { target: '.closed', actions: [close('cancelled', null), because('cancelled')] },
  },
} as const
