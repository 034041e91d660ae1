/**
 * The conversation protocol's tagging rules: what a bare text in English, Chinese or French does, by state.
 *
 * A text is read in three steps. It is folded (case, accents, widths; members and subtasks become marks), then cues
 * are found in it, longest first: what a cue has matched is blanked, so that the `agree` of `I don't agree` is not
 * seen again. Last, the state decides what the cues mean, among the intents that are allowed: a guess of ours must
 * not cost the speaker a violation. Where nothing allowed is meant the answer is null.
 */

import type { PrefixFields, TagGuess, TagRules } from '../../../src/schema/tag.ts'
import { type Act, FAINT, FAIR, type Hit, type Mention, STRONG, WEAK } from './cues.ts'
import { heaviest, type Reading, read, SUBSTANTIAL } from './reading.ts'

/** What a prefix such as `[accept t1]` or `[verdict reject]` may say. */
export const prefixFields: PrefixFields = {
  primary: {
    assign: 'subtask',
    accept: 'subtask',
    object: 'subtask',
    progress: 'subtask',
    result: 'subtask',
    verdict: 'verdict',
    reject: 'subtasks',
  },
  types: {
    decisive: 'boolean',
    percent: 'number',
    status: ['success', 'partial', 'failed'],
    verdict: ['pass', 'reject'],
    subtasks: 'list',
    unsupported: 'list',
    reasons: 'list',
  },
}
const PERCENT =
  /(?<![\d.])(\d{1,3}(?:\.\d{1,4})?) ?(?:%|percent(?![a-z])|pour ?cent(?![a-z]))|百分之 ?(\d{1,3})/

/**
 * What a text does in a state of the conversation, by cues in English, Chinese and French. Only allowed intents are
 * guessed. Two guesses err on the safe side: `agree, but …` is an objection, and so is a mere question where a vote
 * or a verdict is asked for and no questions are admitted, because neither is an assent.
 */
export const tags: TagRules = (text, situation) => {
  const reading = read(text.trim(), situation)
  switch (situation.state) {
    case 'discussion':
      return discussion(reading)
    case 'proposal':
      return proposal(reading)
    case 'assign':
      return work(reading) ?? vote(reading, 'accept') ?? talk(reading) ?? named(reading)
    case 'execution':
      return execution(reading)
    case 'review':
      return review(reading)
    default:
      return null
  }
}

function guess(intent: string, confidence: number, payload: Record<string, unknown> = {}): TagGuess {
  return { intent, confidence, ...(Object.keys(payload).length > 0 ? { payload } : {}) }
}

function plan(reading: Reading, confidence: number): TagGuess {
  return guess('proposal', confidence, reading.steps.length > 0 ? { subtasks: reading.steps } : {})
}

/** Whether the text asks: most of all at its end, or as its only sentence. */
function asking(reading: Reading): number {
  const { sentences } = reading
  if (sentences.at(-1)?.asks) return STRONG
  if (sentences.some((s) => s.asks)) return sentences[0]?.asks ? FAIR : WEAK
  return reading.best('ask')?.weight ?? 0
}

function discussion(reading: Reading): TagGuess | null {
  const proposed = reading.best('propose')
  const asks = asking(reading)
  const informs = reading.best('inform')
  const listed = reading.steps.length > 0
  if (reading.allows('proposal')) {
    if (proposed && proposed.weight >= STRONG) return plan(reading, listed ? 0.95 : STRONG)
    if (proposed && listed && asks < FAIR) return plan(reading, FAIR)
    if (proposed && !informs && asks < FAIR) return plan(reading, WEAK)
  }
  if (asks > 0 && reading.allows('question') && (asks >= FAIR || !informs)) return guess('question', asks)
  if (informs && reading.allows('info')) return guess('info', STRONG)
  if (listed && reading.allows('proposal')) return plan(reading, 0.5)
  return talk(reading)
}

/** What talk is left where the state admits it. */
function talk(reading: Reading): TagGuess | null {
  const asks = asking(reading)
  if (asks >= FAIR && reading.allows('question')) return guess('question', asks)
  if (reading.best('inform') && reading.allows('info')) return guess('info', FAIR)
  return null
}

function proposal(reading: Reading): TagGuess | null {
  const proposed = reading.best('propose')
  const against = reading.best('no', 'refuse', 'fail')
  const listed = reading.steps.length > 0
  if (proposed && proposed.weight >= STRONG && reading.allows('proposal')) {
    const agrees = reading.best('yes', 'pass')
    if (listed) return plan(reading, STRONG)
    if (!against && !(agrees && agrees.weight >= STRONG && agrees.at < proposed.at))
      return plan(reading, FAIR)
  }
  const voted = vote(reading, 'agree')
  if (voted) return voted
  if (listed && reading.allows('proposal')) return plan(reading, WEAK)
  const talked = talk(reading)
  if (talked) return talked
  return asking(reading) >= FAIR && reading.allows('object') ? guess('object', FAINT) : null
}

