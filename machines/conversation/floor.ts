/** Whom to ask in each state. What is asked of a member and what it may say besides is in board.ts. */
import type { Call, FloorOptions } from '../../src/engine/protocol.ts'
import { turnsLeft } from './board.ts'
import {
  activeMembers,
  type ConversationContext,
  chairOf,
  reviewersNow,
  type Subtask,
  seatOf,
} from './context.ts'

const call = (
  member: string,
  task: string,
  expected: string | null,
  about: Pick<Call, 'defaults'> & { readonly replyTo?: string } = {},
): Call => ({ member, task, expected, replyTo: null, ...about })

/** Nobody in particular is to speak: those with turns left, all at once or the one who spoke least. */
const whoeverIsNext = (
  members: readonly string[],
  context: ConversationContext,
  options: FloorOptions,
): readonly string[] => {
  if (options.talk === 'all_at_once') return members
  let next: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const member of members) {
    const spoken = seatOf(context, member)?.turns ?? 0
    if (spoken < least) [next, least] = [member, spoken]
  }
  return next === null ? [] : [next]
}

const discussion = (
  context: ConversationContext,
  members: readonly string[],
  options: FloorOptions,
): readonly Call[] => {
  const mayTalk = context.policy.talk.includes('discussion')
  return whoeverIsNext(members, context, options).map((member) => {
    const isLast = turnsLeft(context, member) === 1
    const plan = isLast || !mayTalk
    return call(
      member,
      plan
        ? 'Propose a plan, or the group may close without one.'
        : 'Say what helps the group towards a plan, or propose one.',
      plan ? 'proposal' : 'info',
    )
  })
}

/** Every proposal wants a vote of every member but its author, the earliest first; when all have voted in vain, it is talked over. */
const voting = (
  context: ConversationContext,
  members: readonly string[],
  options: FloorOptions,
): readonly Call[] => {
  const calls = members.flatMap((member) => {
    const open = context.proposals.find(
      ({ author, agrees, objects }) =>
        author !== member && !agrees.includes(member) && !objects.includes(member),
    )
    if (open === undefined) return []
    const task = `Vote on the proposal ${quoted(open.id)} of ${quoted(open.author)}: agree or object.`
    return [call(member, task, null, { replyTo: open.id })]
  })
  if (calls.length > 0) return calls
  const task = 'All have voted and no proposal is carried: change your vote, or propose a better plan.'
  return whoeverIsNext(members, context, options).map((member) => call(member, task, 'proposal'))
}

const isPending = ({ status }: Subtask): boolean => status === null
const isFree = (subtask: Subtask): boolean =>
  isPending(subtask) && subtask.owner === null && subtask.offered === null
/** Most characters of a foreign text in what a member is told. */
const MOST_QUOTED = 80

