/** A record's decisions again: the same as when it was written, always. No clock, no randomness, no await. */
import { ColloquyError } from '../errors.ts'
import { issuesOf } from '../schema/issues.ts'
import { happening, type OpenEvent, openEvent } from '../schema/record.ts'
import { inOurWords } from '../schema/wording.ts'
import type { Conversation, Sent } from './conversation.ts'
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
  { retain = true }: ReplayOptions = {},
): Replay => {
  let talk: Conversation | null = null
  let last = 0
  const decisions: Sent[] = []
  for (const { line, value } of lines) {
    if (talk === null) {
      talk = opened(line, value, protocols, retain)
      last = talk.at
      continue
    }
    const parsed = happening.safeParse(value, inOurWords)
    if (!parsed.success) {
      const found = issuesOf(parsed.error)[0]
      throw broken(line, `is no event: ${found?.path === '' ? '' : `${found?.path} `}${found?.message}`)
    }
    if (parsed.data.at < last) throw broken(line, `has "at" ${parsed.data.at}, which is before ${last}`)
    last = parsed.data.at
    const decision = talk.apply(parsed.data)
    if (retain) decisions.push(decision)
    onDecision(decision, talk)
  }
  if (talk === null) throw broken(1, 'is missing: a record begins with its "open" event')
  return { talk, decisions }
}

const opened = (
  line: number,
  value: unknown,
  protocols: Readonly<Record<string, Protocol>>,
  retain: boolean,
): Conversation => {
  const parsed = openEvent.safeParse(value, inOurWords)
  if (!parsed.success) {
    const found = issuesOf(parsed.error)[0]
    throw broken(line, `is no "open" event: ${found?.path} ${found?.message}`)
  }
  const protocol = protocolOf(line, parsed.data, protocols)
  try {
    const { at, id, goal, members, lead, policy } = parsed.data
    return openConversation({ protocol, at, id, goal, members, lead, policy, retain })
  } catch (error) {
    if (!(error instanceof ColloquyError) || error.issues.length === 0) throw error
    throw new ColloquyError('RECORD_INVALID', `line ${line}: ${error.message}`, {
      issues: error.issues,
      cause: error,
    })
  }
}

const protocolOf = (
  line: number,
  open: OpenEvent,
  protocols: Readonly<Record<string, Protocol>>,
): Protocol => {
  const protocol = Object.hasOwn(protocols, open.machine) ? protocols[open.machine] : undefined
  if (protocol === undefined) {
    throw broken(line, `names the machine "${open.machine}"; known are: ${Object.keys(protocols).join(', ')}`)
  }
  if (open.version !== undefined && open.version !== protocol.version) {
    throw broken(
      line,
      `is of version ${open.version} of "${open.machine}"; this is version ${protocol.version}`,
    )
  }
  return protocol
}
