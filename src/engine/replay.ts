/** A record's decisions again: the same as when it was written, always. No clock, no randomness, no await. */
import { ColloquyError } from '../errors.ts'
import { issuesOf } from '../schema/issues.ts'
import { happening, type OpenEvent, openEvent, type RecordEvent } from '../schema/record.ts'
import { inOurWords } from '../schema/wording.ts'
import type { Conversation, RestoreOptions } from './conversation.ts'
import type { Sent } from './events.ts'
import { openConversation } from './opening.ts'
import type { Protocol } from './protocol.ts'

/** One line of a record, parsed; `line` counts from 1. */
export interface RecordLine {
  readonly line: number
  readonly value: unknown
}

/** A text in lines of JSON. */
export interface RecordText {
  readonly lines: readonly RecordLine[]
  /** What was dropped: a last line that a crash cut short. */
  readonly warnings: readonly string[]
}

const broken = (line: number, message: string): ColloquyError =>
  new ColloquyError('RECORD_INVALID', `line ${line}: ${message}`, {
    issues: [{ path: `line ${line}`, message }],
  })

/**
 * Reads the lines of a record. A last line without its line end that is no JSON was cut short by a crash: it is dropped with a warning.
 * @throws ColloquyError `RECORD_INVALID` with the number of a line that is no JSON
 */
export const readLines = (text: string): RecordText => {
  const raw = text.split('\n')
  const lines: RecordLine[] = []
  const warnings: string[] = []
  for (const [index, content] of raw.entries()) {
    const isEnd = index === raw.length - 1
    if (isEnd && content === '') continue
    try {
      lines.push({ line: index + 1, value: JSON.parse(content) })
    } catch {
      if (!isEnd) throw broken(index + 1, 'is no JSON')
      warnings.push(`line ${index + 1} was cut short and is dropped`)
    }
  }
  return { lines, warnings }
}

/** A conversation taken up from its record, and what each event after `open` led to. */
export interface Replay {
  readonly talk: Conversation
  /** Empty when nothing is retained. */
  readonly decisions: readonly Sent[]
}

export interface ReplayOptions {
  /** Whether record and decisions are kept in memory; else only the present and the ids of messages are. Default: true. */
  readonly retain?: boolean
  /** Most bytes of a message's content, where the host that wrote the record allowed more than 1 MiB. */
  readonly contentLimit?: number
}

/**
 * Replays a record.
 * @param lines the record's lines, `open` first
 * @param protocols those that a record may name
 * @param onDecision told of each decision as it is made, so that what precedes a broken line is not lost
 * @param options whether record and decisions are kept, for records of any length
 * @throws ColloquyError `RECORD_INVALID` with the number of the line that is no event, goes back in time, or is refused
 */
export const replay = (
  lines: Iterable<RecordLine>,
  protocols: Readonly<Record<string, Protocol>>,
  onDecision: (decision: Sent, talk: Conversation) => void = () => {},
  options: ReplayOptions = {},
): Replay => {
  const { retain = true } = options
  let talk: Conversation | null = null
  let read: ReturnType<typeof reader> | null = null
  const decisions: Sent[] = []
  for (const { line, value } of lines) {
    if (talk === null || read === null) {
      const open = openingIn(line, value)
      talk = opened(line, open, { ...options, protocol: protocolOf(line, open, protocols) })
      read = reader(talk)
      continue
    }
    const decision = read(line, value)
    if (retain) decisions.push(decision)
    onDecision(decision, talk)
  }
  if (talk === null) throw broken(1, NO_OPENING)
  return { talk, decisions }
}

/**
 * Takes a conversation up from its record, such as a journal has it: it goes on as if it had never stopped.
 * @param events the record, `open` first; the protocol is the one that it names
 * @throws ColloquyError `RECORD_INVALID` with the place of the event that is none, goes back in time, or is refused
 */
export const resumeConversation = <Context extends object, Outcome extends object, Board extends object>(
  events: readonly RecordEvent[],
  options: RestoreOptions<Context, Outcome, Board>,
): Conversation<Context, Outcome, Board> => {
  const [first, ...others] = events
  if (first === undefined) throw broken(1, NO_OPENING)
  const open = openingIn(1, first)
  protocolOf(1, open, { [options.protocol.name]: options.protocol })
  const talk = opened(1, open, options)
  const read = reader(talk)
  for (const [index, event] of others.entries()) read(index + 2, event)
  return talk
}

const NO_OPENING = 'is missing: a record begins with its "open" event'

const openingIn = (line: number, value: unknown): OpenEvent => {
  const parsed = openEvent.safeParse(value, inOurWords)
  if (parsed.success) return parsed.data
  const found = issuesOf(parsed.error)[0]
  throw broken(line, `is no "open" event: ${found?.path} ${found?.message}`)
}

const opened = <Context extends object, Outcome extends object, Board extends object>(
  line: number,
  { at, id, goal, members, lead, policy }: OpenEvent,
  options: RestoreOptions<Context, Outcome, Board>,
): Conversation<Context, Outcome, Board> => {
  try {
    return openConversation({ ...options, at, id, goal, members, lead, policy })
  } catch (error) {
    if (!(error instanceof ColloquyError) || error.issues.length === 0) throw error
    const message = `line ${line}: ${error.message}`
    throw new ColloquyError('RECORD_INVALID', message, { issues: error.issues, cause: error })
  }
}

/** What is left of a record after its opening, event by event; remembers the time, also of what was ignored. */
const reader = (talk: Pick<Conversation, 'at' | 'apply'>): ((line: number, value: unknown) => Sent) => {
  let last = talk.at
  return (line, value) => {
    const parsed = happening.safeParse(value, inOurWords)
    if (!parsed.success) {
      const found = issuesOf(parsed.error)[0]
      throw broken(line, `is no event: ${found?.path === '' ? '' : `${found?.path} `}${found?.message}`)
    }
    if (parsed.data.at < last) throw broken(line, `has "at" ${parsed.data.at}, which is before ${last}`)
    last = parsed.data.at
    return talk.apply(parsed.data)
  }
}

const protocolOf = (
  line: number,
  open: OpenEvent,
  protocols: Readonly<Record<string, Protocol>>,
): Protocol => {
  const protocol = Object.hasOwn(protocols, open.machine) ? protocols[open.machine] : undefined
  if (protocol === undefined) {
    const message = `names the machine "${open.machine}"; known are: ${Object.keys(protocols).join(', ')}`
    throw new ColloquyError('RECORD_INVALID', `line ${line}: ${message}`, {
      issues: [{ path: `line ${line}`, message }],
      remedy: 'If the rules are your own, replay it from code: `resumeConversation(record, { protocol })`.',
    })
  }
  if (open.version !== undefined && open.version !== protocol.version) {
    throw broken(
      line,
      `is of version ${open.version} of "${open.machine}"; this is version ${protocol.version}`,
    )
  }
  return protocol
}
