/** Which state admits which intent: read off the config, so that it is stated once. */
import { config } from './config.ts'
import type { Intent } from './intents.ts'
import type { Policy, State } from './policy.ts'

const TALK: readonly string[] = ['question', 'info']

/** Whether a state admits an intent under a policy. */
export const admits = (policy: Policy, state: State, intent: Intent): boolean =>
  TALK.includes(intent) ? policy.talk.includes(state) : Object.hasOwn(config.states[state].on, intent)
