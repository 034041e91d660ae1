/** ISO 8601 in UTC with milliseconds, like `Date#toISOString`, which costs as much as half a message's check. */

const DAY = 86_400_000

let day = Number.NaN
let date = ''
/** Messages often come several in a millisecond. */
let last = Number.NaN
let text = ''

const two = (value: number): string => (value < 10 ? `0${value}` : `${value}`)
const three = (value: number): string => (value < 100 ? `0${two(value)}` : `${value}`)

/** @param at ms since the epoch, a non-negative integer that a Date can hold */
export const isoOf = (at: number): string => {
  if (at !== last) {
    text = format(at)
    last = at
  }
  return text
}

const format = (at: number): string => {
  const today = Math.floor(at / DAY)
  if (today !== day) {
    date = new Date(today * DAY).toISOString().slice(0, -13)
    day = today
  }
  const ms = at - today * DAY
  const seconds = Math.floor(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  const time = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}`
  // Joined, since V8 keeps the pieces of what is added up.
  return [date, time, '.', three(ms % 1000), 'Z'].join('')
}
