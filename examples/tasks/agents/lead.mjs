// The lead of seconds.yaml, as a program that answers one turn: JSON in on stdin, JSON out on stdout.
import { text } from 'node:stream/consumers'

const DAY = 24 * 60 * 60
const right = { year: 366 * DAY, february: 29 * DAY }

const turn = JSON.parse(await text(process.stdin))

const plan = () => ({
  intent: 'proposal',
  content: 'One of us counts the year, another February.',
  payload: {
    subtasks: [
      { id: 'year', title: 'Seconds of a leap year', requires: ['years'] },
      { id: 'february', title: 'Seconds of its February', requires: ['months'] },
    ],
  },
})

/** Passes the results, or sends back those that are wrong. */
const check = () => {
  const said = new Map()
  for (const { intent, payload, content } of turn.transcript) {
    if (intent === 'result') said.set(payload.subtask, payload.output ?? content)
  }
  const wrong = Object.keys(right).filter((id) => !String(said.get(id)).includes(String(right[id])))
  return wrong.length === 0
    ? { intent: 'verdict', content: 'I counted the same.', payload: { verdict: 'pass' } }
    : { intent: 'reject', content: `Count again: ${wrong.join(', ')}`, payload: { subtasks: wrong } }
}

const vote = () => ({ intent: 'agree', content: 'Fine with me.', replyTo: turn.replyTo })

/** Shares out the work: what the facilitator expects, with the fields that it suggests. */
const share = () => ({ intent: turn.expected, content: turn.task, payload: turn.defaults })

const answers = { discussion: plan, proposal: vote, assign: share, execution: share, review: check }
console.log(JSON.stringify(answers[turn.state]()))
