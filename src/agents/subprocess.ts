/** An agent of a program in any language: the turn goes in on stdin, the answer comes back on stdout. */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { ColloquyError, messageOf } from '../errors.ts'
import type { Agent, Answer } from './agent.ts'
import { readAnswer, withoutTokens } from './answer.ts'
import { plain, renderTurn } from './render.ts'
import { queue, within } from './wait.ts'

export interface SubprocessOptions {
  /** Working directory. Default: the parent's. */
  readonly cwd?: string
  /** The whole environment, as in `node:child_process`. Default: the parent's, secrets included. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** One process for all turns, one line in and one line out each, in place of one process a turn. Default: false. */
  readonly persistent?: boolean
  /** What the process reads: the turn as JSON, or as text (see `renderTurn`). Default: `json`. */
  readonly input?: 'json' | 'text'
  /** Most bytes of one answer. Default: 1 MiB. */
  readonly maxOutput?: number
  /** What the agent can do, matched with what a piece of work requires. */
  readonly capabilities?: readonly string[]
  /** Limit for one turn in ms; null: only the state's deadline. Default: the group's. */
  readonly timeout?: number | null
  /** ms between the request to end (SIGTERM) and the end by force (SIGKILL). Default: 2000. */
  readonly killGrace?: number
  /** Whether its word on `tokens` counts, towards everybody's budget. Default: false; its text is measured instead. */
  readonly reportsTokens?: boolean
  /** Called with each line of stderr, without its line break, cut at 64 KiB. Must not throw. */
  readonly onStderr?: (line: string) => void
}

const MIB = 1 << 20
/** Bytes of stderr that are kept, and the longest line handed to `onStderr`. */
const STDERR_KEPT = 64 << 10
/** What of stderr goes into an error's message. */
const STDERR_LINES = 10
const STDERR_CHARS = 2000
const LINE_FEED = 0x0a
const isWindows = process.platform === 'win32'

// --- Process groups. Every process leads its own group, so that it can be ended with its children. ---

const groups = new Set<number>()
let warden: ChildProcess | null = null

const signalGroup = (id: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-id, signal)
  } catch {
    // Gone already, or not ours to end.
  }
}

/** Whether every process left in the group is a zombie: dead, but not reaped by a careless init. Linux only. */
const areZombies = (id: number): boolean => {
  if (process.platform !== 'linux') return false
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .every((name) => {
        try {
          const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
          const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
          return group !== String(id) || state === 'Z' || state === 'X'
        } catch {
          return true
        }
      })
  } catch {
    return false
  }
}

