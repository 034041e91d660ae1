/** The suite of journals: what waits for a person, and what the person said. */
import { expect, it } from 'vitest'
import type { Answer } from '../../../src/agents/agent.ts'
import { type Bench, cancel, opened, opening, question, standing } from './samples.ts'

export const questionsContract = (prepare: () => Bench): void => {
  it('are told the oldest first, those of one conversation or of all', async () => {
    const journal = opened(prepare())
    await journal.append('c', 0, [opening('c')], {
      standing: standing({ questions: [question('c', 'c9', 9), question('c', 'c2', 2)] }),
    })
    await journal.append('d', 0, [opening('d')], {
      standing: standing({ questions: [question('d', 'd5', 5)] }),
    })
    await journal.append('e', 0, [opening('e')], { standing: standing() })
    expect((await journal.questions()).map(({ id }) => id)).toEqual(['c2', 'd5', 'c9'])
    expect(await journal.questions('c')).toEqual([
      { ...question('c', 'c2', 2), answer: null },
      { ...question('c', 'c9', 9), answer: null },
    ])
    expect(await journal.questions('e')).toEqual([])
    expect((await journal.load('d'))?.questions).toEqual([{ ...question('d', 'd5', 5), answer: null }])
  })

  it('keep the first answer, of any form', async () => {
    const journal = opened(prepare())
    const answers: readonly Answer[] = [
      '',
      'yes – 是 \u0000',
      { intent: 'vote', content: 'yes', payload: { deep: [1, null] } },
      ['one', { intent: 'info', content: 'two' }],
    ]
    const questions = answers.map((_, index) => question('c', `q${index}`, index))
    await journal.append('c', 0, [opening('c')], { standing: standing({ questions }) })
    for (const [index, answer] of answers.entries()) {
      await journal.answer(`q${index}`, answer)
      await expect(journal.answer(`q${index}`, 'again')).rejects.toMatchObject({ code: 'QUESTION_ANSWERED' })
    }
    expect((await journal.questions()).map(({ answer }) => answer)).toEqual(answers)
    expect((await journal.load('c'))?.questions.map(({ answer }) => answer)).toEqual(answers)
  })

  it('let one of several answers stand', async () => {
    const bench = prepare()
    const one = opened(bench)
    const other = one.capabilities.shared ? opened(bench) : one
    await one.append('c', 0, [opening('c')], { standing: standing({ questions: [question('c', 'q')] }) })
    const tries = await Promise.allSettled(
      [one, other, one].map((journal, index) => journal.answer('q', `${index}`)),
    )
    const [winner, ...others] = tries.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []))
    expect(others).toEqual([])
    expect(await one.questions()).toMatchObject([{ answer: String(winner) }])
  })

  it('are refused an answer when nobody asked, or the group has moved on', async () => {
    const journal = opened(prepare())
    await expect(journal.answer('nobody', 'x')).rejects.toMatchObject({ code: 'QUESTION_UNKNOWN' })
    await journal.append('c', 0, [opening('c')], { standing: standing({ questions: [question('c', 'q')] }) })
    await journal.append('c', 1, [cancel(1)], { standing: standing({ questions: [] }) })
    await expect(journal.answer('q', 'x')).rejects.toMatchObject({ code: 'QUESTION_UNKNOWN' })
    expect(await journal.questions()).toEqual([])
  })

  it('stay with their answers until an append says that they are settled', async () => {
    const journal = opened(prepare())
    const [first, second, third] = [question('c', 'q1', 1), question('c', 'q2', 2), question('c', 'q3', 3)]
    await journal.append('c', 0, [opening('c')], { standing: standing({ questions: [first, second] }) })
    await journal.answer('q1', 'one')
    await journal.answer('q2', 'two')
    await journal.append('c', 1, [cancel(1)], { standing: standing({ state: 'review' }) })
    await journal.append('c', 2, [cancel(2)])
    expect(await journal.questions()).toMatchObject([{ answer: 'one' }, { answer: 'two' }])

    await journal.append('c', 3, [], { standing: standing({ questions: [second, third] }) })
    expect(await journal.questions('c')).toEqual([
      { ...second, answer: 'two' },
      { ...third, answer: null },
    ])
    await expect(journal.answer('q1', 'late')).rejects.toMatchObject({ code: 'QUESTION_UNKNOWN' })
  })

  it('that are asked again after they were settled have no answer', async () => {
    const journal = opened(prepare())
    const questions = [question('c', 'q')]
    await journal.append('c', 0, [opening('c')], { standing: standing({ questions }) })
    await journal.answer('q', 'old')
    await journal.append('c', 1, [], { standing: standing({ questions: [] }) })
    await journal.append('c', 1, [], { standing: standing({ questions }) })
    expect(await journal.questions()).toMatchObject([{ id: 'q', answer: null }])
    await journal.answer('q', 'new')
    expect(await journal.questions()).toMatchObject([{ id: 'q', answer: 'new' }])
  })
}
