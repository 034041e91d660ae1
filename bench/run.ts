/**
 * Runs the benchmarks, each in a process of its own, and prints what was measured beside what is wanted.
 *
 *   node dist/bench/run.js [--only NAME]… [--json] [--strict]
 *
 * `--strict` ends with 1 when a figure is short of what is wanted. Figures are ratios measured within one run, since
 * times depend on the machine and on what else it does.
 */
import { fileURLToPath } from 'node:url'
import { benchmarks } from './all.ts'
import { report } from './report.ts'

await report(Object.keys(benchmarks), fileURLToPath(new URL('one.js', import.meta.url)))
