/** A protocol: a machine with everything that knows its rules. The engine knows protocols only through this. */
import type { AnyStateMachine } from 'xstate'
import type { z } from 'zod'
import type { AllowedIntent } from '../agents/agent.ts'
import type { Issue } from '../errors.ts'
import type { Payloads } from '../schema/message.ts'
import type { PrefixFields, TagRules } from '../schema/tag.ts'

/** Who is in a conversation when it opens. */
export interface Group {
  readonly members: readonly string[]
  readonly lead: string | null
}

/** Somebody is to be asked to speak now. */
export interface Call {
  readonly member: string
  /** Why, in one line, told to the member. */
  readonly task: string
  /** What a bare text of theirs is taken as when nothing in it tells; null: it must tell. */
  readonly expected: string | null
  /** What a bare text of theirs answers. */
  readonly replyTo: string | null
  /** Payload fields that a bare text takes when it is meant as expected. */
  readonly defaults?: Readonly<Record<string, unknown>>
}

/** What a floor may go by, besides the rules. */
export interface FloorOptions {
  /** What each member can do; absent: nothing is known of it. */
  readonly capabilities: ReadonlyMap<string, readonly string[]>
  /** Whether all may speak at once where the rules ask nobody in particular, or one after the other. */
  readonly talk: 'round_robin' | 'all_at_once'
}

export interface Protocol<
  Context extends object = object,
  Outcome extends object = object,
  Board extends object = object,
> {
  /** As records name it. */
  readonly name: string
  /** Of the machine and its context; a snapshot of another version needs a migration. */
  readonly version: number
  readonly machine: AnyStateMachine
  readonly payloads: Payloads
  readonly policySchema: z.ZodType
  /** Completes a partial policy key by key, or says what is wrong with it, for this group. */
  completePolicy(
    policy: unknown,
    group: Group,
  ): { readonly policy: object; readonly issues?: never } | { readonly issues: readonly Issue[] }
  /** The machine's input. */
  input(group: Group, policy: object, at: number): unknown
  /** Checks the context that a snapshot holds for a state. Without it any object is taken. */
  readContext?(
    context: unknown,
    state: string,
  ):
    | { readonly context: Context; readonly issues?: never }
    | { readonly issues: readonly Issue[]; readonly context?: never }
  /** Active members in joining order. */
  members(context: Context): readonly string[]
  isMember(context: Context, id: string): boolean
  lead(context: Context): string | null
  /** When the present state's time is up, in ms; null: nothing is due. */
  dueAt(context: Context): number | null
  /** The final output without what only library users get. */
  brief(outcome: Outcome): unknown
  /** What a member may say now. */
  allowed(context: Context, member: string): readonly AllowedIntent[]
  /** Turns that a member has left now, at most; null: no limit. */
  turnsLeft(context: Context, member: string): number | null
  /** What lies on the table, as a member sees it. */
  board(context: Context, member: string): Board
  /** Whom to ask now; all of them at the same time. Nobody: the conversation waits for its clock. */
  floor(context: Context, options: FloorOptions): readonly Call[]
  readonly tags: TagRules
  readonly prefixFields: PrefixFields
  /** What remains, most important first: falls lexicographically with every event that changes the conversation but a join. */
  rank(context: Context): readonly number[]
  /** For each older version, what makes a context of the next one out of it. */
  readonly migrations?: Readonly<Record<number, (context: object) => object>>
}
