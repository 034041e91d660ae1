/** `colloquy replay`: a record's decisions again, as JSON or as an account for people. */
import { catalogue } from '../../machines/catalogue.ts'
import { oneLine } from '../agents/render.ts'
import type { Conversation } from '../engine/conversation.ts'
import type { Sent } from '../engine/events.ts'
import type { Protocol } from '../engine/protocol.ts'
import { type RecordLine, replay } from '../engine/replay.ts'
import { type Happening, type OpenEvent, openEvent } from '../schema/record.ts'
import { type Account, accountOf, openText } from './account.ts'
import { endingText } from './ending.ts'
import { recordLines } from './record-lines.ts'
import type { SyncOutput } from './sync-output.ts'
import { counted, jsonText } from './text.ts'

export interface ReplayCommandOptions {
  readonly json?: boolean
  /** Only rows from this place on. */
  readonly from?: number
  /** Only rows up to this place. */
  readonly to?: number
}

export interface Edge {
  readonly output: SyncOutput
  /** Columns of the output. */
  readonly width: number
  warn(text: string): void
}

const protocols: Readonly<Record<string, Protocol>> = catalogue

/** A decision as the record format prints it, in its order of keys. */
const decisionLine = ({ effect, reason, from, to, transitions, expelled }: Sent): string =>
  `${jsonText({ effect, reason, from, to, transitions, ...(expelled === undefined ? {} : { expelled }) })}\n`

const outcomeLine = ({ outcome, protocol, state }: Conversation): string =>
  `${jsonText({ outcome: outcome === null ? null : protocol.brief(outcome), state })}\n`

/**
 * Replays the record at a path, or stdin for `-`. What precedes a broken line is printed before it throws.
 * @throws ColloquyError `RECORD_INVALID`; FileFailure; ReaderLeft
 */
export const replayCommand = (path: string, options: ReplayCommandOptions, edge: Edge): void => {
  const { output } = edge
  const torn = (warning: string): void => edge.warn(`${path === '-' ? 'stdin' : path}: ${warning}`)
  const lines = recordLines(path, torn)
  try {
    if (options.json === true) {
      const { talk } = replay(lines, protocols, (decision) => output.write(decisionLine(decision)), NOTHING)
      output.write(outcomeLine(talk))
    } else tell(lines, options, edge)
  } finally {
    output.flush()
  }
}

const NOTHING = { retain: false } as const

/** The account for people. */
const tell = (lines: Iterable<RecordLine>, { from = 0, to }: ReplayCommandOptions, edge: Edge): void => {
  const { output, width } = edge
  const last = to ?? Number.POSITIVE_INFINITY
  let open: OpenEvent | null = null
  let account: Account | null = null
  let current: unknown
  const path: string[] = []
  const watched = function* (): Generator<RecordLine> {
    for (const line of lines) {
      open ??= openEvent.safeParse(line.value).data ?? null
      current = line.value
      yield line
    }
  }
  const begin = (talk: Conversation): Account | null => {
    if (account !== null || open === null) return account
    account = accountOf(open, talk.protocol, width)
    output.write(account.head)
    return account
  }
  let place = 0
  let refused = 0
  let faults = 0
  const { talk } = replay(
    watched(),
    protocols,
    (decision, at) => {
      const known = begin(at)
      place = decision.seq ?? place
      if (decision.seq === undefined) refused++
      else if ((current as Happening).type === 'fault') faults++
      if (path.length === 0) path.push(decision.from)
      path.push(...decision.transitions.map(({ to: state }) => state))
      // The engine has just parsed this very value as an event.
      if (place >= from && place <= last) output.write(known?.row(current as Happening, decision) ?? '')
    },
    NOTHING,
  )
  begin(talk)
  output.write('\n')
  const { outcome } = talk
  if (outcome === null) output.write(openText(talk))
  else {
    const took = talk.at - (openedAt(open) ?? talk.at)
    output.write(endingText({ outcome, path: path.map(oneLine), took, width }))
  }
  // What explains an end that otherwise looks like any other.
  if (faults > 0)
    output.write(`Faults: ${faults} of ${counted(talk.seq, 'event')} are failures of members.\n`)
  if (refused > 0)
    output.write(`Refused: ${counted(refused, 'line')} of the record changed nothing (marked –).\n`)
}

const openedAt = (open: OpenEvent | null): number | null => open?.at ?? null
