/**
 * The key of a conversation's object. Ids are opaque, and keys stand in addresses, where "", "." and ".." would mean
 * something: so each key begins with a sign that means nothing.
 */
const SIGN = '~'

/** Null: no conversation can have this id. */
export const keyOf = (conversation: unknown): string | null =>
  typeof conversation === 'string' && conversation.isWellFormed() ? `${SIGN}${conversation}` : null

export const idOf = (key: string): string => key.slice(SIGN.length)
