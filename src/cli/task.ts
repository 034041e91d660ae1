/** Reads a task file. Everything that is wrong with it is said at once, with line and column, before anybody is asked. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { z } from 'zod'
import { catalogue } from '../../machines/catalogue.ts'
import type { Protocol } from '../engine/protocol.ts'
import { ColloquyError, type Issue } from '../errors.ts'
import { issuesOf, keysAt, pathText, unknownKey } from '../schema/issues.ts'
import { nearest } from '../schema/nearest.ts'
import { inOurWords } from '../schema/wording.ts'
import { missingInput } from './failure.ts'
import { type Member, type Task, taskSchema } from './task-schema.ts'
import { type Fault, type Place, type PlacedYaml, placedYaml } from './yaml-places.ts'

/** Bytes: no task is longer. */
const LARGEST_FILE = 1 << 20
/** Most faults that are listed; after the first few the rest often follow from them. */
const MOST_FAULTS = 20

export interface TaskFile {
  readonly path: string
  /** The folder that relative paths start from. */
  readonly folder: string
  readonly task: Omit<Task, 'members'>
  /** In the order of the file, which is the joining order. */
  readonly members: ReadonlyMap<string, Member>
  readonly protocol: Protocol
  /** An error that points at a field of the file. */
  refuse(field: string, message: string): ColloquyError
}

const protocols: Readonly<Record<string, Protocol>> = catalogue

/**
 * Reads a task file.
 * @throws FileFailure when it cannot be read; ColloquyError `TASK_INVALID` with each wrong field
 */
export const readTask = (path: string): TaskFile => {
  const yaml = placedYaml(contentOf(path))
  if ('faults' in yaml) throw invalid(path, yaml.faults)
  const raw = yaml.value
  if (raw === null || raw === undefined)
    throw invalid(path, [nowhere('is empty: a task needs goal and members')])
  if (typeof raw !== 'object' || Array.isArray(raw))
    throw invalid(path, [nowhere('must be a mapping with the keys goal and members')])

  const parsed = taskSchema.safeParse(raw, inOurWords)
  const { protocol, issue } = protocolOf(raw)
  const issues = [
    ...(parsed.success ? [] : placedIssues(parsed.error)),
    ...(issue === null ? [] : [issue]),
    ...(protocol === null ? [] : issuesOfGroup(raw, protocol)),
  ]
  if (!parsed.success || protocol === null || issues.length > 0) {
    throw invalid(
      path,
      issues.map((each) => faultOf(yaml, each)),
    )
  }
  return {
    path,
    folder: dirname(resolve(path)),
    task: parsed.data,
    members: inOrder(parsed.data.members, yaml),
    protocol,
    refuse: (field, message) => invalid(path, [faultOf(yaml, { path: field, message, part: 'value' })]),
  }
}

/** An object has its keys that look like numbers first; the file has its own order. */
const inOrder = (members: Task['members'], yaml: PlacedYaml): ReadonlyMap<string, Member> => {
  const placeOf = (name: string): Place => yaml.placeOf(pathText(['members', name]), 'key')
  return new Map(Object.entries(members).sort(([a], [b]) => byPlace(placeOf(a), placeOf(b))))
}

const byPlace = (a: Place, b: Place): number => a.line - b.line || a.column - b.column

interface PlacedIssue extends Issue {
  readonly part: 'key' | 'value'
}

const nowhere = (message: string): Fault => ({ place: { line: 1, column: 1 }, path: '', message })

const faultOf = (yaml: PlacedYaml, { path, message, part }: PlacedIssue): Fault => ({
  place: yaml.placeOf(path, part),
  path,
  message,
})

/** An unknown field is shown at its name, a wrong one at its value. */
const isOfKey = (message: string): boolean => /^is (?:unknown|given twice|no name)/.test(message)

const placed = ({ path, message }: Issue): PlacedIssue => ({
  path,
  message,
  part: isOfKey(message) ? 'key' : 'value',
})

const placedIssues = (error: z.core.$ZodError): PlacedIssue[] =>
  issuesOf(error, [], (path) => keysAt(taskSchema, path)).map(placed)

const protocolOf = (raw: object): { protocol: Protocol | null; issue: PlacedIssue | null } => {
  const names = Object.keys(protocols)
  const name = 'protocol' in raw ? raw.protocol : names[0]
  // The schema says it better.
  if (typeof name !== 'string') return { protocol: null, issue: null }
  const protocol = Object.hasOwn(protocols, name) ? (protocols[name] ?? null) : null
  if (protocol !== null) return { protocol, issue: null }
  return {
    protocol: null,
    issue: { path: 'protocol', message: `"${name}" ${unknownKey(name, names)}`, part: 'value' },
  }
}

/** What the protocol finds wrong for this group; nothing while the group itself is not known. */
const issuesOfGroup = (raw: object, protocol: Protocol): PlacedIssue[] => {
  const { members, lead, policy }: { members?: unknown; lead?: unknown; policy?: unknown } = raw
  const names =
    typeof members === 'object' && members !== null && !Array.isArray(members) ? Object.keys(members) : []
  if (names.length === 0) return []
  const issues: PlacedIssue[] = []
  const isMember = typeof lead === 'string' && names.includes(lead)
  if (typeof lead === 'string' && lead !== '' && !isMember) {
    const near = nearest(lead, names)
    const advice = near === null ? `members are: ${names.join(', ')}` : `did you mean "${near}"?`
    issues.push({ path: 'lead', message: `"${lead}" is no member; ${advice}`, part: 'value' })
  }
  // A lead that is misspelled is a lead all the same.
  const group = {
    members: names,
    lead: typeof lead === 'string' ? (isMember ? lead : (names[0] ?? null)) : null,
  }
  const completed = protocol.completePolicy(policy ?? {}, group)
  return [...issues, ...(completed.issues ?? []).map(placed)]
}

const contentOf = (path: string): string => {
  let bytes: Buffer
  try {
    const descriptor = openSync(path, 'r')
    try {
      if (fstatSync(descriptor).size > LARGEST_FILE)
        throw invalid(path, [nowhere(`is longer than ${LARGEST_FILE} bytes: this is no task`)])
      bytes = readFileSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if (error instanceof ColloquyError) throw error
    throw missingInput(path, error)
  }
  const isText = (part: Uint8Array): boolean => {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(part)
      return true
    } catch {
      return false
    }
  }
  if (isText(bytes)) return bytes.toString('utf8')
  let line = 1
  for (let start = 0, end = 0; start < bytes.length; start = end + 1, line++) {
    end = bytes.indexOf(0x0a, start)
    if (end === -1) end = bytes.length
    if (!isText(bytes.subarray(start, end))) break
  }
  throw invalid(path, [{ place: { line, column: 1 }, path: '', message: 'is not encoded in UTF-8' }])
}

const invalid = (path: string, faults: readonly Fault[]): ColloquyError => {
  const shown = [...faults].sort((a, b) => byPlace(a.place, b.place)).slice(0, MOST_FAULTS)
  const more = faults.length - shown.length
  const issues = [
    ...shown.map(({ place, path: field, message }) => ({
      path: `${path}:${place.line}:${place.column}`,
      message: field === '' ? message : `${field} ${message}`,
    })),
    ...(more > 0 ? [{ path: '', message: `and ${more} more` }] : []),
  ]
  const what =
    faults.length === 1 ? `${issues[0]?.path}: ${issues[0]?.message}` : `${path} has ${faults.length} faults`
  return new ColloquyError('TASK_INVALID', what, { issues })
}
