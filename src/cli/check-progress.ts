/** How far a search is, on one line of a terminal that is written again and again. */
import type { Progress } from '../testing/search.ts'
import { clockText, cut } from './text.ts'

/** ms between two writings of the line. */
const EVERY = 200
/** Columns where the terminal does not say. */
const WIDTH = 80
const CLEAR = '\r\u001b[K'

export interface ProgressLine {
  /** Takes what a search has reached; its states and steps so far. */
  tell(search: number, progress: Progress): void
  /** Takes the line away. */
  stop(): void
}

/** What is written to: stderr, as far as it is needed. */
export interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** Of what several searches reached, the sum, as one text. */
export const progressText = (all: Iterable<Progress>, ms: number): string => {
  let [states, steps] = [0, 0]
  for (const progress of all) {
    states += progress.states
    steps += progress.steps
  }
  const rate = Math.round((states * 1000) / Math.max(1, ms))
  return `${clockText(ms)}  ${states} states, ${steps} steps, ${rate} states a second`
}

/** The line; silent where there is no terminal. */
export const progressLine = (terminal: Terminal, isWanted: boolean): ProgressLine => {
  if (!isWanted || terminal.isTTY !== true) return { tell: () => {}, stop: () => {} }
  const started = performance.now()
  const reached = new Map<number, Progress>()
  const draw = (): void => {
    const text = progressText(reached.values(), performance.now() - started)
    terminal.write(CLEAR + cut(text, (terminal.columns || WIDTH) - 1))
  }
  const timer = setInterval(draw, EVERY)
  return {
    tell: (search, progress) => void reached.set(search, progress),
    stop() {
      clearInterval(timer)
      terminal.write(CLEAR)
    },
  }
}
