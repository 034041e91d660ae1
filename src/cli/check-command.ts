/** `colloquy check`: whether every conversation of a protocol closes, and within how much. */
import { catalogue } from '../../machines/catalogue.ts'
import type { Protocol } from '../engine/protocol.ts'
import { ColloquyError } from '../errors.ts'
import { unknownKey } from '../schema/issues.ts'
import { namesOf, rootsOf } from '../testing/check.ts'
import type { CheckReport } from '../testing/report.ts'
import { type PolicyFile, readPolicy } from './check-policy.ts'
import { progressLine, type Terminal } from './check-progress.ts'
import { prepareFolder, writeRecords } from './check-records.ts'
import { reportText } from './check-report.ts'
import { memoryFor, type Order, searchedAll } from './check-search.ts'
import { EXIT } from './exit-codes.ts'
import { ReaderLeft } from './failure.ts'
import type { SyncOutput } from './sync-output.ts'
import { jsonText, painter } from './text.ts'

const protocols: Readonly<Record<string, Protocol>> = catalogue

export interface CheckCommandOptions {
  /** A file, or `-` for stdin. */
  readonly policy?: string
  readonly members: number
  readonly subtasks: number
  readonly joins?: boolean
  /** A member, or `none`. */
  readonly lead?: string
  readonly maxStates: number
  /** A folder. */
  readonly records?: string
  readonly json?: boolean
}

export interface CheckStage {
  readonly output: SyncOutput
  readonly errors: Terminal
  readonly isColoured: boolean
  /** Columns of the output. */
  readonly width: number
  /** Whether each search has a thread of its own. */
  readonly threads: boolean
  /** Is given what tells how far the search is, for whoever interrupts it. */
  began?(reached: () => string): void
}

/** What `--lead` says when nobody is to lead. */
const NOBODY = 'none'

/** What the process ends with, so that a script can go by it. */
const EXIT_OF_VERDICT: Readonly<Record<CheckReport['verdict'], number>> = {
  proved: EXIT.done,
  refuted: EXIT.refuted,
  unproved: EXIT.unproved,
}

/**
 * Checks a protocol; the catalogue's first when none is named.
 * @returns the exit code: 0 when it is proved that every conversation closes, 2 when it is refuted, else 3
 * @throws ColloquyError `PROTOCOL_UNKNOWN`, `USAGE`, `POLICY_INVALID`; FileFailure
 */
export const checkCommand = async (
  name: string | undefined,
  options: CheckCommandOptions,
  stage: CheckStage,
): Promise<number> => {
  const { subtasks: size, joins = false, json = false, records: folder = null } = options
  const protocol = protocolOf(name)
  const members = namesOf(options.members)
  const lead = leadOf(options.lead, members)
  const file = options.policy === undefined ? null : await readPolicy(options.policy)
  const roots = rootsFor(protocol, members, lead, file)
  if (folder !== null) prepareFolder(folder)

  const maxStates = Math.ceil(options.maxStates / roots.length)
  const [first, ...others] = roots.map(
    (root): Order => ({
      protocol: protocol.name,
      members,
      lead: root.lead,
      policy: file?.policy ?? {},
      size,
      joins,
      maxStates,
    }),
  )
  if (first === undefined) throw new ColloquyError('INTERNAL', 'There is nothing to check')
  const line = progressLine(stage.errors, !json, maxStates * roots.length)
  stage.began?.(line.text)
  const report = await searchedAll([first, ...others], {
    threads: stage.threads,
    memory: memoryFor(maxStates),
    tell: line.tell,
  }).finally(line.stop)

  if (folder !== null) writeRecords(folder, report)
  const leads = roots.map((root) => root.lead)
  const { width } = stage
  const paint = painter(stage.isColoured)
  tell(
    json ? `${jsonText(report)}\n` : reportText(report, { protocol, leads, folder, width, paint }),
    stage.output,
  )
  return EXIT_OF_VERDICT[report.verdict]
}

/** The exit code tells the verdict also when nobody reads the rest. */
const tell = (text: string, output: SyncOutput): void => {
  try {
    output.write(text)
    output.flush()
  } catch (error) {
    if (!(error instanceof ReaderLeft)) throw error
  }
}

const protocolOf = (name: string | undefined): Protocol => {
  const names = Object.keys(protocols)
  const wanted = name ?? names[0] ?? ''
  const protocol = Object.hasOwn(protocols, wanted) ? protocols[wanted] : undefined
  if (protocol !== undefined) return protocol
  throw new ColloquyError('PROTOCOL_UNKNOWN', `The protocol "${wanted}" ${unknownKey(wanted, names)}`, {
    remedy: `Name one of: ${names.join(', ')}.`,
  })
}

/** Undefined: every lead that the protocol takes. */
const leadOf = (name: string | undefined, members: readonly string[]): string | null | undefined => {
  if (name === undefined || members.includes(name)) return name
  if (name === NOBODY) return null
  throw new ColloquyError(
    'USAGE',
    `--lead names "${name}", who is no member; the members are ${members.join(', ')}, and "${NOBODY}" is for nobody`,
  )
}

const rootsFor = (
  protocol: Protocol,
  members: readonly string[],
  lead: string | null | undefined,
  file: PolicyFile | null,
): ReturnType<typeof rootsOf> => {
  try {
    return rootsOf({ protocol, policy: file?.policy ?? {}, ...(lead === undefined ? {} : { lead }) }, members)
  } catch (error) {
    if (file === null || !(error instanceof ColloquyError) || error.issues.length === 0) throw error
    throw file.refused(error)
  }
}
