import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { Annotation, Command, END, MessagesValue, START, StateGraph, StateSchema } from '@langchain/langgraph'
import { after, checkTurns, members, printIfStarted, runner, text } from './common.mjs'

// Tracing would send every run to a service: off, whatever the environment says.
for (const prefix of ['LANGSMITH', 'LANGCHAIN'])
  for (const suffix of ['TRACING', 'TRACING_V2']) process.env[`${prefix}_${suffix}`] = 'false'

/** @typedef {{ role: string, content: string, name?: string }} PlainMessage */

/**
 * A graph of one node per member. A node says its text and names the next node with a `Command`, as the
 * library's documentation does for agents that hand over to each other; the last turn goes to the end.
 * There is no checkpointer.
 * @param {StateSchema | ReturnType<typeof Annotation.Root>} state
 * @param {(name: string) => AIMessage | PlainMessage} say
 * @param {number} turns
 */
const ring = (state, say, turns) => {
  const graph = new StateGraph(state)
  const count = { calls: 0 }
  for (const member of members) {
    const next = after(member)
    graph.addNode(
      member,
      ({ messages }) => {
        count.calls++
        // The first message is the task, so there are as many messages now as turns with this one.
        return new Command({
          update: { messages: [say(member)] },
          goto: messages.length >= turns ? END : next,
        })
      },
      { ends: [next, END] },
    )
  }
  graph.addEdge(START, members[0])
  return { compiled: graph.compile(), count }
}

export const name = 'LangGraph.js, as documented: StateSchema with MessagesValue, AIMessage'

/** The configuration that the documentation leads to. Its messages reducer looks at every message each turn. */
export const run = runner((turns) => {
  const state = new StateSchema({ messages: MessagesValue })
  const { compiled, count } = ring(state, (name) => new AIMessage({ content: text, name }), turns)
  return {
    talk: () => compiled.invoke({ messages: [new HumanMessage('go')] }, { recursionLimit: turns + 1 }),
    check: ({ messages }) => {
      const speakers = messages.slice(1).map((message) => message.name)
      checkTurns(speakers, count.calls, turns)
    },
  }
})

export const fastestName = 'LangGraph.js, fastest: reducer that concatenates, plain messages'

/**
 * The fastest configuration found that still keeps the whole conversation and gives it back: a reducer that
 * concatenates, messages that are plain objects, and the messages channel as the only output. A reducer that
 * pushes onto the array it is given is not allowed: the library may call a reducer more than once per write.
 */
export const runFastest = runner((turns) => {
  const state = Annotation.Root({
    messages: Annotation({ reducer: (messages, more) => messages.concat(more), default: () => [] }),
  })
  const { compiled, count } = ring(state, (name) => ({ role: 'assistant', content: text, name }), turns)
  return {
    talk: () =>
      compiled.invoke(
        { messages: [{ role: 'user', content: 'go' }] },
        { recursionLimit: turns + 1, outputKeys: 'messages' },
      ),
    check: (messages) => {
      const speakers = messages.slice(1).map((message) => message.name)
      checkTurns(speakers, count.calls, turns)
    },
  }
})

await printIfStarted(import.meta.url, [
  { name, run },
  { name: fastestName, run: runFastest },
])