const isGroupAlive = (id: number): boolean => {
  try {
    process.kill(-id, 0)
  } catch {
    return false
  }
  return true
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** Waits until nothing of the group lives, at most `ms`; says whether it is so. */
const groupGone = async (id: number, ms: number, leader: ChildProcess): Promise<boolean> => {
  const until = performance.now() + ms
  for (let pause = 2; ; pause = Math.min(pause * 2, 50)) {
    if (!isGroupAlive(id)) return true
    if (pause > 10 && hasEnded(leader) && areZombies(id)) return true
    if (performance.now() >= until) return false
    await sleep(pause)
  }
}

const killAll = (): void => {
  for (const id of groups) signalGroup(id, 'SIGKILL')
  warden?.kill('SIGKILL')
}

/**
 * The warden: a small shell that is told every living group, and ends them all when its stdin ends, that is when this
 * process dies, however it dies. It has its own session, so that a Ctrl-C at the terminal does not end it first.
 */
const WARDEN = `
groups=
while read -r op id; do
  case $op in
    +) groups="$groups $id" ;;
    -) kept=; for g in $groups; do [ "$g" = "$id" ] || kept="$kept $g"; done; groups=$kept ;;
  esac
done
for g in $groups; do kill -s TERM -- "-$g"; done
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  alive=
  for g in $groups; do kill -s 0 -- "-$g" && alive=1; done
  [ -n "$alive" ] || exit 0
  sleep 0.1
done
for g in $groups; do kill -s KILL -- "-$g"; done
`

const unref = (child: ChildProcess): void => {
  child.unref()
  for (const stream of child.stdio) if (stream instanceof Socket) stream.unref()
}

const ref = (child: ChildProcess): void => {
  child.ref()
  for (const stream of child.stdio) if (stream instanceof Socket) stream.ref()
}

/** Before the process starts, so that the warden is there when the group is. */
const callWarden = (): void => {
  if (warden !== null || isWindows) return
  warden = spawn('/bin/sh', ['-c', WARDEN], {
    cwd: '/',
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  warden.on('error', () => {})
  warden.stdin?.on('error', () => {})
  unref(warden)
}

const dismissWarden = async (): Promise<void> => {
  if (groups.size > 0 || warden === null) return
  const idle = warden
  warden = null
  const ended = new Promise<void>((resolve) => {
    idle.once('exit', () => resolve())
    idle.once('error', () => resolve())
    if (hasEnded(idle) || idle.pid === undefined) resolve()
  })
  idle.ref()
  idle.stdin?.end()
  await within(ended, 500)
  idle.unref()
}

const enlist = (id: number): void => {
  if (groups.size === 0) process.on('exit', killAll)
  groups.add(id)
  warden?.stdin?.write(`+ ${id}\n`)
}

const discharge = async (id: number): Promise<void> => {
  if (!groups.delete(id)) return
  warden?.stdin?.write(`- ${id}\n`)
  if (groups.size === 0) process.off('exit', killAll)
  await dismissWarden()
}

// --- One process ---

/** How a process ended, or why it never began. */
type End =
  | { readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly failed: string }

interface Program {
  readonly child: ChildProcessWithoutNullStreams
  /** Resolves when the process is gone; its children may not be. */
  readonly ended: Promise<End>
  /** Ends the process and its children, asking first; resolves when all are gone and all output is in. `eof`: closes stdin first. */
  stop(eof?: boolean): Promise<void>
  /** The last lines of stderr, to put behind a message; empty when there were none. */
  complaint(): string
}

const launchFailure = (
  error: NodeJS.ErrnoException,
  command: string | readonly string[],
  cwd?: string,
): string => {
  if (cwd !== undefined && !existsSync(cwd))
    return `could not be started: there is no working directory ${cwd}`
  const program = typeof command === 'string' ? 'the shell' : (command[0] ?? '')
  if (error.code === 'ENOENT') return `could not be started: there is no program ${program}`
  if (error.code === 'EACCES') return `could not be started: ${program} may not be executed`
  return `could not be started: ${error.code ?? messageOf(error)}`
}

const noted = (onLine: ((line: string) => void) | undefined) => {
  let tail = Buffer.alloc(0)
  let line = ''
  const decoder = new StringDecoder('utf8')
  const flush = (): void => {
    if (line !== '') onLine?.(line)
    line = ''
  }
  return {
    take(chunk: Buffer): void {
      tail = Buffer.concat([tail, chunk])
      if (tail.length > STDERR_KEPT) tail = tail.subarray(tail.length - STDERR_KEPT)
      if (onLine === undefined) return
      const [first = '', ...others] = decoder.write(chunk).split('\n')
      line += first
      for (const next of others) {
        onLine(line.slice(0, STDERR_KEPT))
        line = next
      }
      line = line.slice(0, STDERR_KEPT)
    },
    flush,
    text: (): string => plain(tail.toString('utf8')).trim(),
  }
}

const launch = (
  command: string | readonly [string, ...string[]],
  options: SubprocessOptions,
  onOutput: (chunk: Buffer) => void,
): Program => {
  const grace = options.killGrace ?? 2000
  const settings = {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: options.env ?? process.env,
    detached: !isWindows,
    windowsHide: true,
  }
  callWarden()
  let child: ChildProcessWithoutNullStreams
  try {
    if (typeof command === 'string') child = spawn(command, { ...settings, shell: true })
    else child = spawn(command[0], command.slice(1), settings)
  } catch (error) {
    void dismissWarden()
    const failure = error instanceof Error ? error : new Error(messageOf(error))
    throw new ColloquyError('AGENT_FAILED', `The process ${launchFailure(failure, command, options.cwd)}`)
  }
  const { pid } = child
  if (pid !== undefined) enlist(pid)

  const stderr = noted(options.onStderr)
  child.stdout.on('data', onOutput)
  child.stderr.on('data', stderr.take)
  // Whoever writes learns of a closed stdin by the process's end; nothing else may fail here.
  for (const stream of child.stdio) stream?.on('error', () => {})

  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const ended = new Promise<End>((resolve) => {
    child.on('error', (error) => {
      if (pid === undefined) resolve({ failed: launchFailure(error, command, options.cwd) })
    })
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })

  let stopping: Promise<void> | undefined
  const endGroup = async (id: number, eof: boolean): Promise<void> => {
    if (isWindows) {
      // Untested: there are no process groups; the tree is ended by force.
      if (!hasEnded(child))
        spawn('taskkill', ['/pid', String(id), '/T', '/F']).on('error', () => child.kill())
      return
    }
    if (eof) {
      child.stdin.end()
      if (await groupGone(id, grace, child)) return
    }
    if (isGroupAlive(id)) signalGroup(id, 'SIGTERM')
    if (await groupGone(id, grace, child)) return
    signalGroup(id, 'SIGKILL')
    await groupGone(id, 1000, child)
  }
  const finish = async (eof: boolean): Promise<void> => {
    if (pid === undefined) await dismissWarden()
    else {
      ref(child)
      await endGroup(pid, eof)
      await ended
      // A grandchild in a session of its own may hold the pipes for ever.
      await within(closed, 500)
      await discharge(pid)
    }
    for (const stream of child.stdio) stream?.destroy()
    stderr.flush()
  }
  const stop = (eof = false): Promise<void> => {
    stopping ??= finish(eof)
    return stopping
  }
  return {
    child,
    ended,
    stop,
    complaint: () => {
      const lines = stderr.text().split('\n').slice(-STDERR_LINES).join('\n').slice(-STDERR_CHARS)
      return lines === '' ? '' : `; its stderr ended with:\n${lines}`
    },
  }
}

const endText = (end: End): string => {
  if ('failed' in end) return end.failed
  if (end.signal !== null) return `was ended by ${end.signal}`
  const hint = end.code === 127 ? ' (command not found)' : end.code === 126 ? ' (command not executable)' : ''
  return `ended with exit code ${end.code}${hint}`
}

const failure = (program: Program, what: string): ColloquyError =>
  new ColloquyError('AGENT_FAILED', `The process ${what}${program.complaint()}`)

const decoded = (bytes: Buffer, program: Program): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw failure(program, 'answered with bytes that are not UTF-8')
  }
}

const answerOf = (bytes: Buffer, program: Program, strings: boolean): Answer => {
  const answer = readAnswer(decoded(bytes, program), { strings })
  if (answer !== '') return answer
  throw new ColloquyError('AGENT_EMPTY', `The process answered nothing${program.complaint()}`)
}

const overLimit = (limit: number): string =>
  `answered with more than ${limit} bytes (maxOutput) and was stopped`

// --- One process a turn ---

const oneShot = (
  command: string | readonly [string, ...string[]],
  options: SubprocessOptions,
  programs: Set<Program>,
) => {
  const limit = options.maxOutput ?? MIB
  return async (input: string, signal: AbortSignal): Promise<Answer> => {
    signal.throwIfAborted()
    const chunks: Buffer[] = []
    let size = 0
    const program = launch(command, options, (chunk) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else void program.stop()
    })
    programs.add(program)
    const abort = (): void => void program.stop()
    signal.addEventListener('abort', abort, { once: true })
    program.child.stdin.end(input)
    const end = await program.ended
    // What it leaves running ends with it.
    await program.stop()
    signal.removeEventListener('abort', abort)
    programs.delete(program)

    signal.throwIfAborted()
    if (size > limit) throw failure(program, overLimit(limit))
    if ('failed' in end || end.code !== 0) throw failure(program, endText(end))
    return answerOf(Buffer.concat(chunks), program, false)
  }
}

