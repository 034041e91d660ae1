/** Random conversations: acts say what somebody tries in terms of what lies on the table, and become inputs only when it is their turn. */
import fc from 'fast-check'
import { type IoaContext, ioa, type PolicyInput } from '../../../machines/ioa/index.ts'
import type { Sent } from '../../../src/engine/events.ts'
import { openConversation } from '../../../src/engine/opening.ts'
import { name } from '../../support/arbitraries.ts'

export interface Act {
  readonly kind: 'help' | 'say' | 'join' | 'leave' | 'fault' | 'tick' | 'due' | 'cancel'
  /** ms after the newest event. */
  readonly ms: number
  readonly who: number
  readonly what: number
  readonly which: number
}

export interface Scenario {
  readonly members: readonly string[]
  readonly lead: string | null
  readonly policy: PolicyInput
  readonly acts: readonly Act[]
}

export type Input =
  | {
      readonly kind: 'send'
      readonly at: number
      readonly message: { readonly id: string; readonly from: string; readonly intent: string } & Payloaded
    }
  | { readonly kind: 'join' | 'leave' | 'fault'; readonly at: number; readonly member: string }
  | { readonly kind: 'tick' | 'cancel'; readonly at: number }
type Payloaded = { readonly payload: Readonly<Record<string, unknown>>; readonly content: string }

const ms = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 60 }) },
  { weight: 3, arbitrary: fc.integer({ min: 61, max: 2_000 }) },
)
const policyFor = (members: number): fc.Arbitrary<PolicyInput> =>
  fc
    .record(
      {
        maxTurns: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 7, max: 30 })),
        memberTurns: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 8 })),
        concludeTurns: fc.integer({ min: 1, max: 3 }),
        chatDeadline: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 900 })),
        turnDeadline: ms,
        taskDeadline: ms,
        pauseDeadline: ms,
        concludeDeadline: fc.integer({ min: 1, max: 60 }),
        violationLimit: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 6 })),
        minMembers: fc.oneof(fc.constant(1), fc.constant(1), fc.integer({ min: 1, max: members })),
      },
      { requiredKeys: [] },
    )
    .map((policy) => {
      const isOpen = policy.chatDeadline === null
      return isOpen && (policy.turnDeadline === null || policy.taskDeadline === null)
        ? { ...policy, turnDeadline: policy.turnDeadline ?? 40, taskDeadline: policy.taskDeadline ?? 50 }
        : policy
    })

const KINDS: readonly (readonly [Act['kind'], number])[] = [
  ['help', 55],
  ['say', 16],
  ['join', 3],
  ['leave', 3],
  ['fault', 4],
  ['tick', 3],
  ['due', 12],
  ['cancel', 1],
]
const nat = fc.nat({ max: 999 })
const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.oneof(...KINDS.map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind) }))),
  ms: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 9 }) },
    { weight: 1, arbitrary: fc.integer({ min: 10, max: 80 }) },
  ),
  who: nat,
  what: nat,
  which: nat,
})
export const acts = (maxLength: number): fc.Arbitrary<readonly Act[]> =>
  fc.array(act, { maxLength, size: 'max' })

/** Anybody does anything, and helps the conversation along about as often. */
export const scenario = (maxActs = 60): fc.Arbitrary<Scenario> =>
  fc
    .uniqueArray(name, { minLength: 1, maxLength: 5, selector: (id) => id.normalize('NFC') })
    .map((members) => members.map((id) => id.normalize('NFC')))
    .chain((members) =>
      fc.record({
        members: fc.constant(members),
        lead: fc.constantFrom(null, ...members),
        policy: policyFor(members.length),
        acts: acts(maxActs),
      }),
    )

export type Talk = ReturnType<typeof open>
export const open = ({ members, lead, policy }: Omit<Scenario, 'acts'>) =>
  openConversation({ protocol: ioa, id: 'c1', members, lead, policy, at: 1_000 })

const pick = <Item>(items: readonly Item[], index: number): Item | undefined =>
  items[index % Math.max(1, items.length)]

const STRANGERS = ['stranger', '__proto__', 'constructor'] as const

/** Everybody who was ever a member, and a stranger. */
const namesIn = ({ seats }: IoaContext, which: number): readonly string[] => [
  ...seats.map(({ id }) => id),
  pick(STRANGERS, which) ?? 'stranger',
]

