/**
 * Structured logs for any logger of pino's interface: a line for each fact and each decision. Who said what when is
 * told, not what was said. Field names are in docs/observing.md.
 */
import { ColloquyError } from '../errors.ts'
import { contentOf, jsonOf, outlineOf } from './common/event.ts'
import { failureOf, faultCode, wholeText } from './common/failure.ts'
import { CONTENT_SHOWN, shortened } from './common/text.ts'
import type { Begun, Ended, Fact, Observer, Work } from './observer.ts'

type Line = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** What is asked of a logger; pino's are such. */
export interface Logger {
  readonly debug: Line
  readonly info: Line
  readonly warn: Line
  readonly error: Line
}

export interface LogOptions {
  /** Whether lines tell what was said, what errors say, and how conversations ended in full. Default: false. */
  readonly content?: boolean
}

type Of<Type extends Work['type']> = Extract<Work, { readonly type: Type }>

/** The reason of a message that is none: its parts may be anything, so they are not told. */
const INVALID = 'invalid'
/** To send again is always safe, so that whoever does it needs no warning. */
const DUPLICATE = 'duplicate'

const LEVELS = ['debug', 'info', 'warn', 'error'] as const

/** Refused here: whoever logs hears of a wrong logger otherwise at its first warning, by then the only trace of it. */
const refuseNoLogger = (logger: unknown): void => {
  const given = (logger ?? {}) as Readonly<Record<string, unknown>>
  const missing = LEVELS.filter((level) => typeof given[level] !== 'function')
  if (missing.length === 0) return
  throw new ColloquyError('USAGE', `The logger cannot be used: it has no ${missing.join(', ')}`, {
    issues: missing.map((level) => ({
      path: `logger.${level}`,
      message: 'must be a function (fields, message)',
    })),
    remedy: 'Give a logger such as pino() makes.',
  })
}

/**
 * An observer that logs, for `convene` and `createHost`.
 * @throws ColloquyError `USAGE` for what is no logger
 */
export const logTo = (logger: Logger, { content = false }: LogOptions = {}): Observer => {
  refuseNoLogger(logger)
  const failure = (error: unknown) => ({
    ...failureOf(error),
    ...(content ? { text: shortened(wholeText(error), CONTENT_SHOWN) } : {}),
  })

  const processed = ({ conversation, protocol, event }: Of<'process'>, ended: Ended, ms: number): void => {
    const { decision, error } = ended
    const about = { conversation: shortened(conversation), protocol: shortened(protocol), event: event.type }
    if (error !== undefined) logger.error({ ...about, ms, error: failure(error) }, 'event failed')
    if (decision === undefined) return
    const { effect, reason, from, to } = decision
    const fields = {
      ...about,
      ...(reason === INVALID ? {} : outlined(event)),
      effect: shortened(effect),
      reason: shortened(reason),
      before: shortened(from),
      state: shortened(to),
      ms,
      ...(content ? contentOf(event) : {}),
    }
    const isRefused = effect === 'rejected' || effect === 'ignored'
    if (isRefused && reason !== DUPLICATE) logger.warn(fields, 'event refused')
    else if (event.type === 'fault')
      logger.warn({ ...fields, error: faultOf(event.error, content) }, 'member failed')
    else logger.debug(fields, 'event decided')
  }

  const appended = ({ conversation, events }: Of<'append'>, { error }: Ended, ms: number): void => {
    if (error === undefined) return
    logger.error(
      { conversation: shortened(conversation), events, ms, error: failure(error) },
      'append failed',
    )
  }

  const spoke = (work: Of<'turn'>, { tokens, error }: Ended, ms: number): void => {
    const fields = {
      conversation: shortened(work.conversation),
      protocol: shortened(work.protocol),
      member: shortened(work.member),
      state: shortened(work.state),
      ...(tokens === undefined ? {} : { tokens }),
      ms,
      ...(content ? { task: shortened(work.task, CONTENT_SHOWN) } : {}),
    }
    if (error === undefined) logger.debug(fields, 'turn taken')
    else logger.warn({ ...fields, error: failure(error) }, 'turn failed')
  }

  const ended = (work: Work, end: Ended, ms: number): void => {
    if (work.type === 'process') processed(work, end, ms)
    else if (work.type === 'append') appended(work, end, ms)
    else spoke(work, end, ms)
  }

  return {
    began(work): Begun {
      const start = performance.now()
      return { end: (end) => ended(work, end, Math.round(performance.now() - start)) }
    },
    happened(fact) {
      const where = fact.conversation === null ? {} : { conversation: shortened(fact.conversation) }
      switch (fact.type) {
        case 'opened':
          logger.info(
            { ...where, protocol: shortened(fact.protocol), members: fact.members },
            'conversation opened',
          )
          break
        case 'resumed':
          logger.info({ ...where, protocol: shortened(fact.protocol) }, 'conversation resumed')
          break
        case 'transition':
          logger.info({ ...where, ...movedBy(fact) }, 'state changed')
          break
        case 'closed':
          logger.info({ ...where, ...endedBy(fact, content) }, 'conversation closed')
          break
        case 'asked':
          logger.info(
            { ...where, question: shortened(fact.question), member: shortened(fact.member) },
            'person asked',
          )
          break
        case 'warning':
          logger.warn(
            {
              ...where,
              warning: shortened(fact.text, CONTENT_SHOWN),
              ...(fact.error === undefined ? {} : { error: failure(fact.error) }),
            },
            'warning',
          )
          break
        case 'failed':
          logger.error({ ...where, error: failure(fact.error) }, 'failed')
          break
      }
    },
  }
}

/** The parts of an event that are told of every one that is valid. */
const outlined = (event: Of<'process'>['event']): Readonly<Record<string, string>> => {
  const { id, from, intent, member } = outlineOf(event)
  const parts = { message: id, member: from ?? member, intent }
  return Object.fromEntries(
    Object.entries(parts).flatMap(([name, value]) => (value === undefined ? [] : [[name, shortened(value)]])),
  )
}

/** A fault's text begins with our code, where the error was ours. */
const faultOf = (text: string | undefined, content: boolean): Readonly<Record<string, string>> => ({
  type: faultCode(text) ?? '_OTHER',
  ...(content && text !== undefined ? { text: shortened(text, CONTENT_SHOWN) } : {}),
})

const movedBy = ({ protocol, from, to, reason }: Extract<Fact, { readonly type: 'transition' }>) => ({
  protocol: shortened(protocol),
  before: shortened(from),
  state: shortened(to),
  reason: shortened(reason),
})

/** An outcome may hold what was said; its status does not. */
const endedBy = (
  { protocol, outcome }: Extract<Fact, { readonly type: 'closed' }>,
  content: boolean,
): Readonly<Record<string, string>> => {
  const status: unknown = Reflect.get(outcome, 'status')
  return {
    protocol: shortened(protocol),
    ...(typeof status === 'string' ? { status: shortened(status) } : {}),
    ...(content ? { outcome: jsonOf(outcome) } : {}),
  }
}
