/** What a check found, for people: the verdict in a sentence, the bounds, and what stands against them. */
import { oneLine, spanText } from '../agents/render.ts'
import type { Protocol } from '../engine/protocol.ts'
import { replay } from '../engine/replay.ts'
import { happening, openEvent } from '../schema/record.ts'
import type { Bound, CheckReport, Loop, RecordEntry } from '../testing/report.ts'
import { accountOf } from './account.ts'
import { fileOf, type RecordName, recordsOf } from './check-records.ts'
import { counted, filled, type Paint, wrap } from './text.ts'

export interface ReportOptions {
  readonly protocol: Protocol
  /** Those that were looked at. */
  readonly leads: readonly (string | null)[]
  /** Where the records are; null: they were not written. */
  readonly folder: string | null
  /** Columns. */
  readonly width: number
  readonly paint: Paint
}

/** Columns of the labels. */
const LABEL = 10
/** Stands before each event of what can be repeated. */
const AGAIN = '↻ '
/** Most rows at each end of a part of a table. */
const MOST_ROWS = 25

export const reportText = (report: CheckReport, options: ReportOptions): string => {
  const { width, paint, folder } = options
  const { verdict, counterexample } = report
  const style = { proved: 'bold', refuted: 'red', unproved: 'yellow' } as const
  return [
    ...wrap(verdictText(report), width).map((line) => paint(style[verdict], line)),
    ...(counterexample === null ? [] : ['', ...tableOf(counterexample, options)]),
    '',
    ...(verdict === 'proved' ? boundRows(report) : []).flatMap((row) => labelled(row, width)),
    ...labelled(exploredRow(report, options), width),
    ...labelled(['Rank', rankText(report)], width),
    ...problemLines(report, width).map((line) => paint('yellow', line)),
    ...findings(report).flatMap(([title, items]) => listed(title, items, width)),
    ...recordLines(report, folder, width),
    '',
  ].join('\n')
}

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1)

/** The verdict in one sentence. */
const verdictText = (report: CheckReport): string => {
  const { protocol, members, size, joins, verdict, counterexample, problems } = report
  const work = size === 0 ? 'no work' : `up to ${counted(size, 'piece')} of work`
  const group = `${protocol} with ${counted(members.length, 'member')} and ${work}`
  if (verdict === 'proved')
    return `Every conversation of ${group} closes${joins ? ', also when members leave and join again' : ''}.`
  if (verdict === 'refuted') return `A conversation need not close: ${lowerFirst(counterexample?.why ?? '')}.`
  return `Not proved: ${lowerFirst(problems[0]?.message ?? '')}`
}

type Row = readonly [label: string, text: string]

const boundRows = ({ turns, messages, ms, formula, joins }: CheckReport): readonly Row[] => [
  ['Turns', `${atMost(turns)}${turns.most === null ? '' : formulaText(turns.most, formula, joins)}`],
  ['Messages', `${atMost(messages)}${messages.most === null ? '' : ', with those against the rules'}`],
  ['Time', ms.most === null ? 'no bound' : `at most ${spanAbove(ms.most)} (${ms.most} ms)`],
]

const atMost = ({ most }: Bound): string =>
  most === null ? 'no bound: they can go on as long as there is time' : `at most ${most}`

const formulaText = (most: number, formula: number | null, joins: boolean): string => {
  if (formula === null) return ''
  if (formula > most) return ` (the formula says ${formula}, looser by ${formula - most})`
  if (formula === most) return ' (the formula says the same)'
  return ` (the formula says ${formula}, ${joins ? 'without joins' : 'which is too low'})`
}

/** ms for people, never less than it is: up to the next second, or the next minute where seconds are not told. */
const spanAbove = (ms: number): string => {
  const unit = ms < 3_600_000 ? 1000 : 60_000
  return spanText(Math.ceil(ms / unit) * unit)
}

const exploredRow = ({ explored }: CheckReport, { leads }: ReportOptions): Row => {
  const { states, steps, ms } = explored
  const who = leads.map((lead) => (lead === null ? 'with nobody leading' : `with ${oneLine(lead)} leading`))
  const took = `${(ms / 1000).toFixed(1)} s`
  return ['Explored', `${states} states and ${steps} steps in ${took}, ${who.join(' and ')}`]
}

const rankText = ({ rank: { events, holds } }: CheckReport): string => {
  if (events === 0) return 'none was compared, so nothing is known of larger groups'
  return holds
    ? `fell on all ${events} events that were compared, or the time left did: an argument that larger groups end as well`
    : `did not fall on each of ${events} events: it is no argument that larger groups end`
}

