/** Runs a command beside servers that it needs: `run postgres -- COMMAND…`. They stop with it. */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { messageOf } from '../../src/errors.ts'
import { catalogue } from './catalogue.ts'
import type { Running } from './native.ts'
import { startServer } from './start.ts'

const USAGE = `Usage: node dist/scripts/servers/main.js run NAME… -- COMMAND…

Starts the servers named (${Object.keys(catalogue).join(', ')}), runs the command with their addresses in the environment
(${Object.values(catalogue)
  .map(({ variable }) => variable)
  .join(', ')}), and stops them.`

/** Runs a command, and gives its exit code; by a signal: 128 and its number, as shells have it. */
const run = (command: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  new Promise((resolve, reject) => {
    const [program = '', ...args] = command
    const child = spawn(program, args, { env, stdio: 'inherit' })
    const onSignal = (signal: NodeJS.Signals): void => {
      // At a terminal Ctrl-C has reached the command already; its end stops the servers.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })

const main = async ([verb, ...rest]: readonly string[]): Promise<number> => {
  const mark = rest.indexOf('--')
  const [names, command] = [rest.slice(0, mark), rest.slice(mark + 1)]
  const kinds = names.flatMap((name) => catalogue[name] ?? [])
  if (verb !== 'run' || mark < 1 || command.length === 0 || kinds.length < names.length) {
    console.error(USAGE)
    return 64
  }
  const running: Running[] = []
  const env = { ...process.env }
  try {
    for (const kind of kinds) {
      const server = await startServer(kind)
      running.push(server)
      env[kind.variable] = server.url
    }
    return await run(command, env)
  } catch (error) {
    console.error(messageOf(error))
    return 69
  } finally {
    await Promise.all(running.map((server) => server.stop()))
  }
}

process.exitCode = await main(process.argv.slice(2))
