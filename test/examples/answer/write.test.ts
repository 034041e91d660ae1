import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { condense } from '../../../examples/answer/condense.ts'
import { sourcesOf } from '../../../examples/answer/resolve.ts'
import { sentencesOf } from '../../../examples/answer/sentences.ts'
import { verify } from '../../../examples/answer/verify.ts'
import { type AnswerSentence, write } from '../../../examples/answer/write.ts'
import { library, search } from './library.ts'

const ANSWERABLE = [
  'How does MiniSearch work offline?',
  'Which TypeScript version does yaml need?',
  'How do I parse YAML with comments kept?',
  "What does zod's safeParse return?",
  'How does commander copy inherited settings?',
  'Which runtimes does openai support?',
  'How do I retain samples in tinybench?',
  'Does nanoid have dependencies?',
  'Can fast-check detect race conditions?',
  'How long until an openai request times out?',
]
const UNANSWERABLE = [
  'What is the capital of Mongolia?',
  'Which Node versions does vitest support?',
  'How does zod encrypt passwords?',
  'How do I connect commander to a PostgreSQL database?',
  'Who won the 2018 World Cup?',
  'How do I prune an apple tree?',
  'How do I bake sourdough bread?',
]

const flat = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Write, verify, take out what was refused, at most three times, as the conversation does. */
const converse = (question: string): { text: string; accepted: boolean; rounds: number } => {
  const passages = search.find(question)
  const refused: AnswerSentence[] = []
  for (let rounds = 1; ; rounds++) {
    const draft = write(question, passages, refused)
    const texts = draft.sentences.map((sentence) => sentence.text)
    const bad = verify(texts.length > 0 ? texts : [draft.text], passages)
    if (bad.length === 0 || rounds === 3) return { text: draft.text, accepted: bad.length === 0, rounds }
    refused.push(
      ...draft.sentences.filter((sentence) => bad.some((one) => sentence.text.includes(one.sentence))),
    )
  }
}

describe('the writer', () => {
  it.each(ANSWERABLE)('answers: %s', (question) => {
    expect(converse(question).accepted).toBe(true)
  })

  it.each(UNANSWERABLE)('ends honestly: %s', (question) => {
    const { text, accepted } = converse(question)
    expect(accepted).toBe(false)
    expect(text).toMatch(/^The documents given do not answer this question\./)
  })

  it('says what the documents say', () => {
    expect(converse('Which TypeScript version does yaml need?').text).toContain('3.9')
    expect(converse('How long until an openai request times out?').text).toContain('10 minutes')
    expect(converse("What does zod's safeParse return?").text).toContain('ZodError')
    expect(converse('Can zod schemas with async refinements be compiled?').text).toMatch(/can't be compiled/)
  })

  it('never repeats a refused sentence, nor anything made of its sources, and ends', () => {
    const questions = [...ANSWERABLE, ...UNANSWERABLE]
    fc.assert(
      fc.property(fc.constantFrom(...questions), fc.infiniteStream(fc.boolean()), (question, coins) => {
        const passages = search.find(question)
        const refused: AnswerSentence[] = []
        for (let round = 0; round < 40; round++) {
          const draft = write(question, passages, refused)
          const texts = new Set(refused.map((sentence) => flat(sentence.text)))
          const from = new Set(refused.flatMap((sentence) => sentence.from))
          for (const sentence of draft.sentences) {
            expect(texts.has(flat(sentence.text))).toBe(false)
            expect(sentence.from.some((ref) => from.has(ref))).toBe(false)
          }
          if (draft.sentences.length === 0) return
          const hit = draft.sentences.filter(() => coins.next().value === true)
          refused.push(...(hit.length > 0 ? hit : draft.sentences.slice(0, 1)))
        }
        expect.fail('the writer never came to an end')
      }),
      { numRuns: 60 },
    )
  })

  it('replaces what was refused while there is something else to say', () => {
    const passages = search.find('How do I make an option required in commander?')
    const first = write('How do I make an option required in commander?', passages)
    const second = write('How do I make an option required in commander?', passages, first.sentences)
    expect(first.sentences.length).toBeGreaterThan(0)
    expect(second.sentences.length).toBeGreaterThan(0)
    expect(second.text).not.toBe(first.text)
  })

  it('copies no sentence of more than twelve words, in any answer', () => {
    const long = new Map(
      library.passages.map((passage) => [
        passage.id,
        sentencesOf(passage.text)
          .filter((sentence) => sentence.text.split(/\s+/).length > 12)
          .map((sentence) => flat(sentence.text)),
      ]),
    )
    for (const question of ANSWERABLE)
      for (const sentence of write(question, search.find(question)).sentences)
        for (const id of sentence.sources)
          for (const source of long.get(id) ?? []) expect(flat(sentence.text)).not.toContain(source)
  })

  it('copies no sentence of more than twelve words, whatever it condenses', () => {
    let condensed = 0
    let [before, after] = [0, 0]
    for (const passage of library.passages)
      for (const source of sourcesOf(passage)) {
        const text = condense(source.text, () => 0)
        if (text === null || source.text.split(/\s+/).length <= 12) continue
        condensed++
        before += source.text.length
        after += text.length
        expect(` ${flat(text)} `).not.toContain(` ${flat(source.text)} `)
      }
    expect(condensed).toBeGreaterThan(300)
    expect(after / before).toBeLessThan(0.85)
  })

  it('drops no condition, negation or "only" that it had', () => {
    const keeps = (text: string): string | null => condense(text, () => 0)
    expect(
      keeps('Note that the lid opens (but only when it is cold) after you press the large red button.'),
    ).toContain('only')
    expect(
      keeps(
        'However, if the kettle is empty, the red lamp really begins to flash until someone fills the kettle.',
      ),
    ).toMatch(/if the kettle is empty/i)
    expect(keeps('Note that in order to save power the lamp does not really flash at night, however.')).toBe(
      'To save power the lamp does not flash at night.',
    )
  })

  it('joins two statements about one thing', () => {
    const passages = [
      {
        id: 'kettle.md#1',
        source: 'kettle.md › Kettle',
        text: 'Kettle is a boiler of water. It has a boiler lamp.',
      },
    ]
    const draft = write('What about the boiler?', passages)
    expect(draft.text).toBe('Kettle is a boiler of water and has a boiler lamp.')
  })
})
