/**
 * Arbitraries for conversations. A scenario is a group with a policy and a list of acts; an act says what somebody
 * tries in terms of what lies on the table (the third subtask, the second proposal), and becomes an input only when it
 * is its turn: so random acts reach every state, and shrink well.
 */
import fc from 'fast-check'
import type { PolicyInput } from '../../machines/conversation/index.ts'
import { INTENTS, type Intent } from '../../machines/conversation/intents.ts'
import { STATES, type State } from '../../machines/conversation/policy.ts'

/** Names that break whoever derives something from them; all are valid and different ids. */
export const ODD_NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '智能体',
  'Device-ABC123/智能体A',
  'a b',
  'a/b',
  'a-b',
  'a_b',
  'A_B',
  'e\u0301tude', // NFD: becomes étude
  'ﬁ', // NFC keeps the ligature
  'Zoë Müller',
  'مرحبا',
  '🤖🤝',
  '0',
  '-1',
  'null',
  'tasks',
  'x'.repeat(128),
  '智'.repeat(128),
  '🤖'.repeat(128),
] as const

const plainName = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const anyName = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .map((text) => `n${text.replace(/[\p{Cc}\s]/gu, '_')}`)

/** A valid agent id, odd more often than not. */
export const name = fc.oneof(
  { arbitrary: plainName, weight: 2 },
  { arbitrary: fc.constantFrom(...ODD_NAMES), weight: 2 },
  { arbitrary: anyName, weight: 1 },
)

const membersOf = (minLength: number, maxLength: number) =>
  fc.uniqueArray(name, { minLength, maxLength, size: 'max', selector: (id) => id.normalize('NFC') })

export const members = fc.oneof(
  { arbitrary: membersOf(1, 2), weight: 1 },
  { arbitrary: membersOf(3, 7), weight: 4 },
)

/** Times in a state that always come: a deadline, or both an idle time and a turn limit. */
const bounds = (bounded: boolean) => {
  const turns = fc.integer({ min: 1, max: 8 })
  const ms = fc.oneof(
    { arbitrary: fc.integer({ min: 1, max: 200 }), weight: 1 },
    { arbitrary: fc.integer({ min: 201, max: 100_000_000 }), weight: 2 },
  )
  const none = fc.constant(undefined)
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        turnLimit: fc.oneof(none, turns, bounded ? turns : fc.constant(null)),
        deadline: fc.oneof(none, ms),
        idle: fc.oneof(none, none, fc.constant(null), ms),
      }),
    },
    { weight: 1, arbitrary: fc.record({ turnLimit: turns, deadline: fc.constant(null), idle: ms }) },
  )
}

type Bounds = {
  turnLimit: number | null | undefined
  deadline: number | null | undefined
  idle: number | null | undefined
}

/** Only the states that name a value; undefined where none does. */
const byState = (
  bounded: Readonly<Record<State, Bounds>>,
  key: keyof Bounds,
): Partial<Record<State, number | null>> | undefined => {
  const named = STATES.flatMap((state): [State, number | null][] => {
    const value = bounded[state][key]
    return value === undefined ? [] : [[state, value]]
  })
  return named.length === 0 ? undefined : (Object.fromEntries(named) as Partial<Record<State, number | null>>)
}

export interface Group {
  readonly members: readonly string[]
  readonly lead: string | null
}

export interface PolicyOptions {
  /** Every state has a turn limit, and members are expelled in the end. */
  readonly bounded?: boolean
}

const fraction = fc
  .tuple(
    fc.bigInt({ min: 1n, max: 10n ** 20n }),
    fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 10n ** 20n })),
  )
  .map(([part, more]) => `${part}/${part + more}`)

