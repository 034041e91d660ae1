/** Whom to ask in each state. What a member may say besides is in board.ts. */
import type { Call, FloorOptions } from '../../src/engine/protocol.ts'
import { turnsLeft } from './board.ts'
import {
  type AinetContext,
  activeMembers,
  isOpenTo,
  openerOf,
  type Request,
  requestOf,
  seatOf,
} from './context.ts'
import type { Intent } from './intents.ts'

const call = (member: string, task: string, expected: Intent, replyTo: string | null = null): Call => ({
  member,
  task,
  expected,
  replyTo,
})

/** An id that somebody gave, as a JSON string: it must not pass for words of ours. */
const quoted = (id: string): string => JSON.stringify(id)

/** One of several who may all speak, or all of them: in turn it is the one with least of something. */
const nextOf = (
  members: readonly string[],
  { talk }: FloorOptions,
  amountOf: (member: string) => number,
): readonly string[] => {
  if (talk === 'all_at_once') return members
  const least = Math.min(...members.map(amountOf))
  return members.filter((member) => amountOf(member) === least).slice(0, 1)
}

const idle = (context: AinetContext, members: readonly string[], options: FloorOptions): readonly Call[] => {
  const { policy, requests } = context
  const opener = openerOf(context)
  const asked = (member: string): number => requests.filter(({ from }) => from === member).length
  const speakers = opener !== null && members.includes(opener) ? [opener] : nextOf(members, options, asked)
  if (policy.mode === 'talk')
    return speakers.map((member) => call(member, 'Open the talk: say what you need, and from whom.', 'say'))
  // A member alone has nobody to ask.
  if (activeMembers(context).length < 2) return []
  const first = 'Ask for what you need: all of them, one of them, or as a task that one of them claims.'
  const next = `${first} When you need nothing more, say that you are done.`
  return speakers.map((member) =>
    call(member, member === opener && requests.length > 0 ? next : first, 'request'),
  )
}

/** Whoever is asked and has not replied. Of those who may claim a task one is asked: who has claimed least. */
const replying = (
  context: AinetContext,
  request: Request,
  members: readonly string[],
  options: FloorOptions,
): readonly Call[] => {
  const silent = members.filter(
    (member) => isOpenTo(request, member) && !request.replies.some(({ from }) => from === member),
  )
  const claims = (member: string): number =>
    context.requests.filter(({ claimant }) => claimant === member).length
  const asked = request.type === 'TASK' ? nextOf(silent, options, claims) : silent
  const from = quoted(request.from)
  const tasks = {
    BROADCAST: `Reply to what ${from} asks all.`,
    PRIVATE: `Reply to what ${from} asks you.`,
    TASK: `Do the task of ${from} and reply with the result, or claim it first.`,
  }
  return asked.map((member) => call(member, tasks[request.type], 'reply', request.id))
}

/** All who are asked reply; then the requester reads. */
const answering = (
  context: AinetContext,
  members: readonly string[],
  options: FloorOptions,
): readonly Call[] => {
  const request = requestOf(context)
  if (request === null) return []
  const calls = replying(context, request, members, options)
  if (calls.length > 0 || context.visit.state === 'pending' || !members.includes(request.from)) return calls
  return [call(request.from, 'Read the replies and say what you take from them.', 'read')]
}

/** In turn: who has spoken least. The opener's last turn is for closing. */
const talking = (
  context: AinetContext,
  members: readonly string[],
  options: FloorOptions,
): readonly Call[] => {
  const opener = openerOf(context)
  const spoken = (member: string): number => seatOf(context, member)?.turns ?? 0
  return nextOf(members, options, spoken).map((member) => {
    if (member !== opener) return call(member, 'Say what helps the one who opened the talk.', 'say')
    return turnsLeft(context, member) === 1
      ? call(member, 'Close the talk: sum up what it has come to.', 'done')
      : call(
          member,
          'Go on, or say that you are done when you have what you need: that closes the talk.',
          'say',
        )
  })
}

/** Whom to ask now; nobody when nobody could say anything that counts. */
export const floor = (context: AinetContext, options: FloorOptions): readonly Call[] => {
  const members = activeMembers(context).filter((member) => turnsLeft(context, member) > 0)
  switch (context.visit.state) {
    case 'idle':
      return idle(context, members, options)
    case 'pending':
    case 'done':
      return answering(context, members, options)
    case 'talking':
      return talking(context, members, options)
  }
}
