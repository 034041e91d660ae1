/**
 * A cluster of one machine: a Restate server and an app with colloquy's own protocols, until Ctrl-C.
 *
 *     npm start -- [--folder DIR] [--ingress PORT] [--admin PORT] [--node PORT] [--app PORT]
 *
 * Without a folder everything is forgotten at the end.
 */
import { parseArgs } from 'node:util'
import { ColloquyError, conversation, type Protocol } from 'colloquy'
import { ainet } from 'colloquy/machines/ainet'
import { contractNet } from 'colloquy/machines/contract-net'
import { ioa } from 'colloquy/machines/ioa'
import { type App, serveConversations } from './app.ts'
import { type Restate, register, startRestate } from './server.ts'

const PROTOCOLS: readonly Protocol[] = [conversation, ioa, contractNet, ainet]

const port = (text: string): number => {
  const number = Number(text)
  if (Number.isInteger(number) && number > 0 && number < 65_536) return number
  throw new ColloquyError('USAGE', `"${text}" is no port`)
}

const run = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      folder: { type: 'string' },
      ingress: { type: 'string', default: '8080' },
      admin: { type: 'string', default: '9070' },
      node: { type: 'string', default: '5122' },
      app: { type: 'string', default: '9080' },
    },
  })
  const { folder } = values
  const ports = { ingress: port(values.ingress), admin: port(values.admin), node: port(values.node) }
  // Listened for from the start, so that whoever stops it early leaves nothing behind either.
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
  // The same port each time: calls that were under way look for the app where it was.
  let app: App | undefined
  let restate: Restate | undefined
  try {
    app = await serveConversations({ protocols: PROTOCOLS, port: port(values.app) })
    restate = await startRestate({ ports, ...(folder === undefined ? {} : { folder }) })
    await register(restate.admin, app.url)
    const { ingress, admin } = restate
    console.log(`Ready: clusterHost({ ingress: '${ingress}', admin: '${admin}' })`)
    console.log(folder === undefined ? 'It is forgotten at the end.' : `It is kept in ${folder}.`)
    const died = restate.ended.then(() => {
      throw new ColloquyError(
        'JOURNAL_FAILED',
        `The Restate server has ended; its log is in ${restate?.folder}`,
      )
    })
    await Promise.race([stopped, died])
  } finally {
    // The server first: it would take the app for dead.
    await restate?.stop()
    await app?.close()
  }
}

try {
  await run()
} catch (error) {
  console.error(error instanceof ColloquyError ? `${error.message}\n${error.remedy}` : error)
  process.exitCode = 1
}
