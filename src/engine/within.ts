/**
 * Waits for all, at most so many real ms; a rejection counts as the end of its wait.
 * @returns whether all had settled by then
 */
export const within = async (
  ms: number,
  all: readonly Promise<unknown>[],
  onError: (error: unknown) => void,
): Promise<boolean> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const patience = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const settled = Promise.all(all.map((each) => each.catch(onError))).then(() => true)
  try {
    return await Promise.race([settled, patience])
  } finally {
    clearTimeout(timer)
  }
}
