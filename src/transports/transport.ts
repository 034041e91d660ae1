/**
 * The transport port: carries requests to hosts and what happened from them. On the wire at least once; the journal's
 * message ids make that one effect. A message counts as carried when a host has answered for it, never before.
 */

/** What is asked of a conversation from outside. What is in it, the host checks. */
export type Request =
  | { readonly type: 'message'; readonly conversation: string; readonly message: unknown }
  | { readonly type: 'join' | 'leave'; readonly conversation: string; readonly member: string }
  | { readonly type: 'cancel'; readonly conversation: string }

/** What hosts tell: an event of a conversation with its decision, or that a request was refused. */
export interface Told {
  readonly conversation: string
  /** Place of the event; null for what was refused, which has none. */
  readonly seq: number | null
  /** The event, or the request that was refused. */
  readonly event: object
  /** What was decided; null for `open`. */
  readonly decision: object | null
}

/** A request on its way, for one host. */
export interface Delivery {
  readonly request: Request
  /** How often it was delivered before. */
  readonly attempts: number
  /** It is done: never delivered again. */
  done(): Promise<void>
  /** It could not be done now: delivered again, later. */
  retry(error: unknown): Promise<void>
}

export interface SendOptions {
  /** Gives up waiting. */
  readonly signal?: AbortSignal
}

export interface Transport {
  readonly capabilities: {
    /** Whether what was sent outlives the processes. */
    readonly durable: boolean
    /** Whether what happened can be heard again from a place. */
    readonly replay: boolean
    /** Whether several hosts share the requests, each of which goes to one. */
    readonly competing: boolean
    /** Whether it reaches other machines. */
    readonly networked: boolean
  }
  /**
   * Sends a request; resolves when it is as safe as `capabilities` say. Waits while too many are on their way.
   * @throws ColloquyError `TRANSPORT_CLOSED`, `CANCELLED`
   */
  send(request: Request, options?: SendOptions): Promise<void>
  /**
   * Hears what hosts tell of a conversation from now on, or of all; returns how to stop. What a listener throws harms nobody.
   * @param conversation null: all of them
   */
  listen(conversation: string | null, onTold: (told: Told) => void): Promise<() => Promise<void>>
  /**
   * Serves: requests go to `onDelivery`, at most `prefetch` of them at once, those of one conversation in their order.
   * @returns how to stop: takes no more, and resolves when those that were begun are done
   */
  serve(
    onDelivery: (delivery: Delivery) => Promise<void>,
    options: { readonly prefetch: number },
  ): Promise<() => Promise<void>>
  /** Tells what happened, for a host. */
  tell(told: Told): Promise<void>
  /** Safe to call twice. */
  close(): Promise<void>
}
