/** `colloquy journal verify`: every record decided again, and compared with what the journal says of it. */
import { oneLine } from '../agents/render.ts'
import { EXIT } from './exit-codes.ts'
import { type Desk, pagesOf, withJournal } from './journal-desk.ts'
import { type Difference, differencesNow } from './journal-differences.ts'
import { counted, cut, jsonText } from './text.ts'

export interface JournalVerifyOptions {
  readonly json?: boolean
}

/** Columns of a value that differs. */
const VALUE_WIDTH = 200

/**
 * Verifies a journal, and tells each difference.
 * @returns 0 when all is well, 65 when there are differences
 * @throws ColloquyError what the journal cannot do
 */
export const journalVerify = (
  place: string,
  { json = false }: JournalVerifyOptions,
  desk: Desk,
): Promise<number> =>
  withJournal(place, desk, async ({ journal }) => {
    const { output, signal, warn } = desk
    let [count, wrong] = [0, 0]
    const isOver = async (): Promise<boolean> => {
      for await (const page of pagesOf(journal)) {
        let before: string | undefined
        for (const summary of page) {
          if (signal.aborted) return false
          const differences = await differencesNow(journal, summary, before, warn)
          count++
          if (differences.length > 0) wrong++
          for (const each of differences)
            output.write(
              json ? `${jsonText({ conversation: summary.id, ...each })}\n` : lineOf(summary.id, each),
            )
          before = summary.id
        }
        output.flush()
      }
      return true
    }
    const isComplete = await isOver()
    output.write(
      json ? `${jsonText({ conversations: count, wrong, complete: isComplete })}\n` : sumOf(count, wrong),
    )
    return isComplete ? (wrong === 0 ? EXIT.done : EXIT.badData) : EXIT.interrupted
  })

const lineOf = (id: string, { place, what, kept, decided }: Difference): string => {
  const where = place === null ? '' : `, event ${place}`
  const values =
    kept === undefined
      ? ''
      : ` is ${cut(oneLine(jsonText(kept)), VALUE_WIDTH)}, by the record ${cut(oneLine(jsonText(decided ?? null)), VALUE_WIDTH)}`
  return `${oneLine(id)}${where}: ${oneLine(what)}${values}\n`
}

const sumOf = (count: number, wrong: number): string =>
  `${counted(count, 'conversation')}: ${wrong === 0 ? 'all is well' : `something is wrong with ${wrong}`}\n`
