/**
 * A record file, plain or compact. While one is made of the other both are there, and the plain one counts: it is put in
 * its place when it is whole, and removed when the compact one is safe.
 */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { ColloquyError, messageOf } from '../../errors.ts'
import { contentOf, removeFile, replaceFile } from './files.ts'
import { type Places, sizeOf } from './places.ts'

/** The bytes of a record; none when it is not known. @throws ColloquyError `JOURNAL_CORRUPT`, `JOURNAL_FAILED` */
export const recordOf = async (places: Places): Promise<Buffer> => {
  const plain = await contentOf(places.record)
  if (plain !== null) return plain
  const compact = await contentOf(places.compact)
  // Whoever made it plain meanwhile has removed the compact one last.
  if (compact === null) return (await contentOf(places.record)) ?? Buffer.alloc(0)
  try {
    return await promisify(gunzip)(compact)
  } catch (error) {
    throw new ColloquyError('JOURNAL_CORRUPT', `${places.compact}: ${messageOf(error)}`, { cause: error })
  }
}

/** Makes a record compact, unless that makes it no smaller. @returns bytes before and after */
export const compacted = async (
  { record, compact }: Places,
  sync: boolean,
): Promise<{ readonly before: number; readonly after: number }> => {
  const content = await contentOf(record)
  if (content === null) {
    const size = (await sizeOf(compact)) ?? 0
    return { before: size, after: size }
  }
  const packed = await promisify(gzip)(content)
  if (packed.length >= content.length) return { before: content.length, after: content.length }
  await replaceFile(compact, packed, sync)
  await removeFile(record)
  return { before: content.length, after: packed.length }
}

/** Makes a compact record plain again, so that more can be appended. */
export const expanded = async (places: Places, sync: boolean): Promise<void> => {
  if ((await sizeOf(places.compact)) === null) return
  if ((await sizeOf(places.record)) === null) await replaceFile(places.record, await recordOf(places), sync)
  await removeFile(places.compact)
}