/** What the state asks for, from somebody who may do it. */
const helpful = (
  context: IoaContext,
  { what, which, who }: Act,
): Payloaded & { from: string; intent: string } => {
  const members = ioa.members(context)
  const content = `said ${what}`
  const next = what % 3 === 0 ? { next: pick(members, who) } : {}
  const owed = context.tasks.filter(({ status, overdue }) => status === null || overdue)
  const task = pick(owed, which)
  const { state } = context.visit
  const waits = state === 'sync_assignment' || state === 'pause'
  if (task !== undefined && (waits ? what % 4 !== 0 : what % 5 === 0))
    return { from: task.owner, intent: 'report', payload: which % 2 === 0 ? { task: task.id } : {}, content }
  const from = context.speaker
  if (state === 'conclusion') return { from, intent: 'conclude', payload: {}, content }
  const to = [pick(members, which), ...(what % 4 === 0 ? [pick(members, who)] : [])]
  switch (what % 13) {
    case 0:
    case 1:
      return { from, intent: 'assign_sync', payload: { to, ...next }, content }
    case 2:
    case 3:
    case 4:
      return { from, intent: 'assign_async', payload: { to, title: 'T', ...next }, content }
    case 5:
    case 6:
    case 7:
    case 8:
      return {
        from,
        intent: 'pause',
        payload: { ...(task && what % 2 === 0 ? { tasks: [task.id] } : {}), ...next },
        content,
      }
    case 9:
      return { from, intent: which % 4 === 0 ? 'conclude' : 'discuss', payload: next, content }
    default:
      return { from, intent: 'discuss', payload: next, content }
  }
}

/** Anything of the six intents, from anybody, about anything. */
const anything = (
  context: IoaContext,
  { what, which, who }: Act,
): Payloaded & { from: string; intent: string } => {
  const names = namesIn(context, what)
  const ids = [...context.tasks.map(({ id }) => id), 't0', '__proto__']
  const intent =
    pick(['discuss', 'assign_sync', 'assign_async', 'pause', 'report', 'conclude'], what) ?? 'discuss'
  const next = which % 3 === 0 ? { next: pick(names, which) } : {}
  const to = [pick(names, which), pick(names, which + what)]
  const tasks = which % 2 === 0 ? { tasks: [pick(ids, which), pick(ids, what)] } : {}
  const payload = {
    discuss: next,
    conclude: { ...next, output: { n: what } },
    assign_sync: { to, ...next },
    assign_async: { to, ...next },
    pause: { ...tasks, ...next },
    report: { task: pick(ids, which), status: pick(['success', 'partial', 'failed'], what) },
  }[intent]
  return { from: pick(names, who) ?? 'stranger', intent, payload: payload ?? {}, content: 'anything' }
}

/** What an act means now. */
export const inputOf = (talk: Talk, act: Act, number: number): Input => {
  const { context } = talk
  const at = talk.at + act.ms
  const names = namesIn(context, act.which)
  const member = pick(names, act.who) ?? 'stranger'
  switch (act.kind) {
    case 'help':
    case 'say': {
      const said = act.kind === 'help' ? helpful(context, act) : anything(context, act)
      return { kind: 'send', at, message: { id: `m${number}`, ...said } }
    }
    case 'join': {
      const gone = context.seats.filter(({ active }) => !active).map(({ id }) => id)
      return { kind: 'join', at, member: pick([...gone, `new${act.what}`, member], act.which) ?? member }
    }
    case 'leave':
    case 'fault':
      return { kind: act.kind, at, member: act.what % 3 === 0 ? context.speaker : member }
    case 'due':
      return { kind: 'tick', at: Math.max(talk.at, (talk.dueAt ?? at) + (act.what % 5 === 0 ? -1 : 0)) }
    case 'tick':
    case 'cancel':
      return { kind: act.kind, at }
  }
}

export const put = (talk: Talk, input: Input): Sent => {
  switch (input.kind) {
    case 'send':
      return talk.send(input.message, input.at)
    case 'join':
      return talk.join(input.member, input.at)
    case 'leave':
      return talk.leave(input.member, input.at)
    case 'fault':
      return talk.fault(input.member, 'failed', input.at)
    case 'tick':
      return talk.tick(input.at)
    case 'cancel':
      return talk.cancel(input.at)
  }
}

/** Plays a scenario to its end; `around` does each step and may look before and after. */
export const play = (
  given: Scenario,
  around: (talk: Talk, input: Input, go: () => Sent) => void = (_talk, _input, go) => {
    go()
  },
): Talk => {
  const talk = open(given)
  for (const [number, each] of given.acts.entries()) {
    if (talk.isClosed) break
    const input = inputOf(talk, each, number)
    around(talk, input, () => put(talk, input))
  }
  return talk
}