// --- One process for all turns ---

interface Session {
  readonly program: Program
  /** Who waits for the next line; null between turns. */
  waiting: ((line: Buffer | null) => void) | null
  isOverLimit: boolean
}

const inSession = (
  command: string | readonly [string, ...string[]],
  options: SubprocessOptions,
  programs: Set<Program>,
) => {
  const limit = options.maxOutput ?? MIB
  const inTurn = queue()
  let current: Session | null = null

  const drop = (session: Session): Promise<void> => {
    if (current === session) current = null
    return session.program.stop()
  }

  const open = (): Session => {
    let rest: Buffer[] = []
    let size = 0
    const take = (chunk: Buffer): void => {
      for (let from = 0; from < chunk.length; ) {
        const at = chunk.indexOf(LINE_FEED, from)
        const part = chunk.subarray(from, at === -1 ? chunk.length : at)
        size += part.length
        if (size > limit) {
          session.isOverLimit = true
          void drop(session)
          return
        }
        rest.push(part)
        if (at === -1) return
        from = at + 1
        const line = Buffer.concat(rest)
        rest = []
        size = 0
        const { waiting } = session
        session.waiting = null
        if (waiting !== null) waiting(line)
        // Said when nobody asked: the next answer would be taken for another turn's, so a new process begins.
        else if (line.some((byte) => byte !== 0x0d && byte !== 0x20)) void drop(session)
      }
    }
    const session: Session = { program: launch(command, options, take), waiting: null, isOverLimit: false }
    programs.add(session.program)
    void session.program.ended.then(async () => {
      await drop(session)
      programs.delete(session.program)
      session.waiting?.(null)
    })
    return session
  }

  const ask = async (input: string, signal: AbortSignal): Promise<Answer> => {
    // Whatever the process has said too much is read now, not taken for the answer.
    await setImmediate()
    signal.throwIfAborted()
    current ??= open()
    const session = current
    const { program } = session
    ref(program.child)
    const reply = new Promise<Buffer | null>((resolve) => {
      session.waiting = resolve
    })
    const abort = (): void => void drop(session)
    signal.addEventListener('abort', abort, { once: true })
    program.child.stdin.write(input)
    const line = await reply
    signal.removeEventListener('abort', abort)
    if (signal.aborted) {
      await drop(session)
      throw signal.reason
    }
    if (line !== null) {
      // An idle process does not keep this one alive.
      if (current === session) unref(program.child)
      return answerOf(line, program, true)
    }
    if (session.isOverLimit) throw failure(program, overLimit(limit))
    const end = await program.ended
    throw failure(program, 'failed' in end ? end.failed : `${endText(end)} before it answered with a line`)
  }
  return (input: string, signal: AbortSignal): Promise<Answer> => inTurn(signal, () => ask(input, signal))
}

