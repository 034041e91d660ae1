/** What observers hear of a conversation's events, wherever these are kept. */
import type { Observer } from '../observers/observer.ts'
import type { Conversation } from './conversation.ts'
import type { ConversationEvent } from './events.ts'

/** A conversation, as facts and work name it. */
interface About {
  readonly conversation: string
  readonly protocol: string
}

export const aboutOf = ({ id, protocol }: Pick<Conversation, 'id' | 'protocol'>): About => ({
  conversation: id,
  protocol: protocol.name,
})

/** Keeps events; each is work from here until it is kept, then its changes of state are told. */
export const keptAsWork = async (
  observer: Observer | undefined,
  about: About,
  events: readonly ConversationEvent[],
  keep: () => Promise<void>,
): Promise<void> => {
  if (observer === undefined) return keep()
  const begun = events.map(({ event }) =>
    event.type === 'open' ? undefined : observer.began?.({ type: 'process', ...about, event }),
  )
  try {
    await keep()
  } catch (error) {
    for (const each of begun) each?.end({ error })
    throw error
  }
  for (const [index, { decision }] of events.entries()) {
    begun[index]?.end(decision === null ? {} : { decision })
    for (const { from, to, reason } of decision?.transitions ?? [])
      observer.happened?.({ type: 'transition', ...about, from, to, reason })
  }
}

/** Tells of what is refused, which is in no record, as it is decided. Returns how to stop. */
export const refusedAsWork = (observer: Observer | undefined, talk: Conversation): (() => void) =>
  observer === undefined
    ? () => {}
    : talk.on('refused', ({ event, decision }) =>
        observer.began?.({ type: 'process', ...aboutOf(talk), event })?.end({ decision }),
      )

/** An append to the journal, as work. */
export const appendAsWork = async (
  observer: Observer | undefined,
  conversation: string,
  events: number,
  append: () => Promise<void>,
): Promise<void> => {
  const begun = observer?.began?.({ type: 'append', conversation, events })
  try {
    await append()
    begun?.end({})
  } catch (error) {
    begun?.end({ error })
    throw error
  }
}
