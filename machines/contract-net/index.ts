/** The contract net protocol: calling, bidding, awarding, performing, closed. */
import { defineProtocol } from '../../src/engine/define.ts'
import type { Protocol } from '../../src/engine/protocol.ts'
import { deepFreeze } from '../../src/schema/freeze.ts'
import { allowed, type Board, board } from './board.ts'
import { checking } from './checking.ts'
import {
  activeMembers,
  type ContractNetContext,
  dueAt,
  isActive,
  type Opening,
  turnsLeft,
} from './context.ts'
import { readContext } from './context-schema.ts'
import { floor } from './floor.ts'
import { payloads } from './intents.ts'
import { machine } from './machine.ts'
import { briefOf, type Outcome } from './outcome.ts'
import { issuesOfGroup, type Policy, type PolicyInput, policySchema } from './policy.ts'
import { rank } from './rank.ts'
import { prefixFields, tags } from './tags.ts'

export type { Board } from './board.ts'
export type { ContractNetContext } from './context.ts'
export type { Intent } from './intents.ts'
export type { Outcome } from './outcome.ts'
export type { Policy, PolicyInput } from './policy.ts'

export const contractNet: Protocol<ContractNetContext, Outcome, Board> = defineProtocol<
  ContractNetContext,
  Outcome,
  Board
>({
  name: 'contract-net',
  version: 1,
  machine,
  payloads,
  policySchema,
  checkPolicy: (policy, group) => issuesOfGroup(policy as Policy, group),
  readContext,
  input: ({ members, lead }, policy, at): Opening => ({
    members,
    // No policy is completed for a group without a lead.
    initiator: lead ?? '',
    policy: deepFreeze(policy as Policy),
    at,
  }),
  members: activeMembers,
  isMember: isActive,
  lead: ({ initiator }) => initiator,
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

/** A partial policy for the contract net protocol, typed. */
export const policyOf = (policy: PolicyInput): PolicyInput => policy
