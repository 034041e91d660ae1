import { ColloquyError } from 'colloquy'

/** The error that a promise rejects with; fails where it resolves, or rejects with one that is not ours. */
export const thrown = async (promise: Promise<unknown>): Promise<ColloquyError> => {
  try {
    await promise
  } catch (error) {
    if (error instanceof ColloquyError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