const labelled = ([label, text]: Row, width: number): string[] =>
  wrap(text, Math.max(1, width - LABEL)).map((line, index) => filled(index === 0 ? label : '', LABEL) + line)

/** Without the one that the verdict has told. */
const problemLines = ({ problems, verdict }: CheckReport, width: number): string[] =>
  problems
    .slice(verdict === 'unproved' ? 1 : 0)
    .flatMap(({ message }) => labelled(['Problem', message], width))

/** What is worth a look in the protocol or the policy. What was not explored to the end tells little. */
const findings = (report: CheckReport): readonly (readonly [string, readonly string[]])[] => {
  const { verdict, unreachableStates, unreachableTransitions, unusedIntents, statesWithoutDueTime } = report
  const always = [['States without a due time', statesWithoutDueTime]] as const
  if (verdict !== 'proved') return always
  return [
    ['Unreachable states', unreachableStates],
    ['Intents without use', unusedIntents],
    ...always,
    [
      'Transitions never taken under this policy',
      unreachableTransitions.length === 0 ? [] : [`${unreachableTransitions.length} (--json lists them)`],
    ],
  ]
}

/** Short items on one line, as far as they fit; else each on its own. */
const listed = (title: string, items: readonly string[], width: number): string[] => {
  const line = `${title}: ${items.length === 0 ? 'none' : items.join(', ')}`
  const isPlain = items.length < 2 || items.every((item) => !/\s/.test(item))
  return isPlain ? wrap(line, width) : [`${title}:`, ...items.map((item) => `  ${item}`)]
}

/** Where the records are, or how to come by them. */
const recordLines = (report: CheckReport, folder: string | null, width: number): string[] => {
  const records = recordsOf(report)
  const [first] = records
  if (first === undefined) return []
  if (folder === null) {
    const hint = `To read how it comes to this, add --records DIR, then: colloquy replay DIR/${first[0]}.jsonl`
    return ['', ...wrap(hint, width)]
  }
  const loops: Partial<Record<RecordName, Loop | null>> = {
    turns: report.turns.loop,
    messages: report.messages.loop,
    counterexample: report.counterexample?.loop ?? null,
  }
  const names = Math.max(...records.map(([name]) => name.length))
  return [
    '',
    'Records:',
    ...records.map(([name]) => {
      const loop = loops[name] ?? null
      const again = loop === null ? '' : `  (lines ${loop[0] + 1} to ${loop[1]} can be repeated)`
      return `  ${filled(name, names)}  colloquy replay ${shellWord(fileOf(folder, name))}${again}`
    }),
  ]
}

/** A path as a shell reads it. */
const shellWord = (path: string): string =>
  /^[\w./~+-]+$/.test(path) ? path : `'${oneLine(path).replaceAll("'", "'\\''")}'`

interface Shown {
  readonly record: readonly RecordEntry[]
  readonly loop: Loop | null
}

/** A record as `colloquy replay` tells it, with what can be repeated marked. */
const tableOf = ({ record, loop }: Shown, { protocol, width, paint }: ReportOptions): string[] => {
  const [first, ...events] = record
  const account = accountOf(openEvent.parse(first), protocol, width - AGAIN.length)
  const rows: string[] = []
  replay(
    record.map((value, index) => ({ line: index + 1, value })),
    { [protocol.name]: protocol },
    (decision) => {
      rows.push(account.row(happening.parse(events[rows.length]), decision).trimEnd())
    },
  )
  const indent = ' '.repeat(AGAIN.length)
  // The opening is no row.
  const from = (loop?.[0] ?? record.length) - 1
  return [
    ...account.head
      .trimEnd()
      .split('\n')
      .map((line) => (line === '' ? '' : indent + line)),
    ...shortened(rows.slice(0, from)).map((row) => indent + row),
    ...shortened(rows.slice(from)).map((row) => paint('yellow', AGAIN + row)),
    ...(loop === null ? [] : [`${AGAIN}can be repeated for ever.`]),
  ]
}

const shortened = (rows: readonly string[]): readonly string[] =>
  rows.length <= 2 * MOST_ROWS + 1
    ? rows
    : [...rows.slice(0, MOST_ROWS), `… ${rows.length - 2 * MOST_ROWS} events …`, ...rows.slice(-MOST_ROWS)]
