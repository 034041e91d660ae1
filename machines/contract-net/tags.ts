/**
 * What a bare text does in a contract net, by cues in English, Chinese and French. Only allowed intents are guessed.
 * A proposal and an award bind: a text that says both yes and no, or names no bidder among several, is taken for
 * neither, and its speaker is asked again.
 */
import type { PrefixFields, Situation, TagGuess, TagRules } from '../../src/schema/tag.ts'

/** What a prefix such as `[accept ben]` or `[propose 20]` may say. */
export const prefixFields: PrefixFields = {
  primary: { propose: 'price', accept: 'bidder', reject: 'bidder', not_understood: 'bidder' },
  types: { price: 'number', replyWithin: 'number' },
}

/** How much of a text is read: what it does is said at its start. */
const HEAD = 600

const CUES = {
  unclear:
    /\b(?:(?:do not|don't|did not|didn't|cannot|can't) understand|not understood|(?:is|it's|are) unclear|what do you mean|makes no sense|(?:ne|n'ai) (?:comprends|pas compris))\b|不明白|不理解|看不懂|不清楚/,
  callOff:
    /\b(?:call (?:it|this|the whole thing) off|never mind|j'annule|annul(?:e|ons) (?:tout|l'appel))\b|取消/,
  no: /\b(?:refuse|decline|not able|unable|no proposal|no bid|not interested|(?:can't|cannot|won't|will not) (?:do|take|help|make|bid)|i(?:'ll| will)? pass|je passe|ne (?:peux|veux) pas)\b|拒绝|无法|不能|做不了|没兴趣/,
  yes: /\b(?:i(?:'d| would)? (?:propose|offer|bid)|my (?:bid|offer|proposal|price)|i (?:can|could|will|would) (?:do|take|deliver|make|help|build|write)|i'll (?:do|take|deliver|make)|je (?:propose|peux|m'engage)|mon (?:offre|prix))\b|我提议|我报价|我出价|报价|我可以|我能|我来/,
  accept: /\b(?:accept|award|choose|pick|go with|take|hire|accepte|choisis|retiens)\b|接受|选择|采纳|同意/,
  reject: /\b(?:reject|turn down|decline|none of|refuse|no thanks|rejette)\b|拒绝|都不/,
  failed:
    /\b(?:failed|failure|could not|couldn't|unable|was not able|gave up|did not work|didn't work|echoue|n'ai pas pu)\b|失败|没能|未能|无法完成/,
  done: /\b(?:done|finished|completed?|here is|here are|the result|result:|termine|fini|voici|fait)\b|完成|做好了|结果/,
} as const satisfies Readonly<Record<string, RegExp>>

const PRICE =
  /(?:[$€£¥]\s?(\d{1,12}(?:\.\d{1,4})?))|(?<!\d|\d[.,])(\d{1,12}(?:\.\d{1,4})?)\s?(?:usd|eur|dollars?|euros?|[$€£¥元块])/

/** Lower case, without accents, of one width, with straight apostrophes. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replaceAll('’', "'")

const says = (text: string, cue: keyof typeof CUES): boolean => CUES[cue].test(text)

const guess = (
  intent: string,
  confidence: number,
  payload: Readonly<Record<string, unknown>> = {},
): TagGuess => (Object.keys(payload).length === 0 ? { intent, confidence } : { intent, confidence, payload })

const priceIn = (text: string): Readonly<Record<string, unknown>> => {
  const [, before, after] = PRICE.exec(text) ?? []
  const digits = before ?? after
  return digits === undefined ? {} : { price: Number(digits) }
}

/** The members that a text names as whole words, letters of other scripts aside. */
const namedIn = (text: string, members: readonly string[]): string[] =>
  members.filter((id) => {
    const name = fold(id)
    if (name === '') return false
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
      const around = text.charAt(at - 1) + text.charAt(at + name.length)
      if (!/[a-z0-9_]/.test(around) || !/[a-z0-9]/.test(name)) return true
    }
    return false
  })

const bidding = (text: string): TagGuess | null => {
  if (says(text, 'unclear')) return guess('not_understood', 0.8)
  const [yes, no] = [says(text, 'yes'), says(text, 'no')]
  if (yes && !no) return guess('propose', 0.85, priceIn(text))
  return no && !yes ? guess('refuse', 0.85) : null
}

const awarding = (text: string, { members = [] }: Situation): TagGuess | null => {
  const named = namedIn(text, members)
  const [bidder, another] = named
  const payload = bidder === undefined || another !== undefined ? {} : { bidder }
  if (says(text, 'unclear')) return another === undefined ? guess('not_understood', 0.8, payload) : null
  const [yes, no] = [says(text, 'accept'), says(text, 'reject')]
  if (yes && !no) return another === undefined ? guess('accept', 0.85, payload) : null
  return no && !yes ? guess('reject', 0.85, payload) : null
}

const performing = (text: string): TagGuess | null => {
  if (says(text, 'failed')) return says(text, 'done') ? null : guess('failure', 0.8)
  return says(text, 'done') ? guess('inform', 0.8) : null
}

/** What a text does in a state, or null when it gives no hint. */
export const tags: TagRules = (given, situation) => {
  const text = fold(given.slice(0, HEAD))
  const read = (): TagGuess | null => {
    if (situation.allowed.includes('call_off') && says(text, 'callOff')) return guess('call_off', 0.8)
    switch (situation.state) {
      case 'bidding':
        return bidding(text)
      case 'awarding':
        return awarding(text, situation)
      case 'performing':
        return performing(text)
      default:
        return null
    }
  }
  const found = read()
  return found !== null && situation.allowed.includes(found.intent) ? found : null
}
