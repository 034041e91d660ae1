/** Members that the cluster asks: people, whose answers may come tomorrow, and agents. */
import type { Host, PendingQuestion } from 'colloquy'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cluster, registerApp, startCluster } from './cluster.ts'
import { thrown } from './thrown.ts'

let cluster: Cluster
let host: Host

beforeAll(async () => {
  cluster = await startCluster()
  await registerApp(cluster, await cluster.startApp('first'))
  host = cluster.host()
})
afterAll(() => cluster.stop())

const poll = (id: string, members: readonly string[], policy: object = {}) =>
  host.open({ id, protocol: 'poll', members, policy })

const questionTo = (questions: readonly PendingQuestion[], member: string): string =>
  questions.find((question) => question.member === member)?.id ?? 'none'

/** Waits for the end of a conversation; gives what it came to. */
const ended = async (id: string): Promise<object | null> => {
  for await (const _ of host.follow(id));
  return (await host.show(id))?.outcome ?? null
}

describe('people', () => {
  it('are asked when the conversation opens, and their answers are messages', async () => {
    const { questions } = await poll('asked', ['pia', 'per'])
    expect(questions.map(({ member, state }) => [member, state])).toEqual([
      ['pia', 'asking'],
      ['per', 'asking'],
    ])
    expect(await host.questions('asked')).toEqual(questions)
    const id = questionTo(questions, 'pia')
    await host.answer(id, 'yes')
    const [, event] = await host.record('asked')
    expect(event).toMatchObject({ type: 'message', message: { id, from: 'pia', content: 'yes' } })
    expect((await host.questions('asked')).map(({ member }) => member)).toEqual(['per'])
    await host.answer(questionTo(questions, 'per'), { intent: 'answer', content: 'no' })
    expect(await ended('asked')).toEqual({ answered: ['pia', 'per'] })
    expect(await host.questions('asked')).toEqual([])
  })

  it('answer once: the first answer stands, also when both come at the same time', async () => {
    const { questions } = await poll('answered', ['pia', 'per'])
    const id = questionTo(questions, 'pia')
    const results = await Promise.allSettled([host.answer(id, 'yes'), host.answer(id, 'no')])
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await thrown(host.answer(id, 'no'))).code).toBe('QUESTION_ANSWERED')
    expect(await host.record('answered')).toHaveLength(2)
  })

  it('are told when what they say is no answer, and may try again', async () => {
    const { questions } = await poll('clumsy', ['pia', 'per'])
    const id = questionTo(questions, 'pia')
    expect((await thrown(host.answer(id, '   '))).code).toBe('AGENT_EMPTY')
    expect((await thrown(host.answer(id, { intent: 'nonsense' }))).code).toBe('AGENT_ANSWER_INVALID')
    expect(await host.questions('clumsy')).toEqual(questions)
    await host.answer(id, 'yes')
    expect(await host.record('clumsy')).toHaveLength(2)
  })

  it('are not waited for when they have spoken by another way, or the group has moved on', async () => {
    const { questions } = await poll('moved on', ['pia', 'per'])
    await host.send('moved on', { id: 'm1', from: 'pia', intent: 'answer' })
    expect((await thrown(host.answer(questionTo(questions, 'pia'), 'yes'))).code).toBe('QUESTION_UNKNOWN')
    await host.cancel('moved on')
    expect((await thrown(host.answer(questionTo(questions, 'per'), 'yes'))).code).toBe('QUESTION_UNKNOWN')
    expect(await host.questions('moved on')).toEqual([])
  })

  it('have their questions listed over all conversations, the oldest first', async () => {
    await poll('list 1', ['pia', 'ana'])
    await poll('list 2', ['per', 'ana'])
    const listed = (await host.questions()).filter(({ conversation }) => conversation.startsWith('list'))
    expect(listed.map(({ conversation, member }) => [conversation, member])).toEqual([
      ['list 1', 'pia'],
      ['list 2', 'per'],
    ])
    expect((await host.list({ after: 'list 0', limit: 2 })).map(({ questions }) => questions)).toEqual([1, 1])
  })

  it('are asked nothing that nobody asked', async () => {
    for (const id of ['', 'nonsense', `${'x'.repeat(18)}@nobody`, `${'x'.repeat(18)}@asked`])
      expect((await thrown(host.answer(id, 'yes'))).code).toBe('QUESTION_UNKNOWN')
  })
})

describe('agents', () => {
  it('are asked by the cluster, beside people', async () => {
    const { questions } = await poll('both', ['bot', 'pia'])
    expect(questions.map(({ member }) => member)).toEqual(['pia'])
    await host.answer(questionTo(questions, 'pia'), 'yes')
    expect(await ended('both')).toMatchObject({ answered: expect.arrayContaining(['bot', 'pia']) })
  })

  it('that fail are charged a fault with what they said', async () => {
    await host.open({ id: 'fault', protocol: 'conversation', members: ['dud'], policy: { maxTurns: 3 } })
    await ended('fault')
    const faults = (await host.record('fault')).filter(({ type }) => type === 'fault')
    expect(faults[0]).toMatchObject({ member: 'dud', error: 'no idea' })
  })

  it('that fail without end where that costs nothing end the conversation', async () => {
    await poll('endless', ['dud'])
    expect(await ended('endless')).toEqual({ answered: [] })
    expect((await host.record('endless')).at(-1)?.type).toBe('cancel')
  })
})
