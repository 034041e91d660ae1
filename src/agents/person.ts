/** An agent of a person at a terminal. */
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { ColloquyError, messageOf } from '../errors.ts'
import type { Agent, Turn } from './agent.ts'
import { oneLine, plain, spanText } from './render.ts'
import { type Queue, queue } from './wait.ts'

export interface PersonOptions {
  /** Where the person types. Default: stdin. */
  readonly input?: Readable
  /** Where the person reads. Default: stdout. */
  readonly output?: Writable
  /** The name to greet the person by. Default: the member's id. */
  readonly name?: string
  /** What the person can do, matched with what a piece of work requires. */
  readonly capabilities?: readonly string[]
}

/** One input stream, shared by all persons who sit at it. Lines typed or piped ahead are kept. */
interface Terminal {
  readonly readline: Interface
  readonly isTTY: boolean
  readonly inTurn: Queue
  readonly lines: string[]
  hasLeft: boolean
  /** Called when there is another line, or none will come. */
  wake: () => void
  persons: number
}

const terminals = new WeakMap<Readable, Terminal>()

/** ms that a terminal has to hand over what was typed before the turn. */
const EARLY_WAIT = 20
/** The keys that clear the line typed so far. */
const CLEAR_LINE = { ctrl: true, name: 'u' } as const

const isTTY = (stream: Readable | Writable): boolean => 'isTTY' in stream && stream.isTTY === true

const openTerminal = (input: Readable, output: Writable): Terminal => {
  const tty = isTTY(input) && isTTY(output)
  const readline = createInterface({ input, output, terminal: tty, prompt: '', historySize: 0 })
  const terminal: Terminal = {
    readline,
    isTTY: tty,
    inTurn: queue(),
    lines: [],
    hasLeft: false,
    wake: () => {},
    persons: 0,
  }
  readline.on('line', (line) => {
    terminal.lines.push(line)
    terminal.wake()
  })
  readline.on('close', () => {
    terminal.hasLeft = true
    terminal.wake()
  })
  // A terminal in raw mode makes no signal of Ctrl-C: make it, so that the program ends or handles it as ever.
  readline.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  readline.pause()
  return terminal
}

/** Resolves to the next line. Rejects when the person has left, and with `signal.reason` on abort. */
const nextLine = (terminal: Terminal, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const settle = (): void => {
      const line = signal.aborted ? undefined : terminal.lines.shift()
      if (line === undefined && !signal.aborted && !terminal.hasLeft) return
      terminal.wake = () => {}
      signal.removeEventListener('abort', settle)
      if (signal.aborted) reject(signal.reason)
      else if (line === undefined) reject(new ColloquyError('AGENT_FAILED', 'The person left the terminal'))
      else resolve(line)
    }
    terminal.wake = settle
    signal.addEventListener('abort', settle, { once: true })
    settle()
  })

const intentsOf = (turn: Turn<unknown>): string =>
  turn.allowed.map(({ intent }) => oneLine(intent)).join(', ')

/** Reads and forgets what was typed before: the terminal has kept it while nobody read. */
const dropEarly = async (at: Terminal, signal: AbortSignal): Promise<void> => {
  await sleep(EARLY_WAIT)
  signal.throwIfAborted()
  at.lines.length = 0
  if (!at.hasLeft) at.readline.write(null, CLEAR_LINE)
}

/** What the person sees: what is new since its last turn, and what it may do. */
const shown = (turn: Turn<unknown>, name: string, isFirst: boolean, seen: ReadonlySet<string>): string => {
  const news = turn.transcript.filter(({ id, from }) => !seen.has(id) && (isFirst || from !== turn.member))
  const said = news.flatMap((entry) => {
    const [first = '', ...others] = plain(entry.content).split('\n')
    return [
      `  ${oneLine(entry.from)} [${oneLine(entry.intent)}] ${first}`,
      ...others.map((line) => `    ${line}`),
    ]
  })
  const limits = [
    ...(turn.turnsLeft === null
      ? []
      : [turn.turnsLeft === 1 ? '1 turn left' : `${turn.turnsLeft} turns left`]),
    ...(turn.timeLeft === null ? [] : [`${spanText(turn.timeLeft)} left`]),
  ]
  return [
    '',
    `--- ${oneLine(name)}, it is your turn in "${oneLine(turn.state)}"${limits.length > 0 ? ` (${limits.join(', ')})` : ''}`,
    ...(isFirst ? [`Goal: ${plain(turn.goal).split('\n').join('\n  ')}`] : []),
    ...(said.length > 0 ? ['New messages:', ...said] : []),
    ...(turn.notice === null ? [] : [`Your last answer could not be used: ${oneLine(turn.notice)}`]),
    oneLine(turn.task),
    `You may: ${intentsOf(turn)} (/help tells more)`,
    ...(turn.lastTurn ? ['This is your last turn here.'] : []),
    '',
  ].join('\n')
}

