/** The config, its guards and its actions as one XState machine. */
import { assign, setup } from 'xstate'
import { actions } from './actions.ts'
import { config } from './config.ts'
import { type IoaContext, type Opening, opened } from './context.ts'
import { guards } from './guards.ts'
import type { IoaEvent } from './intents.ts'
import { outcomeOf } from './outcome.ts'

/** Reported by the engine, not run: they carry what a decision says. */
const note = (): void => undefined

export const machine = setup({
  types: {
    context: {} as IoaContext,
    events: {} as IoaEvent,
    input: {} as Opening,
  },
  guards,
  actions: {
    spend: assign(actions.spend),
    attempt: assign(actions.attempt),
    hand: assign(actions.hand),
    pass: assign(actions.pass),
    overrun: assign(actions.overrun),
    appoint: assign(actions.appoint),
    force: assign(actions.force),
    assignTasks: assign(actions.assignTasks),
    awaitTasks: assign(actions.awaitTasks),
    stopWaiting: assign(actions.stopWaiting),
    resume: assign(actions.resume),
    report: assign(actions.report),
    failOverdue: assign(actions.failOverdue),
    sumUp: assign(actions.sumUp),
    violation: assign(actions.violation),
    late: assign(actions.late),
    expel: assign(actions.expel),
    join: assign(actions.join),
    leave: assign(actions.leave),
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
