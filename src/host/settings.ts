/** What a host is started with: checked as a whole, completed with defaults. */
import { z } from 'zod'
import type { Agent } from '../agents/agent.ts'
import { type Clock, systemClock } from '../engine/clock.ts'
import { type FacilitateSettings, STOP_TIMEOUT } from '../engine/facilitator.ts'
import type { Protocol } from '../engine/protocol.ts'
import { ColloquyError } from '../errors.ts'
import type { Journal } from '../journals/journal.ts'
import type { Observer } from '../observers/observer.ts'
import { issuesOf, keysAt } from '../schema/issues.ts'
import { inOurWords } from '../schema/wording.ts'
import type { Transport } from '../transports/transport.ts'

export interface HostOptions extends FacilitateSettings<object> {
  /**
   * Give each host a name of its own, the same after a restart: after a crash it goes on at once, without waiting for its
   * old lease to run out. Two hosts of one name end each other. Default: none.
   */
  readonly name?: string
  /** Where conversations are kept. It is left open. */
  readonly journal: Journal
  /** The rules that it knows, the default first; several versions of one go side by side. */
  readonly protocols: readonly Protocol[]
  /** What carries requests to it and what happened from it. It is left open. */
  readonly transport?: Transport
  /** Requests of the transport that are under way at once. Default: 256. */
  readonly prefetch?: number
  /** Members that this host asks to speak, with their agents; in every conversation that they are in. Others speak by messages. */
  readonly agents?: Readonly<Record<string, Agent<object>>> | ReadonlyMap<string, Agent<object>>
  /** Members that are people: they are asked by questions, which wait for `answer`. */
  readonly people?: readonly string[] | ((member: string) => boolean)
  /** Default: the system's. */
  readonly clock?: Clock
  /** ms after which others take over the conversations of a host that died. Default: 15,000. */
  readonly lease?: number
  /** ms between looks at conversations that nobody looks after, and at answers. Default: 1,000. */
  readonly poll?: number
  /** Most conversations in memory; the others are in the journal only. Default: 100,000. */
  readonly resident?: number
  /** Most requests of one conversation that may wait for the journal. Default: 1,000. */
  readonly backlog?: number
  /** Events between snapshots, at least. Default: 100. */
  readonly snapshotEvery?: number
  /** Most bytes of UTF-8 in a message's content. Default: 1 MiB. */
  readonly contentLimit?: number
  /** Who hears what it does, for traces, metrics and logs. */
  readonly observers?: readonly Observer[]
}

/** Whether something has all these methods. */
const has =
  (...methods: readonly string[]) =>
  (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    methods.every((method) => typeof (value as Readonly<Record<string, unknown>>)[method] === 'function')

const count = (least = 1) => z.int().min(least).max(Number.MAX_SAFE_INTEGER)
const isAgents = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const schema = z.strictObject({
  name: z.string().min(1).max(128).optional(),
  journal: z.custom<Journal>(
    has('append', 'load', 'lease'),
    'must be a journal, such as jsonlJournal("talks")',
  ),
  protocols: z
    .array(z.custom<Protocol>(has('floor', 'completePolicy'), 'must be a protocol, such as conversation'))
    .min(1),
  transport: z
    .custom<Transport>(has('serve', 'tell'), 'must be a transport, such as memoryTransport()')
    .optional(),
  prefetch: count().default(256),
  agents: z.custom<HostOptions['agents']>(isAgents, 'must name agents by their members').optional(),
  people: z
    .union(
      [
        z.array(z.string().min(1)),
        z.custom<(member: string) => boolean>((value) => typeof value === 'function'),
      ],
      {
        error: 'must be a list of members, or a function that tells whether a member is a person',
      },
    )
    .default([]),
  clock: z.custom<Clock>(has('now', 'wake'), 'must be a clock, such as systemClock').default(systemClock),
  lease: count(10).default(15_000),
  poll: count().default(1_000),
  resident: count().default(100_000),
  backlog: count().default(1_000),
  snapshotEvery: count().default(100),
  contentLimit: count().optional(),
  observers: z
    .array(
      z.custom<Observer>(
        (value) => has('began')(value) || has('happened')(value),
        'must be an observer, such as logTo(logger)',
      ),
    )
    .default([]),
  floor: z
    .custom<HostOptions['floor']>((value) => typeof value === 'function', 'must be a function')
    .optional(),
  talk: z.enum(['round_robin', 'all_at_once']).optional(),
  turnTimeout: count().nullable().optional(),
  stopTimeout: count().default(STOP_TIMEOUT),
  view: z.strictObject({ messages: count(0).optional(), characters: count(0).optional() }).optional(),
})

/** What a host goes by. */
export interface HostSettings extends z.output<typeof schema> {
  readonly agentsByMember: ReadonlyMap<string, Agent<object>>
  isPerson(member: string): boolean
  /** Whether it asks anybody to speak. */
  readonly asksAnybody: boolean
}

/** @throws ColloquyError `USAGE` with each wrong option */
export const settingsOf = (options: HostOptions): HostSettings => {
  const given =
    typeof options === 'object' && options !== null
      ? Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
      : options
  const parsed = schema.safeParse(given, inOurWords)
  const issues = parsed.success ? [] : issuesOf(parsed.error, [], (path) => keysAt(schema, path))
  const named = new Map<string, Agent<object>>()
  const agents = parsed.data?.agents ?? {}
  for (const [member, agent] of agents instanceof Map ? agents : Object.entries(agents)) {
    if (typeof agent === 'function') named.set(member.normalize('NFC'), agent)
    else
      issues.push({
        path: `agents.${member}`,
        message: 'must be an agent: a function (turn, signal) => text or message',
      })
  }
  if (!parsed.success || issues.length > 0) {
    const found = issues.map(({ path, message }) => `${path === '' ? 'it' : path} ${message}`).join('; ')
    throw new ColloquyError('USAGE', `The host was not started: ${found}`, {
      issues,
      remedy: 'Correct the options named; docs/hosts.md tells what there is.',
    })
  }
  const { people } = parsed.data
  const members =
    typeof people === 'function' ? null : new Set(people.map((member) => member.normalize('NFC')))
  return {
    ...parsed.data,
    agentsByMember: named,
    isPerson: typeof people === 'function' ? people : (member) => members?.has(member) === true,
    asksAnybody: named.size > 0 || members === null || members.size > 0,
  }
}
