/** Text of others, made fit for a line: bounded, well-formed, and without what would end the line or colour it. */

/** Most UTF-16 units of an id or another short text. */
const SHOWN = 256
/** Most UTF-16 units of a message's content, where content is wanted. */
export const CONTENT_SHOWN = 8_192

/** Control characters, line and paragraph separators, and what turns the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** A text of at most so many UTF-16 units, its unsafe characters written as `\uXXXX`, which adds to that. */
export const shortened = (text: string, limit = SHOWN): string => {
  const cut = text.length <= limit ? text : `${text.slice(0, limit)}…`
  return cut
    .toWellFormed()
    .replace(UNSAFE, (unsafe) => `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
