/**
 * Sketches as keys: two sketches that differ only in the order of their members or things have the same key. What sorts
 * members by what is true of them alone and of them together with things; only those that this leaves equal are put in
 * every order.
 */
import type { Sketch, Thing } from '../engine/protocol.ts'
import { ColloquyError } from '../errors.ts'

export interface Key {
  /** All of the sketch. */
  readonly whole: string
  /** Without the reserves. */
  readonly core: string
}

/** Numbers from here on are told by their place in a table, since a character holds no more. */
const LARGE = 0xd000
const END = '\uffff'

/** Most sketches whose keys are kept: most moves lead to a sketch that was seen a short while ago. */
const MOST_KEPT = 100_000

/** `String.fromCharCode` takes any list of numbers as its arguments; its type knows arrays only. */
const fromUnits: (self: null, units: ArrayLike<number>) => string = Reflect.apply.bind(
  null,
  String.fromCharCode,
)

/** Writes numbers as characters. One writer for one search: its table makes keys comparable. */
export class KeyWriter {
  readonly #large = new Map<number, number>()
  readonly #states = new Map<string, number>()
  readonly #kept = new Map<string, Key>()
  #units = new Uint16Array(4_096)
  #length = 0

  /** The key of a sketch in a state. */
  keyOf(sketch: Sketch, state = ''): Key {
    let place = this.#states.get(state)
    if (place === undefined) {
      place = this.#states.size
      this.#states.set(state, place)
    }
    const raw = this.#raw(sketch, place)
    const known = this.#kept.get(raw)
    if (known !== undefined) return known
    const key = this.#canonical(sketch, place)
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear()
    this.#kept.set(raw, key)
    return key
  }

