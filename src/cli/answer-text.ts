/** The text of an answer, where the command line does not give it: typed at a terminal, or piped. */
import { createInterface } from 'node:readline/promises'
import { addAbortSignal, type Readable, type Writable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { oneLine } from '../agents/render.ts'
import type { PendingQuestion } from '../journals/journal.ts'
import { questionText } from './question-text.ts'

export interface AnswerSource {
  readonly input: Readable & { readonly isTTY?: boolean }
  /** Where the question is shown to whoever types. */
  readonly prompt: Writable
  /** Columns. */
  readonly width: number
  readonly signal: AbortSignal
}

/** Reads an answer: of a terminal one line, and what follows a backslash at its end; of a pipe all that comes. */
export const answerText = async (
  question: PendingQuestion,
  { input, prompt, width, signal }: AnswerSource,
): Promise<string> => {
  if (input.isTTY !== true) return textOf(addAbortSignal(signal, input))
  prompt.write(
    `${questionText(question, width)}A backslash at the end of a line goes on with the next one.\n`,
  )
  const lines = createInterface({ input, output: prompt, terminal: true, historySize: 0 })
  // A terminal in raw mode makes no signal of Ctrl-C: make it, so that the program hears it as ever.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  try {
    let whole = ''
    for (;;) {
      const line = await lines.question(whole === '' ? `${oneLine(question.member)}> ` : '… ', { signal })
      if (!line.endsWith('\\')) return whole + line
      whole += `${line.slice(0, -1)}\n`
    }
  } finally {
    lines.close()
  }
}
