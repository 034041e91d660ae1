/**
 * A graph with a conversation for a node.
 *
 *   check ── accepted ──────▶ publish ──▶ end
 *     └───── anything else ─▶ person ──── pay ▶ publish, or end
 */
import { Command, END, interrupt, START, StateGraph, StateSchema } from '@langchain/langgraph'
import { convene } from 'colloquy'
import { z } from 'zod'
import { groupFor } from './group.mjs'

const State = new StateSchema({
  invoice: z.object({
    lines: z.array(z.object({ amount: z.int(), price: z.int() })),
    rate: z.number(),
    total: z.int(),
  }),
  /** How the conversation ended, and all that was said: plain JSON, so a checkpoint keeps them as they are. */
  outcome: z.looseObject({ status: z.string() }),
  record: z.array(z.looseObject({ type: z.string() })),
  end: z.enum(['published', 'refused']),
})

/**
 * @param {object} [options]
 * @param options.checkpointer what a graph that waits for a person needs
 * @param {typeof groupFor} [options.group]
 */
export const invoices = ({ checkpointer, group = groupFor } = {}) => {
  /** The node: it is done when the conversation has closed and all its agents have stopped. */
  const check = async ({ invoice }, { signal }) => {
    const { outcome, record } = await convene({
      goal: `Check that the invoice comes to ${invoice.total} cents`,
      agents: group(invoice),
      lead: 'ada',
      policy: { maxReject: 1 },
      // Whoever aborts the graph aborts the conversation, and that the agents.
      signal,
    })
    return { outcome, record }
  }

  /** Not every conversation succeeds, but every one ends, and says how: that is what the graph goes by. */
  const route = ({ outcome }) => (outcome.status === 'accepted' ? 'publish' : 'person')

  const publish = () => ({ end: 'published' })

  /** The graph waits here until it is resumed. The conversation is in its state: it is not held again. */
  const person = ({ outcome, record }) => {
    const objections = record
      .filter(({ type, message }) => type === 'message' && message.intent === 'reject')
      .map(({ message }) => `${message.from}: ${message.content}`)
    const answer = interrupt({ status: outcome.status, objections })
    return answer === 'pay'
      ? new Command({ goto: 'publish' })
      : new Command({ goto: END, update: { end: 'refused' } })
  }

  return new StateGraph(State)
    .addNode('check', check)
    .addNode('publish', publish)
    .addNode('person', person, { ends: ['publish', END] })
    .addEdge(START, 'check')
    .addConditionalEdges('check', route, ['publish', 'person'])
    .addEdge('publish', END)
    .compile({ checkpointer })
}
