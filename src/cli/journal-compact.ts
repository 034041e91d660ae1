/** `colloquy journal compact`: the records of closed conversations made smaller. */
import { oneLine } from '../agents/render.ts'
import { type Desk, forEach, idsOf, unknownConversation, withJournal } from './journal-desk.ts'
import { counted } from './text.ts'

/**
 * Makes records smaller without losing anything of them; those that are open stay as they are.
 * @param ids all closed conversations when there are none
 * @throws ColloquyError `CONVERSATION_UNKNOWN`, and what the journal cannot do
 */
export const journalCompact = (place: string, ids: readonly string[], desk: Desk): Promise<number> =>
  withJournal(place, desk, async ({ journal, name }) => {
    const { output } = desk
    const sum = { count: 0, before: 0, after: 0 }
    const code = await forEach(idsOf(journal, ids, { closed: true }), desk, async (id) => {
      // A journal has nothing to say of one that it does not know.
      if (ids.length > 0 && (await journal.load(id)) === null) throw unknownConversation(id, name)
      const { before, after } = await journal.compact(id)
      sum.count++
      sum.before += before
      sum.after += after
      if (before !== after || ids.length > 0) output.write(`${oneLine(id)}: ${bytesText(before, after)}\n`)
    })
    output.write(`${counted(sum.count, 'conversation')}: ${bytesText(sum.before, sum.after)}\n`)
    return code
  })

const bytesText = (before: number, after: number): string =>
  before === after
    ? `${before} bytes, as before`
    : `${before} → ${after} bytes (${Math.round((100 * after) / before)} %)`
