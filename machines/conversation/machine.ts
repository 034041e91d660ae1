/** The config, its guards and its actions as one XState machine. */
import { assign, setup } from 'xstate'
import { actions } from './actions.ts'
import { config } from './config.ts'
import { type ConversationContext, type Opening, opened } from './context.ts'
import { guards } from './guards.ts'
import type { ConversationEvent } from './intents.ts'
import { outcomeOf } from './outcome.ts'

/** Reported by the engine, not run: they carry what a decision says. */
const note = (): void => undefined

export const machine = setup({
  types: {
    context: {} as ConversationContext,
    events: {} as ConversationEvent,
    input: {} as Opening,
  },
  guards,
  actions: {
    turn: assign(actions.turn),
    violation: assign(actions.violation),
    late: assign(actions.late),
    fault: assign(actions.fault),
    join: assign(actions.join),
    leave: assign(actions.leave),
    expel: assign(actions.expel),
    propose: assign(actions.propose),
    vote: assign(actions.vote),
    adoptNamed: assign(actions.adoptNamed),
    adoptCarried: assign(actions.adoptCarried),
    adoptBest: assign(actions.adoptBest),
    assignSubtask: assign(actions.assignSubtask),
    acceptSubtasks: assign(actions.acceptSubtasks),
    giveBack: assign(actions.giveBack),
    report: assign(actions.report),
    reportFailed: assign(actions.reportFailed),
    appointReviewers: assign(actions.appointReviewers),
    judge: assign(actions.judge),
    countRejection: assign(actions.countRejection),
    rework: assign(actions.rework),
    enter: assign(actions.enter),
    close: assign(actions.close),
    decide: (_, _params: { effect: string; reason: string }) => note(),
    transition: (_, _params: { reason: string }) => note(),
    expelled: note,
  },
}).createMachine({
  ...config,
  context: ({ input }) => opened(input),
  output: ({ context }) => outcomeOf(context),
})
