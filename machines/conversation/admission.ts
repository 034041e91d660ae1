/** Which state admits which intent: read off the config, so that it is stated once. */
import { config } from './config.ts'
import { INTENTS, type Intent } from './intents.ts'
import { type Policy, STATES, type State } from './policy.ts'

const TALK: readonly string[] = ['question', 'info']

/** Of each intent but talk. */
const ADMITTING: ReadonlyMap<string, readonly State[]> = new Map(
  INTENTS.filter((intent) => !TALK.includes(intent)).map((intent) => [
    intent,
    STATES.filter((state) => Object.hasOwn(config.states[state].on, intent)),
  ]),
)

/** The states that admit an intent under a policy. */
export const admitting = (policy: Policy, intent: Intent): readonly State[] =>
  ADMITTING.get(intent) ?? policy.talk

/** Whether a state admits an intent under a policy. */
export const admits = (policy: Policy, state: State, intent: Intent): boolean =>
  admitting(policy, intent).includes(state)
