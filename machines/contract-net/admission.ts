/** Which states admit which intent: read off the config, so that it is stated once. */
import { config } from './config.ts'
import { INTENTS, type Intent } from './intents.ts'
import { STATES, type State } from './policy.ts'

const ADMITTING: ReadonlyMap<string, readonly State[]> = new Map(
  INTENTS.map((intent) => [intent, STATES.filter((state) => Object.hasOwn(config.states[state].on, intent))]),
)

/** The states that admit an intent. */
export const admitting = (intent: Intent): readonly State[] => ADMITTING.get(intent) ?? []
