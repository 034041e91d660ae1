/**
 * What a user writes to bring a protocol: the machine, its intents and members. The rest has defaults that fit any
 * machine. What could not work is refused here, all of it at once, and not when a conversation is stuck in it.
 */
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { z } from 'zod'
import type { AllowedIntent } from '../agents/agent.ts'
import { ColloquyError, type Issue } from '../errors.ts'
import { issuesOf, keysAt } from '../schema/issues.ts'
import { nearest } from '../schema/nearest.ts'
import { inOurWords } from '../schema/wording.ts'
import type { Group, Protocol } from './protocol.ts'
import { runnerOf } from './runners.ts'

/** What every machine may be sent besides its intents. */
const CONTROL = ['join', 'leave', 'fault', 'deadline', 'cancel']

type Required = 'name' | 'machine' | 'payloads' | 'members'

/** A protocol as its author writes it. Everything but the name, the machine, the intents and the members has a default. */
export interface ProtocolDefinition<Context extends object, Outcome extends object, Board extends object>
  extends Pick<Protocol<Context, Outcome, Board>, Required>,
    Partial<Omit<Protocol<Context, Outcome, Board>, Required | 'policySchema'>> {
  /** Completes a partial policy. Default: one without keys. */
  readonly policySchema?: z.ZodType<object>
  /** What is wrong with a completed policy for this group, beyond its schema. */
  checkPolicy?(policy: object, group: Group): readonly Issue[]
  /** What each intent does, in one line, told to whoever may say it. Default: its name. */
  readonly meanings?: Readonly<Record<string, string>>
}

/**
 * Completes a protocol, and checks that it can work: every intent is handled in some state and nothing else is, every
 * open state closes on `cancel`, times are told by `dueAt` and come as `deadline`.
 *
 * Defaults: version 1; no policy; the machine's input is `{members, lead, policy, at}`; no lead; no due time; whoever is
 * a member may say what the machine handles in its state, without limit, and all are asked at once.
 * @throws ColloquyError `PROTOCOL_INVALID` with each thing that is wrong
 */
export const defineProtocol = <
  Context extends object,
  Outcome extends object = object,
  Board extends object = object,
>(
  definition: ProtocolDefinition<Context, Outcome, Board>,
): Protocol<Context, Outcome, Board> => {
  const issues = issuesOfDefinition(definition as ProtocolDefinition<object, object, object>)
  if (issues.length > 0) {
    const found = issues.map(({ path, message }) => `${path} ${message}`).join('; ')
    throw new ColloquyError('PROTOCOL_INVALID', `The protocol "${definition.name}" cannot work: ${found}`, {
      issues,
    })
  }
  const { checkPolicy, meanings = {}, ...given } = definition
  const policySchema = definition.policySchema ?? z.strictObject({})
  const { machine, members } = definition
  return {
    version: 1,
    policySchema,
    completePolicy(policy, group) {
      const parsed = policySchema.safeParse(policy, inOurWords)
      if (!parsed.success)
        return { issues: issuesOf(parsed.error, ['policy'], (path) => keysAt(policySchema, path)) }
      const wrong = checkPolicy?.(parsed.data, group) ?? []
      return wrong.length > 0 ? { issues: wrong } : { policy: parsed.data }
    },
    input: (group, policy, at) => ({ members: group.members, lead: group.lead, policy, at }),
    isMember: (context, id) => members(context).includes(id),
    lead: () => null,
    dueAt: () => null,
    brief: (outcome) => outcome,
    allowed: (context, member, state) =>
      members(context).includes(member) ? handledIn(machine, definition.payloads, state, meanings) : [],
    turnsLeft: () => null,
    board: () => ({}) as Board,
    floor(context, _options, state) {
      const turnsLeft = definition.turnsLeft ?? (() => null)
      const allowed = definition.allowed ?? this.allowed
      return members(context).flatMap((member) => {
        const may = turnsLeft(context, member, state) === 0 ? [] : allowed.call(this, context, member, state)
        const [only, ...others] = may
        if (only === undefined) return []
        const expected = others.length === 0 ? only.intent : null
        return [{ member, task: 'Say what is next.', expected, replyTo: null }]
      })
    },
    tags: () => null,
    prefixFields: { primary: {} },
    rank: () => [],
    ...given,
  }
}

