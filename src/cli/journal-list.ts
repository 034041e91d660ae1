/** `colloquy journal ls`: one line for each conversation of a journal. */
import { oneLine } from '../agents/render.ts'
import { replay } from '../engine/replay.ts'
import { standingOf } from '../engine/standing.ts'
import { ColloquyError } from '../errors.ts'
import type { Journal, Summary } from '../journals/journal.ts'
import { EXIT } from './exit-codes.ts'
import { type Desk, isCurrent, linesOf, pagesOf, protocols, withJournal } from './journal-desk.ts'
import { filled, instantText, jsonText, widthOf } from './text.ts'

export interface JournalListOptions {
  readonly open?: boolean
  readonly closed?: boolean
  readonly machine?: string
  readonly state?: string
  readonly status?: string
  /** Most conversations. */
  readonly limit?: number
  readonly json?: boolean
}

const NOTHING = '–'
const HEAD = ['id', 'protocol', 'state', 'status', 'events', 'opened', 'due', 'questions'] as const
/** Which columns are numbers, and so stand to the right. */
const NUMBERS: ReadonlySet<string> = new Set(['events', 'questions'])

/**
 * Lists a journal's conversations in the order of their ids.
 * @throws ColloquyError, FileFailure: what the journal cannot do
 */
export const journalList = (place: string, options: JournalListOptions, desk: Desk): Promise<number> =>
  withJournal(place, desk, async ({ journal, name }) => {
    const { output, signal } = desk
    const { limit = Number.POSITIVE_INFINITY, json = false, machine } = options
    // A journal counts as open what it does not know to have ended: that, and the state, is looked at here.
    const filter = {
      ...(machine === undefined ? {} : { machine }),
      ...(options.open === true ? { closed: false } : {}),
    }
    let count = 0
    let isFirst = true
    const unknown = new Set<string>()
    for await (const page of pagesOf(journal, filter)) {
      const found: Summary[] = []
      for (const each of page) {
        if (signal.aborted) return EXIT.interrupted
        if (count === limit) break
        const summary = await complete(journal, each, desk, unknown)
        if (!isMeant(summary, options)) continue
        count++
        found.push(summary)
      }
      if (json) for (const summary of found) output.write(`${jsonText(summary)}\n`)
      else if (found.length > 0) output.write(table(found, isFirst))
      output.flush()
      isFirst &&= found.length === 0
      if (count === limit) break
    }
    if (count === 0 && !json)
      output.write(`There is no ${isFiltered(options) ? 'such conversation' : 'conversation'} in ${name}.\n`)
    return EXIT.done
  })

const isFiltered = ({ open, closed, machine, state, status }: JournalListOptions): boolean =>
  [open, closed, machine, state, status].some((each) => each !== undefined)

/**
 * How a conversation stands, by its record where the list does not tell.
 * @param unknown protocols whose records cannot be decided here, and of which that has been said
 */
const complete = async (
  journal: Journal,
  summary: Summary,
  { warn }: Desk,
  unknown: Set<string>,
): Promise<Summary> => {
  if (isCurrent(journal, summary)) return summary
  const { id, machine } = summary
  if (!Object.hasOwn(protocols, machine)) {
    if (!unknown.has(machine))
      warn(`Conversations of "${machine}" cannot be decided here: they stand as the journal last kept it`)
    unknown.add(machine)
    return summary
  }
  try {
    const { events } = await journal.read(id)
    const { talk } = replay(linesOf(events), protocols, undefined, { retain: false })
    const { state, dueAt, outcome } = standingOf(talk)
    return { ...summary, state, dueAt, outcome }
  } catch (error) {
    if (!(error instanceof ColloquyError)) throw error
    warn(`"${id}": ${error.code}: ${error.message}`)
    return summary
  }
}

const statusOf = ({ outcome }: Summary): string | null => {
  const { status } = (outcome ?? {}) as { readonly status?: unknown }
  return typeof status === 'string' ? status : null
}

const isMeant = (summary: Summary, { open, closed, state, status }: JournalListOptions): boolean =>
  (open !== true || summary.outcome === null) &&
  (closed !== true || summary.outcome !== null) &&
  (state === undefined || state === summary.state) &&
  (status === undefined || status === statusOf(summary))

const cellsOf = (summary: Summary): readonly string[] => {
  const { id, machine, version, state, outcome, length, openedAt, dueAt, questions } = summary
  return [
    oneLine(id),
    version === null ? oneLine(machine) : `${oneLine(machine)} ${version}`,
    state === null ? '?' : oneLine(state),
    oneLine(statusOf(summary) ?? (outcome === null ? NOTHING : 'ended')),
    String(length),
    instantText(openedAt),
    dueAt === null ? NOTHING : instantText(dueAt),
    String(questions),
  ]
}

/** A page in columns: the next one may be of other widths, since it is not known yet. */
const table = (summaries: readonly Summary[], hasHead: boolean): string => {
  const rows = [HEAD, ...summaries.map(cellsOf)]
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))))
  const lineOf = (row: readonly string[]): string =>
    HEAD.map((name, column) => {
      const [cell = '', width = 0] = [row[column], widths[column]]
      return NUMBERS.has(name) ? cell.padStart(width) : filled(cell, width)
    })
      .join('  ')
      .trimEnd()
  return `${(hasHead ? rows : rows.slice(1)).map(lineOf).join('\n')}\n`
}
