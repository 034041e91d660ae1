/** What a member may do now and what lies on the table, told to agents when they are asked. */
import type { AllowedIntent } from '../../src/agents/agent.ts'
import type { Json } from '../../src/schema/json.ts'
import { admitting } from './admission.ts'
import {
  awardsNow,
  type BidStatus,
  type ContractNetContext,
  isActive,
  openBids,
  performers,
  turnsLeft,
} from './context.ts'
import { INTENTS, type Intent } from './intents.ts'
import type { State } from './policy.ts'

/** The table of a contract net as one member sees it. */
export interface Board {
  readonly initiator: string
  /** Calls so far, and how many there may be. */
  readonly round: number
  readonly rounds: number
  /** What is called for; null before the call. */
  readonly task: Json
  /** The present round's. */
  readonly bids: readonly {
    readonly id: string
    readonly bidder: string
    readonly price: number | null
    readonly offer: Json
    readonly status: BidStatus
  }[]
  /** Who has refused in the present round. */
  readonly refusals: readonly string[]
  /** The present round's. */
  readonly awards: readonly {
    readonly bidder: string
    readonly status: 'done' | 'failed' | null
    readonly output: Json
  }[]
  /** How many proposals may still be accepted; null: no limit. */
  readonly awardsLeft: number | null
  /** Whether something is awarded to this member that it has not reported. */
  readonly isYours: boolean
}

export const board = (context: ContractNetContext, member: string): Board => {
  const { initiator, round, policy, call, bids, refusals } = context
  const awards = awardsNow(context)
  return {
    initiator,
    round,
    rounds: policy.rounds,
    task: call?.task ?? null,
    bids: bids.map((bid) => ({ ...bid })),
    refusals: [...refusals],
    awards: awards.map(({ bidder, status, output }) => ({ bidder, status, output })),
    awardsLeft: policy.awards === null ? null : Math.max(0, policy.awards - awards.length),
    isYours: performers(context).includes(member),
  }
}

const FORMS: Readonly<Record<Intent, string>> = {
  cfp: '{task?, replyWithin?: ms}',
  propose: '{price?, offer?}',
  refuse: '{reason?}',
  accept: '{bidder}',
  reject: '{bidder?, reason?}',
  inform: '{output?}',
  failure: '{reason?}',
  not_understood: '{reason?}',
  call_off: '{reason?}',
}

const MEANINGS: Readonly<Record<Intent, string>> = {
  cfp: 'calls for proposals: says what is to be done',
  propose: 'offers to do it, bindingly; replaces an earlier proposal of yours',
  refuse: 'makes no proposal, or takes yours back',
  accept: 'awards the task to the bidder named',
  reject: 'turns down the bidder named, or all who are left',
  inform: 'reports that the work is done, and its result',
  failure: 'reports that the work has failed',
  not_understood: 'says that you do not understand what was asked; counts as a refusal',
  call_off: 'ends it all at once',
}

const meaningOf = (intent: Intent, state: State): string => {
  if (intent !== 'not_understood') return MEANINGS[intent]
  if (state === 'awarding') return 'says that you do not understand a proposal; turns it down'
  return state === 'performing'
    ? 'says that you do not understand what was awarded; counts as a failure'
    : MEANINGS[intent]
}

const formOf = (intent: Intent, state: State): string =>
  intent === 'not_understood' && state === 'awarding' ? '{bidder, reason?}' : FORMS[intent]

/** Whether an intent that the state admits could be anything but a violation. */
const can = (context: ContractNetContext, member: string, intent: Intent): boolean => {
  const { visit, initiator } = context
  const isInitiator = member === initiator
  switch (intent) {
    case 'cfp':
    case 'accept':
    case 'reject':
    case 'call_off':
      return isInitiator
    case 'propose':
    case 'refuse':
      return !isInitiator
    case 'inform':
    case 'failure':
      return performers(context).includes(member)
    case 'not_understood':
      if (visit.state === 'performing') return performers(context).includes(member)
      return isInitiator === (visit.state === 'awarding')
  }
}

/** What the rules admit from a member now; intents that could only be a violation are left out. */
export const allowed = (context: ContractNetContext, member: string): readonly AllowedIntent[] => {
  if (context.closing !== null || !isActive(context, member) || turnsLeft(context, member) === 0) return []
  const { state } = context.visit
  return INTENTS.filter((intent) => admitting(intent).includes(state) && can(context, member, intent)).map(
    (intent) => ({ intent, does: meaningOf(intent, state), form: formOf(intent, state) }),
  )
}

/** The only proposal there is to decide on, if there is only one. */
export const soleBid = (context: ContractNetContext): string | null => {
  const [only, another] = openBids(context)
  return only !== undefined && another === undefined ? only.id : null
}
