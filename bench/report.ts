/** Runs benchmarks, each in a process of its own, and prints what was measured beside what is wanted. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { type Figure, isMet, medianOf } from './measure.ts'

/** What the table says before a unit, and how many digits it has. */
const numberText = (value: number, unit: Figure['unit']): string => {
  if (unit === 'bytes') return `${Math.round(value).toLocaleString('en')} B`
  if (unit === '/s') return `${Math.round(value).toLocaleString('en')}/s`
  return `${value.toFixed(value < 10 ? 2 : 1)} ${unit}`
}

const rowOf = (figure: Figure): readonly string[] => {
  const { name, unit, wanted, values, note } = figure
  const text = (value: number): string => numberText(value, unit)
  const limit =
    wanted === null ? '' : 'atLeast' in wanted ? `≥ ${text(wanted.atLeast)}` : `≤ ${text(wanted.atMost)}`
  const verdict = wanted === null ? '' : isMet(figure) ? 'ok' : 'short'
  if (values.length === 0) return [name, `not measured: ${note ?? ''}`, '', limit, verdict]
  const range = `${text(Math.min(...values))} – ${text(Math.max(...values))}`
  return [name, text(medianOf(values)), range, limit, verdict]
}

const tableOf = (rows: readonly (readonly string[])[]): string => {
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, column) => Math.max(most[column] ?? 0, cell.length)),
    [],
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const figuresOf = async (name: string, script: string): Promise<Figure[]> => {
  const child = fork(script, [name], { execArgv: ['--expose-gc'] })
  let figures: Figure[] | null = null
  child.on('message', (message) => {
    figures = message as Figure[]
  })
  const [code] = await once(child, 'exit')
  if (figures === null) throw new Error(`The benchmark "${name}" ended with ${code}`)
  return figures
}

/**
 * Runs those benchmarks that the command line names, or all: `[--only NAME]… [--json] [--strict]`.
 * @param names in the order in which they run
 * @param script runs the one that its first argument names, and sends its figures to the process that started it
 */
export const report = async (names: readonly string[], script: string): Promise<void> => {
  const { values: options } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
    },
  })
  const unknown = options.only.filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    console.error(`No such benchmark: ${unknown.join(', ')}; there are: ${names.join(', ')}`)
    process.exitCode = 2
    return
  }

  const figures: Figure[] = []
  for (const name of options.only.length > 0 ? options.only : names) {
    if (!options.json) process.stderr.write(`${name} …\n`)
    figures.push(...(await figuresOf(name, script)))
  }
  if (options.json) {
    const all = figures.map((figure) => ({ ...figure, median: medianOf(figure.values), met: isMet(figure) }))
    console.log(JSON.stringify({ node: process.version, figures: all }, null, 2))
  } else {
    const head = ['figure', 'median', 'least – most of the rounds', 'wanted', '']
    console.log(`Node ${process.version}, ${process.platform} ${process.arch}`)
    console.log(tableOf([head, ...figures.map(rowOf)]))
    for (const { name, values, note } of figures)
      if (note !== undefined && values.length > 0) console.log(`${name}: ${note}`)
  }
  if (options.strict && !figures.every(isMet)) process.exitCode = 1
}