/** Yes or no, as `intent` or as an objection. What comes after a `but` counts more than what comes before. */
function vote(reading: Reading, intent: 'agree' | 'accept'): TagGuess | null {
  const polarity = leaning(reading, ['yes', 'pass'], ['no', 'fail', 'refuse'])
  if (!polarity) return null
  const says = polarity.positive ? intent : 'object'
  if (!reading.allows(says)) return null
  const weight = intent === 'accept' ? Math.min(polarity.weight, FAIR) : polarity.weight
  return guess(says, weight, intent === 'accept' ? about(reading, polarity.hit) : {})
}

interface Leaning {
  readonly positive: boolean
  readonly weight: number
  readonly hit: Hit
}

function leaning(reading: Reading, yes: readonly Act[], no: readonly Act[]): Leaning | null {
  const { hits } = reading
  const polar = hits.filter((hit) => yes.includes(hit.act) || no.includes(hit.act))
  const condition = hits.find((hit) => hit.act === 'onlyIf')
  const minor = hits.some((hit) => hit.act === 'minor')
  // A turn at the very start (`but I agree`, `although …, …`) has nothing before it to turn from.
  const turn = hits.findLast((hit) => hit.act === 'but' && polar.some((p) => p.at < hit.at))

  const one = (among: readonly Hit[]): Leaning | null => {
    const pro = heaviest(among.filter((hit) => yes.includes(hit.act)))
    const con = heaviest(among.filter((hit) => no.includes(hit.act)))
    if (pro && con) {
      // Both are said: the clearer one counts, of equals the denial.
      const positive = pro.weight > con.weight
      return { positive, weight: WEAK, hit: positive ? pro : con }
    }
    const hit = pro ?? con
    return hit ? { positive: hit === pro, weight: hit.weight, hit } : null
  }

  const whole = one(polar)
  if (!whole) return condition ? { positive: false, weight: WEAK, hit: condition } : null
  if (condition && whole.positive) return { positive: false, weight: FAIR, hit: whole.hit }
  if (!turn) return whole
  const after = one(polar.filter((hit) => hit.at > turn.at))
  if (after) return { ...after, weight: Math.min(after.weight, FAIR) }
  const before = one(polar.filter((hit) => hit.at < turn.at)) ?? whole
  if (!before.positive || minor) return { ...before, weight: Math.min(before.weight, FAIR) }
  return { positive: false, weight: WEAK, hit: before.hit }
}

/** The subtask that a cue is about: the next one named after it in reach, else the nearest before it. */
function near(reading: Reading, hit: Hit): Mention | undefined {
  const after = reading.subtasks.find((s) => s.at >= hit.at && s.at <= hit.end + 60)
  const before = reading.subtasks.findLast((s) => s.at < hit.at)
  return after && !(before && hit.at - before.at < after.at - hit.end) ? after : (before ?? after)
}

function about(reading: Reading, hit: Hit): Record<string, unknown> {
  const subtask = near(reading, hit)?.id ?? reading.subtasks[0]?.id
  return subtask === undefined ? {} : { subtask }
}

/** Who takes what: an order, an acceptance, a refusal. */
function work(reading: Reading): TagGuess | null {
  const refused = reading.best('refuse')
  const taken = reading.best('take')
  const given = reading.best('assign')
  if (given && reading.allows('assign') && !(taken && taken.at < given.at)) {
    const owner = reading.members.find((m) => m.at >= given.at && m.at < given.end + 20) ?? reading.members[0]
    const known = reading.situation.subtasks ?? []
    const subtask = near(reading, given)?.id ?? (known.length === 1 ? known[0]?.id : undefined)
    // Without both there is nothing to assign.
    if (owner && subtask !== undefined) return guess('assign', STRONG, { subtask, owner: owner.id })
  }
  if (refused && reading.allows('object')) return guess('object', refused.weight, about(reading, refused))
  if (taken && reading.allows('accept')) {
    const asked = reading.sentences.some((s) => s.asks && taken.at >= s.at && taken.at < s.end)
    return guess('accept', asked ? WEAK : taken.weight, about(reading, taken))
  }
  // Somebody and some work named, and nothing said of oneself.
  const [member, other] = new Set(reading.members.map((m) => m.id))
  const [subtask] = reading.subtasks
  if (
    reading.situation.state === 'assign' &&
    member &&
    other === undefined &&
    subtask &&
    reading.allows('assign')
  ) {
    return guess('assign', WEAK, { subtask: subtask.id, owner: member })
  }
  return null
}