/**
 * Makes an agent of a program in any language.
 *
 * Once a turn (default): a process starts, reads the turn from stdin up to its end (one line of JSON, a `Turn`; with
 * `input: 'text'` the text of `renderTurn`), and exits with code 0. All of its stdout is the answer: one JSON object
 * (a message `{"intent": …}` or `{"text": …, "tokens": …}`), a JSON array of such objects and strings, or plain text,
 * which may have an `[intent]` before it. It need not read its stdin.
 *
 * Persistent: the process starts at the first turn, reads one line a turn (the JSON; with `input: 'text'` the text as
 * a JSON string) and answers each with exactly one line, flushed: as above, or a JSON string, which may hold line
 * breaks. Turns wait for one another. If it dies, or says anything between turns, a new one starts at the next turn;
 * what it says too much only after it was asked again cannot be told from an answer.
 * An idle process does not keep the parent alive.
 *
 * On abort the process is ended with its children (SIGTERM, SIGKILL after `killGrace`), and the promise settles, with
 * `signal.reason`, only when they are gone. What a process leaves running when it exits is ended likewise. Only a
 * descendant that makes a session of its own (`setsid`) gets away.
 *
 * No process outlives the parent: at its exit all groups are killed; and against an end without exit handlers
 * (SIGTERM, SIGINT, SIGKILL, a crash) a small shell process, the warden, runs while agents run. It sees the parent's
 * end of a pipe close and ends the groups: SIGTERM, SIGKILL after 2 s. No signal handler is installed. A Ctrl-C at the
 * terminal does not reach the agents, which have sessions of their own; it ends the parent, and thereby them.
 *
 * On Windows the process tree is ended by `taskkill /T /F`, and there is no warden; this is untested.
 *
 * The process gets the parent's environment, API keys included, unless `env` is given: then that and nothing else.
 * Neither the environment nor the command's arguments go into an error; the last lines of stderr do.
 *
 * @param command - A string is run by the shell; an array is a program and its arguments, without a shell.
 * @returns An agent for any protocol. It rejects with `AGENT_FAILED` when the process cannot be started, exits with
 *   another code than 0 or by a signal, answers with too much or with invalid UTF-8; with `AGENT_EMPTY` when it
 *   answers nothing; with `AGENT_ANSWER_INVALID` when a message has fields of the wrong type. `close()` ends what
 *   runs: it closes stdin, waits `killGrace`, then ends it as on abort.
 */
export function subprocess(
  command: string | readonly [string, ...string[]],
  options: SubprocessOptions = {},
): Agent<unknown> {
  const programs = new Set<Program>()
  const isPersistent = options.persistent === true
  const ask = isPersistent ? inSession(command, options, programs) : oneShot(command, options, programs)
  const agent: Agent<unknown> = async (turn, signal) => {
    const text = options.input === 'text' ? renderTurn(turn) : ''
    const input =
      options.input !== 'text'
        ? `${JSON.stringify(turn)}\n`
        : isPersistent
          ? `${JSON.stringify(text)}\n`
          : text
    const answer = await ask(input, signal)
    return options.reportsTokens === true ? answer : withoutTokens(answer)
  }
  const { capabilities, timeout } = options
  return Object.assign(agent, {
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(timeout === undefined ? {} : { timeout }),
    close: async () => {
      await Promise.all([...programs].map((program) => program.stop(true)))
    },
  })
}
