/** Reads a policy for `colloquy check`: a YAML or JSON file, or stdin. What is wrong with it is said with line and column. */
import { createReadStream } from 'node:fs'
import { ColloquyError, type Issue } from '../errors.ts'
import { missingInput } from './failure.ts'
import { type PlacedYaml, placedYaml } from './yaml-places.ts'

/** Bytes: no policy is longer. */
const LARGEST_FILE = 1 << 20

export interface PolicyFile {
  /** As it is written: partial, and not checked. */
  readonly policy: unknown
  /** The error of a policy that the protocol refused, its issues at their places in the file. */
  refused(error: ColloquyError): ColloquyError
}

/**
 * Reads a policy.
 * @param path a file, or `-` for stdin
 * @throws FileFailure when it cannot be read; ColloquyError `POLICY_INVALID` when it is no YAML
 */
export const readPolicy = async (path: string): Promise<PolicyFile> => {
  const name = path === '-' ? 'stdin' : path
  const yaml = placedYaml(await contentOf(path, name))
  if ('faults' in yaml) {
    throw invalid(
      yaml.faults.map(({ place: { line, column }, path: field, message }) => ({
        path: `${name}:${line}:${column}`,
        message: field === '' ? message : `${field} ${message}`,
      })),
    )
  }
  return {
    // A file that sets nothing is a policy of defaults.
    policy: yaml.value ?? {},
    refused: (error) =>
      invalid(
        error.issues.map((issue) => placed(yaml, name, issue)),
        error,
      ),
  }
}

const OF_POLICY = /^policy(?:\.|(?=\[)|$)/

/** What is wrong with the group, and not with the policy, has no place in the file. */
const placed = (yaml: PlacedYaml, name: string, { path, message }: Issue): Issue => {
  if (!OF_POLICY.test(path)) return { path, message }
  const { line, column } = yaml.placeOf(
    path.replace(OF_POLICY, ''),
    message.startsWith('is unknown') ? 'key' : 'value',
  )
  return { path: `${name}:${line}:${column}`, message: `${path} ${message}` }
}

const invalid = (issues: readonly Issue[], cause?: ColloquyError): ColloquyError => {
  const [only, ...others] = issues
  const message =
    only !== undefined && others.length === 0
      ? `${only.path}: ${only.message}`
      : `The policy has ${issues.length} faults`
  return new ColloquyError('POLICY_INVALID', message, {
    issues,
    cause,
    remedy: 'Correct the fields named; nothing was checked.',
  })
}

const contentOf = async (path: string, name: string): Promise<string> => {
  const nowhere = (message: string): ColloquyError => invalid([{ path: `${name}:1:1`, message }])
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    const stream: AsyncIterable<Uint8Array> = path === '-' ? process.stdin : createReadStream(path)
    for await (const chunk of stream) {
      size += chunk.length
      if (size > LARGEST_FILE) throw nowhere(`is longer than ${LARGEST_FILE} bytes: this is no policy`)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof ColloquyError) throw error
    throw missingInput(name, error)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw nowhere('is not encoded in UTF-8')
  }
}
