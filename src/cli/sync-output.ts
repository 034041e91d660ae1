/**
 * Output that is written before the next line is read. Streams buffer whatever a slow reader has not taken yet; a record
 * may be larger than memory, so replays write by this.
 */
import { writeSync } from 'node:fs'
import { ReaderLeft, systemCode } from './failure.ts'

/** Bytes gathered before they are written. */
const CHUNK = 1 << 16
/** ms to wait for a reader who is not ready. */
const PATIENCE = 5

const sleepCell = new Int32Array(new SharedArrayBuffer(4))
/** Blocks this thread; nothing else of ours is running then. */
export const pause = (): void => {
  Atomics.wait(sleepCell, 0, 0, PATIENCE)
}

export interface SyncOutput {
  write(text: string): void
  flush(): void
}

/**
 * Writes to a file descriptor.
 * @throws ReaderLeft when nobody reads any more
 */
export const syncOutput = (descriptor: number): SyncOutput => {
  let waiting: string[] = []
  let size = 0
  const flush = (): void => {
    const bytes = Buffer.from(waiting.join(''))
    waiting = []
    size = 0
    for (let done = 0; done < bytes.length; ) {
      try {
        done += writeSync(descriptor, bytes, done)
      } catch (error) {
        const code = systemCode(error)
        if (code === 'EPIPE') throw new ReaderLeft()
        // The descriptor may have been made non-blocking by whoever shares it.
        if (code !== 'EAGAIN') throw error
        pause()
      }
    }
  }
  return {
    write(text) {
      waiting.push(text)
      size += text.length
      if (size >= CHUNK) flush()
    },
    flush,
  }
}
