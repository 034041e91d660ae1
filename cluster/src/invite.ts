/** What the service that asks agents is told: the turn, with as much of the transcript as members see. */
import type { ObjectContext } from '@restatedev/restate-sdk'
import { type Conversation, emptyTranscript, type Turn } from 'colloquy'
import { type Asked, turnOf } from './asked.ts'
import { decided } from './failure.ts'
import type { Setting } from './setting.ts'
import { eventsOf, type Head } from './state.ts'

/** A turn that an agent is to take. */
export interface Invitation {
  readonly key: string
  readonly question: string
  /** ms: after that nobody waits for the answer; null: as long as it takes. */
  readonly until: number | null
  readonly turn: Turn<object>
}

/** Events that are looked through for the messages that members are shown. */
const SHOWN = 48

export const invite = async (
  ctx: ObjectContext,
  { agents, turnTimeout }: Setting,
  head: Head,
  talk: Conversation,
  calls: readonly Asked[],
  now: number,
): Promise<readonly Invitation[]> => {
  // Nothing is shown but messages.
  const past =
    head.said === 0 ? [] : await eventsOf(ctx, head, Math.max(-1, head.snapshot.seq - SHOWN), SHOWN)
  const fresh = talk.events()
  return decided(() => {
    const shown = emptyTranscript()
    for (const event of [...past, ...fresh]) shown.add(event)
    const { transcript } = shown.view()
    const said = head.said + fresh.filter(({ event }) => event.type === 'message').length
    return calls.map((asked) => {
      const own = agents.get(asked.member)?.timeout
      const limit = own === undefined ? turnTimeout : own
      const ends = [limit === null ? [] : now + limit, talk.dueAt ?? []].flat()
      const turn = turnOf(talk, asked, { transcript, omitted: said - transcript.length }, now)
      return { key: ctx.key, question: asked.id, until: ends.length === 0 ? null : Math.min(...ends), turn }
    })
  })
}
