/**
 * The lock on a folder: one process at a time keeps conversations going in it. Whoever wants it first says so by a file
 * whose name tells its process, and then looks for others: of two that do so at once, both may be refused, and never
 * both let in. A file of a process that has ended counts for nothing, and is removed.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nanoid } from 'nanoid'
import { ColloquyError } from '../../errors.ts'
import { removeFile } from './files.ts'

const LOCK = /^host\.(\d+)\.(\d+)\.[\w-]+\.lock$/

/**
 * When a process was started, in the kernel's ticks: another process may have its number later. 0: this system does not
 * tell, or there is no such process.
 */
const startOf = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name of the program stands in parentheses, and may hold anything; the start is the 20th field after it.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? 0)
}

const isAlive = async (pid: number, start: number): Promise<boolean> => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // There is one that we may not signal.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const now = await startOf(pid)
  return now === 0 || start === 0 || now === start
}

/**
 * Locks a folder.
 * @returns what unlocks it
 * @throws ColloquyError `JOURNAL_LOCKED` with the process that has it
 */
export const lockFolder = async (folder: string): Promise<() => Promise<void>> => {
  const own = `host.${process.pid}.${await startOf(process.pid)}.${nanoid()}.lock`
  const unlock = (): Promise<void> => removeFile(join(folder, own))
  await writeFile(join(folder, own), '', { flag: 'wx' })
  try {
    for (const name of await readdir(folder)) {
      const [, pid, start] = LOCK.exec(name) ?? []
      if (name === own || pid === undefined) continue
      if (await isAlive(Number(pid), Number(start)))
        throw new ColloquyError('JOURNAL_LOCKED', `The process ${pid} keeps conversations going in ${folder}`)
      await removeFile(join(folder, name))
    }
  } catch (error) {
    await unlock()
    throw error
  }
  return unlock
}
