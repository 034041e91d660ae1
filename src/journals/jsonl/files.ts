/** Files that are there whole or not at all, and outlive a crash where that is asked for. */
import { link, open, readFile, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { nanoid } from 'nanoid'
import { ColloquyError, messageOf } from '../../errors.ts'

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | null)?.code

/** What a file holds; null when there is none. @throws ColloquyError `JOURNAL_FAILED` */
export const contentOf = async (path: string): Promise<Buffer | null> => {
  try {
    return await readFile(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw new ColloquyError('JOURNAL_FAILED', `Cannot read ${path}: ${messageOf(error)}`, { cause: error })
  }
}

/** A new file's name is safe only when its folder is. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes a file under a name that nobody looks for, and has it put in its place. */
const placed = async (
  path: string,
  content: string | Uint8Array,
  sync: boolean,
  place: (temporary: string) => Promise<void>,
): Promise<void> => {
  const temporary = `${path}.${nanoid()}.new`
  try {
    const handle = await open(temporary, 'wx')
    try {
      await handle.writeFile(content)
      if (sync) await handle.sync()
    } finally {
      await handle.close()
    }
    await place(temporary)
  } finally {
    await removeFile(temporary)
  }
  if (sync) await syncFolder(dirname(path))
}

/** Puts a file in the place of the one there, if any. */
export const replaceFile = (path: string, content: string | Uint8Array, sync: boolean): Promise<void> =>
  placed(path, content, sync, (temporary) => rename(temporary, path))

/** Makes a file unless there is one. @returns whether it was made */
export const createFile = async (path: string, content: string, sync: boolean): Promise<boolean> => {
  try {
    // Unlike a rename, a link never takes another's place.
    await placed(path, content, sync, (temporary) => link(temporary, path))
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** Removes a file, if there is one. */
export const removeFile = async (path: string): Promise<void> => {
  try {
    await unlink(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}
