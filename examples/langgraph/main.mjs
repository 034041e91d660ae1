/** Three invoices: one that adds up, one that does on a second look, one that does not. */
import { Command, isInterrupted, MemorySaver } from '@langchain/langgraph'
import { invoices } from './graph.mjs'

const ink = { amount: 10, price: 250 }
const pen = { amount: 1, price: 102 }
const inbox = {
  plain: { lines: [ink, pen], rate: 19, total: 3_096 },
  // Tax on the sum; on each line by itself it would be a cent less.
  rounded: { lines: [pen, pen, pen], rate: 19, total: 364 },
  wrong: { lines: [ink, ink], rate: 19, total: 6_000 },
}

const stop = new AbortController()
process.once('SIGINT', () => stop.abort())

const graph = invoices({ checkpointer: new MemorySaver() })
for (const [number, invoice] of Object.entries(inbox)) {
  const options = { configurable: { thread_id: number }, signal: stop.signal }
  let state = await graph.invoke({ invoice }, options)
  let asked = null
  if (isInterrupted(state)) {
    asked = state.__interrupt__[0].value
    // Somebody has looked at it.
    state = await graph.invoke(new Command({ resume: 'refuse' }), options)
  }
  const { outcome, record, end } = state
  const { status, rejections, turns } = outcome
  console.log(JSON.stringify({ number, status, rejections, turns, lines: record.length, asked, end }))
}
