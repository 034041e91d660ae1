/** Arbitraries for who takes part and under which policy. */
import fc from 'fast-check'
import type { Group, Protocol } from '../engine/protocol.ts'
import { ColloquyError, type Issue } from '../errors.ts'
import { choicesOf, type Draw, drawFrom, plainest } from './draw.ts'
import { valueFor } from './values.ts'

/** Ids that break whoever derives something from them; all are valid, and different. */
export const ODD_IDS: readonly string[] = [
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
  'مرحبا',
  '🤖🤝',
  '0',
  '-1',
  'null',
  'x'.repeat(128),
  '🤖'.repeat(128),
]

const plainId = fc.constantFrom('ana', 'ben', 'cem', 'dee', 'eli', 'fay', 'gil')
const anyId = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .map((text) => `n${text.replace(/[\p{Cc}\s]/gu, '_')}`)

/** Valid member ids: plain ones, ones that somebody would stumble over, and any. */
export const memberIds: fc.Arbitrary<string> = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: plainId, weight: 2 },
  { arbitrary: fc.constantFrom(...ODD_IDS), weight: 2 },
  { arbitrary: anyId, weight: 1 },
)

/** Most members, unless told otherwise. */
export const MOST_MEMBERS = 7

export interface MembersOptions {
  /** Default: 1. */
  readonly least?: number
  /** Default: 7. */
  readonly most?: number
  /** Whether odd ids are among them. Default: true. */
  readonly odd?: boolean
}

/** Members in joining order, each with an id of its own. */
export const members = ({
  least = 1,
  most = MOST_MEMBERS,
  odd = true,
}: MembersOptions = {}): fc.Arbitrary<string[]> => {
  const id = odd ? memberIds : most <= 7 ? plainId : anyId
  const selector = (text: string): string => text.normalize('NFC')
  return fc.uniqueArray(id, { minLength: least, maxLength: most, size: 'max', selector })
}

/** Groups that a protocol can open with: with or without a lead, as it allows. */
export const groups = (protocol: Protocol, options: MembersOptions = {}): fc.Arbitrary<Group> =>
  fc
    .tuple(members(options), fc.option(fc.nat({ max: 99 }), { freq: 2 }))
    .map(([ids, place]) => ({
      members: ids,
      lead: place === null ? null : (ids[place % ids.length] ?? null),
    }))
    .filter((group) => canOpen(protocol, group))

const canOpen = (protocol: Protocol, group: Group): boolean =>
  protocol.completePolicy(leastPolicy(protocol), group).issues === undefined

/** As little of a policy as the protocol takes. */
const leastPolicy = (protocol: Protocol): object => objectOf(valueFor(protocol.policySchema, plainest))

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

export interface PolicyOptions {
  /** How far above its least value a number may be. Default: 10,000,000. */
  readonly most?: number
}

/** Choices that one policy takes. */
const POLICY_CHOICES = 60

/**
 * Valid partial policies of a protocol for a group, made from its schema.
 * @throws ColloquyError `POLICY_INVALID` when the protocol takes no policy at all for this group
 */
export const policies = (
  protocol: Protocol,
  group: Group,
  options: PolicyOptions = {},
): fc.Arbitrary<Readonly<Record<string, unknown>>> =>
  choicesOf(POLICY_CHOICES).map((choices) => policyOf(protocol, group, drawFrom(choices), options))

export interface PartyOptions {
  readonly members?: MembersOptions
  readonly policy?: PolicyOptions
}

/** A group and a policy that it can open with. */
export interface Party {
  readonly group: Group
  readonly policy: Readonly<Record<string, unknown>>
}

/** Parties of a protocol. Group and policy are chosen apart, so that each shrinks while the other stays. */
export const parties = (protocol: Protocol, { members, policy }: PartyOptions = {}): fc.Arbitrary<Party> =>
  fc.tuple(groups(protocol, members), choicesOf(POLICY_CHOICES)).map(([group, choices]) => ({
    group,
    policy: policyOf(protocol, group, drawFrom(choices), policy ?? {}),
  }))

const policyOf = (
  protocol: Protocol,
  group: Group,
  draw: Draw,
  options: PolicyOptions,
): Readonly<Record<string, unknown>> => {
  let policy = objectOf(valueFor(protocol.policySchema, draw, { texts: group.members, ...options }))
  // What does not go together is taken out again, as it is named; in the end the defaults are left.
  for (;;) {
    const { issues } = protocol.completePolicy(policy, group)
    if (issues === undefined) return policy
    const less = without(policy, issues)
    if (less === null) break
    policy = less
  }
  const least = objectOf(leastPolicy(protocol))
  const { issues } = protocol.completePolicy(least, group)
  if (issues === undefined) return least
  const found = issues.map(({ path, message }) => `${path} ${message}`).join('; ')
  throw new ColloquyError('POLICY_INVALID', `No policy of "${protocol.name}" fits this group: ${found}`, {
    issues,
    remedy: 'Give a group that the protocol can open with, such as one of `groups(protocol)`.',
  })
}

/** The policy without a key that an issue names, or else without its last; null: there is nothing to leave out. */
const without = (
  policy: Readonly<Record<string, unknown>>,
  issues: readonly Issue[],
): Readonly<Record<string, unknown>> | null => {
  const entries = Object.entries(policy)
  const named = issues.map(({ path }) => path.replace(/^policy\.?/, '').split(/[.[]/)[0])
  const blamed = entries.filter(([key]) => named.includes(key))
  if (entries.length === 0) return null
  return Object.fromEntries(
    blamed.length > 0 ? entries.filter((entry) => !blamed.includes(entry)) : entries.slice(0, -1),
  )
}
