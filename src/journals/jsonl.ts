/**
 * A journal in a folder: one file of JSON Lines for each conversation, the same lines as a record has. A crash can cut
 * only the last line short; it is dropped with a warning, and cut off before the next append. Anything else that is no
 * JSON is an error that names file and line.
 */
import { type FileHandle, mkdir, open, readdir, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ColloquyError, messageOf } from '../errors.ts'
import { fileNameOf } from '../file-name.ts'
import { happening, openEvent, type RecordEvent } from '../schema/record.ts'
import type { Journal, JournalRead } from './journal.ts'
import { refuseConflict } from './shared/conflict.ts'

export interface JsonlOptions {
  /** Whether each append waits until the disk has it (`fsync`). Default: true. */
  readonly sync?: boolean
}

/** What this journal knows of a file; it is opened for each append, so that any number of conversations needs no open files. */
interface Known {
  /** Events in it. */
  readonly length: number
  /** Its bytes: whole lines only. */
  readonly bytes: number
}

const ENDING = '.jsonl'

/**
 * A journal of JSON Lines files.
 * @param folder where they are; made when it does not exist
 */
export const jsonlJournal = (folder: string, { sync = true }: JsonlOptions = {}): Journal => {
  const files = new Map<string, Known>()
  const queues = new Map<string, Promise<unknown>>()

  /** One after the other for each conversation. */
  const queued = <Result>(conversation: string, act: () => Promise<Result>): Promise<Result> => {
    const result = (queues.get(conversation) ?? Promise.resolve()).then(act)
    const settled = result.then(
      () => {},
      () => {},
    )
    queues.set(conversation, settled)
    void settled.then(() => {
      if (queues.get(conversation) === settled) queues.delete(conversation)
    })
    return result
  }

  const pathOf = (conversation: string): string => join(folder, fileNameOf(conversation) + ENDING)

  /** What is in the file; what a crash left of a last line goes, or the next line would be glued to it. */
  const examine = async (handle: FileHandle, path: string, conversation: string): Promise<Known> => {
    const known = files.get(conversation)
    if (known !== undefined) return known
    const { events, bytes, isUnended } = parse(path, conversation, await contentOf(path))
    await handle.truncate(bytes)
    if (isUnended) {
      await handle.appendFile('\n')
      return { length: events.length, bytes: bytes + 1 }
    }
    if (sync && events.length === 0) await syncFolder(folder)
    return { length: events.length, bytes }
  }

  const write = async (handle: FileHandle, text: string, bytes: number): Promise<void> => {
    try {
      await handle.appendFile(text)
      if (sync) await handle.datasync()
    } catch (error) {
      // Half a line must not stay behind; where even that fails, the next append drops it.
      await handle.truncate(bytes).catch(() => {})
      throw error
    }
  }

  const appendTo = async (
    conversation: string,
    seq: number,
    events: readonly RecordEvent[],
  ): Promise<void> => {
    const path = pathOf(conversation)
    await mkdir(folder, { recursive: true })
    const handle = await open(path, 'a')
    try {
      const { length, bytes } = await examine(handle, path, conversation)
      if ((await handle.stat()).size !== bytes) {
        throw new ColloquyError('JOURNAL_CONFLICT', `Somebody else has written to ${path}`)
      }
      refuseConflict(conversation, seq, length)
      const text = events.map((event) => `${JSON.stringify(event)}\n`).join('')
      await write(handle, text, bytes)
      files.set(conversation, { length: length + events.length, bytes: bytes + Buffer.byteLength(text) })
    } catch (error) {
      // Whatever went wrong, the next append looks at the file again; an empty one need not stay.
      files.delete(conversation)
      if ((await handle.stat()).size === 0) await unlink(path)
      throw error
    } finally {
      await handle.close()
    }
  }

  return {
    capabilities: { durable: true },
    append: (conversation, seq, events) =>
      queued(conversation, async () => {
        try {
          await appendTo(conversation, seq, events)
        } catch (error) {
          if (error instanceof ColloquyError) throw error
          const message = `Cannot write to ${pathOf(conversation)}: ${messageOf(error)}`
          throw new ColloquyError('JOURNAL_FAILED', message, { cause: error })
        }
      }),
    read: (conversation) =>
      queued(conversation, async (): Promise<JournalRead> => {
        const path = pathOf(conversation)
        const { events, warnings } = parse(path, conversation, await contentOf(path))
        return { events, warnings }
      }),
    async list() {
      const names = await readdir(folder).catch(() => [])
      const ids: string[] = []
      for (const name of names) {
        if (!name.endsWith(ENDING)) continue
        const id = await idIn(join(folder, name))
        if (id !== null) ids.push(id)
      }
      return ids
    },
    async close() {
      await Promise.all(queues.values())
      files.clear()
    },
  }
}

const contentOf = async (path: string): Promise<Buffer> => {
  try {
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw new ColloquyError('JOURNAL_FAILED', `Cannot read ${path}: ${messageOf(error)}`, { cause: error })
  }
}

/** A new file's name is safe only when its folder is. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const NEWLINE = 0x0a

const parse = (
  path: string,
  conversation: string,
  content: Buffer,
): { events: RecordEvent[]; warnings: string[]; bytes: number; isUnended: boolean } => {
  const events: RecordEvent[] = []
  const corrupt = (message: string): ColloquyError =>
    new ColloquyError('JOURNAL_CORRUPT', `${path}, line ${events.length + 1}: ${message}`)
  let start = 0
  for (let end = content.indexOf(NEWLINE); end !== -1; end = content.indexOf(NEWLINE, start)) {
    const event = eventOf(content.subarray(start, end), events.length)
    if (typeof event === 'string') throw corrupt(event)
    if (event.type === 'open' && event.id !== conversation) {
      throw corrupt(`opens the conversation "${event.id}", but the file is for "${conversation}"`)
    }
    events.push(event)
    start = end + 1
  }
  const left = content.length - start
  if (left === 0) return { events, warnings: [], bytes: start, isUnended: false }
  // A last line that lacks only its end is whole.
  const last = eventOf(content.subarray(start), events.length)
  if (typeof last !== 'string' && (last.type !== 'open' || last.id === conversation))
    return { events: [...events, last], warnings: [], bytes: content.length, isUnended: true }
  const warnings = [`${path}: the last line was cut short (${left} bytes) and is dropped`]
  return { events, warnings, bytes: start, isUnended: false }
}

/** The event in a line, or what is wrong with it. */
const eventOf = (line: Buffer, place: number): RecordEvent | string => {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line))
  } catch {
    return 'is no JSON'
  }
  const parsed = (place === 0 ? openEvent : happening).safeParse(value)
  return parsed.success ? parsed.data : place === 0 ? 'is no "open" event' : 'is no event'
}

/** The id of the conversation in a file; null when it holds none yet. */
const idIn = async (path: string): Promise<string | null> => {
  const content = await contentOf(path)
  const end = content.indexOf(NEWLINE)
  const event = end === -1 ? '' : eventOf(content.subarray(0, end), 0)
  return typeof event === 'string' || event.type !== 'open' ? null : event.id
}
