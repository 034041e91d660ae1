/** Simulated conversations a second, against the same messages put to a conversation by hand. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { type Agent, type Board, conversation, type MessageInput, openConversation } from '../src/index.ts'
import { simulate } from '../src/testing/world.ts'
import { alternate, type Figure, ratios } from './measure.ts'

const CONVERSATIONS = 500
const PER_SECOND = 1_000

/** Says at once what is asked for, and passes what was done. */
const member: Agent<Board> = ({ state, member: own, expected, defaults, replyTo, board }) => {
  if (state === 'discussion')
    return own === 'ada'
      ? { intent: 'proposal', content: 'A plan', payload: { subtasks: [{ title: 'One' }, { title: 'Two' }] } }
      : { intent: 'info', content: 'Something' }
  if (state === 'proposal') return { intent: 'agree', replyTo }
  if (state === 'execution') return { intent: 'result', content: `Done, of ${board.subtasks.length}` }
  if (state === 'review') return { intent: 'verdict', payload: { verdict: 'pass' } }
  return { intent: expected ?? 'accept', payload: defaults ?? {} }
}

const AGENTS = { ada: member, bo: member, cy: member }

const simulated = (seed: number, delay: readonly [number, number]) =>
  simulate({ protocol: conversation, seed, agents: AGENTS, lead: 'ada', network: { delay } })

/** What was said in one of them, as it was given. */
const script = async (): Promise<readonly { readonly at: number; readonly message: MessageInput }[]> => {
  const { record } = await simulated(0, [10, 500])
  return record.flatMap((event) =>
    event.type === 'message' ? [{ at: event.at, message: event.message as MessageInput }] : [],
  )
}

export const world = async (): Promise<Figure[]> => {
  const said = await script()
  const byHand = () => {
    const talk = openConversation({ id: 'w0', members: Object.keys(AGENTS), lead: 'ada', at: 0 })
    for (const { at, message } of said) talk.send(message, at)
    return talk
  }
  const once = await simulated(0, [10, 500])
  strictEqual(once.outcome.status, 'accepted')
  deepStrictEqual(byHand().record(), once.record)

  const side = (delay: readonly [number, number]) => async () => {
    const start = performance.now()
    let accepted = 0
    for (let seed = 0; seed < CONVERSATIONS; seed++)
      if ((await simulated(seed, delay)).outcome.status === 'accepted') accepted++
    const ms = performance.now() - start
    strictEqual(accepted, CONVERSATIONS)
    return ms
  }
  const took = await alternate(
    {
      delayed: side([10, 500]),
      instant: side([0, 0]),
      byHand: () => {
        const start = performance.now()
        let accepted = 0
        for (let seed = 0; seed < CONVERSATIONS; seed++)
          if (byHand().outcome?.status === 'accepted') accepted++
        const ms = performance.now() - start
        strictEqual(accepted, CONVERSATIONS)
        return ms
      },
    },
    { rounds: 7, warmUps: 2, tries: 3 },
  )
  const wanted = { atMost: 1_000_000 / PER_SECOND }
  const each = (name: string, ms: readonly number[], limit: Figure['wanted']): Figure => ({
    name,
    unit: 'µs',
    wanted: limit,
    values: ms.map((all) => (all / CONVERSATIONS) * 1_000),
  })
  return [
    each('a simulated conversation of 3', took.delayed, wanted),
    each('the same without delays', took.instant, wanted),
    {
      name: 'a simulated conversation / its messages by hand',
      unit: '×',
      wanted: null,
      values: ratios(took.delayed, took.byHand),
    },
  ]
}
