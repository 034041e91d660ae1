/**
 * A host that does nothing but write, as a process of its own: takes a conversation under a lease that it renews, and
 * appends to it without a pause, whatever it is told. Lines on stdin: `begin CONVERSATION TTL`, `mark` (answers with how
 * many of the tries that began after it were refused and how many were not), `rest` (renews and writes no more).
 * Arguments: the built package, the address, the schema.
 */
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const [module, url, schema] = process.argv.slice(2)
const { postgresJournal } = await import(module)
const journal = postgresJournal(url, { schema })
const tell = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)

/** Tries that began after a mark, of which an answer is told. */
const TRIES = 5

/** One at a time; the next one ends the one before. */
let turn = 0
let marked = null
let isResting = false

const write = async (mine, conversation, ttl) => {
  const lease = await journal.lease(ttl)
  await lease.take(conversation)
  const opening = { type: 'open', at: 0, id: conversation, machine: 'conversation', version: 1, goal: '' }
  const standing = { state: 'discussion', dueAt: null, outcome: null }
  const events = [{ ...opening, members: ['a'], lead: null, policy: {} }]
  await journal.append(conversation, 0, events, { lease: lease.id, standing })
  tell({ began: conversation, lease: lease.id })
  let renewed = performance.now()
  for (let count = 0; turn === mine; count++) {
    const isAfter = marked
    if (!isResting && performance.now() - renewed > ttl / 4) {
      renewed = performance.now()
      await lease.renew().catch((error) => {
        if (isAfter !== null) isAfter.renewals.push(error.code)
      })
    }
    if (isResting && isAfter === null) {
      await sleep(5)
      continue
    }
    // Where the record ends is looked up before each try, so that only the lease can be against it.
    const { events: before } = await journal.read(conversation)
    const event = { type: 'message', at: 1, message: { id: `mine ${count}`, from: 'a' } }
    const code = await journal
      .append(conversation, before.length, [event], { lease: lease.id, standing })
      .then(
        () => 'written',
        (error) => error.code,
      )
    if (isAfter === null) continue
    isAfter.codes.push(code)
    if (isAfter.codes.length < TRIES) continue
    marked = null
    turn++
    tell({ codes: isAfter.codes, renewals: isAfter.renewals })
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const [verb, conversation, ttl] = line.split(' ')
  if (verb === 'mark') marked = { codes: [], renewals: [] }
  if (verb === 'rest') isResting = true
  if (verb !== 'begin') continue
  isResting = false
  marked = null
  void write(++turn, conversation, Number(ttl))
}
turn++
await journal.close()
