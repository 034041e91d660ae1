/** Sentences of a passage, cut with care for abbreviations, versions, file names and code. */

export interface Sentence {
  readonly text: string
  /** The line that introduces the list this sentence is an item of, or null. */
  readonly lead: string | null
}

const ABBREVIATION =
  /(?:^|[\s(])(?:e\.?g|i\.?e|vs|cf|approx|resp|incl|esp|Mr|Mrs|Dr|St|No|Fig|al|et al|v)\.$/i

// A code span stands in as one capitalised word: `.parse()` after a full stop begins a sentence, and its own stops end none.
const PLACE = /Qx(\d+)xQ/g

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/** The sentences of one line of prose. */
export const splitSentences = (line: string): string[] => {
  const spans: string[] = []
  const masked = line.replace(/`[^`]*`/g, (span) => {
    spans.push(span)
    return `Qx${spans.length - 1}xQ`
  })
  const parts: string[] = []
  for (const { segment } of segmenter.segment(masked))
    for (const piece of segment.split(/(?<=[\p{L}\p{N})"'][.!?])\s+(?=\p{Ll})/u)) {
      const before = parts.at(-1)
      if (before !== undefined && ABBREVIATION.test(before.trimEnd()))
        parts[parts.length - 1] = `${before.trimEnd()} ${piece}`
      else parts.push(piece)
    }
  return parts
    .map((part) => part.replace(PLACE, (_all, index: string) => spans[Number(index)] ?? '').trim())
    .filter((part) => /\p{L}/u.test(part))
}

/** The sentences of a passage: one paragraph or `- item` per line. */
export const sentencesOf = (text: string): Sentence[] => {
  const sentences: Sentence[] = []
  let lead: string | null = null
  for (const line of text.split('\n')) {
    const item = line.startsWith('- ')
    const found = splitSentences(item ? line.slice(2) : line)
    if (!item) lead = found.at(-1)?.endsWith(':') === true ? (found.at(-1) ?? null) : null
    for (const sentence of found) sentences.push({ text: sentence, lead: item ? lead : null })
  }
  return sentences
}
