/** `test/support/property.ts` for a run that asks one thing: is there a failure? */
import { Tally as Counted, parameters as usual } from '../support/property.ts'

/** No shrinking: that it fails is all that counts. */
export const parameters = (numRuns: number) => ({ ...usual(numRuns), endOnFailure: true })

/** Never short: floors measure generators, and one that fails because few tests ran would pass for a found fault. */
export class Tally extends Counted {
  override below(): string[] {
    return []
  }
}