/** A name or title that somebody gave, as a JSON string and cut: it must not pass for words of ours. */
const quoted = (text: string): string =>
  JSON.stringify(text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED).toWellFormed()}…` : text)
const nameOf = ({ id, title }: Subtask): string =>
  title === null ? quoted(id) : `${quoted(id)} (${quoted(title)})`

/** How well a member suits a subtask: 2 when it is known to be able, 1 when nothing is known, 0 when it is known not to be. */
const fitness = (member: string, { requires }: Subtask, { capabilities }: FloorOptions): number => {
  const known = capabilities.get(member)
  if (known === undefined) return 1
  return requires.every((required) => known.includes(required)) ? 2 : 0
}

/** The member best suited to a subtask: the fittest where it requires anything, then with least work, then first to have joined. */
const suited = (
  subtask: Subtask,
  context: ConversationContext,
  members: readonly string[],
  options: FloorOptions,
): string | undefined => {
  const suits = (member: string): number =>
    subtask.requires.length === 0 ? 0 : fitness(member, subtask, options)
  const load = (member: string): number =>
    context.subtasks.filter(({ owner, offered }) => owner === member || offered === member).length
  return members.reduce<string | undefined>((best, member) => {
    if (best === undefined) return member
    const better = suits(member) - suits(best) || load(best) - load(member)
    return better > 0 ? member : best
  }, undefined)
}

/** The chair shares out the free work, what each piece requires matched to what members can do; then the offered answer. */
const sharing = (
  context: ConversationContext,
  members: readonly string[],
  options: FloorOptions,
): readonly Call[] => {
  const chair = chairOf(context)
  const offers = members.flatMap((member) => {
    const offered = context.subtasks.filter((subtask) => isPending(subtask) && subtask.offered === member)
    if (offered.length === 0) return []
    return [
      call(
        member,
        `Offered to you: ${offered.map(nameOf).join(', ')}. Accept it, or give it back.`,
        'accept',
      ),
    ]
  })
  // Work whose owner has no turn left is stuck; the chair may give it to another.
  const stuck = (subtask: Subtask): boolean =>
    isPending(subtask) && subtask.owner !== null && !members.includes(subtask.owner)
  const subtask = context.subtasks.find(isFree) ?? context.subtasks.find(stuck)
  const mayClaim = context.policy.assigners === 'any'
  if (chair !== null && members.includes(chair) && offers.every(({ member }) => member !== chair)) {
    if (context.subtasks.length === 0) {
      const task = 'The plan names no subtasks: take on the whole task, or assign it under a name.'
      const defaults = { subtask: 'task', owner: chair }
      return [mayClaim ? call(chair, task, 'accept') : call(chair, task, 'assign', { defaults })]
    }
    const owner = subtask && suited(subtask, context, members, options)
    if (subtask !== undefined && owner !== undefined) {
      const needs =
        subtask.requires.length > 0 ? ` It requires: ${subtask.requires.map(quoted).join(', ')}.` : ''
      const task = `Assign ${nameOf(subtask)}.${needs} Best suited: ${quoted(owner)}.`
      return [...offers, call(chair, task, 'assign', { defaults: { subtask: subtask.id, owner } })]
    }
  }
  if (offers.length > 0 || !mayClaim) return offers
  // No chair can speak: whoever is suited may take what is free.
  const free = context.subtasks.find(isFree)
  const member = free && suited(free, context, members, options)
  if (free === undefined || member === undefined) return []
  const task = `Take on ${nameOf(free)}, or assign it to another.`
  return [call(member, task, 'accept', { defaults: { subtask: free.id } })]
}

/** Owners work in parallel; what nobody owns any more is shared out meanwhile. */
const working = (
  context: ConversationContext,
  members: readonly string[],
  options: FloorOptions,
): readonly Call[] => {
  const owners = members.flatMap((member) => {
    const own = context.subtasks.filter((subtask) => isPending(subtask) && subtask.owner === member)
    if (own.length === 0) return []
    return [call(member, `Do ${own.map(nameOf).join(', ')} and report the result.`, 'result')]
  })
  const others = sharing(context, members, options)
  return [...owners, ...others.filter(({ member }) => owners.every((owner) => owner.member !== member))]
}

/** Reviewers judge, each in its own time; when all have and no quorum has come of it, they are asked again. */
const reviewing = (context: ConversationContext, members: readonly string[]): readonly Call[] => {
  const reviewers = reviewersNow(context).filter((member) => members.includes(member))
  const silent = reviewers.filter((member) => !context.verdicts.some(({ from }) => from === member))
  const task =
    silent.length > 0
      ? 'Check the results: pass them, or reject what is wrong and say why.'
      : 'The reviewers disagree: consider what the others found, and judge again.'
  return (silent.length > 0 ? silent : reviewers).map((member) => call(member, task, null))
}

/** Whom to ask now; nobody when nobody could say anything that counts. */
export const floor = (context: ConversationContext, options: FloorOptions): readonly Call[] => {
  if (context.closing !== null) return []
  const members = activeMembers(context).filter((member) => turnsLeft(context, member) !== 0)
  switch (context.visit.state) {
    case 'discussion':
      return discussion(context, members, options)
    case 'proposal':
      return voting(context, members, options)
    case 'assign':
      return sharing(context, members, options)
    case 'execution':
      return working(context, members, options)
    case 'review':
      return reviewing(context, members)
  }
}
