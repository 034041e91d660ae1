/** The protocol of the paper on an Internet of Agents: discussion, two kinds of assignment, pause and trigger, conclusion. */
import { defineProtocol } from '../../src/engine/define.ts'
import { allowed, type Board, board, turnsLeft } from './board.ts'
import { checking } from './checking.ts'
import { activeMembers, dueAt, type IoaContext, isActive } from './context.ts'
import { readContext } from './context-schema.ts'
import { floor } from './floor.ts'
import { payloads } from './intents.ts'
import { machine } from './machine.ts'
import { briefOf, type Outcome } from './outcome.ts'
import { type Policy, policySchema } from './policy.ts'
import { rank } from './rank.ts'
import { prefixFields, tags } from './tags.ts'

export type { Board } from './board.ts'
export type { IoaContext } from './context.ts'
export type { Intent } from './intents.ts'
export type { Outcome } from './outcome.ts'
export type { Policy, PolicyInput } from './policy.ts'

/**
 * Whoever has the floor says who speaks next, and by its intent what comes next. At the limit of turns or time the
 * conclusion is forced, and nobody can steer away from it.
 * Source: Chen et al., Internet of Agents (2024), autonomous conversation flow control; docs/protocols/ioa.md says where this differs.
 */
export const ioa = defineProtocol<IoaContext, Outcome, Board>({
  name: 'ioa',
  machine,
  payloads,
  policySchema,
  checkPolicy(policy, { members }) {
    const { minMembers } = policy as Policy
    if (members.length === 0 || members.length >= minMembers) return []
    const message = `must be at least ${minMembers} (policy.minMembers), but are ${members.length}`
    return [{ path: 'members', message }]
  },
  readContext,
  members: activeMembers,
  isMember: isActive,
  lead: ({ lead }) => lead,
  dueAt,
  brief: briefOf,
  allowed,
  turnsLeft,
  board,
  floor,
  tags,
  prefixFields,
  rank,
  checking,
})
