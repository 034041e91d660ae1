/** One thing after the other for each conversation, and any number of conversations at once. */
export const queues = () => {
  const last = new Map<string, Promise<unknown>>()
  return {
    /** Does it when all that was queued before is done. */
    queued<Result>(conversation: string, act: () => Promise<Result>): Promise<Result> {
      const result = (last.get(conversation) ?? Promise.resolve()).then(act)
      const settled = result.then(
        () => {},
        () => {},
      )
      last.set(conversation, settled)
      void settled.then(() => {
        if (last.get(conversation) === settled) last.delete(conversation)
      })
      return result
    },
    /** Waits for all that is queued. */
    async settled(): Promise<void> {
      await Promise.all(last.values())
    },
  }
}
