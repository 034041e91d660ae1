/** Ctrl-C and its kin: the first asks everything to stop in order, the second ends the process at once. */

/** What a shell reports for a process that a signal ended: 128 and the signal's number. */
const EXIT_OF_SIGNAL = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

export interface Interrupts {
  readonly signal: AbortSignal
  /** Aborts for another cause, such as a reader that has left. */
  abort(): void
  /** Of the signal that came; null when none did. */
  exitCode(): number | null
  stop(): void
}

/**
 * Listens for signals until it is stopped.
 * @param tell told at the first signal, what a second would do
 * @param what what it does to stop
 */
export const interrupts = (
  tell: (text: string) => void,
  what = 'the conversation is cancelled and its agents are ended',
): Interrupts => {
  const controller = new AbortController()
  let code: number | null = null
  const listeners = Object.entries(EXIT_OF_SIGNAL).map(([name, exit]) => {
    const listener = (): void => {
      // The exit handlers kill whatever agents still run.
      if (code !== null) process.exit(exit)
      code = exit
      tell(`\nStopping: ${what}. ${name === 'SIGINT' ? 'Ctrl-C' : name} again ends at once.\n`)
      controller.abort()
    }
    process.on(name, listener)
    return () => process.off(name, listener)
  })
  return {
    signal: controller.signal,
    abort: () => controller.abort(),
    exitCode: () => code,
    stop: () => {
      for (const stop of listeners) stop()
    },
  }
}