function execution(reading: Reading): TagGuess | null {
  const failed = reading.best('failed')
  const doing = reading.best('doing')
  const partial = reading.best('partial')
  const done = reading.best('done')
  const percent = findPercent(reading)
  // An announcement at the start outweighs what the text goes on to tell.
  const first = heaviest([failed, doing, partial, done].filter((hit) => hit !== undefined))
  const leads = (hit: Hit | undefined): hit is Hit => hit !== undefined && hit.weight >= (first?.weight ?? 0)

  const result = (status: string, hit: Hit): TagGuess | null =>
    reading.allows('result') ? guess('result', hit.weight, { ...about(reading, hit), status }) : null
  const progress = (weight: number, hit: Hit | undefined): TagGuess | null =>
    reading.allows('progress')
      ? guess('progress', weight, {
          ...(hit ? about(reading, hit) : subtaskOf(reading)),
          ...(percent?.near ? { percent: percent.value } : {}),
        })
      : null

  const told = [failed, partial, doing, done].filter(leads)
  const announced = told.reduce<Hit | undefined>((a, b) => (!a || b.at < a.at ? b : a), undefined)
  if (announced) {
    // `done` is qualified by what stands beside it; a text that starts with its result is not.
    if (announced === failed) return result('failed', announced)
    if (announced === partial && !(doing && percent)) return result('partial', announced)
    if (announced === done && percent && percent.near && percent.value < 100) return progress(FAIR, announced)
    if (announced === done) {
      // One thing is done and, in the same breath, another is not.
      const sentence = reading.sentences.find((s) => announced.at >= s.at && announced.at < s.end)
      if (partial && sentence && partial.at < sentence.end) return result('partial', partial)
      if (failed && sentence && failed.at < sentence.end)
        return result('partial', { ...failed, weight: FAIR })
      return result('success', announced)
    }
    if (announced === doing || partial) return progress(announced.weight, announced)
  }
  const moved = work(reading)
  if (moved) return moved
  if (percent?.near) return progress(FAIR, undefined)
  const talked = talk(reading)
  if (talked) return talked
  if (asking(reading) >= FAIR) return progress(FAINT, undefined)
  if (reading.length >= SUBSTANTIAL || reading.steps.length > 0) {
    return reading.allows('result') ? guess('result', WEAK, subtaskOf(reading)) : null
  }
  return named(reading)
}

/** No hint but a subtask's name: what is expected, of that one. Without it, it would be of all. */
function named(reading: Reading): TagGuess | null {
  const { expected } = reading.situation
  if (reading.subtasks.length === 0 || !reading.allows(expected)) return null
  return ['accept', 'object', 'progress', 'result'].includes(expected)
    ? guess(expected, FAINT, subtaskOf(reading))
    : null
}

function subtaskOf(reading: Reading): Record<string, unknown> {
  const [first] = reading.subtasks
  return first ? { subtask: first.id } : {}
}

/** A percentage that tells how far the work is: it stands early, and beside a word of progress. */
function findPercent(reading: Reading): { value: number; near: boolean } | null {
  const match = PERCENT.exec(reading.text)
  if (!match) return null
  const value = Number(match[1] ?? match[2])
  if (value > 100) return null
  const end = match.index + match[0].length
  const sentence = reading.sentences.find((s) => s.at <= match.index && match.index < s.end)
  const beside = reading.hits.some((hit) => {
    if (hit.act === 'done')
      return (hit.at >= end && hit.at - end < 12) || (hit.end <= match.index && match.index - hit.end < 6)
    if (hit.act !== 'doing' && hit.act !== 'partial') return false
    return sentence !== undefined && hit.at >= sentence.at && hit.at < sentence.end
  })
  const bare = reading.text.trim().length <= match[0].length + 8
  const ofIt = /^ ?(?:of |de |du |的)?\ue002/.test(reading.text.slice(end, end + 8))
  return { value, near: beside || bare || ofIt }
}

function review(reading: Reading): TagGuess | null {
  const polarity = leaning(reading, ['pass', 'yes'], ['fail', 'no', 'partial', 'failed'])
  if (!polarity) {
    const talked = talk(reading)
    if (talked) return talked
    return asking(reading) >= FAIR ? rejection(reading, FAINT) : null
  }
  if (!polarity.positive) return rejection(reading, polarity.weight)
  return reading.allows('verdict') ? guess('verdict', polarity.weight, { verdict: 'pass' }) : null
}

/** A rejection of the subtasks that the complaining sentences name; of all when they name none. */
function rejection(reading: Reading, weight: number): TagGuess | null {
  const bad: readonly Act[] = ['fail', 'no', 'partial', 'failed']
  const turn = reading.hits.findLast((hit) => hit.act === 'but')?.at ?? -1
  const named = new Set<string>()
  for (const sentence of reading.sentences) {
    const inside = (at: number) => at >= sentence.at && at < sentence.end
    if (!reading.hits.some((hit) => bad.includes(hit.act) && inside(hit.at))) continue
    const from =
      inside(turn) && reading.subtasks.some((s) => inside(s.at) && s.at > turn) ? turn : sentence.at
    for (const subtask of reading.subtasks)
      if (inside(subtask.at) && subtask.at >= from) named.add(subtask.id)
  }
  const payload = named.size > 0 ? { subtasks: [...named] } : {}
  if (reading.allows('reject')) return guess('reject', weight, payload)
  return reading.allows('verdict') ? guess('verdict', weight, { verdict: 'reject', ...payload }) : null
}
