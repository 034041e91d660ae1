/** What a host in a process of its own is told to do, and what it answers: plain data, as it goes between processes. */

export interface HostSettings {
  readonly journal: 'memory' | 'sqlite' | 'postgres'
  /** Its file or address; of no meaning to one in memory. */
  readonly place: string
  /** Who it is: one of the same name takes over at once what it held when it was killed. */
  readonly name: string
  /** Most conversations in memory. */
  readonly resident: number
}

export type Order =
  /** Starts a host, in place of the one that runs, on the same journal in memory or a new one on the same place. */
  | { readonly type: 'start'; readonly settings: HostSettings; readonly first: string | null }
  /** Opens so many conversations. */
  | { readonly type: 'open'; readonly name: string; readonly from: number; readonly count: number }
  /** Sends to conversations at random, so many at once and for so many ms. */
  | {
      readonly type: 'send'
      readonly name: string
      readonly among: number
      readonly loops: number
      readonly ms: number
    }
  /** What this process takes. */
  | { readonly type: 'memory' }

export interface Answers {
  readonly start: {
    /** ms until the first message, sent at once, was answered; null: none was sent. */
    readonly answered: number | null
    /** ms until a look at what must be looked after found nothing more to take. */
    readonly watched: number
  }
  readonly open: { readonly ms: number }
  readonly send: {
    readonly count: number
    readonly ms: number
    /** ms of this process. */
    readonly cpu: number
  }
  readonly memory: { readonly heap: number; readonly rss: number }
}

/** Conversation number `index` of a group. */
export const conversationOf = (name: string, index: number): string => `${name}-${index}`
