/** Runs one benchmark in this process and sends its figures to the process that started it. */
import { benchmarks } from './all.ts'

const [, , name = ''] = process.argv
const benchmark = benchmarks[name]
if (benchmark === undefined) throw new Error(`There is no benchmark "${name}"`)
process.send?.(await benchmark())
process.disconnect()
