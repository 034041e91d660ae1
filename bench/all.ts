/** Every benchmark by its name, in the order in which they run. */
import { checker } from './checker.ts'
import { documented, fastest } from './convene.ts'
import { length } from './length.ts'
import type { Figure } from './measure.ts'
import { memory } from './memory.ts'
import { send } from './send.ts'
import { mix, steady } from './step.ts'
import { world } from './world.ts'

export const benchmarks: Readonly<Record<string, () => Promise<Figure[]>>> = {
  steady,
  mix,
  send,
  memory,
  length,
  documented,
  fastest,
  world,
  checker,
}
