/** Folders that a command writes into. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { FileFailure, systemCode, systemWords } from './failure.ts'

/** Level by level: `recursive` never comes back where nothing can be made, such as in /proc. */
const make = (path: string, shown: string, remedy: string): void => {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory()
  if (isFolder === true) return
  if (isFolder === false)
    throw new FileFailure(
      'IO_FAILED',
      `Cannot write: ${shown} is a file, and the records need a folder`,
      remedy,
    )
  if (dirname(path) !== path) make(dirname(path), dirname(shown), remedy)
  try {
    mkdirSync(path)
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (systemCode(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error
  }
}

/**
 * Makes a folder for records, with those that it is in, where there is none.
 * @param remedy what to do where that cannot be
 * @throws FileFailure `IO_FAILED`
 */
export const makeFolder = (folder: string, remedy: string): void => {
  try {
    make(resolve(folder), folder, remedy)
  } catch (error) {
    if (error instanceof FileFailure) throw error
    const why = systemCode(error) === 'ENOENT' ? 'cannot be made there' : systemWords(error)
    throw new FileFailure('IO_FAILED', `Cannot write: ${folder} ${why}`, remedy, error)
  }
}
