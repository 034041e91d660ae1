/** Set-up of each test file: timers, sockets, watchers and child processes that outlive its tests fail it. */
import { afterAll } from 'vitest'

/** What keeps a process alive and is nobody's but a test's. The runner's own channel is a pipe. */
const WATCHED = new Set([
  'Timeout',
  'TCPSocketWrap',
  'TCPServerWrap',
  'UDPWrap',
  'ProcessWrap',
  'FSEventWrap',
  'StatWatcher',
  'FSReqCallback',
  'MessagePort',
  'Worker',
])

/** Most ms to wait for what is just ending. */
const GRACE = 2_000

const counts = (): Map<string, number> => {
  const found = new Map<string, number>()
  for (const name of process.getActiveResourcesInfo())
    if (WATCHED.has(name)) found.set(name, (found.get(name) ?? 0) + 1)
  return found
}

const before = counts()

const leaked = (): string[] =>
  [...counts()]
    .map(([name, count]): [string, number] => [name, count - (before.get(name) ?? 0)])
    .filter(([, more]) => more > 0)
    .map(([name, more]) => `${more} ${name}`)

afterAll(async () => {
  const end = performance.now() + GRACE
  for (;;) {
    const left = leaked()
    if (left.length === 0) return
    if (performance.now() > end) throw new Error(`Left behind after the tests: ${left.join(', ')}`)
    await new Promise<void>((resolve) => {
      // Unreferenced, so that it is not counted itself.
      setTimeout(resolve, 20).unref()
      setImmediate(() => {})
    })
  }
})
