/**
 * A host in a process of its own, which its parent kills. Arguments: the built package's index, the kind of journal, where
 * it is, and a file to which each asking of an agent is written. Takes requests by IPC, and answers each when the host has.
 */
import { appendFileSync } from 'node:fs'

const [, , index, kind, place, asked] = process.argv
const { createHost, jsonlJournal, postgresJournal, sqliteJournal } = await import(index)
const open = { jsonl: jsonlJournal, postgres: postgresJournal, sqlite: sqliteJournal }[kind]
const journal = open(place)

const bot = async (turn) => {
  const { conversation, member, state, transcript, omitted } = turn
  // Whoever is asked in the same place by the same process was asked twice for one turn.
  appendFileSync(
    asked,
    `${JSON.stringify([process.pid, conversation, member, state, omitted + transcript.length])}\n`,
  )
  await new Promise((resolve) => setTimeout(resolve, 5))
  return '[info] beep'
}

const host = await createHost({ journal, agents: { bot }, lease: 400, poll: 20, snapshotEvery: 5 })

process.on('message', async ({ ref, type, conversation, payload }) => {
  try {
    const answer = type === 'open' ? await host.open(payload) : await host.send(conversation, payload)
    process.send?.({ ref, effect: answer.effect ?? 'opened', reason: answer.reason ?? '' })
  } catch (error) {
    process.send?.({ ref, effect: 'failed', reason: error.code ?? String(error) })
  }
})
process.send?.({ ref: 'ready' })
