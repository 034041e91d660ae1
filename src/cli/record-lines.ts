/** The lines of a record, read from a file as they are needed, so that a record may be larger than memory. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { RecordLine } from '../engine/replay.ts'
import { ColloquyError } from '../errors.ts'
import { missingInput, systemCode } from './failure.ts'
import { pause } from './sync-output.ts'

const CHUNK = 1 << 16
const LINE_FEED = 0x0a
/** Most bytes of one line; what is longer is no line of a record. */
const LONGEST_LINE = 256 << 20

const broken = (line: number, message: string): ColloquyError =>
  new ColloquyError('RECORD_INVALID', `line ${line}: ${message}`, {
    issues: [{ path: `line ${line}`, message }],
  })

// A byte order mark is kept, and so found: JSON has none.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const parsed = (bytes: Buffer, line: number): unknown => {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw broken(line, 'is no UTF-8')
  }
  try {
    return JSON.parse(text)
  } catch {
    throw broken(
      line,
      text.startsWith('\ufeff') ? 'is no JSON: it begins with a byte order mark' : 'is no JSON',
    )
  }
}

/**
 * Reads a record's lines.
 * @param path a file, or `-` for stdin
 * @param onTorn told when the last line was cut short by a crash and is dropped: it has no line end, and is no JSON
 * @throws FileFailure when it cannot be read; ColloquyError `RECORD_INVALID` at a line that is no JSON or no UTF-8
 */
export function* recordLines(path: string, onTorn: (warning: string) => void): Generator<RecordLine> {
  const descriptor = opened(path)
  try {
    let line = 1
    let rest: Buffer[] = []
    let size = 0
    for (let chunk = read(descriptor, path); chunk !== null; chunk = read(descriptor, path)) {
      let start = 0
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
        rest.push(chunk.subarray(start, end))
        yield { line, value: parsed(Buffer.concat(rest), line) }
        rest = []
        size = 0
        line++
        start = end + 1
      }
      rest.push(chunk.subarray(start))
      size += chunk.length - start
      if (size > LONGEST_LINE) throw broken(line, `is longer than ${LONGEST_LINE} bytes`)
    }
    const last = Buffer.concat(rest)
    if (last.length > 0) yield* lastLine(last, line, onTorn)
  } finally {
    if (descriptor !== 0) closeSync(descriptor)
  }
}

function* lastLine(bytes: Buffer, line: number, onTorn: (warning: string) => void): Generator<RecordLine> {
  let value: unknown
  try {
    value = parsed(bytes, line)
  } catch {
    onTorn(`line ${line} was cut short and is dropped`)
    return
  }
  yield { line, value }
}

const opened = (path: string): number => {
  if (path === '-') return 0
  try {
    const descriptor = openSync(path, 'r')
    // Opening a folder succeeds; only reading it fails.
    if (fstatSync(descriptor).isDirectory()) {
      closeSync(descriptor)
      throw Object.assign(new Error('is a folder'), { code: 'EISDIR', syscall: 'open' })
    }
    return descriptor
  } catch (error) {
    throw missingInput(path, error)
  }
}

/** The next bytes; null at the end. */
const read = (descriptor: number, path: string): Buffer | null => {
  const chunk = Buffer.allocUnsafe(CHUNK)
  for (;;) {
    try {
      const count = readSync(descriptor, chunk)
      return count === 0 ? null : chunk.subarray(0, count)
    } catch (error) {
      const code = systemCode(error)
      // Windows reports the end of a pipe as an error.
      if (code === 'EOF') return null
      if (code !== 'EAGAIN') throw missingInput(path === '-' ? 'stdin' : path, error)
      pause()
    }
  }
}
