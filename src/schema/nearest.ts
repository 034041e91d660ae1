import leven from 'leven'

/** The known name nearest to a mistyped one, or null when none is near enough to be meant. */
export const nearest = (name: string, known: readonly string[]): string | null => {
  let best: string | null = null
  let distance = Math.max(2, Math.floor(name.length / 3)) + 1
  // Comparing takes time with the product of the lengths; nobody mistypes so long a name.
  if (name.length > 100) return null
  for (const candidate of known) {
    const away = leven(name.toLowerCase(), candidate.toLowerCase())
    if (away < distance) [best, distance] = [candidate, away]
  }
  return best
}
