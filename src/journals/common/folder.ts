/** Makes folders level by level: `recursive` never comes back where nothing can be made, such as in /proc. */
import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ColloquyError } from '../../errors.ts'

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | null)?.code

const make = async (path: string): Promise<void> => {
  const found = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  })
  if (found?.isDirectory() === true) return
  if (found !== null)
    throw new ColloquyError('JOURNAL_FAILED', `${path} is a file, and a folder is needed there`, {
      remedy: 'Name another folder, or move the file away. Nothing was written.',
    })
  if (dirname(path) !== path) await make(dirname(path))
  await mkdir(path).catch(async (error: unknown) => {
    // Somebody else may have made it meanwhile.
    if (codeOf(error) !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error
  })
}

/**
 * Makes a folder, with those that it is in, where there is none.
 * @throws ColloquyError `JOURNAL_FAILED` when a file is in the way; what the system says otherwise
 */
export const makeFolder = (path: string): Promise<void> => make(resolve(path))
