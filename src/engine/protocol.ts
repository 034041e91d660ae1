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

/** Something that may be said, as the checker's adversary says it. */
export interface Saying {
  readonly intent: string
  readonly payload?: Readonly<Record<string, unknown>>
  readonly replyTo?: string
  readonly tokens?: number
  /** Default: none. */
  readonly content?: string
}

/**
 * What the future of a conversation depends on, and nothing else. Two contexts with equal sketches must behave alike,
 * whatever happens next; names are told by position, so that contexts which differ in names only have equal sketches.
 */
export interface Sketch {
  /** What concerns nobody in particular. */
  readonly rest: readonly number[]
  /** For each member that still counts, what is true of it. Their order tells nothing. */
  readonly members: readonly (readonly number[])[]
  /**
   * For each of these members, how much it may yet do against the rules, as far as that makes a difference. More of it
   * only adds to what can happen. Default: 0 each.
   */
  readonly reserves?: readonly number[]
  /** Other interchangeable things, such as pieces of work. Their order tells nothing. */
  readonly things: readonly Thing[]
}

/** What is true of a thing, and of it together with each of the sketch's members, in their order. */
export interface Thing {
  readonly row: readonly number[]
  readonly ties: readonly number[]
}

/** How large a search is. */
export interface Scope {
  /** Most interchangeable things, such as pieces of work, that there may be. */
  readonly size: number
  /** Whether members that left may join again. */
  readonly joins: boolean
}

/** What the checker asks of a protocol. Each has a default that fits any machine, and is slower and less exact. */
export interface Checking<Context extends object = object> {
  /**
   * What the future depends on besides the state, in numbers: what makes no difference is left out. Default: the context
   * itself, its message ids renamed in the order of their appearance, its times told from now.
   * @param now ms
   */
  sketch?(context: Context, now: number, state: string, scope: Scope): Sketch
  /**
   * What a member may try to say that could make a difference, with payloads that mean something; also what is against
   * the rules. What is left out must do the same as something that is there. Default: every intent, with payloads made
   * from its schema.
   */
  says?(context: Context, member: string, state: string, scope: Scope): readonly Saying[]
  /**
   * Messages of a member that can still be recorded in this visit and do nothing else; null: without limit. The sketch
   * tells them only as a reserve. Default: 0.
   */
  spare?(context: Context, member: string, state: string): number | null
  /** How many of these it can say only before it says anything else, such as what is late. Default: 0. */
  fleeting?(context: Context, member: string, state: string): number
  /**
   * The context after a member has said all that it can spare. Only to be faster than saying it: the checker says it as
   * well, every now and then, and compares.
   */
  spent?(context: Context, member: string, state: string): Context
  /** Grows with every visit, also when a state is entered anew. Default: a visit lasts as long as the state's name. */
  visit?(context: Context, state: string): number
  /**
   * Contexts with the same sketch, reached as well by a group that joined in another order, that behave otherwise when
   * a member goes. Default: none.
   */
  twins?(context: Context, member: string, state: string): readonly Context[]
  /** When the present visit is over at the latest, however much is said, in ms; null: time does not limit it. Default: the due time. */
  endsAt?(context: Context, state: string): number | null
  /** Turns so far. Default: messages that were applied. */
  turns?(context: Context): number
  /** Most turns that the protocol's own formula gives for a group without joins; null: none. Default: no formula. */
  bound?(policy: object, group: Group, size: number): number | null
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
  dueAt(context: Context, state: string): number | null
  /** The final output without what only library users get. */
  brief(outcome: Outcome): unknown
  /** What a member may say now. */
  allowed(context: Context, member: string, state: string): readonly AllowedIntent[]
  /** Turns that a member has left now, at most; null: no limit. */
  turnsLeft(context: Context, member: string, state: string): number | null
  /** What lies on the table, as a member sees it. */
  board(context: Context, member: string, state: string): Board
  /** Whom to ask now; all of them at the same time. Nobody: the conversation waits for its clock. */
  floor(context: Context, options: FloorOptions, state: string): readonly Call[]
  readonly tags: TagRules
  readonly prefixFields: PrefixFields
  /**
   * What remains, most important first. With every event that changes the conversation, a join excepted, it falls
   * lexicographically; where the policy leaves something unlimited it may stay, and then `checking.endsAt` must not move:
   * time falls. Empty: the protocol gives no argument why it ends.
   */
  rank(context: Context, state: string): readonly number[]
  /** How the checker explores it. */
  readonly checking?: Checking<Context>
  /** For each older version, what makes a context of the next one out of it. */
  readonly migrations?: Readonly<Record<number, (context: object) => object>>
}
