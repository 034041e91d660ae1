/** Text in columns: how wide it is on a terminal, wrapped, cut, filled up; and colours where they are wanted. */
import { styleText } from 'node:util'

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u
const NONE = /\p{M}|[\u200b-\u200d]/u

/** Below are Latin letters and signs, all of one column: most texts, so that the patterns are seldom asked. */
const COMBINING = '\u0300'

const widthOfOne = (character: string): number =>
  character < COMBINING ? 1 : NONE.test(character) ? 0 : WIDE.test(character) ? 2 : 1

/** Columns that a text takes on a terminal, as near as one gets without asking it. */
export const widthOf = (text: string): number => {
  let width = 0
  for (const character of text) width += widthOfOne(character)
  return width
}

/** A text of at most so many columns; what is cut off is marked. */
export const cut = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  let left = width - 1
  let kept = ''
  for (const character of text) {
    left -= widthOfOne(character)
    if (left < 0) break
    kept += character
  }
  return `${kept}…`
}

/** A text of exactly so many columns, or more where it is longer. */
export const filled = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)))

/** A text in lines of at most so many columns. Scripts without spaces break anywhere; words longer than a line stay whole. */
export const wrap = (text: string, width: number): string[] =>
  text.split('\n').flatMap((paragraph) => {
    const lines: string[] = []
    // White space at the start of a line is meant: lists, code.
    let line = /^\s*/.exec(paragraph)?.[0] ?? ''
    let used = widthOf(line)
    let gap = ''
    for (const [token] of paragraph.slice(line.length).matchAll(TOKENS)) {
      if (/^\s/.test(token)) {
        gap = token
        continue
      }
      const needed = widthOf(gap) + widthOf(token)
      if (used > 0 && used + needed > width) {
        lines.push(line)
        line = token
        used = widthOf(token)
      } else {
        line += gap + token
        used += needed
      }
      gap = ''
    }
    return [...lines, line]
  })

const TOKENS = new RegExp(`${WIDE.source}|\\s+|(?:(?!${WIDE.source})\\S)+`, 'gu')

/** A span of time for a column: `0:04.2`, `12:30.0`, `1:00:00.0`. */
export const clockText = (ms: number): string => {
  const seconds = Math.floor(ms / 1000)
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${h > 0 ? `${h}:${two(m)}` : m}:${two(s)}.${Math.floor((ms % 1000) / 100)}`
}

/** ms: a first time from here on is one of the calendar (2001), not of a simulated clock. */
const CALENDAR = 1e12

/** A time in ms, as ISO 8601; of a simulated clock, as the number that it is. */
export const instantText = (at: number): string => (at < CALENDAR ? `${at} ms` : new Date(at).toISOString())

/** ms since a time of the calendar; null when it is still to come, or of a simulated clock. */
export const sinceInstant = (at: number): number | null =>
  at < CALENDAR || at > Date.now() ? null : Date.now() - at

/** Number and noun: `1 turn`, `2 turns`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

export type Paint = (style: 'bold' | 'dim' | 'cyan' | 'yellow' | 'red', text: string) => string

/** Whether colours are wanted is the caller's to know, which may write elsewhere than to stdout. */
export const painter = (isColoured: boolean): Paint =>
  isColoured ? (style, text) => styleText(style, text, { validateStream: false }) : (_style, text) => text

/** JSON that is safe to show: what a terminal takes for commands and JSON leaves as it is stands as an escape. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
