/** `colloquy questions`: what is asked of people in the conversations of a journal. */
import { EXIT } from './exit-codes.ts'
import { type Desk, withJournal } from './journal-desk.ts'
import { questionText } from './question-text.ts'
import { jsonText } from './text.ts'

export interface JournalQuestionsOptions {
  readonly json?: boolean
}

/** Lists the questions that wait, the oldest first. @throws ColloquyError what the journal cannot do */
export const journalQuestions = (
  place: string,
  { json = false }: JournalQuestionsOptions,
  desk: Desk,
): Promise<number> =>
  withJournal(place, desk, async ({ journal }) => {
    const questions = await journal.questions()
    if (json) for (const question of questions) desk.output.write(`${jsonText(question)}\n`)
    else if (questions.length === 0) desk.output.write('Nobody is asked.\n')
    else desk.output.write(questions.map((question) => questionText(question, desk.width)).join('\n'))
    return EXIT.done
  })