const help = (turn: Turn<unknown>): string =>
  [
    ...turn.allowed.map(
      ({ intent, does, form }) =>
        `  [${oneLine(intent)}] ${oneLine(does)}${form === undefined ? '' : `\n      fields: ${oneLine(form)}`}`,
    ),
    turn.expected === null
      ? '  Type "[intent] your text", or only text that tells clearly which of these it is.'
      : `  Type "[intent] your text", or only text: it is taken as "${oneLine(turn.expected)}" unless it tells otherwise.`,
    '  Fields go into the brackets, [intent field=value] your text; or use {"intent": "…", "content": "your text", "payload": {…}} on one line.',
    '  A backslash at the end of a line goes on with the next line. Ctrl-D leaves.',
    '',
  ].join('\n')

/**
 * Makes an agent of a person at a terminal. It shows the goal once, then each turn what is new, why the person is
 * asked and what it may say; and takes `[intent] text`, plain text, or a JSON object on one line. `/help` lists the
 * intents with their fields; a backslash at the end of a line continues it; an empty line, or an intent that is not
 * allowed now, asks again. What others wrote is shown with terminal escapes and control characters taken out.
 *
 * Persons who share an input are asked one after the other. At a real terminal, what was typed before the turn began
 * is dropped, so that it is not taken for another's answer; from a pipe or file it is kept, a line an answer. Input is
 * read only during turns. Ctrl-C raises SIGINT as ever.
 *
 * @returns An agent for any protocol without a time limit of its own. It rejects with `AGENT_FAILED` when the input
 *   ends (Ctrl-D), now and in every later turn, and with `signal.reason` on abort. `close()` gives the input free.
 */
export function person(options: PersonOptions = {}): Agent<unknown> {
  const input = options.input ?? process.stdin
  const output = options.output ?? process.stdout
  const seen = new Map<string, Set<string>>()
  let terminal: Terminal | null = null

  const join = (): Terminal => {
    if (terminal !== null) return terminal
    terminal = terminals.get(input) ?? openTerminal(input, output)
    terminals.set(input, terminal)
    terminal.persons++
    return terminal
  }

  /** Lines up to one that does not end in a backslash, put together. */
  const readText = async (at: Terminal, prompt: string, signal: AbortSignal): Promise<string> => {
    const parts: string[] = []
    for (;;) {
      if (!at.hasLeft) {
        at.readline.setPrompt(parts.length === 0 ? prompt : '… ')
        at.readline.prompt()
      }
      const line = plain(await nextLine(at, signal))
      if (!line.endsWith('\\')) return [...parts, line].join('\n').trim()
      parts.push(line.slice(0, -1))
    }
  }

  const ask = async (at: Terminal, turn: Turn<unknown>, signal: AbortSignal): Promise<string> => {
    const before = seen.get(turn.conversation)
    if (at.isTTY) await dropEarly(at, signal)
    output.write(shown(turn, options.name ?? turn.member, before === undefined, before ?? new Set()))
    seen.set(turn.conversation, new Set(turn.transcript.map(({ id }) => id)))
    const allowed = new Set(turn.allowed.map(({ intent }) => intent.toLowerCase()))
    for (;;) {
      const text = await readText(at, `${oneLine(turn.member)}> `, signal)
      if (text === '') continue
      if (text === '/help') {
        output.write(help(turn))
        continue
      }
      const intent = /^\[([\p{L}_][\p{L}\p{N}_-]*)(?=[\]\s])/u.exec(text)?.[1]
      if (intent === undefined || allowed.has(intent.toLowerCase())) return text
      output.write(
        `[${intent}] is not allowed now. You may: ${intentsOf(turn)}. Text must not begin with a bracket.\n`,
      )
    }
  }

  const agent: Agent<unknown> = (turn, signal) => {
    const at = join()
    return at.inTurn(signal, async () => {
      if (at.hasLeft && at.lines.length === 0)
        throw new ColloquyError('AGENT_FAILED', 'The person left the terminal')
      if (!at.hasLeft) at.readline.resume()
      try {
        return await ask(at, turn, signal)
      } catch (thrown) {
        // What was half typed is gone; the cursor starts a line of its own.
        if (at.isTTY && !at.hasLeft) at.readline.write(null, CLEAR_LINE)
        if (signal.aborted) output.write(`\n(The turn is over: ${oneLine(messageOf(signal.reason))})\n`)
        throw thrown
      } finally {
        if (!at.hasLeft) at.readline.pause()
      }
    })
  }
  return Object.assign(agent, {
    timeout: null,
    ...(options.capabilities === undefined ? {} : { capabilities: options.capabilities }),
    close: async () => {
      const at = terminal
      terminal = null
      if (at === null) return
      at.persons--
      if (at.persons > 0) return
      terminals.delete(input)
      at.readline.close()
    },
  })
}
