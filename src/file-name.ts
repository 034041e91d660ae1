/** File names from ids: injective also where case does not count, bounded, and never a way out of a folder. */
import { createHash } from 'node:crypto'

/** Most bytes of a name, so that an ending still fits into the 255 that file systems allow. */
const LONGEST = 200

/**
 * A file name for an id. Letters, digits, `_` and `-` stand for themselves, a capital is `=` and the small letter, any
 * other byte of UTF-8 is `%` and two hexadecimal digits. A name that would be longer than 200 bytes keeps its beginning and ends in `~`
 * and the id's SHA-256, so that different ids always have different names.
 */
export const fileNameOf = (id: string): string => {
  let name = ''
  for (const byte of new TextEncoder().encode(id)) {
    const character = String.fromCharCode(byte)
    if (/[a-z0-9_-]/.test(character)) name += character
    else if (/[A-Z]/.test(character)) name += `=${character.toLowerCase()}`
    else name += `%${byte.toString(16).padStart(2, '0')}`
  }
  if (name.length <= LONGEST) return name
  const hash = createHash('sha256').update(id).digest('hex')
  return `${name.slice(0, LONGEST - hash.length - 1)}~${hash}`
}
