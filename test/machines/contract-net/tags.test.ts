/** What a bare text does: cues in three languages, and no bid or award out of a text that leaves doubt. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contractNet } from '../../../machines/contract-net/index.ts'
import { tag } from '../../../src/agents/tagger.ts'
import { parameters } from '../../support/property.ts'

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  calling: ['cfp', 'call_off'],
  bidding: ['propose', 'refuse', 'not_understood'],
  awarding: ['accept', 'reject', 'not_understood', 'call_off'],
  performing: ['inform', 'failure', 'not_understood'],
}
const EXPECTED: Readonly<Record<string, string>> = { calling: 'cfp', performing: 'inform' }

/** What a text is taken as, with what it names. */
const read = (state: string, text: string) => {
  const [{ intent, payload }] = tag(text, {
    intents: Object.keys(contractNet.payloads),
    situation: {
      state,
      allowed: ALLOWED[state] ?? [],
      expected: EXPECTED[state] ?? '',
      members: ['ini', 'ana', 'ben', '小王'],
    },
    rules: contractNet.tags,
    prefixFields: contractNet.prefixFields,
  })
  const { tagged: _, ...named } = payload
  return [intent, named]
}

describe('a bare text', () => {
  it.each<[string, string, string, object]>([
    ['calling', 'Please paint the fence by Friday.', 'cfp', {}],
    ['calling', 'Never mind, we do not need it any more.', 'call_off', {}],
    ['calling', '取消吧，不做了', 'call_off', {}],
    ['bidding', 'I can do it for $20.50 by Friday.', 'propose', { price: 20.5 }],
    ['bidding', 'My bid: 30 euros, two coats.', 'propose', { price: 30 }],
    ['bidding', 'I propose to use oil paint.', 'propose', {}],
    ['bidding', '我可以做，200元', 'propose', { price: 200 }],
    ['bidding', 'Je propose deux couches pour 30 €', 'propose', { price: 30 }],
    ['bidding', 'I can’t do this, I’m busy.', 'refuse', {}],
    ['bidding', 'I have to decline.', 'refuse', {}],
    ['bidding', '抱歉，无法参加', 'refuse', {}],
    ['bidding', 'Je ne peux pas.', 'refuse', {}],
    ['bidding', 'I don’t understand which fence you mean.', 'not_understood', {}],
    ['bidding', '我不明白要做什么', 'not_understood', {}],
    ['awarding', 'I accept Ben, his price is best.', 'accept', { bidder: 'ben' }],
    ['awarding', '我选择小王', 'accept', { bidder: '小王' }],
    ['awarding', 'J’accepte la proposition de ana', 'accept', { bidder: 'ana' }],
    ['awarding', 'Accepted? Yes: I choose it.', 'accept', {}],
    ['awarding', 'I reject ana’s proposal.', 'reject', { bidder: 'ana' }],
    ['awarding', 'None of them is good enough.', 'reject', {}],
    ['awarding', 'What do you mean, ben?', 'not_understood', { bidder: 'ben' }],
    ['performing', 'Done: the fence is white.', 'inform', {}],
    ['performing', '完成了，结果如下', 'inform', {}],
    ['performing', 'The fence is white now.', 'inform', {}],
    ['performing', 'I could not find any paint.', 'failure', {}],
    ['performing', 'J’ai échoué', 'failure', {}],
    ['performing', '任务失败', 'failure', {}],
  ])('%s: %s', (state, text, intent, named) => {
    expect(read(state, text)).toEqual([intent, named])
  })

  it.each([
    ['bidding', 'Good morning everybody.'],
    ['bidding', 'I can do it, but I refuse at that price.'],
    ['awarding', 'I accept ana and ben.'],
    ['awarding', 'I accept ben, and reject ana.'],
    ['awarding', 'Banana bread and benches.'],
  ])('%s: that leaves doubt is not guessed at: %s', (state, text) => {
    expect(read(state, text)[0]).toBe('')
  })

  it.each([
    ['bidding', '[propose 20] two coats', 'propose', { price: 20 }],
    ['awarding', '[accept ben] cheapest', 'accept', { bidder: 'ben' }],
    ['awarding', '[reject] no', 'reject', {}],
    ['calling', '[cfp replyWithin=5000] paint', 'cfp', { replyWithin: 5000 }],
  ])('%s: whose prefix says it is taken at its word: %s', (state, text, intent, named) => {
    expect(read(state, text)).toEqual([intent, named])
  })

  it('is never taken for what is not allowed, and never thrown at', () => {
    const words = fc.constantFrom(
      'accept',
      'refuse',
      'done',
      'failed',
      'I can do',
      'ben',
      '$',
      '3',
      '取消',
      '失败',
      '?',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(words).map((list) => list.join(' ')),
        ),
        fc.constantFrom(...Object.keys(ALLOWED), 'closed'),
        fc.subarray(Object.keys(contractNet.payloads)),
        fc.array(fc.string()),
        (text, state, allowed, members) => {
          const guess = contractNet.tags(text, { state, allowed, expected: '', members })
          if (guess !== null) expect(allowed).toContain(guess.intent)
        },
      ),
      parameters(500),
    )
  })
})
