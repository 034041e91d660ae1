/**
 * Runs the benchmarks of journals and hosts, each in a process of its own, and prints what was measured beside what is
 * wanted. Servers that they need are started on free ports with folders of their own, and stopped.
 *
 *   node dist/bench/durable/run.js [--only NAME]… [--json] [--strict]
 *
 * `--strict` ends with 1 when a figure is short of what is wanted. What is wanted of speed are ratios measured within one
 * run, but for what a person would wait for; rates are for information, and for the machine that they were measured on.
 */
import { fileURLToPath } from 'node:url'
import { report } from '../report.ts'
import { benchmarks } from './all.ts'

await report(Object.keys(benchmarks), fileURLToPath(new URL('one.js', import.meta.url)))
