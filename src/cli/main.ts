#!/usr/bin/env node
/** The process of the command line: streams, signals, exit codes. The grammar is in program.ts; a command is loaded when it is called. */
import { CommanderError } from 'commander'
import { plain } from '../agents/render.ts'
import { ColloquyError } from '../errors.ts'
import { EXIT } from './exit-codes.ts'
import { complaintOf, ReaderLeft, systemCode } from './failure.ts'
import { interrupts } from './interrupts.ts'
import type { Desk } from './journal-desk.ts'
import type { JournalCommands } from './journal-program.ts'
import { programOf } from './program.ts'
import { syncOutput } from './sync-output.ts'

const { stdout, stderr } = process
const STDOUT = 1
/** Columns where the terminal does not say, and the most that are used for prose. */
const PROSE_WIDTH = 100
/** Columns of a table that goes into a file. */
const TABLE_WIDTH = 160
const LEAST_WIDTH = 30

/** Columns of the terminal. Some say 0 and mean that they do not know. */
const columnsOr = (unknown: number): number => Math.max(LEAST_WIDTH, stdout.columns || unknown)

const isColoured = (): boolean => stdout.isTTY === true && (process.env.NO_COLOR ?? '') === ''

/** What is to be done when nobody reads our output any more. */
let leave = (): void => process.exit(EXIT.done)
stdout.on('error', (error) => {
  if (systemCode(error) === 'EPIPE') leave()
  else fail(error)
})
// There is nowhere left to complain.
stderr.on('error', () => {})

/** Ends once what was written is out; agents of modules may have left timers or sockets. */
const end = (code: number): void => {
  stdout.write('', () => stderr.write('', () => process.exit(code)))
}

const fail = (thrown: unknown): void => {
  if (thrown instanceof ReaderLeft) {
    end(EXIT.done)
    return
  }
  const { text, exit } = complaintOf(thrown, program.opts().debug === true)
  stderr.write(text)
  end(exit)
}

/** Commander's complaints in our form; its help and version are no failures. */
const usageOf = (error: CommanderError): ColloquyError =>
  new ColloquyError('USAGE', error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' '))

const warn = (text: string): void => {
  stderr.write(`colloquy: warning: ${plain(text)}\n`)
}

/** Runs a command over a journal, which stops between two conversations when it is told to. */
const atDesk = async (act: (desk: Desk) => Promise<number>): Promise<void> => {
  const what = 'what is at hand is finished, and nothing else is begun'
  const interrupt = interrupts((text) => stderr.write(text), what)
  const desk = { output: syncOutput(STDOUT), width: columnsOr(PROSE_WIDTH), signal: interrupt.signal, warn }
  const code = await act(desk).finally(interrupt.stop)
  end(interrupt.exitCode() ?? code)
}

const journal: JournalCommands = {
  list: (place, options) =>
    atDesk(async (desk) => (await import('./journal-list.ts')).journalList(place, options, desk)),
  show: (place, id, options) =>
    atDesk(async (desk) => (await import('./journal-show.ts')).journalShow(place, id, options, desk)),
  exportTo: (place, ids, options) =>
    atDesk(async (desk) => (await import('./journal-export.ts')).journalExport(place, ids, options, desk)),
  importFrom: (place, paths) =>
    atDesk(async (desk) => {
      const { journalImport } = await import('./journal-import.ts')
      return journalImport(place, paths, { ...desk, input: process.stdin })
    }),
  verify: (place, options) =>
    atDesk(async (desk) => (await import('./journal-verify.ts')).journalVerify(place, options, desk)),
  compact: (place, ids) =>
    atDesk(async (desk) => (await import('./journal-compact.ts')).journalCompact(place, ids, desk)),
  questions: (place, options) =>
    atDesk(async (desk) => (await import('./journal-questions.ts')).journalQuestions(place, options, desk)),
  answer: (place, question, words, options) =>
    atDesk(async (desk) => {
      const { answerCommand } = await import('./answer-command.ts')
      return answerCommand(place, question, words, options, { ...desk, input: process.stdin, prompt: stderr })
    }),
}

const program = programOf({
  journal,
  run: async (path, options) => {
    const interrupt = interrupts((text) => stderr.write(text))
    let hasLeft = false
    leave = () => {
      hasLeft = true
      interrupt.abort()
    }
    const width = Math.min(columnsOr(PROSE_WIDTH), PROSE_WIDTH)
    const stage = {
      output: stdout,
      errors: stderr,
      isColoured: isColoured(),
      width,
      signal: interrupt.signal,
    }
    const { runCommand } = await import('./run-command.ts')
    const code = await runCommand(path, options, stage).finally(interrupt.stop)
    end(hasLeft ? EXIT.done : (interrupt.exitCode() ?? code))
  },
  replay: async (path, options) => {
    const { replayCommand } = await import('./replay-command.ts')
    replayCommand(path, options, { output: syncOutput(STDOUT), width: columnsOr(TABLE_WIDTH), warn })
  },
  draw: async (protocol, options) => {
    const { drawCommand } = await import('./draw-command.ts')
    drawCommand(protocol, options, syncOutput(STDOUT))
  },
  check: async (protocol, options) => {
    let reached: (() => string) | null = null
    // Nothing is lost that a search could save: it ends at once.
    process.once('SIGINT', () => {
      const far = reached === null ? '' : ` after ${reached()}`
      stderr.write(`\ncolloquy: interrupted${far}: nothing is proved\n`)
      process.exit(EXIT.interrupted)
    })
    const { checkCommand } = await import('./check-command.ts')
    const width = Math.min(columnsOr(PROSE_WIDTH), PROSE_WIDTH)
    const output = syncOutput(STDOUT)
    end(
      await checkCommand(protocol, options, {
        output,
        errors: stderr,
        isColoured: isColoured(),
        width,
        threads: true,
        began: (text) => {
          reached = text
        },
      }),
    )
  },
})

try {
  await program.parseAsync()
} catch (thrown) {
  if (!(thrown instanceof CommanderError)) fail(thrown)
  else if (thrown.exitCode === 0) end(EXIT.done)
  // Called without a command: its help was the answer.
  else if (thrown.code === 'commander.help') end(EXIT.usage)
  else fail(usageOf(thrown))
}