/** A valid partial policy for a group, with every key present in some. */
export const policyFor = (
  { members: group, lead }: Group,
  { bounded = false }: PolicyOptions = {},
): fc.Arbitrary<PolicyInput> => {
  const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
    fc.oneof({ arbitrary: fc.constant(null), weight: 5 }, { arbitrary, weight: 1 })
  const who = lead === null ? fc.constant('any' as const) : fc.constantFrom('any' as const, 'lead' as const)
  const limits = bounds(bounded)
  return fc
    .tuple(
      fc.record({
        discussion: limits,
        proposal: limits,
        assign: limits,
        execution: limits,
        review: limits,
      }),
      fc.record(
        {
          agreeRatio: fc.oneof(
            fc.constant('auto'),
            fc.constantFrom(0.5, 0.6, 0.7, 1, 1 / 3, 2 / 3, Number.MIN_VALUE),
            fc.double({ min: 0.01, max: 1, noNaN: true }),
            fc.constantFrom('1/2', '2/3', '3/5', '7/10', '1/1', '007/010'),
            fraction,
          ),
          leadDecides: fc.boolean(),
          assigners: who,
          reviewers:
            lead === null
              ? fc.constantFrom('any', 'independent')
              : fc.constantFrom('any', 'independent', 'lead'),
          reviewQuorum: fc.integer({ min: 1, max: 3 }),
          maxReject: fc.integer({ min: 0, max: 3 }),
          turnUnit: fc.constantFrom('round', 'round', 'message'),
          maxTurns: rarely(fc.integer({ min: 1, max: 40 })),
          tokenBudget: rarely(fc.integer({ min: 1, max: 200 })),
          minMembers: fc.integer({ min: 1, max: group.length }),
          onLimit: fc.record(
            {
              proposal: fc.constantFrom('close', 'adopt', 'adopt'),
              execution: fc.constantFrom('review', 'close'),
            },
            { requiredKeys: [] },
          ),
          violationLimit: bounded
            ? fc.integer({ min: 1, max: 6 })
            : fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(null)),
          talk: fc.subarray([...STATES]),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([states, rest]) => {
      const policy: Record<string, unknown> = { ...rest }
      for (const key of ['turnLimit', 'deadline', 'idle'] as const) {
        const value = byState(states, key)
        if (value !== undefined) policy[key] = value
      }
      return policy as PolicyInput
    })
}

/** How an act's time is chosen. `due` is relative to the due time. */
export type Time =
  | { readonly by: 'step'; readonly ms: number }
  | { readonly by: 'clock'; readonly ms: number }
  | { readonly by: 'due'; readonly ms: number }
  | { readonly by: 'odd'; readonly at: number }

/** What lies on the table, by number; taken modulo how many there are. */
export interface Act {
  readonly kind:
    | 'help'
    | 'say'
    | 'repeat'
    | 'malformed'
    | 'strict'
    | 'join'
    | 'leave'
    | 'fault'
    | 'tick'
    | 'cancel'
    | 'apply'
  readonly time: Time
  readonly who: number
  readonly what: number
  readonly which: number
  readonly intent: Intent
  readonly tokens: number
  readonly odd: boolean
}

const KINDS: readonly [Act['kind'], number][] = [
  ['help', 30],
  ['say', 14],
  ['repeat', 3],
  ['malformed', 3],
  ['strict', 1],
  ['join', 3],
  ['leave', 3],
  ['fault', 2],
  ['tick', 1],
  ['apply', 2],
]
const kind = fc.oneof(
  ...KINDS.map(([value, weight]) => ({ arbitrary: fc.constant(value), weight: weight * 10 })),
  { arbitrary: fc.constant('cancel' as const), weight: 6 },
)

const time: fc.Arbitrary<Time> = fc.oneof(
  { weight: 60, arbitrary: fc.record({ by: fc.constant('step'), ms: fc.integer({ min: 0, max: 9 }) }) },
  { weight: 12, arbitrary: fc.record({ by: fc.constant('clock'), ms: fc.integer({ min: 0, max: 5 }) }) },
  { weight: 3, arbitrary: fc.record({ by: fc.constant('due'), ms: fc.integer({ min: -1, max: 1 }) }) },
  { weight: 2, arbitrary: fc.record({ by: fc.constant('step'), ms: fc.integer({ min: -1000, max: -1 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      by: fc.constant('odd'),
      at: fc.constantFrom(Number.NaN, Number.NEGATIVE_INFINITY, -1, -1e300, 0.5),
    }),
  },
)

const nat = fc.nat({ max: 999 })

const act: fc.Arbitrary<Act> = fc.record({
  kind,
  time,
  who: nat,
  what: nat,
  which: nat,
  intent: fc.constantFrom(...INTENTS),
  tokens: fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, { arbitrary: fc.nat({ max: 20 }), weight: 1 }),
  odd: fc.boolean(),
})

export interface Scenario {
  readonly group: Group
  readonly policy: PolicyInput
  readonly at: number
  readonly acts: readonly Act[]
}

export interface ScenarioOptions extends PolicyOptions {
  readonly maxActs?: number
}

const group: fc.Arbitrary<Group> = fc.tuple(members, fc.option(nat, { freq: 2 })).map(([all, lead]) => ({
  members: all,
  lead: lead === null ? null : (all[lead % all.length] ?? null),
}))

/** A conversation from its opening on: anybody does anything, and helps it along about as often. */
export const scenario = ({ maxActs = 60, ...options }: ScenarioOptions = {}): fc.Arbitrary<Scenario> =>
  group.chain((given) =>
    fc.record({
      group: fc.constant(given),
      policy: policyFor(given, options),
      at: fc.constantFrom(0, 1, 1_700_000_000_000),
      acts: fc.array(act, { maxLength: maxActs, size: 'max' }),
    }),
  )

/** Any value at all, JSON or not. */
export const anything: fc.Arbitrary<unknown> = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
})
