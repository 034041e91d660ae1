/** Which files a folder has of a conversation. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileNameOf } from '../../file-name.ts'

export interface Places {
  readonly record: string
  /** In place of the record, once that is compact. */
  readonly compact: string
  readonly state: string
}

const named = (folder: string, name: string): Places => ({
  record: join(folder, `${name}.jsonl`),
  compact: join(folder, `${name}.jsonl.gz`),
  state: join(folder, `${name}.state.json`),
})

export const placesOf = (folder: string, conversation: string): Places =>
  named(folder, fileNameOf(conversation))

/** The places of all that are in a folder; none when there is no folder. */
export const placesIn = async (folder: string): Promise<readonly Places[]> => {
  const files = await readdir(folder).catch(() => [])
  const names = files.flatMap((file) => /^([^.]+)\.jsonl(?:\.gz)?$/.exec(file)?.[1] ?? [])
  return [...new Set(names)].map((name) => named(folder, name))
}

/** Ids of questions are unique everywhere; with the conversation's, a name could be longer than file systems allow. */
export const answerPlaceOf = (folder: string, question: string): string =>
  join(folder, `answer-${fileNameOf(question)}.json`)

/** Bytes of a file; null: there is none. */
export const sizeOf = async (path: string): Promise<number | null> =>
  (await stat(path).catch(() => null))?.size ?? null
