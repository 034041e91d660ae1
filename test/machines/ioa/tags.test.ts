/** What bare texts and prefixes are taken for. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ioa } from '../../../machines/ioa/index.ts'
import { INTENTS } from '../../../machines/ioa/intents.ts'
import { tag } from '../../../src/agents/tagger.ts'
import { parameters } from '../../support/property.ts'

const TALK = ['discuss', 'assign_sync', 'assign_async', 'pause', 'conclude'] as const
const members = ['ana', 'ana lee', 'ben', '智能体']

const tagged = (text: string, allowed: readonly string[] = TALK, expected = 'discuss') => {
  const situation = { state: 'async_assignment', allowed, expected, members }
  const [first] = tag(text, {
    intents: INTENTS,
    situation,
    rules: ioa.tags,
    prefixFields: ioa.prefixFields,
  })
  const { tagged: _, ...payload } = first.payload
  return { intent: first.intent, ...payload }
}

describe('a bare text', () => {
  it.each([
    ['I think we should look at the figures first.', { intent: 'discuss' }],
    ['What do you think, @ben?', { intent: 'discuss', next: 'ben' }],
    ['@ana and @ben, what do you think?', { intent: 'discuss' }],
    ['@ana lee, could you look it up?', { intent: 'assign_sync', to: ['ana lee'] }],
    ['@ben @ana please read the paper.', { intent: 'assign_sync', to: ['ben', 'ana'] }],
    ['@ben please read the paper; meanwhile we go on.', { intent: 'assign_async', to: ['ben'] }],
    ['请@智能体查一下。', { intent: 'assign_sync', to: ['智能体'] }],
    ['请@智能体查一下，同时我们继续。', { intent: 'assign_async', to: ['智能体'] }],
    ["@ben, peux-tu lire l'article ?", { intent: 'assign_sync', to: ['ben'] }],
    ['@ben, merci de le lire en parallèle', { intent: 'assign_async', to: ['ben'] }],
    ["Let's wait for the results.", { intent: 'pause' }],
    ['我们等待结果吧', { intent: 'pause' }],
    ['Attendons les résultats.', { intent: 'pause' }],
    ["Let's wrap up.", { intent: 'conclude' }],
    ['总结一下', { intent: 'conclude' }],
    ['Pour conclure : nous avons fini.', { intent: 'conclude' }],
    ['Please, somebody, do something', { intent: 'discuss' }],
  ])('that is talk: %s', (text, expected) => {
    expect(tagged(text)).toEqual(expected)
  })

  it.each([
    ['Forty-two.', { intent: 'report' }],
    ['I could not open the file.', { intent: 'report', status: 'failed' }],
    ['无法打开文件', { intent: 'report', status: 'failed' }],
    ["C'est impossible de l'ouvrir", { intent: 'report', status: 'failed' }],
    ['In conclusion, the file says 42.', { intent: 'report' }],
  ])('where a result is asked for is the result: %s', (text, expected) => {
    expect(tagged(text, ['report'], 'report')).toEqual(expected)
  })

  it('of a speaker who owes a result may be it', () => {
    expect(tagged('I am done: 42', [...TALK, 'report'])).toEqual({ intent: 'report' })
    expect(tagged('I am done: 42')).toEqual({ intent: 'discuss' })
  })

  it('in conclusion is the conclusion', () => {
    expect(tagged('@ben, please wait for the results.', ['conclude'], 'conclude')).toEqual({
      intent: 'conclude',
    })
  })
})

describe('a prefix', () => {
  it.each([
    ['[discuss ben] your turn', { intent: 'discuss', next: 'ben' }],
    ['[assign_sync ana,ben] read it', { intent: 'assign_sync', to: ['ana', 'ben'] }],
    [
      '[assign_async ben title="the paper" next=ana] read it',
      { intent: 'assign_async', to: ['ben'], title: 'the paper', next: 'ana' },
    ],
    ['[pause t1,t2]', { intent: 'pause', tasks: ['t1', 't2'] }],
    ['[report t1 status=partial] half of it', { intent: 'report', task: 't1', status: 'partial' }],
    ['[conclude ana]', { intent: 'conclude', next: 'ana' }],
  ])('names fields: %s', (text, expected) => {
    expect(tagged(text)).toEqual(expected)
  })
})

describe('the rules', () => {
  it('guess only what is allowed, whatever the text', () => {
    const words = fc.constantFrom(
      '@ben',
      '@ana lee',
      'please',
      'meanwhile',
      'wait for',
      'done',
      'to conclude',
      '请',
      '总结',
      '\u0000',
      'x',
    )
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(words).map((all) => all.join(' ')),
    )
    fc.assert(
      fc.property(
        text,
        fc.subarray([...INTENTS]),
        fc.constantFrom('', ...INTENTS),
        (said, allowed, expected) => {
          const guess = ioa.tags(said, { state: 'discussion', allowed, expected, members })
          if (guess === null) return
          expect(allowed).toContain(guess.intent)
          expect(ioa.payloads[guess.intent]?.safeParse(guess.payload).success).toBe(true)
        },
      ),
      parameters(300),
    )
  })
})
