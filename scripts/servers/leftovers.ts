/** What must not outlive this process, however it ends: a server, its folder, a container. */

const ends = new Set<() => void>()

const endAll = (): void => {
  for (const end of ends) {
    ends.delete(end)
    try {
      end()
    } catch (error) {
      console.error(error)
    }
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const onSignal = (signal: NodeJS.Signals): void => {
  // Whoever else listens decides how the process ends; what is left then goes with its exit.
  if (process.listenerCount(signal) > 1) return
  endAll()
  forget()
  process.kill(process.pid, signal)
}

const remember = (): void => {
  process.on('exit', endAll)
  for (const signal of SIGNALS) process.on(signal, onSignal)
}

const forget = (): void => {
  process.off('exit', endAll)
  for (const signal of SIGNALS) process.off(signal, onSignal)
}

/**
 * Does `end`, which must not wait for anything, when this process ends.
 * @returns what calls that off
 */
export const atTheLatest = (end: () => void): (() => void) => {
  if (ends.size === 0) remember()
  ends.add(end)
  return () => {
    if (ends.delete(end) && ends.size === 0) forget()
  }
}
