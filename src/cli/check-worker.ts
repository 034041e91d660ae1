/** The thread of one search of `colloquy check`. It is given plain data, loads the protocol itself, and answers plain data. */
import { parentPort, workerData } from 'node:worker_threads'
import { ColloquyError } from '../errors.ts'
import { type Answer, type Order, searched } from './check-search.ts'

const answer = (value: Answer): void => parentPort?.postMessage(value)

try {
  // Only check-search.ts starts this, and with an order.
  const order: Order = workerData
  answer({ report: searched(order, (progress) => answer({ progress })) })
} catch (error) {
  // An error's class and fields do not cross threads; what is not ours ends the thread with its stack.
  if (!(error instanceof ColloquyError)) throw error
  const { code, message, issues, remedy } = error
  answer({ refused: { code, message, issues, remedy } })
}
