/** Conversations on Restate beside a bare counter object, as the benchmark of the package in cluster/ measures them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Figure } from '../measure.ts'

/** The repository's folder: this file is in it, or in what was built there. */
const root = (folder: string): string =>
  existsSync(join(folder, 'package-lock.json')) ? folder : root(dirname(folder))

/** ms: most for all of it. */
const LIMIT = 180_000
const ARGS = ['--seconds', '1.5', '--rounds', '5', '--loops', '32', '--open', '200']
const WANTED = { atLeast: 0.8 }

/** A line of its report: what was called, how often a second, against the counter, and how long it took. */
const LINE =
  /^ {2}(?<what>.+): (?<rate>[\d.]+)\/s, (?<ratio>[\d.]+) × the counter, p50 (?<p50>[\d.]+) ms, p99 (?<p99>[\d.]+) ms/
/** What the lines after it are about: how many calls at once. */
const HEAD = /^(?<how>\d+ at once|one at a time):$/

/** Its report as figures; what it says beside them is left aside. */
export const figuresIn = (report: string): Figure[] => {
  const figures: Figure[] = []
  let how = ''
  for (const line of report.split('\n')) {
    how = HEAD.exec(line)?.groups?.how ?? how
    const { what, rate, ratio, p50, p99 } = LINE.exec(line)?.groups ?? {}
    if (what === undefined) continue
    const name = `Restate, ${how}, ${what}`
    const info = { wanted: null }
    figures.push(
      { name: `${name}: calls`, unit: '/s', ...info, values: [Number(rate)] },
      { name: `${name}: p50`, unit: 'ms', ...info, values: [Number(p50)] },
      { name: `${name}: p99`, unit: 'ms', ...info, values: [Number(p99)] },
    )
    if (what === 'conversation')
      figures.push({
        name: `${name} / bare counter`,
        unit: '×',
        wanted: WANTED,
        values: [Number(ratio)],
        note: 'the median of its rounds, each beside the same round of the counter',
      })
  }
  return figures
}

const notMeasured = (note: string): Figure[] => [
  { name: 'Restate, conversation / bare counter', unit: '×', wanted: WANTED, values: [], note },
]

/** What a program prints; rejects when it fails. It is asked to end when it takes too long. */
const printed = (folder: string, script: string, args: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(process.execPath, [script, ...args], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const timer = setTimeout(() => child.kill('SIGTERM'), LIMIT)
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      if (code === 0) resolve(text)
      else reject(new Error(`${script} ended with ${signal ?? code}:\n${text}`))
    })
  })

export const restate = async (): Promise<Figure[]> => {
  const folder = root(import.meta.dirname)
  const cluster = join(folder, 'cluster')
  if (!existsSync(join(cluster, 'node_modules/@restatedev')))
    return notMeasured('run "npm ci" in cluster/ first')
  await printed(cluster, join(folder, 'node_modules/typescript/bin/tsc'), ['-p', 'tsconfig.json'])
  return figuresIn(await printed(cluster, join(cluster, 'dist/bench/run.js'), ARGS))
}
