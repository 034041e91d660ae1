/** An app in a process of its own, to be killed: tells its parent where it listens. */
import { appendFileSync, readFileSync } from 'node:fs'
import { type Agent, conversation, textAgent } from 'colloquy'
import { serveConversations } from '../src/index.ts'
import { patientPoll, pollOfAll, pollOfOne } from './polls.ts'

/** What an app knows. */
const PROTOCOLS = {
  first: [pollOfAll, conversation],
  second: [pollOfAll, pollOfOne, conversation, patientPoll],
  later: [pollOfOne],
} as const

const [, , kind, port, asks] = process.argv as [string, string, keyof typeof PROTOCOLS, string, string]

/** Notes that it was asked, and dies the first time that it is. */
const mortal: Agent<object> = async ({ conversation: id }) => {
  appendFileSync(asks, `${id}\n`)
  const times = readFileSync(asks, 'utf8')
    .split('\n')
    .filter((line) => line === id).length
  if (times > 1) return '[answer] back again'
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}

const app = await serveConversations({
  protocols: PROTOCOLS[kind],
  port: Number(port),
  people: ['pia', 'per'],
  agents: {
    bot: textAgent(async () => '[answer] yes'),
    dud: textAgent(async () => {
      throw new Error('no idea')
    }),
    mortal,
  },
})
process.send?.(app.url)
process.once('disconnect', () => process.exit())
