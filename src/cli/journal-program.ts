/** The grammar of the commands over journals. */
import { type Command, Option } from 'commander'
import type { AnswerCommandOptions } from './answer-command.ts'
import type { JournalExportOptions } from './journal-export.ts'
import type { JournalListOptions } from './journal-list.ts'
import type { JournalQuestionsOptions } from './journal-questions.ts'
import type { JournalShowOptions } from './journal-show.ts'
import type { JournalVerifyOptions } from './journal-verify.ts'
import { whole } from './numbers.ts'

/** What these commands do. */
export interface JournalCommands {
  list(journal: string, options: JournalListOptions): Promise<void>
  show(journal: string, id: string, options: JournalShowOptions): Promise<void>
  exportTo(journal: string, ids: readonly string[], options: JournalExportOptions): Promise<void>
  importFrom(journal: string, paths: readonly string[]): Promise<void>
  verify(journal: string, options: JournalVerifyOptions): Promise<void>
  compact(journal: string, ids: readonly string[]): Promise<void>
  questions(journal: string, options: JournalQuestionsOptions): Promise<void>
  answer(
    journal: string,
    question: string | undefined,
    words: readonly string[],
    options: AnswerCommandOptions,
  ): Promise<void>
}

const JOURNAL = 'a folder, sqlite:FILE, a path that ends in .db or .sqlite, or postgres://…'
const MOST_LINES = 1e12
/** A day, in seconds. */
const LONGEST_WAIT = 86_400
const ID = 'the id of a conversation'

/** Adds the commands to a program. */
export const addJournalCommands = (program: Command, commands: JournalCommands): void => {
  const journal = program
    .command('journal')
    .summary('look into a journal: list, show, export, import, verify, compact')
    .description('Looks into a journal, where conversations are kept, and carries records in and out of it.')
    .addHelpText('after', '\nExample:\n  $ colloquy journal ls .colloquy --open')

  journal
    .command('ls')
    .summary('list conversations')
    .description('Lists conversations: where they stand or how they ended, and when they are due.')
    .argument('<journal>', JOURNAL)
    .addOption(new Option('--open', 'only those that are open').conflicts('closed'))
    .option('--closed', 'only those that have ended')
    .option('--machine <protocol>', 'only those of this protocol')
    .option('--state <state>', 'only those in this state')
    .option('--status <status>', 'only those whose outcome has this status')
    .addOption(new Option('--limit <number>', 'at most so many').argParser(whole(1, MOST_LINES)))
    .option('--json', 'print each as JSON')
    .addHelpText('after', '\nExample:\n  $ colloquy journal ls sqlite:talks.db --open --limit 20')
    .action((place: string, options: JournalListOptions) => commands.list(place, options))

  journal
    .command('show')
    .summary('tell how a conversation stands or ended, and what happened last')
    .description(
      'Decides a conversation again, and tells how it stands or ended, what is asked of people, and what happened last.',
    )
    .argument('<journal>', JOURNAL)
    .argument('<id>', ID)
    .option('--json', 'print all of it as one JSON object')
    .addHelpText('after', '\nExample:\n  $ colloquy journal show .colloquy c_V1StGXR8Z5jdHi6B')
    .action((place: string, id: string, options: JournalShowOptions) => commands.show(place, id, options))

  journal
    .command('export')
    .summary('write records as JSON Lines')
    .description(
      'Writes the records of conversations, all of them unless some are named, for `colloquy replay` and `colloquy journal import`.',
    )
    .argument('<journal>', JOURNAL)
    .argument('[id...]', 'ids of conversations (default: all)')
    .option(
      '-o, --output <folder>',
      'write a file for each into this folder; - for stdout (default: - for one)',
    )
    .addHelpText('after', '\nExample:\n  $ colloquy journal export sqlite:talks.db -o records')
    .action((place: string, ids: string[], options: JournalExportOptions) =>
      commands.exportTo(place, ids, options),
    )

  journal
    .command('import')
    .summary('take records in')
    .description(
      'Takes records into a journal, which is made when it is not there. All are decided again first: a wrong one, or one of a conversation that is there already, and nothing is imported.',
    )
    .argument('<journal>', JOURNAL)
    .argument('<file...>', 'records, in JSON Lines; - for stdin')
    .addHelpText('after', '\nExample:\n  $ colloquy journal import sqlite:talks.db records/*.jsonl')
    .action((place: string, paths: string[]) => commands.importFrom(place, paths))

  journal
    .command('verify')
    .summary('decide every record again, and compare')
    .description(
      'Decides every record again, and compares with what the journal says of it: how it stands, its snapshot, its messages. Ends with 65 when something is wrong.',
    )
    .argument('<journal>', JOURNAL)
    .option('--json', 'print each difference as JSON, and last how many there are')
    .addHelpText('after', '\nExample:\n  $ colloquy journal verify .colloquy')
    .action((place: string, options: JournalVerifyOptions) => commands.verify(place, options))

  journal
    .command('compact')
    .summary('make the records of closed conversations smaller')
    .description('Makes the records of closed conversations smaller without losing anything of them.')
    .argument('<journal>', JOURNAL)
    .argument('[id...]', 'ids of conversations (default: all that are closed)')
    .addHelpText('after', '\nExample:\n  $ colloquy journal compact sqlite:talks.db')
    .action((place: string, ids: string[]) => commands.compact(place, ids))

  program
    .command('questions')
    .summary('list what is asked of people')
    .description(
      'Lists the questions that wait for people: of whom, why, what may be answered, and until when.',
    )
    .argument('<journal>', JOURNAL)
    .option('--json', 'print each as JSON')
    .addHelpText('after', '\nExample:\n  $ colloquy questions sqlite:talks.db')
    .action((place: string, options: JournalQuestionsOptions) => commands.questions(place, options))

  program
    .command('answer')
    .summary('answer a question for a person')
    .description(
      'Keeps an answer to a question in the journal, waits for the host that looks after the conversation, and tells what became of it.',
    )
    .argument('<journal>', JOURNAL)
    .argument('[question]', 'the id of the question (default: the only one that waits)')
    .argument('[text...]', 'the answer (default: what is typed or piped)')
    .addOption(
      new Option('--wait <seconds>', 'how long to wait for a host')
        .argParser(whole(0, LONGEST_WAIT))
        .default(5),
    )
    .option('--json', 'print what became of it as JSON')
    .addHelpText(
      'after',
      `
The first answer to a question stands. An answer is text, best with its intent in front; what it may be is
told by \`colloquy questions\`.

Example:
  $ colloquy answer sqlite:talks.db q_V1StGXR8Z5jdHi6B "[agree] fine with me"`,
    )
    .action((place: string, question: string | undefined, words: string[], options: AnswerCommandOptions) =>
      commands.answer(place, question, words, options),
    )
}
