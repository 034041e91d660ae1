/** What lies on the table, as far as somebody may name it: the texts in what a member is shown. */

/** Longer texts are no ids. */
const LONGEST = 128
/** So many are enough to choose from. */
const MOST = 40
const DEPTH = 6

/** The texts of a board that may be ids, each once, in the order of their appearance. */
export const textsOn = (board: unknown): readonly string[] => {
  const found = new Set<string>()
  const look = (value: unknown, depth: number): void => {
    if (found.size >= MOST || depth > DEPTH) return
    if (typeof value === 'string') {
      if (value !== '' && value.length <= LONGEST) found.add(value)
    } else if (typeof value === 'object' && value !== null)
      for (const inner of Object.values(value)) look(inner, depth + 1)
  }
  look(board, 0)
  return [...found]
}
