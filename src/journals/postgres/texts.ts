/**
 * Ids and other short texts as columns hold them. PostgreSQL's text has no NUL, which an id may have: it is written as
 * two U+0001, and U+0001 itself as U+0001 U+0002. So every text comes back as it was, and two of them are in the same
 * order by their bytes as before.
 */

/** A text as a column holds it. */
export const stored = (text: string): string =>
  text.replaceAll('\u0001', '\u0001\u0002').replaceAll('\u0000', '\u0001\u0001')

/** The text that a column holds. */
export const restored = (text: string): string =>
  text.replaceAll('\u0001\u0001', '\u0000').replaceAll('\u0001\u0002', '\u0001')
