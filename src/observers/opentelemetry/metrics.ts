/**
 * Metrics. No attribute is an id, and of each only so many values are told apart: a protocol that puts text where a
 * name is expected makes one series more, `_OTHER`, not one for each text.
 */
import type { Attributes, Meter } from '@opentelemetry/api'
import { outlineOf } from '../common/event.ts'
import { failureOf } from '../common/failure.ts'
import type { Ended, Fact, Work } from '../observer.ts'
import * as names from './names.ts'

type Of<Type extends Work['type']> = Extract<Work, { readonly type: Type }>

/** Values of one attribute that are told apart, and most UTF-16 units of each. */
const MOST_VALUES = 100
const VALUE_UNITS = 64
const OTHER = '_OTHER'

/** s. Source: `messaging.process.duration` of the semantic conventions. */
const PROCESS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
/** s. Source: `gen_ai.invoke_agent.duration` of the semantic conventions. */
const TURN_BUCKETS = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6]
/** s. An append to a local file takes well under the 5 ms that the others begin with. */
const APPEND_BUCKETS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5,
]

export interface Measures {
  /** @param seconds that it took */
  processed(work: Of<'process'>, ended: Ended, seconds: number): void
  appended(ended: Ended, seconds: number): void
  spoke(work: Of<'turn'>, ended: Ended, seconds: number): void
  happened(fact: Fact): void
}

export const measuresOf = (meter: Meter): Measures => {
  const known = new Map<string, Set<string>>()
  /** Attributes without those that are not there, each of few values. */
  const few = (attributes: Readonly<Record<string, string | undefined>>): Attributes => {
    const told: Attributes = {}
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined) continue
      const values = known.get(name) ?? new Set<string>()
      known.set(name, values)
      if (values.size < MOST_VALUES && value.length <= VALUE_UNITS) values.add(value)
      told[name] = values.has(value) ? value : OTHER
    }
    return told
  }
  const errorType = ({ error }: Ended): string | undefined =>
    error === undefined ? undefined : failureOf(error).type

  const seconds = (name: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries } })
  const processing = seconds(
    'messaging.process.duration',
    'Time to decide an event and to keep it.',
    PROCESS_BUCKETS,
  )
  const speaking = seconds(
    'gen_ai.invoke_agent.duration',
    'Time that a member took for its turn.',
    TURN_BUCKETS,
  )
  const appending = seconds('colloquy.journal.append.duration', 'Time of an append.', APPEND_BUCKETS)

  const counter = (name: string, unit: string, description: string) =>
    meter.createCounter(name, { unit, description })
  const decisions = counter('colloquy.decisions', '{decision}', 'Events, by what the rules made of them.')
  const tokens = counter('colloquy.tokens', '{token}', 'What answers cost, input and output together.')
  const transitions = counter('colloquy.transitions', '{transition}', 'Changes of state.')
  const opened = counter('colloquy.conversations.opened', '{conversation}', 'Conversations opened.')
  const closed = counter('colloquy.conversations.closed', '{conversation}', 'Conversations that ended.')
  const questions = counter('colloquy.questions', '{question}', 'Questions to people.')
  const warnings = counter('colloquy.warnings', '{warning}', 'Warnings.')
  const failures = counter('colloquy.failures', '{failure}', 'Failures, of what is tried again.')
  const open = meter.createUpDownCounter('colloquy.conversations.open', {
    unit: '{conversation}',
    description: 'Open conversations that this process has opened or taken up.',
  })

  /** Open conversations that we have heard of: one may be taken up more than once, and its end be told again. */
  const present = new Set<string>()
  const enter = (conversation: string, protocol: string): void => {
    if (present.has(conversation)) return
    present.add(conversation)
    open.add(1, few({ [names.PROTOCOL]: protocol }))
  }

  return {
    processed(work, ended, duration) {
      const { decision } = ended
      const { type } = work.event
      const failed = errorType(ended)
      processing.record(duration, {
        'messaging.system': 'colloquy',
        'messaging.system.name': 'colloquy',
        'messaging.operation.name': 'process',
        ...few({ [names.DESTINATION]: work.protocol, [names.ERROR_TYPE]: failed }),
      })
      if (decision === undefined) return
      const intent = decision.reason === names.INVALID ? undefined : outlineOf(work.event).intent
      const told = {
        [names.EFFECT]: decision.effect,
        [names.REASON]: decision.reason,
        [names.INTENT]: intent,
      }
      decisions.add(1, few({ [names.PROTOCOL]: work.protocol, [names.EVENT]: type, ...told }))
    },
    appended(ended, duration) {
      appending.record(duration, few({ [names.ERROR_TYPE]: errorType(ended) }))
    },
    spoke({ protocol, state }, ended, duration) {
      const about = { [names.PROTOCOL]: protocol, [names.STATE]: state }
      speaking.record(duration, {
        ...names.INVOKE,
        ...few({ ...about, [names.ERROR_TYPE]: errorType(ended) }),
      })
      const cost = ended.tokens ?? 0
      if (Number.isFinite(cost) && cost > 0) tokens.add(cost, few({ [names.PROTOCOL]: protocol }))
    },
    happened(fact) {
      switch (fact.type) {
        case 'opened':
          opened.add(1, few({ [names.PROTOCOL]: fact.protocol }))
          enter(fact.conversation, fact.protocol)
          break
        case 'resumed':
          enter(fact.conversation, fact.protocol)
          break
        case 'transition': {
          const { protocol, from, to, reason } = fact
          const way = { [names.STATE_BEFORE]: from, [names.STATE]: to, [names.REASON]: reason }
          transitions.add(1, few({ [names.PROTOCOL]: protocol, ...way }))
          break
        }
        case 'closed': {
          if (!present.delete(fact.conversation)) break
          const protocol = { [names.PROTOCOL]: fact.protocol }
          open.add(-1, few(protocol))
          closed.add(1, few({ ...protocol, [names.STATUS]: statusOf(fact.outcome) }))
          break
        }
        case 'asked':
          questions.add(1)
          break
        case 'warning':
          warnings.add(1)
          break
        case 'failed':
          failures.add(1, few({ [names.ERROR_TYPE]: errorType(fact) }))
          break
      }
    },
  }
}

/** What an outcome says as its status, as lists of conversations filter by it. */
const statusOf = (outcome: object): string | undefined => {
  const status: unknown = Reflect.get(outcome, 'status')
  return typeof status === 'string' ? status : undefined
}
