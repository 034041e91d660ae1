/** How far a search is: on one line of a terminal that is written again and again, or now and then on a line of a log. */
import type { Progress } from '../testing/search.ts'
import { clockText, cut } from './text.ts'

/** ms between two writings of the line on a terminal, and between two lines of a log. */
const EVERY = 200
const EVERY_LOGGED = 30_000
/** Columns where the terminal does not say. */
const WIDTH = 80
const CLEAR = '\r\u001b[K'

export interface ProgressLine {
  /** Takes what a search has reached; its states and steps so far. */
  tell(search: number, progress: Progress): void
  /** How far it is, as text. */
  text(): string
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
export const progressText = (all: Iterable<Progress>, ms: number, most: number): string => {
  let [states, steps] = [0, 0]
  for (const progress of all) {
    states += progress.states
    steps += progress.steps
  }
  const rate = Math.round((states * 1000) / Math.max(1, ms))
  return `${clockText(ms)}  ${states} states of at most ${most}, ${steps} steps, ${rate} states a second`
}

/**
 * The line.
 * @param most states after which the searches give up
 */
export const progressLine = (terminal: Terminal, isShown: boolean, most: number): ProgressLine => {
  const started = performance.now()
  const reached = new Map<number, Progress>()
  const text = (): string => progressText(reached.values(), performance.now() - started, most)
  const onTerminal = terminal.isTTY === true
  const draw = (): void => {
    terminal.write(onTerminal ? CLEAR + cut(text(), (terminal.columns || WIDTH) - 1) : `${text()}\n`)
  }
  const timer = isShown ? setInterval(draw, onTerminal ? EVERY : EVERY_LOGGED) : undefined
  return {
    tell: (search, progress) => void reached.set(search, progress),
    text,
    stop() {
      clearInterval(timer)
      if (isShown && onTerminal) terminal.write(CLEAR)
    },
  }
}
