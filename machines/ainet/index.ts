/** AINET's protocol: a mailbox of requests and replies (idle, pending, done), or a talk that its opener closes. */
import { defineProtocol } from '../../src/engine/define.ts'
import { allowed, type Board, board, turnsLeft } from './board.ts'
import { checking } from './checking.ts'
import { type AinetContext, activeMembers, dueAt, isActive, openerOf } from './context.ts'
import { readContext } from './context-schema.ts'
import { floor } from './floor.ts'
import { payloads } from './intents.ts'
import { machine } from './machine.ts'
import type { Outcome } from './outcome.ts'
import { type Policy, policySchema } from './policy.ts'
import { rank } from './rank.ts'
import { prefixFields, tags } from './tags.ts'

export type { Board } from './board.ts'
export type { AinetContext, Request } from './context.ts'
export type { Intent } from './intents.ts'
export type { Outcome } from './outcome.ts'
export type { Policy, PolicyInput } from './policy.ts'

export const ainet = defineProtocol<AinetContext, Outcome, Board>({
  name: 'ainet',
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
  lead: openerOf,
  dueAt,
  allowed,
  turnsLeft,
  board,
  floor,
  tags,
  prefixFields,
  rank,
  checking,
})
