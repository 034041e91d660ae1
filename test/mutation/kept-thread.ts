/**
 * A pool of one thread that outlives a run. A mutation run is thousands of short runs, and a thread of its own for
 * each costs more than the tests: vitest, zod and the other packages are loaded anew. Here they are loaded once; the
 * project's own modules are still evaluated anew in every run.
 */
import {
  type PoolOptions,
  type PoolRunnerInitializer,
  type PoolWorker,
  ThreadsPoolWorker,
  type WorkerRequest,
} from 'vitest/node'

/** Runs that a thread serves: each leaves a few listeners behind in it. */
const RUNS = 50
/** These tests leave more behind than the next run should find. */
const LEAVES_TRACES = /\/test\/engine\/clock\.test\.ts$/

let kept: { readonly thread: ThreadsPoolWorker; runs: number } | undefined

type Listener = Parameters<PoolWorker['on']>[1]

class KeptThread implements PoolWorker {
  readonly name = 'kept-thread'
  readonly #options: PoolOptions
  readonly #listeners = new Set<readonly [event: string, listener: Listener]>()
  #thread: ThreadsPoolWorker

  constructor(options: PoolOptions) {
    this.#options = options
    this.#thread = kept?.thread ?? new ThreadsPoolWorker(options)
  }

  async start(): Promise<void> {
    if (kept?.thread === this.#thread) return
    await this.#thread.start()
    kept = { thread: this.#thread, runs: 0 }
  }

  on(event: string, listener: Listener): void {
    this.#listeners.add([event, listener])
    this.#thread.on(event, listener)
  }

  off(event: string, listener: Listener): void {
    for (const entry of this.#listeners)
      if (entry[0] === event && entry[1] === listener) this.#listeners.delete(entry)
    this.#thread.off(event, listener)
  }

  send(message: WorkerRequest): void {
    // The thread takes nothing after a stop, so it is not told.
    if (message.type === 'stop') this.#answer({ __vitest_worker_response__: true, type: 'stopped' })
    else if (message.type === 'run')
      this.#thread.send({ ...message, context: { ...message.context, invalidates: this.#ownFiles() } })
    else this.#thread.send(message)
  }

  async stop(): Promise<void> {
    for (const [event, listener] of this.#listeners) this.#thread.off(event, listener)
    if (kept === undefined || kept.thread !== this.#thread) return
    kept.runs += 1
    if (kept.runs < RUNS && !this.#leftTraces()) return
    kept = undefined
    await this.#thread.stop()
  }

  deserialize(data: unknown): unknown {
    return data
  }

  #answer(response: object): void {
    for (const [event, listener] of [...this.#listeners]) if (event === 'message') listener(response)
  }

  #ownFiles(): string[] {
    return Object.values(this.#options.project.vite.environments)
      .flatMap(({ moduleGraph }) => [...moduleGraph.fileToModulesMap.keys()])
      .filter((file) => !file.includes('/node_modules/'))
  }

  #leftTraces(): boolean {
    const { state } = this.#options.project.vitest
    return (
      state.errorsSet.size > 0 ||
      state.getFiles().some(({ filepath, result }) => result && LEAVES_TRACES.test(filepath))
    )
  }
}

export const keptThread: PoolRunnerInitializer = {
  name: 'kept-thread',
  createPoolWorker: (options) => new KeptThread(options),
}
