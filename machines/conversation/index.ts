/** The conversation protocol: discussion, proposal, assign, execution, review, closed. */
import type { Protocol } from '../../src/engine/protocol.ts'
import type { Issue } from '../../src/errors.ts'
import { issuesOf, keysAt } from '../../src/schema/issues.ts'
import { inOurWords } from '../../src/schema/wording.ts'
import { allowed, type Board, board, turnsLeft } from './board.ts'
import { checking } from './checking.ts'
import { activeMembers, type ConversationContext, dueAt, isActive, type Opening } from './context.ts'
import { readContext } from './context-schema.ts'
import { floor } from './floor.ts'
import { payloads } from './intents.ts'
import { machine } from './machine.ts'
import { briefOf, type Outcome } from './outcome.ts'
import { type Policy, type PolicyInput, policySchema, withSharedDefaults } from './policy.ts'
import { rank } from './rank.ts'
import { prefixFields, tags } from './tags/index.ts'

export type { Board } from './board.ts'
export type { ConversationContext } from './context.ts'
export type { Intent } from './intents.ts'
export type { Outcome } from './outcome.ts'
export type { Policy, PolicyInput } from './policy.ts'

export const conversation: Protocol<ConversationContext, Outcome, Board> = {
  name: 'conversation',
  version: 1,
  machine,
  payloads,
  policySchema,
  completePolicy(policy, { members, lead }) {
    const parsed = policySchema.safeParse(policy, inOurWords)
    if (!parsed.success) {
      return { issues: issuesOf(parsed.error, ['policy'], (path) => keysAt(policySchema, path)) }
    }
    const issues: Issue[] = []
    const { minMembers, assigners, reviewers } = parsed.data
    if (members.length > 0 && members.length < minMembers) {
      issues.push({
        path: 'members',
        message: `must be at least ${minMembers} (policy.minMembers), but are ${members.length}`,
      })
    }
    if (lead === null) {
      const message = 'is "lead", but the conversation has no lead: name one, or choose another value'
      if (assigners === 'lead') issues.push({ path: 'policy.assigners', message })
      if (reviewers === 'lead') issues.push({ path: 'policy.reviewers', message })
    }
    return issues.length > 0 ? { issues } : { policy: withSharedDefaults(parsed.data, policy as PolicyInput) }
  },
  readContext,
  input: ({ members, lead }, policy, at): Opening => ({ members, lead, policy: policy as Policy, at }),
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
}

/** A partial policy for the conversation protocol, typed. */
export const policyOf = (policy: PolicyInput): PolicyInput => policy
