/** The deadline call that an object sends to itself for the time when its state is over. */
import type { ObjectContext } from '@restatedev/restate-sdk'
import { callAt, fireDue, keepChange, restored } from './change.ts'
import { decided, toldBy } from './failure.ts'
import type { Setting } from './setting.ts'
import { HEAD, type Head } from './state.ts'

/** ms until an app is looked for again that knows the rules of a conversation. */
const RULES_WAIT = 60_000

/**
 * The time of `due` has come. Calls that others have overtaken change nothing; the one under way that comes before the
 * time goes on to it.
 * @param due ms
 */
export const fire = async (ctx: ObjectContext, setting: Setting, due: number): Promise<void> => {
  const [head, now] = await Promise.all([ctx.get<Head>(HEAD), ctx.date.now()])
  if (head === null || head.armed !== due) return
  const talk = taken(head, setting)
  if (talk === null) {
    // An app without these rules was registered: nobody must miss the end for that.
    callAt(ctx, setting, due, RULES_WAIT)
    return
  }
  decided(() => fireDue(talk, now))
  await keepChange(ctx, setting, { head, talk, now }, { fired: due })
}

const taken = (head: Head, { book }: Setting) => {
  try {
    return decided(() => restored(head, book))
  } catch (error) {
    if (error instanceof Error && toldBy(error.message)?.code === 'PROTOCOL_UNKNOWN') return null
    throw error
  }
}
