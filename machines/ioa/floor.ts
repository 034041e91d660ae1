/** Whom to ask: whoever owes a result, and whoever has the floor. What it may say is in board.ts. */
import type { Call } from '../../src/engine/protocol.ts'
import { activeMembers, type IoaContext, isPending, isTalk, owedBy, type Task } from './context.ts'

/** Most characters of a foreign text in what a member is told. */
const MOST_QUOTED = 80

/** A title that somebody gave, as a JSON string and cut: it must not pass for words of ours. */
const quoted = (text: string): string =>
  JSON.stringify(text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED).toWellFormed()}…` : text)
const nameOf = ({ id, title }: Task): string => (title === null ? id : `${id} (${quoted(title)})`)

const talking = (context: IoaContext): Call => {
  const member = context.speaker
  const isLast = context.policy.maxTurns - context.spoken === 1
  const owed = context.tasks.filter(isPending)
  const wait = owed.length === 0 ? '' : ` Still owed: ${owed.map(nameOf).join(', ')}; pause to wait for it.`
  const task = isLast
    ? 'You have the floor, and this is the last turn: conclude, or a conclusion is forced.'
    : `You have the floor: discuss, assign a task, or conclude.${wait}`
  return { member, task, expected: 'discuss', replyTo: null }
}

const concluding = (context: IoaContext): Call => {
  const missing = context.tasks.filter(isPending)
  const without = missing.length === 0 ? '' : ` Without a result so far: ${missing.map(nameOf).join(', ')}.`
  const why = context.forced === null ? '' : ' The talk has come to its limit.'
  const task = `Sum up what the group has come to; the conversation ends with it.${why}${without}`
  return { member: context.speaker, task, expected: 'conclude', replyTo: null }
}

/**
 * Those who owe a result are asked for it, one at a time and all members at once, and so is whoever has the floor. Who
 * has the floor and owes a result reports first: so nobody can be kept from working by being asked to talk.
 */
export const floor = (context: IoaContext): readonly Call[] => {
  if (context.closing !== null) return []
  const { state } = context.visit
  if (state === 'conclusion') return [concluding(context)]
  const working = activeMembers(context).flatMap((member): Call[] => {
    const [task] = owedBy(context, member)
    if (task === undefined) return []
    const told = `Do the task ${nameOf(task)} and report its result.`
    return [{ member, task: told, expected: 'report', replyTo: null, defaults: { task: task.id } }]
  })
  const isBusy = working.some(({ member }) => member === context.speaker)
  return isTalk(state) && !isBusy ? [talking(context), ...working] : working
}
