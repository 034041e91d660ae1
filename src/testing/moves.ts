/** What happens in the conversations that the checker explores. */
import type { MachineEvent, Position } from '../engine/runner.ts'
import type { Happening } from '../schema/record.ts'

/** A conversation at a time. */
export interface Point {
  readonly position: Position
  /** ms. */
  readonly now: number
}

/** Something that happened, as a record tells it. */
export type Told = Exclude<Happening, { type: 'message' }> | Said
export interface Said {
  readonly type: 'message'
  readonly at: number
  readonly message: {
    readonly id: string
    readonly from: string
    readonly intent: string
    readonly payload: Readonly<Record<string, unknown>>
    readonly replyTo: string | null
    readonly tokens: number
    readonly content?: string
  }
}

interface MessageEvent extends MachineEvent {
  readonly at: number
  readonly id: string
  readonly from: string
  readonly content: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly replyTo: string | null
  readonly tokens: number
}

/** A message as the machine sees it. */
export const eventOf = ({
  at,
  message: { id, from, intent, payload, replyTo, tokens, content = '' },
}: Said): MessageEvent => ({
  type: intent,
  at,
  id,
  from,
  content,
  payload,
  replyTo,
  tokens,
})

/** What the ids of the checker’s messages begin with: nothing that a context says of itself. */
export const OWN_ID = 'checked-message-'
export const isOwnId = (text: string): boolean => text.startsWith(OWN_ID)
