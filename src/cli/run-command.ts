/** `colloquy run`: a task file's group at work, shown as it goes, with its record kept. */
import { join } from 'node:path'
import { customAlphabet } from 'nanoid'
import { oneLine } from '../agents/render.ts'
import { type ConveneListeners, convene } from '../engine/convene.ts'
import type { ConversationEvent } from '../engine/events.ts'
import { fileNameOf } from '../file-name.ts'
import { endingText, sentenceOf } from './ending.ts'
import { EXIT } from './exit-codes.ts'
import { journalAt, type NamedJournal } from './journal-url.ts'
import { narrator } from './narrator.ts'
import { readTask, type TaskFile } from './task.ts'
import { agentsOf, hasModel } from './task-agents.ts'
import { jsonText } from './text.ts'

export interface RunCommandOptions {
  readonly model?: string
  readonly record?: string
  readonly json?: boolean
  readonly quiet?: boolean
}

export interface Stage {
  readonly output: NodeJS.WriteStream
  readonly errors: NodeJS.WriteStream
  readonly isColoured: boolean
  /** Columns. */
  readonly width: number
  /** Aborts when the run is to be cancelled. */
  readonly signal: AbortSignal
}

const FOLDER = '.colloquy'
const idOf = customAlphabet('0123456789abcdefghijklmnopqrstuvwxyz', 8)
/** An id that sorts by time and is a file name as it stands. */
const freshId = (): string =>
  `${new Date().toISOString().slice(0, 19).replaceAll(':', '').toLowerCase()}-${idOf()}`

/**
 * Runs the task in a file to its end.
 * @returns the exit code: 0 when the conversation closed, however; 130 when it was cancelled by the signal
 * @throws ColloquyError `TASK_INVALID`, `ENDPOINT_INVALID`, `DEPENDENCY_MISSING`, `JOURNAL_FAILED`; FileFailure
 */
export const runCommand = async (path: string, options: RunCommandOptions, stage: Stage): Promise<number> => {
  const warn = (text: string): void => {
    stage.errors.write(`colloquy: warning: ${oneLine(text)}\n`)
  }
  const file = readTask(path)
  if (options.model !== undefined && !hasModel(file))
    warn(`--model changes nothing: no member of ${path} is a model`)
  const named = await journalAt(options.record ?? FOLDER, { make: true })
  try {
    // A database that is not there is found before anybody is asked.
    if (named.folder === null) await named.journal.list({ limit: 1 })
    return await convened(file, options, named, stage, warn)
  } finally {
    await named.journal.close()
  }
}

/** Convenes the group of a task over a journal. */
const convened = async (
  file: TaskFile,
  options: RunCommandOptions,
  { journal, name, folder }: NamedJournal,
  stage: Stage,
  warn: (text: string) => void,
): Promise<number> => {
  const { output, errors, signal, width } = stage
  const isSilent = options.json === true || options.quiet === true
  const agents = await agentsOf(file, {
    ...(options.model === undefined ? {} : { model: options.model }),
    personOutput: isSilent ? errors : output,
    onStderr: (member, line) => errors.write(`${oneLine(member)}: ${oneLine(line)}\n`),
  })
  const id = freshId()
  const record = folder === null ? `${id} in ${name}` : join(folder, `${fileNameOf(id)}.jsonl`)
  const states: string[] = []
  const listeners = isSilent ? silent(options, stage, warn) : shown(stage)
  const {
    outcome,
    record: events,
    unstopped,
  } = await convene<object, object, object>({
    ...conveneOptions(file),
    id,
    agents,
    signal,
    journal,
    on: {
      ...listeners,
      opened(talk) {
        states.push(talk.state)
        listeners.opened?.(talk)
      },
      transition({ to }) {
        states.push(to)
      },
    },
  })
  const first = events.at(0)?.at ?? 0
  const took = (events.at(-1)?.at ?? first) - first
  const state = states.at(-1) ?? ''
  if (unstopped.length > 0) warn(`Not stopped in time: ${unstopped.join(', ')}`)
  if (options.json === true) output.write(`${jsonText({ outcome, state, record })}\n`)
  else if (options.quiet === true) output.write(`${sentenceOf(outcome, took)} Record: ${record}\n`)
  else output.write(`\n${endingText({ outcome, path: states, took, width })}Record: ${record}\n`)
  return signal.aborted ? EXIT.interrupted : EXIT.done
}

const conveneOptions = ({ protocol, task }: TaskFile) => ({
  protocol,
  goal: task.goal,
  lead: task.lead ?? null,
  policy: task.policy ?? {},
  ...(task.talk === undefined ? {} : { talk: task.talk }),
  ...(task.turnTimeout === undefined ? {} : { turnTimeout: task.turnTimeout }),
})

type Listeners = ConveneListeners<object, object, object>

const shown = ({ output, isColoured, width }: Stage): Listeners =>
  narrator({
    write: (text) => output.write(text),
    isColoured,
    width,
    isPatient: output.isTTY === true,
  })

/** Nothing but, where asked for, each event as JSON. */
const silent = (
  { json = false }: RunCommandOptions,
  { output }: Stage,
  warning: (text: string) => void,
): Listeners => ({
  warning,
  ...(json ? { event: (heard: ConversationEvent) => output.write(eventLine(heard)) } : {}),
})

const eventLine = ({ seq, event, decision }: ConversationEvent): string =>
  `${jsonText({ seq, event, ...decision })}\n`
