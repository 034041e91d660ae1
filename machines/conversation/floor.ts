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

const call = (member: string, task: string, expected: string, replyTo: string | null = null): Call => ({
  member,
  task,
  expected,
  replyTo,
})

/** Nobody in particular is to speak: those with turns left, all at once or the one who spoke least. */
const whoeverIsNext = (
  members: readonly string[],
  context: ConversationContext,
  options: FloorOptions,
): readonly string[] => {
  if (options.talk === 'all_at_once') return members
  const spoken = (member: string): number => seatOf(context, member)?.turns ?? 0
  const least = Math.min(...members.map(spoken))
  return members.filter((member) => spoken(member) === least).slice(0, 1)
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

/** Every proposal wants a vote of every member but its author; the earliest first. */
const voting = (context: ConversationContext, members: readonly string[]): readonly Call[] =>
  members.flatMap((member) => {
    const open = context.proposals.find(
      ({ author, agrees, objects }) =>
        author !== member && !agrees.includes(member) && !objects.includes(member),
    )
    return open === undefined
      ? []
      : [
          call(
            member,
            `Vote on the proposal "${open.id}" of ${open.author}: agree or object.`,
            'agree',
            open.id,
          ),
        ]
  })

/** Whether a member can do what a subtask requires; a member of whom nothing is known is taken at its word. */
const isAble = (member: string, { requires }: Subtask, { capabilities }: FloorOptions): boolean => {
  const known = capabilities.get(member)
  return known === undefined || requires.every((required) => known.includes(required))
}

const isPending = ({ status }: Subtask): boolean => status === null
const isFree = (subtask: Subtask): boolean =>
  isPending(subtask) && subtask.owner === null && subtask.offered === null

/** The offered answer first; then the free work is shared out, by the chair where only offers count, else by whoever is able. */
const sharing = (
  context: ConversationContext,
  members: readonly string[],
  options: FloorOptions,
): readonly Call[] => {
  const offered = members.filter((member) =>
    context.subtasks.some((subtask) => isPending(subtask) && subtask.offered === member),
  )
  if (offered.length > 0) {
    return offered.map((member) =>
      call(member, 'Work is offered to you: accept it or give it back.', 'accept'),
    )
  }
  const chair = chairOf(context)
  const free = context.subtasks.filter(isFree)
  if (context.policy.assigners === 'any') {
    if (context.subtasks.length === 0) {
      const next = whoeverIsNext(members, context, { ...options, talk: 'round_robin' })
      return next.map((member) =>
        call(member, 'The plan names no subtasks: accept the whole task, or assign it.', 'accept'),
      )
    }
    // One claimant for each free subtask, the least busy able member first, so that nobody is asked for work it cannot do.
    const claims = new Map<string, Subtask>()
    for (const subtask of free) {
      const able = members.filter((member) => isAble(member, subtask, options) && !claims.has(member))
      const load = (member: string): number => context.subtasks.filter(({ owner }) => owner === member).length
      const first = able.sort((a, b) => load(a) - load(b) || members.indexOf(a) - members.indexOf(b))[0]
      if (first !== undefined) claims.set(first, subtask)
    }
    if (claims.size > 0) {
      return [...claims].map(([member, { id, title, requires }]) => {
        const needs = requires.length > 0 ? ` It requires: ${requires.join(', ')}.` : ''
        return call(
          member,
          `Accept the subtask "${id}"${title === null ? '' : ` (${title})`}, or leave it to others.${needs}`,
          'accept',
        )
      })
    }
  }
  if (free.length === 0 && context.subtasks.length > 0) return []
  return chair !== null && members.includes(chair)
    ? [call(chair, 'Assign the free subtasks to members who can do them.', 'assign')]
    : []
}

const working = (
  context: ConversationContext,
  members: readonly string[],
  options: FloorOptions,
): readonly Call[] => {
  const owners = members.filter((member) =>
    context.subtasks.some((subtask) => isPending(subtask) && subtask.owner === member),
  )
  const free = context.subtasks.some((subtask) => isPending(subtask) && subtask.owner === null)
  const asked = owners.map((member) =>
    call(member, 'Do your pending subtasks and report the result.', 'result'),
  )
  if (!free) return asked
  return [...asked, ...sharing(context, members, options).filter(({ member }) => !owners.includes(member))]
}

const reviewing = (context: ConversationContext, members: readonly string[]): readonly Call[] =>
  reviewersNow(context)
    .filter((member) => members.includes(member) && !context.verdicts.some(({ from }) => from === member))
    .map((member) =>
      call(member, 'Check the results: pass them, or reject what is wrong and say why.', 'verdict'),
    )

/** Whom to ask now; nobody when nobody could say anything that counts. */
export const floor = (context: ConversationContext, options: FloorOptions): readonly Call[] => {
  if (context.closing !== null) return []
  const members = activeMembers(context).filter((member) => turnsLeft(context, member) !== 0)
  switch (context.visit.state) {
    case 'discussion':
      return discussion(context, members, options)
    case 'proposal':
      return voting(context, members)
    case 'assign':
      return sharing(context, members, options)
    case 'execution':
      return working(context, members, options)
    case 'review':
      return reviewing(context, members)
  }
}
