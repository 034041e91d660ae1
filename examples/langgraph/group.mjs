/**
 * The group that checks an invoice: three functions that plan, count and judge. Each could as well ask a model
 * (`openai`), run a program (`subprocess`) or ask somebody at a terminal (`person`); the graph would not notice.
 * @typedef {{ lines: { amount: number, price: number }[], rate: number, total: number }} Invoice prices in cents, rate in percent
 */

const agree = (turn) => ({ intent: 'agree', replyTo: turn.replyTo })
const accept = () => ({ intent: 'accept' })
const report = (subtask, output) => ({
  intent: 'result',
  content: `${output} cents`,
  payload: { subtask, output },
})

const plan = () => ({
  intent: 'proposal',
  content: 'One of us adds up the lines, another counts the tax; I compare.',
  payload: {
    subtasks: [
      { id: 'net', title: 'Sum of the lines', requires: ['sums'] },
      { id: 'tax', title: 'Tax on them', requires: ['taxes'] },
    ],
  },
})

/** What the rules suggest: who is best suited to what. */
const share = (turn) => ({ intent: turn.expected, content: turn.task, payload: turn.defaults })

/** A member that knows one answer for each state; a state that it is not asked in needs none. */
const member = (answers, capabilities = []) =>
  Object.assign((turn) => answers[turn.state](turn), { capabilities })

/** @param {Invoice} invoice */
export const groupFor = ({ lines, rate, total }) => {
  const sums = lines.map(({ amount, price }) => amount * price)
  const net = sums.reduce((sum, each) => sum + each, 0)

  const compare = ({ transcript }) => {
    const results = transcript.filter(({ intent }) => intent === 'result')
    const found = Object.fromEntries(results.map(({ payload }) => [payload.subtask, payload.output]))
    const sum = found.net + found.tax
    return sum === total
      ? { intent: 'verdict', content: `${sum} cents, as it says.` }
      : { intent: 'reject', content: `${sum} cents, but it says ${total}.`, payload: { subtasks: ['tax'] } }
  }

  /** Rounds line by line; when that was sent back, once for all, as others do. */
  const countTax = ({ board }) => {
    const taxed = board.rejections === 0 ? sums : [net]
    const tax = taxed.reduce((sum, each) => sum + Math.round((each * rate) / 100), 0)
    return report('tax', tax)
  }

  return {
    ada: member({ discussion: plan, proposal: agree, assign: share, execution: share, review: compare }),
    ben: member({ proposal: agree, assign: accept, execution: () => report('net', net) }, ['sums']),
    cy: member({ proposal: agree, assign: accept, execution: countTax }, ['taxes']),
  }
}