/** The open states of a machine, however deep. */
const openNodes = (machine: AnyStateMachine): AnyStateNode[] => {
  const found: AnyStateNode[] = []
  const walk = (node: AnyStateNode): void => {
    const inner = Object.values(node.states) as AnyStateNode[]
    if (inner.length === 0 && node.type !== 'final') found.push(node)
    for (const child of inner) walk(child)
  }
  walk(machine.root)
  return found
}

/** What a state handles, itself or through those that hold it. */
const handledBy = (node: AnyStateNode): Set<string> => {
  const types = new Set<string>()
  for (let at: AnyStateNode | undefined = node; at !== undefined; at = at.parent)
    for (const type of at.transitions.keys()) types.add(type)
  return types
}

const handledIn = (
  machine: AnyStateMachine,
  payloads: object,
  state: string,
  meanings: Readonly<Record<string, string>>,
): readonly AllowedIntent[] => {
  // A state of a nested machine is named by its value as JSON: what any of its parts handles counts.
  const nodes = state.startsWith('{') ? openNodes(machine) : [machine.root.states[state]]
  const types = new Set(nodes.flatMap((node) => (node === undefined ? [] : [...handledBy(node)])))
  return Object.keys(payloads)
    .filter((intent) => types.has(intent))
    .map((intent) => ({ intent, does: meanings[intent] ?? intent }))
}

const issuesOfDefinition = (definition: ProtocolDefinition<object, object, object>): Issue[] => {
  const { name, machine, payloads } = definition
  const issues: Issue[] = []
  const say = (path: string, message: string): void => void issues.push({ path, message })
  if (typeof name !== 'string' || !/^[a-z0-9][a-z0-9-]*$/.test(name))
    say('name', 'must be letters, digits and "-", such as "contract-net": records are told apart by it')
  if (Object.keys(payloads).length === 0)
    say('payloads', 'must have the payload schema of at least one intent')
  for (const intent of Object.keys(payloads)) {
    if (CONTROL.includes(intent) || intent.startsWith('xstate.'))
      say(`payloads.${intent}`, 'is no name for an intent: the engine sends an event of this name itself')
  }

  const open = openNodes(machine)
  const handled = new Set(open.flatMap((node) => [...handledBy(node)]))
  const known = [...Object.keys(payloads), ...CONTROL]
  for (const intent of Object.keys(payloads)) {
    if (handled.has(intent) || handled.has('*')) continue
    const near = nearest(intent, [...handled])
    say(
      `payloads.${intent}`,
      `is handled in no state of the machine${near === null ? '' : `; did you mean "${near}"?`}`,
    )
  }
  for (const type of handled) {
    if (known.includes(type) || type.includes('*')) continue
    if (type.startsWith('xstate.')) {
      say(
        `machine.on.${type}`,
        'never comes: no timer and no actor runs here; give `dueAt` and handle "deadline"',
      )
      continue
    }
    const near = nearest(type, known)
    const hint = near === null ? 'give it a payload schema in `payloads`' : `did you mean "${near}"?`
    say(`machine.on.${type}`, `is neither an intent nor one of ${CONTROL.join(', ')}: ${hint}`)
  }
  for (const node of open) {
    const state = node.path.join('.')
    for (let at: AnyStateNode | undefined = node; at !== undefined; at = at.parent) {
      if (at.invoke.length > 0)
        say(`machine.states.${state}`, 'invokes an actor, which never runs: agents are asked from outside')
    }
    const own = handledBy(node)
    if (!own.has('cancel') && !own.has('*'))
      say(`machine.states.${state}`, 'does not handle "cancel": nobody could stop a conversation there')
    if (definition.dueAt !== undefined && !own.has('deadline') && !own.has('*'))
      say(`machine.states.${state}`, 'does not handle "deadline": what `dueAt` promises would never come')
  }
  if (definition.dueAt === undefined && handled.has('deadline'))
    say('dueAt', 'is missing: the machine handles "deadline", but nobody knows when it is due')
  if (!hasFinal(machine)) say('machine', 'has no final state: no conversation could ever close')
  if (issues.length === 0) {
    try {
      runnerOf(machine)
    } catch (error) {
      if (!(error instanceof ColloquyError)) throw error
      say('machine', error.message)
    }
  }
  return issues
}

const hasFinal = (machine: AnyStateMachine): boolean =>
  (Object.values(machine.root.states) as AnyStateNode[]).some(({ type }) => type === 'final')
