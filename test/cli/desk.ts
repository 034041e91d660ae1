/** The commands over journals, run in the test's own process, and what they say. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { catalogue } from '../../machines/catalogue.ts'
import { type ImportDesk, journalImport } from '../../src/cli/journal-import.ts'
import { replay } from '../../src/engine/replay.ts'
import type { RecordEvent } from '../../src/schema/record.ts'
import type { Folder } from './process.ts'

const vectors = fileURLToPath(new URL('../vectors/', import.meta.url))

/** The records of the specification. */
export const recordNames = readdirSync(vectors)
  .filter((name) => name.endsWith('.expected.jsonl'))
  .map((name) => name.replace('.expected.jsonl', ''))

export const recordPath = (name: string): string => join(vectors, `${name}.jsonl`)

/** What JSON Lines hold. */
export const linesIn = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

export const linesOfFile = (path: string): Record<string, unknown>[] => linesIn(readFileSync(path, 'utf8'))

export interface Said {
  readonly code: number
  readonly text: string
  readonly warnings: readonly string[]
}

interface Options {
  readonly signal?: AbortSignal
  /** Told of each write. */
  readonly wrote?: (text: string) => void
}

/** Runs a command. */
export const atDesk = async (
  act: (desk: ImportDesk) => Promise<number>,
  { signal = new AbortController().signal, wrote = () => {} }: Options = {},
): Promise<Said> => {
  let text = ''
  const warnings: string[] = []
  const output = {
    write(part: string) {
      text += part
      wrote(part)
    },
    flush: () => {},
  }
  const code = await act({
    output,
    width: 100,
    signal,
    warn: (warning) => warnings.push(warning),
    input: Readable.from([]),
  })
  return { code, text, warnings }
}

/** How a command that must fail does. */
export const refusalOf = (command: Promise<unknown>): Promise<unknown> =>
  command.then(
    () => {
      throw new Error('It did not fail')
    },
    (error: unknown) => error,
  )

/** The first lines of records. */
export const opening = (id: string, more = ''): string =>
  `{"type":"open","at":0,"id":"${id}","members":["a","b"]${more}}\n`
export const INFO =
  '{"type":"message","at":1000,"message":{"id":"m1","from":"a","intent":"info","content":"hello"}}\n'
export const CANCEL = '{"type":"cancel","at":2000}\n'

/** Imports records into a journal. */
export const imported = async (place: string, ...paths: string[]): Promise<string> => {
  await atDesk((desk) => journalImport(place, paths, desk))
  return place
}

/** A journal with five conversations of two protocols, ended and open. */
export const someConversations = ({ path, file }: Folder): Promise<string> =>
  imported(
    join(path, 'some'),
    file('1', opening('b-open') + INFO),
    file('2', opening('a-cancelled') + CANCEL),
    file('3', opening('c-ioa', ',"machine":"ioa"')),
    recordPath('happy-path'),
    recordPath('broken-agent'),
  )

/** What the rules keep of a record. */
export const decided = (path: string): RecordEvent[] =>
  replay(
    linesOfFile(path).map((value, index) => ({ line: index + 1, value })),
    catalogue,
  ).talk.record()

export const idIn = ([first]: readonly RecordEvent[]): string => (first?.type === 'open' ? first.id : '')