  /** The sketch as it is told, as text. */
  #raw({ rest, members, reserves, things }: Sketch, place: number): string {
    this.#length = 0
    this.#units[this.#length++] = place
    this.#put(rest)
    for (const row of members) this.#put(row)
    if (reserves !== undefined) this.#put(reserves)
    for (const { row, ties } of things) {
      this.#put(row)
      this.#put(ties)
    }
    // Longer lists of arguments than this overflow the stack.
    let raw = ''
    for (let at = 0; at < this.#length; at += 8_192) {
      const units = this.#units.subarray(at, Math.min(at + 8_192, this.#length))
      raw += fromUnits(null, units)
    }
    return raw
  }

  #put(numbers: readonly number[]): void {
    const count = numbers.length
    // A number takes three units at most, and what ends the row one.
    const most = this.#length + 3 * count + 1
    if (most > this.#units.length) {
      const wider = new Uint16Array(2 * most)
      wider.set(this.#units)
      this.#units = wider
    }
    const units = this.#units
    let length = this.#length
    for (let at = 0; at < count; at++) {
      const number = numbers[at] as number
      const unit = number & 0xffff
      if (unit === number && number < LARGE) units[length++] = unit
      else for (const char of this.#char(number)) units[length++] = char.charCodeAt(0)
    }
    units[length++] = 0xffff
    this.#length = length
  }

  #canonical({ rest, members, reserves, things }: Sketch, place: number): Key {
    const count = members.length
    const rows = members.map((row) => this.#text(row) + END)
    const owns = things.map(({ row }) => this.#text(row))
    const marks = rows.map((row, member) => {
      // The reserve comes last: members that differ in it alone stay side by side, and the core stays the same.
      const reserve = this.#char(reserves?.[member] ?? 0)
      if (things.length === 0) return row + reserve
      let mark = row
      const ties = things.map(
        ({ ties: tied }, thing) => (owns[thing] as string) + this.#char(tied[member] ?? 0),
      )
      if (ties.length > 1) ties.sort()
      for (const tie of ties) mark += tie
      return mark + END + reserve
    })
    const sorted = Array.from({ length: count }, (_, member) => member)
    sorted.sort((a, b) => compare(marks[a] as string, marks[b] as string))
    let core: string | null = null
    let reserve = ''
    for (const order of orders(sorted, marks, things)) {
      let found = ''
      for (const member of order) found += rows[member] as string
      found += END
      if (things.length > 0) {
        const tied = things.map(({ ties }, thing) => {
          let text = owns[thing] as string
          for (const member of order) text += this.#char(ties[member] ?? 0)
          return text
        })
        if (tied.length > 1) tied.sort()
        for (const text of tied) found += text + END
      }
      if (core !== null && found >= core) continue
      core = found
      reserve = ''
      if (reserves !== undefined) for (const member of order) reserve += this.#char(reserves[member] ?? 0)
    }
    const whole = this.#char(place) + this.#text(rest) + END + (core ?? '')
    return { core: whole, whole: whole + END + reserve }
  }

  #text(numbers: readonly number[]): string {
    let text = ''
    for (const number of numbers) text += this.#char(number)
    return text
  }

  #char(number: number): string {
    if (number >= 0 && number < LARGE && Number.isInteger(number)) return String.fromCharCode(number)
    let place = this.#large.get(number)
    if (place === undefined) {
      place = this.#large.size
      this.#large.set(number, place)
    }
    return `\uf000${String.fromCharCode(place & 0x7fff)}${String.fromCharCode(place >> 15)}`
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Every order that differs from the sorted one only within runs of equal marks, as far as it makes a difference. */
const orders = (
  sorted: readonly number[],
  marks: readonly string[],
  things: readonly Thing[],
): readonly (readonly number[])[] => {
  if (
    things.length === 0 ||
    sorted.every((member, at) => at === 0 || marks[member] !== marks[sorted[at - 1] as number])
  )
    return [sorted]
  let found: number[][] = [[]]
  for (let at = 0; at < sorted.length; ) {
    const run: number[] = []
    const mark = marks[sorted[at] as number]
    while (at < sorted.length && marks[sorted[at] as number] === mark) run.push(sorted[at++] as number)
    // Who is tied to the same in the same way can change places without a trace.
    const [first] = run as [number]
    const isAlike = run.every((member) =>
      things.every(({ ties }) => (ties[member] ?? 0) === (ties[first] ?? 0)),
    )
    const within = isAlike ? [run] : permutations(run)
    found = found.flatMap((order) => within.map((each) => [...order, ...each]))
  }
  return found
}

/** Every order of a list. */
export const permutations = <T>(list: readonly T[]): T[][] =>
  list.length <= 1
    ? [[...list]]
    : list.flatMap((first, index) =>
        permutations([...list.slice(0, index), ...list.slice(index + 1)]).map((others) => [first, ...others]),
      )

/** Numbers at least this large in a context are taken for times. */
export const FIRST_TIME = 2 ** 40
const FAR = 2 ** 39

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/**
 * The key of a context of which nothing is known: all of it as text, times told from now, message ids in the order of
 * their appearance. Members are told by name: their symmetry is not used.
 */
export const keyOfContext = (
  context: object,
  now: number,
  state: string,
  isMessageId: (text: string) => boolean,
): Key => {
  const ids = new Map<string, string>()
  const text = (value: unknown): string => {
    if (typeof value === 'number')
      return value > FAR && Math.abs(value - now) < FAR ? `@${value - now}` : String(value)
    if (typeof value === 'string') {
      if (!isMessageId(value)) return JSON.stringify(value)
      const known = ids.get(value) ?? `#${ids.size}`
      ids.set(value, known)
      return known
    }
    if (typeof value !== 'object' || value === null) return String(value)
    if (value instanceof Map || value instanceof Set) return text([...value])
    if (!Array.isArray(value) && !isPlain(value)) {
      throw new ColloquyError(
        'PROTOCOL_INVALID',
        `The context holds a ${value.constructor?.name ?? 'value'} in state "${state}", of which the checker cannot tell what is in it: a context is plain JSON, or \`checking.sketch\` tells what matters of it`,
      )
    }
    if (Array.isArray(value)) return `[${value.map(text).join()}]`
    const keys = Object.keys(value).sort()
    return `{${keys.map((key) => `${text(key)}:${text((value as Record<string, unknown>)[key])}`).join()}}`
  }
  const core = `${JSON.stringify(state)} ${text(context)}`
  return { core, whole: core }
}
