import { ColloquyError, messageOf } from '../errors.ts'

/** An append that has to be done; a journal that hangs holds up whoever aborted no longer than agents may. */
export const kept = async (
  append: Promise<void>,
  signal: AbortSignal | undefined,
  stopTimeout: number,
): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let onAbort = (): void => {}
  const late = new Promise<never>((_, reject) => {
    onAbort = () => {
      const text = `The journal had not answered ${stopTimeout} ms after the abort`
      timer = setTimeout(() => reject(new ColloquyError('JOURNAL_FAILED', text)), stopTimeout)
    }
  })
  if (signal?.aborted === true) onAbort()
  else signal?.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([append, late])
  } catch (error) {
    if (error instanceof ColloquyError) throw error
    throw new ColloquyError('JOURNAL_FAILED', `The journal failed: ${messageOf(error)}`, { cause: error })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
