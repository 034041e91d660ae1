/** What the three agents say to one another in payloads, read back out of a transcript with care. */
import { z } from 'zod'
import type { TranscriptEntry } from '../../src/agents/agent.ts'
import type { Passage } from './documents.ts'
import type { AnswerSentence } from './write.ts'

export const PASSAGES = 'passages'
export const ANSWER = 'answer'

const passages = z.array(z.object({ id: z.string(), source: z.string(), text: z.string() }))
const sentences = z.array(
  z.object({ text: z.string(), sources: z.array(z.string()), from: z.array(z.string()).default([]) }),
)
const refusal = z.object({ unsupported: z.array(z.string()) })

/** The newest passages that anyone but `reader` gave, or null. */
export const passagesIn = (transcript: readonly TranscriptEntry[], reader: string): Passage[] | null => {
  for (const entry of [...transcript].reverse()) {
    const found = entry.from === reader ? null : passages.safeParse(entry.payload.passages)
    if (found?.success === true) return found.data
  }
  return null
}

interface Answered {
  readonly from: string
  /** The answer as one text. */
  readonly text: string
  readonly sentences: readonly AnswerSentence[]
}

/** Every answer given so far, oldest first. */
export const answersIn = (transcript: readonly TranscriptEntry[]): Answered[] =>
  transcript.flatMap((entry) => {
    if (entry.intent !== 'result' || entry.payload.subtask === PASSAGES) return []
    const found = sentences.safeParse(entry.payload.sentences)
    return [{ from: entry.from, text: entry.content, sentences: found.success ? found.data : [] }]
  })

/**
 * The sentences of `writer` that reviewers refused. A refusal that names no sentence we know refuses the whole answer
 * before it: a reviewer may quote loosely, and what it meant must not come again.
 */
export const refusedIn = (transcript: readonly TranscriptEntry[], writer: string): AnswerSentence[] => {
  const refused: AnswerSentence[] = []
  const given: AnswerSentence[] = []
  let last: readonly AnswerSentence[] = []
  for (const entry of transcript) {
    const answer = answersIn([entry])[0]
    if (answer !== undefined && entry.from === writer) {
      last = answer.sentences
      given.push(...answer.sentences)
    }
    if (entry.intent !== 'reject' || entry.from === writer) continue
    const named = refusal.safeParse(entry.payload)
    const quotes = named.success ? named.data.unsupported.filter((quote) => quote.trim() !== '') : []
    const hit = given.filter((sentence) =>
      quotes.some((quote) => sentence.text.includes(quote) || quote.includes(sentence.text)),
    )
    refused.push(...(hit.length > 0 ? hit : last))
  }
  return refused
}
