/** The command line's grammar: commands, options, help. What commands do is in a file of each. */
import { Command, InvalidArgumentError, Option } from 'commander'
import type { CheckCommandOptions } from './check-command.ts'
import type { DrawCommandOptions } from './draw-command.ts'
import { FORMATS } from './formats.ts'
import { addJournalCommands, type JournalCommands } from './journal-program.ts'
import { whole } from './numbers.ts'
import type { ReplayCommandOptions } from './replay-command.ts'
import type { RunCommandOptions } from './run-command.ts'
import { version } from './version.ts'

/** What the commands of the grammar do. */
export interface Commands {
  run(path: string, options: RunCommandOptions): Promise<void>
  replay(path: string, options: ReplayCommandOptions): Promise<void>
  draw(protocol: string | undefined, options: DrawCommandOptions): Promise<void>
  check(protocol: string | undefined, options: CheckCommandOptions): Promise<void>
  readonly journal: JournalCommands
}

const place = (text: string): number => {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be the number of an event, as the table shows it.')
}

/** Far more than any search gets through. */
const MOST_MEMBERS = 100
const MOST_SUBTASKS = 100
/** More states than this are more than a table of this language holds. */
const MOST_STATES = 16_000_000

const EXIT_CODES = `
Exit codes:
  0    done; of check: proved
  2    of check: refuted
  3    of check: not proved
  64   wrong command or option
  65   wrong data: a record, a task file or a journal
  66   a file, a conversation or a question is missing
  69   a package, a key or an endpoint is missing
  70   a bug in colloquy
  74   a file cannot be written
  130  interrupted`

/** The grammar, throwing where commander would end the process, and silent where it would complain. */
export const programOf = (commands: Commands): Command => {
  const program = new Command('colloquy')
    .description('Bounded group conversations for AI agents: they talk by rules, always finish, and say why.')
    .version(version(), '-v, --version', 'print the version')
    .option('--debug', 'show the stack of an error')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .addHelpText('after', `\nExample:\n  $ colloquy run task.yaml\n${EXIT_CODES}`)

  program
    .command('run')
    .summary('convene the group that a task file describes')
    .description(
      'Convenes the group that a task file describes, shows the conversation as it goes, and keeps its record.',
    )
    .argument('<task>', 'the task file, in YAML')
    .option('--model <name>', 'use this model for every member that is a model')
    .option(
      '--record <journal>',
      'keep the record in this folder, sqlite:FILE or postgres://… (default: .colloquy)',
    )
    .addOption(new Option('--json', 'print each event as JSON, and last the outcome').conflicts('quiet'))
    .option('--quiet', 'print only how it ended')
    .addHelpText(
      'after',
      `
Ends with 0 when the conversation has closed, however it closed: the outcome says how.
Ctrl-C cancels the conversation, stops its agents and ends with 130; a second one ends at once.

Example task:
  goal: Agree on a name for the new library
  lead: ada
  members:
    ada: { model: some-model }
    ben: { exec: python3 ben.py }
    you: { person: true }

Example:
  $ colloquy run task.yaml --record records`,
    )
    .action((path: string, options: RunCommandOptions) => commands.run(path, options))

  program
    .command('replay')
    .summary('decide a record again, and tell how it ended and why')
    .description(
      'Decides a record again: the same as when it was written. Tells each event, and how it ended.',
    )
    .argument('<record>', 'the record, in JSON Lines; - for stdin')
    .option('--json', 'print each decision as JSON, and last the outcome')
    .addOption(
      new Option('--from <seq>', 'show only events from this one on').argParser(place).conflicts('json'),
    )
    .addOption(new Option('--to <seq>', 'show only events up to this one').argParser(place).conflicts('json'))
    .addHelpText('after', '\nExample:\n  $ colloquy replay .colloquy/2030-01-31t120000-abcd1234.jsonl')
    .action((path: string, options: ReplayCommandOptions) => commands.replay(path, options))

  program
    .command('draw')
    .summary('draw the state machine of a protocol')
    .description('Draws the state machine of a protocol, as a diagram or as its config.')
    .argument('[protocol]', 'the name of a protocol (default: the first that there is)')
    .addOption(new Option('--format <format>', 'what to print').choices(FORMATS).default('mermaid'))
    .option('-o, --output <file>', 'write to this file')
    .addHelpText('after', '\nExample:\n  $ colloquy draw --format dot | dot -Tsvg > machine.svg')
    .action((protocol: string | undefined, options: DrawCommandOptions) => commands.draw(protocol, options))

  program
    .command('check')
    .summary('prove that every conversation of a protocol closes, or show one that does not')
    .description(
      'Explores everything that can happen in a conversation of a protocol, whatever its members say, fail or leave, and tells whether every conversation closes, and within how many turns, messages and how much time.',
    )
    .argument('[protocol]', 'the name of a protocol (default: the first that there is)')
    .option('--policy <file>', 'the policy to check, in YAML or JSON; - for stdin')
    .addOption(
      new Option('--members <number>', 'how many members: a, b, c and so on')
        .argParser(whole(1, MOST_MEMBERS))
        .default(3),
    )
    .addOption(
      new Option('--subtasks <number>', 'most pieces of work').argParser(whole(0, MOST_SUBTASKS)).default(2),
    )
    .option('--joins', 'let members that left join again')
    .option('--lead <member>', 'who leads, or none (default: one search with nobody, one with a)')
    .addOption(
      new Option(
        '--max-states <number>',
        'give up after so many states in all, shared by the searches; 2,000,000 take minutes and about 2 GB',
      )
        .argParser(whole(1, MOST_STATES))
        .default(2_000_000),
    )
    .option('--records <folder>', 'write the longest conversations and the counterexample to this folder')
    .option('--json', 'print the whole report as one JSON object')
    .addHelpText(
      'after',
      `
Ends with 0 when it is proved that every conversation closes, with 2 when it is refuted: one need not;
with 3 when neither is known, such as when there were too many states.

The folder then holds turns.jsonl, messages.jsonl, time.jsonl, counterexample.jsonl and problem-1.jsonl,
as far as there are such; those of an earlier check are replaced, other files never.

Example:
  $ colloquy check --members 2 --policy policy.yaml --records longest
  $ colloquy replay longest/turns.jsonl`,
    )
    .action((protocol: string | undefined, options: CheckCommandOptions) => commands.check(protocol, options))

  addJournalCommands(program, commands.journal)
  return program
}
