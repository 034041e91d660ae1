/** Runs one benchmark in this process and sends its figures to the process that started it. */
import { benchmarks } from './all.ts'

const [, , name = ''] = process.argv
const benchmark = benchmarks[name]
if (benchmark === undefined) throw new Error(`There is no benchmark "${name}"`)
// Whoever started it has gone; what it has begun ends with it.
process.once('disconnect', () => process.exit(1))
const figures = await benchmark()
process.removeAllListeners('disconnect')
process.send?.(figures)
process.disconnect()
