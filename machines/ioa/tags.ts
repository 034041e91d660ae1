/** What a bare text does, by a few cues in English, Chinese and French. A guess of ours must cost nobody a violation: only allowed intents are guessed. */
import type { PrefixFields, TagGuess, TagRules } from '../../src/schema/tag.ts'

/** What a prefix such as `[assign_sync ana,ben]` or `[report t1 status=failed]` may say. */
export const prefixFields: PrefixFields = {
  primary: {
    discuss: 'next',
    assign_sync: 'to',
    assign_async: 'to',
    pause: 'tasks',
    report: 'task',
    conclude: 'next',
  },
  types: { to: 'list', tasks: 'list', status: ['success', 'partial', 'failed'] },
}

/** So much of a text is read: what it does is said at its start. */
const READ = 1_200

const CONCLUDE =
  /\b(?:let'?s (?:conclude|wrap (?:it |this )?up|finish|stop here)|in conclusion|to conclude|to sum up|final answer)\b|结论|总结|en conclusion|pour conclure|en résumé/iu
const PAUSE =
  /\b(?:let'?s wait|(?:we )?(?:should|must) wait|wait for|pause until)\b|等待|等一下|暂停|attendons|attendre/iu
const REPORT =
  /\b(?:(?:is|am|are|i've|have) (?:done|finished)|task (?:done|complete[d]?)|here (?:is|are) the results?|results?:)|完成了?|结果(?:是|如下|：|:)|voici le résultat|terminé/iu
const FAILED = /\b(?:failed|could not|couldn't|cannot|can't|unable to)\b|失败|无法|échoué|impossible de/iu
const ASSIGN =
  /\b(?:please|could you|can you|would you|your task|i assign|take care of)\b|请|麻烦|s'il (?:te|vous) pla[iî]t|peux-tu|pouvez-vous|merci de/iu
const MEANWHILE =
  /\b(?:meanwhile|in the meantime|in the background|in parallel|we go on|no need to wait)\b|同时|与此同时|后台|en attendant|pendant ce temps|en parallèle/iu

/** The members that a text calls by name, behind an `@`; a longer name is read first. */
const called = (text: string, members: readonly string[]): readonly string[] => {
  let left = text
  const found: { readonly id: string; readonly at: number }[] = []
  for (const id of [...members].sort((a, b) => b.length - a.length)) {
    const at = left.indexOf(`@${id}`)
    if (at < 0) continue
    found.push({ id, at })
    left = left.replaceAll(`@${id}`, ' '.repeat(id.length + 1))
  }
  return found.sort((a, b) => a.at - b.at).map(({ id }) => id)
}

/** What a text does where talk, work or the conclusion is asked for; null when nothing in it tells. */
export const tags: TagRules = (given, { allowed, expected, members = [] }) => {
  const text = given.slice(0, READ)
  const guess = (intent: string, confidence: number, payload: TagGuess['payload'] = {}): TagGuess | null =>
    allowed.includes(intent) ? { intent, confidence, payload } : null
  // Where a result is asked for, all but a plain wish to end is the result.
  const failed = FAILED.test(text) ? { status: 'failed' } : {}
  if (expected === 'report') return guess('report', 0.85, failed)
  const to = called(text, members)
  if (to.length > 0 && ASSIGN.test(text))
    return guess(MEANWHILE.test(text) ? 'assign_async' : 'assign_sync', 0.85, { to })
  if (CONCLUDE.test(text)) return guess('conclude', 0.85)
  if (REPORT.test(text) && allowed.includes('report')) return guess('report', 0.8, failed)
  if (PAUSE.test(text) && allowed.includes('pause')) return guess('pause', 0.8)
  const [next] = to
  return next !== undefined && to.length === 1 ? guess('discuss', 0.8, { next }) : null
}
