/** `colloquy journal import`: records into a journal, each decided again first. */
import { addAbortSignal, type Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Conversation } from '../engine/conversation.ts'
import { type RecordLine, type RecordText, readLines, replay, resumeConversation } from '../engine/replay.ts'
import { standingOf } from '../engine/standing.ts'
import { ColloquyError } from '../errors.ts'
import type { Journal } from '../journals/journal.ts'
import { EXIT } from './exit-codes.ts'
import { type Desk, protocols, withJournal } from './journal-desk.ts'
import { recordLines } from './record-lines.ts'
import { counted } from './text.ts'

export type ImportDesk = Desk & { readonly input: Readable }

/**
 * Imports records: all are looked at before the first is appended, each as a whole, with how it stands and a snapshot.
 * Lines that changed nothing, such as a message that was refused, are no events of a conversation and stay behind.
 * @param paths files; `-` for stdin
 * @throws ColloquyError `CONVERSATION_EXISTS`, `RECORD_INVALID`, `OPEN_INVALID`, `USAGE`; FileFailure
 */
export const journalImport = (place: string, paths: readonly string[], desk: ImportDesk): Promise<number> =>
  withJournal(
    place,
    desk,
    async ({ journal, name }) => {
      const { output, signal, warn } = desk
      const piped = paths.includes('-') ? await pipedLines(desk) : NOTHING
      const sources = paths.map((path) => sourceOf(path, piped, warn))
      const files = new Map<string, string>()
      for (const { path, read } of sources) {
        if (signal.aborted) return EXIT.interrupted
        const { id } = read().talk
        const other = files.get(id)
        if (other !== undefined)
          throw new ColloquyError('CONVERSATION_EXISTS', `${path} and ${other} are both of "${id}"`, {
            remedy: 'Name one of the two; nothing was imported.',
          })
        files.set(id, path)
        if ((await journal.load(id)) !== null) throw exists(id, name, path, 'nothing was imported')
      }
      let count = 0
      for (const { path, read } of sources) {
        if (signal.aborted) break
        const { talk, refused } = read()
        if (refused > 0) warn(`${path}: ${counted(refused, 'line')} changed nothing, and stayed behind`)
        await append(journal, talk).catch((error: unknown) => {
          if (!(error instanceof ColloquyError) || error.code !== 'JOURNAL_CONFLICT') throw error
          throw exists(
            talk.id,
            name,
            path,
            `${counted(count, 'record')} before it ${count === 1 ? 'was' : 'were'} imported`,
          )
        })
        count++
      }
      output.write(`${counted(count, 'conversation')} imported into ${name}\n`)
      return signal.aborted ? EXIT.interrupted : EXIT.done
    },
    { make: true },
  )

interface Source {
  readonly path: string
  /** Decides the record again: a conversation with all its events. Twice, rather than to keep them all in memory. */
  read(): { readonly talk: Conversation; readonly refused: number }
}

const NOTHING: RecordText = { lines: [], warnings: [] }

/** What comes from a pipe, which comes only once. An interrupt ends the wait for it. */
const pipedLines = async ({ input, signal, warn }: ImportDesk): Promise<RecordText> => {
  let bytes: Buffer
  try {
    bytes = await buffer(addAbortSignal(signal, input))
  } catch (error) {
    if (signal.aborted) return NOTHING
    throw error
  }
  return inFile('stdin', () => {
    try {
      const text = readLines(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
      for (const warning of text.warnings) warn(`stdin: ${warning}`)
      return text
    } catch (error) {
      if (error instanceof ColloquyError) throw error
      throw new ColloquyError('RECORD_INVALID', 'is no UTF-8', { cause: error })
    }
  })
}

const sourceOf = (path: string, piped: RecordText, warn: Desk['warn']): Source => {
  const shown = path === '-' ? 'stdin' : path
  const warned = new Set<string>()
  const linesIn = (): Iterable<RecordLine> =>
    recordLines(path, (text) => {
      if (!warned.has(text)) warn(`${shown}: ${text}`)
      warned.add(text)
    })
  return {
    path: shown,
    read: () =>
      inFile(shown, () => {
        const { talk, decisions } = replay(path === '-' ? piped.lines : linesIn(), protocols)
        const refused = decisions.filter(({ seq }) => seq === undefined).length
        // Without the lines that changed nothing: they may have been later than what is kept.
        return { talk: resumeConversation(talk.record(), { protocol: talk.protocol }), refused }
      }),
  }
}

const append = (journal: Journal, talk: Conversation): Promise<void> => {
  const standing = { ...standingOf(talk), snapshot: talk.snapshot(), questions: [] }
  return journal.append(talk.id, 0, talk.record(), { standing })
}

const exists = (id: string, name: string, path: string, done: string): ColloquyError =>
  new ColloquyError('CONVERSATION_EXISTS', `${path} is of "${id}", which is in ${name} already`, {
    remedy: `Leave it out, or import into another journal; ${done}.`,
  })

/** What is wrong with a record, with the file that it is in. */
const inFile = <Result>(path: string, act: () => Result): Result => {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof ColloquyError)) throw error
    const { code, message, issues, remedy } = error
    throw new ColloquyError(code, `${path}: ${message}`, { issues, remedy, cause: error })
  }
}
