import { ColloquyError } from '../../src/errors.ts'

/** The error that something throws; fails where it throws none, or one that is not ours. */
export const thrownBy = (act: () => unknown): ColloquyError => {
  try {
    act()
  } catch (error) {
    if (error instanceof ColloquyError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
