import { Agent, Message, Model, Swarm, TextBlock } from '@strands-agents/sdk'
import { after, checkTurns, members, printIfStarted, runner, text } from './common.mjs'

/** @typedef {{ calls: number, turns: number }} Count the turns taken so far, and how many there are to be */

/**
 * Takes a turn: says the text and hands over to the next member, or to nobody in the last turn.
 * @param {string} member
 * @param {Count} count
 * @returns {{ agentId?: string, message: string }}
 */
const decide = (member, count) => {
  count.calls++
  return count.calls < count.turns ? { agentId: after(member), message: text } : { message: text }
}

/** A model provider without a model: it answers at once with the call by which a Swarm's agents hand over. */
class StubModel extends Model {
  /**
   * @param {string} member
   * @param {Count} count
   */
  constructor(member, count) {
    super()
    this.member = member
    this.count = count
  }

  updateConfig() {}

  getConfig() {
    return { modelId: 'stub' }
  }

  async *stream() {
    const input = JSON.stringify(decide(this.member, this.count))
    const start = {
      type: 'toolUseStart',
      name: 'strands_structured_output',
      toolUseId: `turn-${this.count.calls}`,
    }
    yield { type: 'modelMessageStartEvent', role: 'assistant' }
    yield { type: 'modelContentBlockStartEvent', start }
    yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'toolUseInputDelta', input } }
    yield { type: 'modelContentBlockStopEvent' }
    yield { type: 'modelMessageStopEvent', stopReason: 'toolUse' }
  }
}

/** The library's `InvokableAgent` interface without an agent loop behind it. */
class StubAgent {
  /**
   * @param {string} id
   * @param {Count} count
   */
  constructor(id, count) {
    this.id = id
    this.count = count
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator; a stub has no events to stream
  async *stream() {
    return this.answer()
  }

  async invoke() {
    return this.answer()
  }

  answer() {
    const structuredOutput = decide(this.id, this.count)
    const lastMessage = new Message({ role: 'assistant', content: [new TextBlock(text)] })
    return { type: 'agentResult', stopReason: 'toolUse', lastMessage, structuredOutput, invocationState: {} }
  }
}

/**
 * @param {(member: string, count: Count) => Agent | StubAgent} join
 */
const swarm = (join) => (turns) => {
  const count = { calls: 0, turns }
  const nodes = members.map((member) => join(member, count))
  const talkers = new Swarm({ nodes, start: members[0], maxSteps: turns })
  return {
    talk: () => talkers.invoke('go'),
    check: ({ status, error, results }) => {
      if (status !== 'COMPLETED') throw new Error(`The swarm ended as ${status}`, { cause: error })
      const speakers = results.map((result) => (result.status === 'COMPLETED' ? result.nodeId : undefined))
      checkTurns(speakers, count.calls, turns)
    },
  }
}

export const name = 'Strands Swarm, as documented: Agent with a stub model'

/** Agents of the library, with a stub model provider each. */
export const run = runner(
  swarm((id, count) => new Agent({ id, model: new StubModel(id, count), printer: false })),
)

export const fastestName = 'Strands Swarm, fastest: stub agents without an agent loop'

/** The swarm alone: its nodes are stubs of the interface that it asks of an agent. */
export const runFastest = runner(swarm((id, count) => new StubAgent(id, count)))

await printIfStarted(import.meta.url, [
  { name, run },
  { name: fastestName, run: runFastest },
])
