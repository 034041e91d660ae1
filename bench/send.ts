/** A message through a conversation against the check of its schema alone. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { conversation, openConversation } from '../src/index.ts'
import { type MessageInput, messageSchema } from '../src/schema/message.ts'
import { inOurWords } from '../src/schema/wording.ts'
import { alternate, type Figure, ratios, time } from './measure.ts'

const MEMBERS = ['ada', 'bo', 'cy', 'dee']
const TALK = 990
const CONVERSATIONS = 10

/** About 1,000 messages, from the first question to the verdict. */
const messages: readonly MessageInput[] = [
  ...Array.from({ length: TALK }, (_, index) => ({
    id: `m${index}`,
    from: MEMBERS[index % MEMBERS.length] as string,
    intent: index % 3 === 0 ? 'question' : 'info',
    content: 'The tide tables of the harbour are in the second volume, after the list of lights.',
    tokens: 20,
    ...(index % 3 === 1 ? { replyTo: `m${index - 1}` } : {}),
  })),
  {
    id: 'p',
    from: 'ada',
    intent: 'proposal',
    payload: { subtasks: [{ id: 'x', title: 'Look' }, { id: 'y' }] },
  },
  { id: 'v1', from: 'bo', intent: 'agree', replyTo: 'p' },
  { id: 'v2', from: 'cy', intent: 'agree', replyTo: 'p' },
  { id: 'a1', from: 'bo', intent: 'accept', payload: { subtask: 'x' } },
  { id: 'a2', from: 'cy', intent: 'accept', payload: { subtask: 'y' } },
  { id: 'w', from: 'bo', intent: 'progress', payload: { percent: 50 } },
  { id: 'r1', from: 'bo', intent: 'result', content: 'Found', payload: { subtask: 'x' } },
  { id: 'r2', from: 'cy', intent: 'result', payload: { status: 'success', output: { pages: [3, 4] } } },
  { id: 'e', from: 'ada', intent: 'verdict', payload: { verdict: 'pass' } },
]

const schema = messageSchema(conversation.payloads)
const open = () => openConversation({ members: MEMBERS, policy: { turnLimit: { discussion: null } } })

const compare = (): void => {
  const talk = open()
  for (const message of messages) strictEqual(talk.send(message).effect, 'applied')
  strictEqual(talk.outcome?.status, 'accepted')
  const recorded = talk.record().flatMap((event) => (event.type === 'message' ? [event.message] : []))
  const checked = messages.map((message) => ({
    ...schema.parse(message),
    conversation: talk.id,
  }))
  deepStrictEqual(
    recorded.map((message) => ({ ...(message as MessageInput), sentAt: undefined })),
    checked.map((message) => ({ ...message, sentAt: undefined })),
  )
}

export const send = async (): Promise<Figure[]> => {
  compare()
  const count = CONVERSATIONS * messages.length
  const took = await alternate(
    {
      ours: () => {
        let ms = 0
        for (let round = 0; round < CONVERSATIONS; round++) {
          const talk = open()
          ms += time(() => {
            let applied = 0
            for (const message of messages) if (talk.send(message).effect === 'applied') applied++
            return applied
          }, messages.length)
        }
        return ms
      },
      check: () =>
        time(() => {
          let passed = 0
          for (let round = 0; round < CONVERSATIONS; round++)
            for (const message of messages)
              if (schema.safeParse(message, inOurWords).data?.id === message.id) passed++
          return passed
        }, count),
    },
    { rounds: 11, warmUps: 2, tries: 5 },
  )
  return [
    {
      name: 'send, a message',
      unit: 'µs',
      wanted: null,
      values: took.ours.map((ms) => (ms / count) * 1_000),
    },
    {
      name: 'send / schema check alone',
      unit: '×',
      wanted: { atLeast: 0.5 },
      values: ratios(took.check, took.ours),
    },
  ]
}
