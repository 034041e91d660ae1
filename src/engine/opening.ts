/** Opening a conversation, and taking one up again from a snapshot. */
import { ColloquyError, type Issue } from '../errors.ts'
import { issuesOf } from '../schema/issues.ts'
import { type OpenEvent, openEvent } from '../schema/record.ts'
import { snapshotSchema } from '../schema/snapshot.ts'
import { inOurWords } from '../schema/wording.ts'
import { systemClock } from './clock.ts'
import { Conversation, type OpenOptions, type RestoreOptions } from './conversation.ts'
import { freshId } from './fresh-id.ts'
import { runnerOf } from './runners.ts'
import { start } from './step.ts'

/**
 * Opens a conversation.
 * @throws ColloquyError `OPEN_INVALID` (members, lead, id) or `POLICY_INVALID`, with each wrong field; nothing is opened then.
 */
export const openConversation = <Context extends object, Outcome extends object, Board extends object>(
  options: OpenOptions<Context, Outcome, Board>,
): Conversation<Context, Outcome, Board> => {
  const { protocol } = options
  const at = options.at ?? (options.clock ?? systemClock).now()
  const parsed = openEvent.safeParse(
    {
      type: 'open',
      at: typeof at === 'number' ? Math.trunc(at) : at,
      id: options.id ?? freshId('c_'),
      machine: protocol.name,
      version: protocol.version,
      goal: options.goal ?? '',
      members: options.members,
      lead: options.lead ?? null,
    },
    inOurWords,
  )
  if (!parsed.success) throw refusal('OPEN_INVALID', issuesOf(parsed.error))
  const { members, lead } = parsed.data
  const wrongGroup = issuesOfMembers(members, lead)
  const completed = protocol.completePolicy(options.policy ?? {}, { members, lead })
  // All that is wrong is told at once.
  const issues = [...wrongGroup, ...(completed.issues ?? [])]
  if (wrongGroup.length > 0) throw refusal('OPEN_INVALID', issues)
  if (completed.issues !== undefined) throw refusal('POLICY_INVALID', issues)
  const open = { ...parsed.data, policy: completed.policy as OpenEvent['policy'] }
  const position = start(protocol.machine, protocol.input(open, completed.policy, open.at))
  return new Conversation(options, { ...open, position, seq: 0, open, known: null })
}

const refusal = (code: 'OPEN_INVALID' | 'POLICY_INVALID', issues: readonly Issue[]): ColloquyError =>
  new ColloquyError(
    code,
    `The conversation was not opened: ${issues.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
    { issues },
  )

/** What is wrong with a group, in the words in which no conversation would be opened with it. */
export const issuesOfGroup = (group: {
  readonly members: unknown
  readonly lead: unknown
}): readonly Issue[] => {
  const parsed = openEvent.pick({ members: true, lead: true }).safeParse(group, inOurWords)
  return parsed.success ? issuesOfMembers(parsed.data.members, parsed.data.lead) : issuesOf(parsed.error)
}

const issuesOfMembers = (members: readonly string[], lead: string | null): Issue[] => {
  const issues: Issue[] = []
  if (members.length === 0) issues.push({ path: 'members', message: 'must name at least one member' })
  const seen = new Set<string>()
  for (const [index, member] of members.entries()) {
    if (seen.has(member)) {
      issues.push({
        path: `members[${index}]`,
        message: `repeats "${member}": each member needs an id of its own`,
      })
    }
    seen.add(member)
  }
  if (lead !== null && !members.includes(lead)) {
    issues.push({
      path: 'lead',
      message: `names "${lead}", who is no member; members are: ${members.join(', ')}`,
    })
  }
  return issues
}

/**
 * Takes a conversation up from a snapshot: it goes on as if it had never stopped, message ids known so far included.
 * @throws ColloquyError `SNAPSHOT_INVALID` when it is no snapshot, of another protocol, or of a version that has no migration
 */
export const restoreConversation = <Context extends object, Outcome extends object, Board extends object>(
  snapshot: unknown,
  options: RestoreOptions<Context, Outcome, Board>,
): Conversation<Context, Outcome, Board> => {
  const { protocol } = options
  const parsed = snapshotSchema.safeParse(snapshot, inOurWords)
  if (!parsed.success) throw noSnapshot(issuesOf(parsed.error))
  const { machine, version, id, goal, state, seq, at, known, outcome } = parsed.data
  if (machine !== protocol.name) {
    const message = `The snapshot is of the protocol "${machine}", not of "${protocol.name}"`
    throw new ColloquyError('SNAPSHOT_INVALID', message)
  }
  let context: object = structuredClone(parsed.data.context)
  for (let from = version; from !== protocol.version; from++) {
    const migrate = from < protocol.version ? protocol.migrations?.[from] : undefined
    if (migrate === undefined) {
      const message = `The snapshot is of version ${version} of "${machine}"; this is version ${protocol.version}, with no way from ${from} to it`
      throw new ColloquyError('SNAPSHOT_INVALID', message)
    }
    context = migrate(context)
  }
  const isFinal = runnerOf(protocol.machine).isFinal(state)
  if (isFinal === null)
    throw noSnapshot([{ path: 'state', message: `is "${state}", which "${machine}" does not have` }])
  if (isFinal !== (outcome !== undefined)) {
    const message = isFinal
      ? `is missing: "${state}" is the end`
      : `must not be there: "${state}" is not the end`
    throw noSnapshot([{ path: 'outcome', message }])
  }
  const read = protocol.readContext?.(context, state)
  if (read?.issues !== undefined) throw noSnapshot(read.issues)
  const position = { state, context: read?.context ?? context, done: isFinal, output: outcome }
  return new Conversation(options, { id, goal, position, seq, at, open: null, known: new Map(known) })
}

const noSnapshot = (issues: readonly Issue[]): ColloquyError => {
  const found = issues.map(({ path, message }) => `${path} ${message}`).join('; ')
  return new ColloquyError('SNAPSHOT_INVALID', `This is no snapshot that can be gone on from: ${found}`, {
    issues,
  })
}
