/** The config, its guards and its actions as one XState machine. */
import { assign, setup } from 'xstate'
import { actions } from './actions.ts'
import { config } from './config.ts'
import { type ContractNetContext, type Opening, opened } from './context.ts'
import { guards } from './guards.ts'
import type { ContractNetEvent } from './intents.ts'
import { outcomeOf } from './outcome.ts'

/** Reported by the engine, not run: they carry what a decision says. */
const note = (): void => undefined

export const machine = setup({
  types: {
    context: {} as ContractNetContext,
    events: {} as ContractNetEvent,
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
    call: assign(actions.call),
    bid: assign(actions.bid),
    decline: assign(actions.decline),
    award: assign(actions.award),
    turnDown: assign(actions.turnDown),
    rejectOthers: assign(actions.rejectOthers),
    report: assign(actions.report),
    failUnreported: assign(actions.failUnreported),
    enter: assign(actions.enter),
    close: assign(actions.close),
    conclude: assign(actions.conclude),
    decide: (_, _params: { effect: string; reason: string }) => note(),
    transition: (_, _params: { reason: string }) => note(),
    expelled: note,
  },
}).createMachine({
  ...config,
  context: ({ input }) => opened(input),
  output: ({ context }) => outcomeOf(context),
})
