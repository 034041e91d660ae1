/** Who listens to a conversation, and telling them: in order, also when one of them sends again from within, and never harmed by what one throws. */
import { messageOf } from '../errors.ts'
import type { Message } from '../schema/message.ts'
import type { Happening } from '../schema/record.ts'
import type { ConversationEvent, Sent } from './events.ts'

/** What a listener may hear. */
export interface Topics {
  /** Everything that was applied or recorded, `open` excluded. */
  event: ConversationEvent
  message: ConversationEvent & { readonly message: Message }
  /** A change of state, once for each. */
  transition: { readonly seq: number; readonly from: string; readonly to: string; readonly reason: string }
  /** The end; nothing comes after it. */
  closed: { readonly seq: number; readonly outcome: object }
  /** What was ignored or rejected. */
  refused: { readonly event: Happening; readonly decision: Sent }
}

export type Listener<Topic extends keyof Topics> = (heard: Topics[Topic]) => void

/** The listeners of one conversation. */
export class Listeners {
  readonly #conversation: string
  readonly #byTopic: { [Topic in keyof Topics]: Set<Listener<Topic>> } = {
    event: new Set(),
    message: new Set(),
    transition: new Set(),
    closed: new Set(),
    refused: new Set(),
  }
  readonly #outbox: { readonly entry: ConversationEvent; readonly outcome: object | null }[] = []
  #isTelling = false

  constructor(conversation: string) {
    this.#conversation = conversation
  }

  add<Topic extends keyof Topics>(topic: Topic, listener: Listener<Topic>): () => void {
    const listeners: Set<Listener<Topic>> = this.#byTopic[topic]
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /**
   * Tells what happened, after whatever is being told already.
   * @param outcome of the event that closed the conversation, else null
   */
  announce(entry: ConversationEvent, outcome: object | null): void {
    this.#outbox.push({ entry, outcome })
    if (this.#isTelling) return
    this.#isTelling = true
    try {
      for (let next = this.#outbox.shift(); next !== undefined; next = this.#outbox.shift())
        this.#tellAll(next.entry, next.outcome)
    } finally {
      this.#isTelling = false
    }
  }

  tell<Topic extends keyof Topics>(topic: Topic, heard: Topics[Topic]): void {
    const listeners: Set<Listener<Topic>> = this.#byTopic[topic]
    for (const listener of [...listeners]) {
      try {
        listener(heard)
      } catch (error) {
        process.emitWarning(
          `A listener to "${topic}" of conversation ${this.#conversation} threw: ${messageOf(error)}`,
        )
      }
    }
  }

  #tellAll(entry: ConversationEvent, outcome: object | null): void {
    const { seq, event, decision } = entry
    this.tell('event', entry)
    if (event.type === 'message' && this.#byTopic.message.size > 0)
      this.tell('message', { ...entry, message: event.message as Message })
    for (const transition of decision?.transitions ?? []) this.tell('transition', { seq, ...transition })
    if (outcome !== null) this.tell('closed', { seq, outcome })
  }
}
