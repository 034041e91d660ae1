/** People as members, who may answer tomorrow. */
import { describe, expect, it } from 'vitest'
import {
  type Host,
  type Journal,
  memoryJournal,
  type PendingQuestion,
  type Summary,
} from '../../src/index.ts'
import { byHand, info, settled, started } from './stage.ts'

const DAY = 86_400_000
const members = ['ana', 'ben']
const policy = {
  deadline: { discussion: 7 * DAY, proposal: 7 * DAY, assign: 7 * DAY, execution: 7 * DAY, review: 7 * DAY },
}

const only = async (host: Host): Promise<PendingQuestion> => {
  const questions = await host.questions()
  expect(questions).toHaveLength(1)
  return questions[0] as PendingQuestion
}

const proposal = {
  id: 'p',
  from: 'ana',
  intent: 'proposal',
  content: 'Let us',
  payload: { subtasks: [{ id: 't' }] },
}

describe('a person who is a member', () => {
  it('is asked by a question that is kept, and whose answer becomes a message with its id', async () => {
    const { clock, pass } = byHand()
    const host = await started({ journal: memoryJournal({ now: clock.now }), clock, people: ['ben'] })
    await host.open({ id: 'c', goal: 'Ship it', members, policy })
    await host.send('c', proposal)
    await settled()
    const question = await only(host)
    expect(question).toMatchObject({
      conversation: 'c',
      member: 'ben',
      state: 'proposal',
      goal: 'Ship it',
      seq: 1,
      dueAt: clock.now() + 7 * DAY,
      answer: null,
    })
    expect(question.allowed.map(({ intent }) => intent)).toContain('agree')
    expect((await host.show('c'))?.questions).toMatchObject([{ id: question.id }])
    await pass(DAY)
    await host.answer(question.id, 'I agree, do it')
    await settled()
    expect(await host.record('c')).toMatchObject([
      { type: 'open' },
      { type: 'message' },
      { type: 'message', message: { id: question.id, from: 'ben', intent: 'agree' } },
    ])
    expect(await host.questions()).toEqual([])
    await host.send('c', { id: 'a', from: 'ana', intent: 'accept' })
    await host.send('c', { id: 'r', from: 'ana', intent: 'result', content: 'done' })
    await settled()
    expect(await only(host)).toMatchObject({ member: 'ben', state: 'review' })
    await expect(host.answer(question.id, 'No!')).rejects.toMatchObject({ code: 'QUESTION_UNKNOWN' })
  })

  it('is asked the same question after a restart, and what was answered meanwhile is taken once', async () => {
    const { clock, pass } = byHand()
    const journal = memoryJournal({ now: clock.now })
    const first = await started({ journal, clock, people: ['ben'] })
    await first.open({ id: 'c', members, policy })
    await first.send('c', proposal)
    await settled()
    const question = await only(first)
    await first.close()
    // No host runs; the answer is kept.
    await journal.answer(question.id, { intent: 'agree', content: 'yes' })
    await expect(journal.answer(question.id, 'no')).rejects.toMatchObject({ code: 'QUESTION_ANSWERED' })
    const second = await started({ journal, clock, people: ['ben'] })
    await pass(2_000)
    const record = await second.record('c')
    expect(record).toHaveLength(3)
    expect(record[2]).toMatchObject({ message: { id: question.id, content: 'yes', intent: 'agree' } })
    await second.close()
    const third = await started({ journal, clock, people: ['ben'] })
    await pass(2_000)
    expect(await third.record('c')).toEqual(record)
    expect((await third.show('c'))?.state).toBe('assign')
  })

  it('keeps its question while others talk, and loses it when the group moves on', async () => {
    const { clock } = byHand()
    const host = await started({ journal: memoryJournal({ now: clock.now }), clock, people: ['ben'] })
    await host.open({ id: 'c', members, policy })
    await host.send('c', info('m1', 'ana'))
    await settled()
    const question = await only(host)
    expect(question.state).toBe('discussion')
    await host.send('c', info('m2', 'ana'))
    await settled()
    expect((await only(host)).id).toBe(question.id)
    await host.send('c', proposal)
    await settled()
    const next = await only(host)
    expect(next).toMatchObject({ state: 'proposal' })
    await expect(host.answer(question.id, 'hello')).rejects.toMatchObject({ code: 'QUESTION_UNKNOWN' })
    await host.cancel('c')
    await settled()
    expect(await host.questions()).toEqual([])
    await expect(host.answer(next.id, '[agree]')).rejects.toMatchObject({ code: 'QUESTION_UNKNOWN' })
  })

  it('is not charged for what is no answer at all', async () => {
    const host = await started({ journal: memoryJournal(), people: ['ben'] })
    await host.open({ id: 'c', members, policy })
    await host.send('c', proposal)
    await settled()
    const question = await only(host)
    for (const answer of ['', ' \n', { text: ' ' }, ['', '\t']])
      await expect(host.answer(question.id, answer)).rejects.toMatchObject({ code: 'AGENT_EMPTY' })
    for (const id of [7, null, undefined, {}])
      await expect(host.answer(id as never, 'yes')).rejects.toMatchObject({ code: 'QUESTION_UNKNOWN' })
    for (const id of [7, null, {}])
      await expect(host.questions(id as never)).rejects.toMatchObject({ code: 'USAGE' })
    for (const answer of [7, null, {}, [], [7], { text: 7 }])
      await expect(host.answer(question.id, answer as never)).rejects.toMatchObject({
        code: 'AGENT_ANSWER_INVALID',
      })
    expect(await only(host)).toEqual(question)
  })

  it('is told what was wrong with an answer that could not be used, by a new question', async () => {
    const { clock } = byHand()
    const host = await started({ journal: memoryJournal({ now: clock.now }), clock, people: ['ben'] })
    await host.open({ id: 'c', members, policy })
    await host.send('c', proposal)
    await settled()
    const question = await only(host)
    await host.answer(question.id, '42')
    await settled()
    const next = await only(host)
    expect(next.id).not.toBe(question.id)
    expect(next.notice).toContain('AGENT_ANSWER_INVALID')
    expect((await host.record('c')).at(-1)).toMatchObject({ type: 'fault', member: 'ben' })
  })

  it('costs no memory while only people are waited for, and the deadline fires all the same', async () => {
    const { clock, pass } = byHand()
    const journal = memoryJournal({ now: clock.now })
    // Time goes on in steps that are longer than a lease usually is.
    const host = await started({ journal, clock, people: ['ben'], resident: 2, lease: 10 * DAY })
    for (let index = 0; index < 10; index++) {
      await host.open({ id: `c${index}`, members, policy })
      await host.send(`c${index}`, { ...proposal, id: `p${index}` })
      await settled()
    }
    const questions = await host.questions()
    expect(questions).toHaveLength(10)
    const held = (await host.list()).filter(({ holder }) => holder !== null)
    expect(held.length).toBeLessThan(5)
    await host.answer(questions[0]?.id ?? '', 'I agree')
    await pass(2_000)
    expect((await host.show('c0'))?.state).toBe('assign')
    await pass(7 * DAY, 200)
    await pass(5_000)
    expect(await host.list({ status: 'timeout' })).toHaveLength(10)
    expect(await host.questions()).toEqual([])
  })

  it('is a member like others to agents beside it', async () => {
    const { clock, pass } = byHand()
    const host = await started({
      journal: memoryJournal({ now: clock.now }),
      clock,
      people: (member) => member.startsWith('person:'),
      agents: {
        ana: ({ state }) =>
          state === 'discussion'
            ? { intent: 'proposal', payload: { subtasks: [{ id: 't' }] } }
            : state === 'assign'
              ? '[accept]'
              : '[result] It is done',
      },
    })
    await host.open({ id: 'c', members: ['ana', 'person:ben'], lead: 'ana', policy })
    for (const answer of ['I agree', 'Looks good, approved']) {
      await settled()
      await host.answer((await only(host)).id, answer)
      await pass(1_000)
    }
    expect((await host.show('c'))?.outcome).toMatchObject({ status: 'accepted' })
  })
})

describe('a question', () => {
  it('goes in the append in which its state is left, and one that a crash left behind goes before it is answered', async () => {
    const { clock } = byHand()
    const memory = memoryJournal({ now: clock.now })
    const asked: (readonly string[] | undefined)[] = []
    const journal: Journal = {
      ...memory,
      append(conversation, seq, events, options) {
        asked.push(options?.standing?.questions?.map(({ member }) => member))
        return memory.append(conversation, seq, events, options)
      },
    }
    const first = await started({ journal, clock, people: ['ben'] })
    await first.open({ id: 'c', members, policy })
    await first.send('c', proposal)
    await settled()
    const left = await only(first)
    const at = asked.length
    await first.send('c', { id: 'b', from: 'ben', intent: 'agree' })
    expect(asked[at]).toEqual([])
    await first.close()

    const { events } = await memory.read('c')
    const { state, dueAt } = (await memory.list())[0] as Summary
    const standing = { state: state as string, dueAt, outcome: null, questions: [left] }
    await memory.append('c', events.length, [], { standing })
    const second = await started({ journal: memory, clock, people: ['ben'] })
    await settled()
    await expect(second.answer(left.id, 'Too late')).rejects.toMatchObject({ code: 'QUESTION_UNKNOWN' })
  })
})
