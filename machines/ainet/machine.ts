/** The config, its guards and its actions as one XState machine. */
import { assign, setup } from 'xstate'
import { actions } from './actions.ts'
import { config } from './config.ts'
import { type AinetContext, type Opening, opened } from './context.ts'
import { guards } from './guards.ts'
import type { AinetEvent } from './intents.ts'
import { outcomeOf } from './outcome.ts'

/** Reported by the engine, not run: they carry what a decision says. */
const note = (): void => undefined

export const machine = setup({
  types: {
    context: {} as AinetContext,
    events: {} as AinetEvent,
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
    open: assign(actions.open),
    request: assign(actions.request),
    claim: assign(actions.claim),
    free: assign(actions.free),
    reply: assign(actions.reply),
    end: assign(actions.end),
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
